"""Assignments: who has which piece of work, and until when.

A piece is one or several parts: some lines of a session each, or what another kind of work shows.
One that is not handed in before its lease ends is given to the next who asks, under the same id.
Whoever answers first is heard; one that was refused too often is given to nobody any more.
"""

import hashlib
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Literal, NamedTuple, TypeVar

from reverie.clock import Clock, iso
from reverie.db.database import Database, Transaction
from reverie.errors import Ambiguous, Conflict, InvalidInput, NotFound, Refused

Content = TypeVar("Content")  # what is shown of a piece
Task = TypeVar("Task")  # the piece as somebody gets it
WorkKind = Literal["session", "day", "dream", "triage", "revise"]
LEASE = timedelta(minutes=30)
Thinker = Literal["engine", "person", "agent"]  # an engine that the person chose, who else answers
HANDED_IN = "handed in"  # the status of a session that only an agent of its own accord answered
MOST_REFUSALS = 3

_COLUMNS = "id, kind, subject, first_line, last_line, status, refusals, leased_until, piece"


class Stretch(NamedTuple):
    """What one part of a piece is about: a session between two lines, or a thing by its name."""

    subject: str
    first: int = 0
    last: int = 0
    seed: str = ""  # what was shown, for things that change


class Part(NamedTuple):
    """One part as the database knows it."""

    id: str
    kind: WorkKind
    subject: str
    first: int
    last: int
    status: str
    refusals: int
    leased_until: str
    piece: str


class Assignment(NamedTuple):
    """A piece of work that somebody has."""

    parts: tuple[Part, ...]

    @property
    def id(self) -> str:
        return self.parts[0].piece

    @property
    def kind(self) -> WorkKind:
        return self.parts[0].kind

    @property
    def subject(self) -> str:
        return self.parts[0].subject

    @property
    def leased_until(self) -> str:
        return self.parts[0].leased_until

    @property
    def tries_left(self) -> int:
        """How often an answer may still be handed in."""
        return max(0, MOST_REFUSALS - self.parts[0].refusals)

    @property
    def is_first_try(self) -> bool:
        return not self.parts[0].refusals


class Finished(NamedTuple):
    """What was thought about: of each session the stretches."""

    stretches: dict[str, list[tuple[int, int]]]

    def covers(self, evidence: str) -> bool:
        """Whether a turn, by its id, lies in what was thought about."""
        session, _, line = evidence.rpartition("#")
        place = int(line.partition(".")[0] or -1) if line[:1].isdigit() else -1
        return any(first <= place <= last for first, last in self.stretches.get(session, ()))


class Assignments:
    """The pieces that were handed out."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def of(self, kind: WorkKind) -> dict[str, list[Part]]:
        """Parts by subject, each in the order of its lines."""
        by_subject: dict[str, list[Part]] = {}
        for part in self._read("WHERE kind = ? ORDER BY subject, first_line, id", kind):
            by_subject.setdefault(part.subject, []).append(part)
        return by_subject

    def finished(self, kind: WorkKind, statuses: Collection[str] = ("done",)) -> Finished:
        """All that was answered, by whom a person chose."""
        done = {
            subject: [(part.first, part.last) for part in parts if part.status in statuses]
            for subject, parts in self.of(kind).items()
        }
        return Finished(done)

    def find(self, reference: str) -> Assignment:
        """A piece that may still be answered, by id or unique beginning.

        Raises:
            NotFound, Ambiguous: none or several fit.
            Conflict: it was answered.
            Refused: it was refused too often.
        """
        every = self._read("ORDER BY piece, id")
        rows = [part for part in every if part.piece.startswith(reference)]
        if not rows or not reference:
            raise NotFound(f"no piece of work {reference!r}", hint="`reverie work next` gives one")
        if len({part.piece for part in rows}) > 1:
            raise Ambiguous(f"{reference!r} fits several pieces of work")
        first = rows[0]
        if first.status in ("done", HANDED_IN):
            raise Conflict(f"{first.piece} was handed in already", hint="go on to the next piece")
        if first.status == "refused":
            raise Refused(
                f"{first.piece} was refused {first.refusals} times", hint="go on to the next piece"
            )
        return Assignment(tuple(rows))

    def lapsed(self, kind: WorkKind) -> list[Assignment]:
        """Pieces that are out, and nobody has a right to any more."""
        pieces: dict[str, list[Part]] = {}
        for part in self._read("WHERE kind = ? AND status = 'out' ORDER BY piece, id", kind):
            if part.leased_until <= iso(self._clock()):
                pieces.setdefault(part.piece, []).append(part)
        return [Assignment(tuple(parts)) for parts in pieces.values()]

    def plan(self, kind: WorkKind, stretches: Sequence[Stretch]) -> Assignment:
        """A new piece as it would be taken now."""
        until = iso(self._clock() + LEASE)
        ids = [self.id_of(kind, stretch) for stretch in stretches]
        piece = ids[0] if len(ids) == 1 else _digest("piece", *ids)
        parts = [
            Part(name, kind, extent.subject, extent.first, extent.last, "out", 0, until, piece)
            for name, extent in zip(ids, stretches, strict=True)
        ]
        return Assignment(tuple(sorted(parts, key=lambda part: part.id)))

    def begin(self, kind: WorkKind, stretches: Sequence[Stretch]) -> Assignment | None:
        """Take a new piece; None when somebody else took a part of it just now."""
        planned = self.plan(kind, stretches)
        try:
            with self._database.atomic() as tx:
                for part in planned.parts:
                    if not tx.execute(
                        f"INSERT INTO work ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
                        " ON CONFLICT (id) DO NOTHING RETURNING id",
                        part,
                    ):
                        raise Conflict(f"{part.id} was taken just now")
        except Conflict:
            return None
        return planned

    def first(
        self,
        kind: WorkKind,
        offered: Iterable[tuple[Stretch, Content]],
        shown: Callable[[Assignment, Content], Task],
    ) -> Task | None:
        """Take the first of what is offered that is new, or that was given up; None: all is had."""
        given_up = {piece.id: piece for piece in self.lapsed(kind)}
        for stretch, content in offered:
            taken = self.begin(kind, [stretch])
            if taken is None and (old := given_up.get(self.id_of(kind, stretch))) is not None:
                taken = self.again(old)
            if taken is not None:
                return shown(taken, content)
        return None

    def untouched(
        self,
        kind: WorkKind,
        offered: Iterable[tuple[Stretch, Content]],
        shown: Callable[[Assignment, Content], Task],
    ) -> Iterator[Task]:
        """What of it nobody has had, as it would be taken; none is."""
        known = {part.id for parts in self.of(kind).values() for part in parts}
        for stretch, content in offered:
            if self.id_of(kind, stretch) not in known:
                yield shown(self.plan(kind, [stretch]), content)

    def shown(
        self,
        held: Assignment,
        offered: Iterable[tuple[Stretch, Content]],
        otherwise: str = "",
    ) -> Content:
        """What a piece showed.

        Raises:
            Conflict: that has changed since, or as `otherwise` says it.
        """
        for stretch, content in offered:
            if held.id == self.id_of(held.kind, stretch):
                return content
        changed = otherwise or f"what {held.id} showed has changed since"
        raise Conflict(changed, hint="take the next piece instead")

    @contextmanager
    def judging(self, held: Assignment) -> Generator[None]:
        """While an answer is judged: one that is sent back counts."""
        try:
            yield
        except (InvalidInput, Refused):
            self.refused(held)
            raise

    @staticmethod
    def id_of(kind: WorkKind, stretch: Stretch) -> str:
        """The id of a part: the same whenever the same is handed out."""
        # Pieces of sessions were of kind `learn` once, and keep their ids.
        name = "learn" if kind == "session" else kind
        return _digest(name, stretch.subject, str(stretch.first), stretch.seed)

    def again(self, old: Assignment) -> Assignment | None:
        """Take a piece whose lease ended; None when somebody else took it just now."""
        until = iso(self._clock() + LEASE)
        taken = self._set("leased_until = ?", [until], old, lease=old.leased_until)
        return self.find(old.id) if taken else None

    def renew(self, held: Assignment, lease: timedelta = LEASE) -> None:
        """Keep a piece while somebody still thinks about it."""
        self._set("leased_until = ?", [iso(self._clock() + lease)], held)

    def give_back(self, held: Assignment) -> None:
        """Let a piece be taken by the next who asks, at once."""
        self._set("leased_until = ?", [iso(self._clock())], held)

    def keep(self, assignment: Assignment, answer: str) -> None:
        """Keep what was taken of an answer, for whoever asks the same again."""
        self._set("answer = ?", [answer], assignment)

    def kept(self, kind: WorkKind) -> list[str]:
        """What is kept of all pieces of a kind."""
        rows = self._database.query(
            "SELECT DISTINCT answer FROM work WHERE kind = ? AND answer <> '' ORDER BY answer",
            (kind,),
        )
        return [str(row[0]) for row in rows]

    def answer(self, identity: str) -> str:
        """What was taken of the answer to a piece; "" for nothing."""
        rows = self._database.query(
            "SELECT answer FROM work WHERE id = ? AND answer IS NOT NULL", (identity,)
        )
        return str(rows[0][0]) if rows else ""

    def done(self, assignment: Assignment, status: str = "done") -> None:
        """The answer was taken."""
        self._set("status = ?, finished_at = ?", [status, iso(self._clock())], assignment)

    def refused(self, assignment: Assignment) -> int:
        """The answer was not; returns how often it still may be tried."""
        left = max(0, assignment.tries_left - 1)
        status = "out" if left else "refused"
        self._set("refusals = ?, status = ?", [MOST_REFUSALS - left, status], assignment)
        return left

    def _read(self, condition: str, *values: str) -> list[Part]:
        rows = self._database.query(f"SELECT {_COLUMNS} FROM work {condition}", values)
        return [Part(*row) for row in rows]

    def _set(self, what: str, values: list[Any], piece: Assignment, lease: str = "") -> bool:
        """Change a piece that is out, if nobody took it since the `lease` that is known."""
        where, known = (" AND leased_until = ?", [lease]) if lease else ("", [])
        with self._database.atomic() as tx:
            rows = tx.execute(
                f"UPDATE work SET {what} WHERE piece = ? AND status = 'out'{where} RETURNING id",
                [*values, piece.id, *known],
            )
        return bool(rows)


def forget_answers(tx: Transaction, *_: object) -> None:
    """Clear what was kept of answers: one about many sessions may hold what one of them said."""
    tx.execute("UPDATE work SET answer = NULL WHERE answer IS NOT NULL")


def _digest(*parts: str) -> str:
    return f"work_{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"
