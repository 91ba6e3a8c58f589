"""The desk: pieces of sessions go out, checked lessons come in.

Whoever thinks (the agent in the client, a model, a person) gets the same pieces, and every answer
is checked against the log. What a person said, in whatever words, is written as their word. What
needs something that only the agent said is written with the trust of an agent, and waits for the
person all the same. What nobody but the agent said only waits.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from itertools import chain
from math import log

from reverie.clock import Clock
from reverie.data import patterns
from reverie.errors import InvalidInput, NotFound, Refused
from reverie.language.words import content, words
from reverie.learn.diary.diaries import hand_in
from reverie.learn.diary.diary import diary_from
from reverie.learn.diary.handed_in import OwnDiary, check
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.queue import Queue
from reverie.learn.memories.writing import Writer, held_since, is_later
from reverie.learn.statements.statement import is_asked_for
from reverie.learn.work.answers import DiaryPart, again, left_of, session_answer
from reverie.learn.work.assignments import HANDED_IN, Assignment, Assignments, Stretch, Thinker
from reverie.learn.work.bearing import subject_of
from reverie.learn.work.pieces import (
    Part,
    Piece,
    Task,
    is_bare,
    part_between,
    parts_of,
    together,
)
from reverie.learn.work.taking import PartlyTaken, TakenLesson, Taking
from reverie.sessions.derived import Chosen
from reverie.sessions.diaries import diaries
from reverie.sessions.index import Index
from reverie.sessions.query import (
    SessionRow,
    learned_until,
    opening_of,
    repeated_openings,
)
from reverie.sessions.statements import StatementRow, statements
from reverie.store.library import GLOBAL, Item, Library
from reverie.store.store import Store

_RE = patterns("work.txt", "values")
MEMORIES = 10  # that are shown beside a piece
OTHERS = 20  # of which only the names are
FEWEST_SHARED = 2  # telling words that a memory and a line, with what stands beside, must share
LEAST = 0.15  # of what tells a memory that both must speak of
BESIDE = 0.3  # what a word that only the agent used counts, against one of the person
BRIEFS = 3  # sessions that begin alike, from which on a machine wrote the words
FEW = 4  # memories that may share a name, for it alone to tell which of them is meant


class Work:
    """Hands out sessions, oldest first, and takes lessons."""

    def __init__(
        self, store: Store, index: Index, clock: Clock, redact: Callable[[str], str]
    ) -> None:
        self._store = store
        self._index = index
        self._redact = redact
        self._queue = Queue(store.database, clock)
        self._writer = Writer(store, self._queue)
        self.assignments = Assignments(store.database, clock)

    def next(
        self,
        project: str | None = None,
        buried: Set[str] = frozenset(),
        *,
        session: str | None = None,
        since: str = "",
    ) -> Task | None:
        """The oldest piece nobody has, also only of one session; None: all is done.

        What was given up comes first. Short sessions of one project are laid together.
        """
        for old in self._given_up(project, buried, session):
            if taken := self.assignments.again(old):
                return self._task(taken)
        for piece in self._fresh_pieces(project, buried, session, since):
            if taken := self.assignments.begin("session", _stretches(piece)):
                return self._task(taken)
        return None

    def waiting(
        self, project: str | None = None, buried: Set[str] = frozenset(), *, since: str = ""
    ) -> Iterator[Task]:
        """The pieces that `next` would give, one after another; none is taken."""
        yield from map(self._task, self._given_up(project, buried, None))
        for piece in self._fresh_pieces(project, buried, None, since):
            yield self._task(self.assignments.plan("session", _stretches(piece)))

    def _given_up(
        self, project: str | None, buried: Set[str], session: str | None
    ) -> Iterator[Assignment]:
        """Pieces whose lease ended, if they are still there and asked for."""
        for old in self.assignments.lapsed("session"):
            keys = {part.subject for part in old.parts}
            if keys & buried or session not in (None, *keys):
                continue
            with suppress(NotFound):
                if project in (None, self._task(old).project):
                    yield old

    def _fresh_pieces(
        self, project: str | None, buried: Set[str], session: str | None, since: str
    ) -> Iterator[Piece]:
        """What was never handed out, in the order in which it will be."""
        briefs = repeated_openings(self._index.database, BRIEFS)
        out = self.assignments.of("session")
        reached = {key: max(old.last for old in parts) for key, parts in out.items()}
        spoken = learned_until(self._index.database)
        known = self._index.sessions(project=project)
        rows = [
            row
            for row in sorted(known, key=lambda row: (row.started, row.key))
            if row.key in spoken
            and row.key not in buried
            and session in (None, row.key)
            and row.started >= since
        ]

        def fresh(row: SessionRow) -> Part | None:
            """The first part that was never handed out, and in which a person speaks."""
            after = reached.get(row.key, -1)
            if after >= spoken[row.key]:
                return None
            parts = parts_of(row, self._index.turns(row.key), after)
            return next((part for part in parts if not _is_idle(part, briefs)), None)

        for place, row in enumerate(rows):
            others = [other for other in rows[place + 1 :] if other.project == row.project]
            while (first := fresh(row)) is not None:
                piece = together(chain([first], filter(None, map(fresh, others))))
                reached |= {part.session.key: part.last for part in piece.parts}
                yield piece

    def _task(self, assignment: Assignment) -> Task:
        """A piece with all that is shown with it.

        Raises:
            NotFound: a session is no longer known, or no longer has these lines.
        """
        parts: list[Part] = []
        for stretch in assignment.parts:
            session = self._index.session(stretch.subject)
            turns = self._index.turns(session.key)
            part = part_between(session, turns, stretch.first, stretch.last)
            if not part.lines:
                raise NotFound(f"{session.key} no longer has these lines")
            parts.append(part)
        piece = Piece(tuple(sorted(parts, key=lambda part: (part.session.started, part.first))))
        project = parts[0].session.project
        return Task(
            assignment, project, piece, self._statements(piece), *self._memories(project, piece)
        )

    def _statements(self, piece: Piece) -> dict[str, StatementRow]:
        """What the rules made of the same words."""
        return {
            f"{letter}{said.line}.{said.place}": said
            for letter, part in piece.lettered()
            for said in statements(
                Chosen(self._index.database, (part.session.key,)), since=part.first
            )
            if said.lasts and said.line <= part.last
        }

    def _memories(self, project: str, piece: Piece) -> tuple[dict[str, Item], dict[str, Item]]:
        """What is remembered and may bear on what was said, nearest first; and the newest others.

        What takes something back often shares no word with it: then its name has to do.
        """
        evidence = {part.evidence(line) for part in piece.parts for line in part.lines}
        end = max((line.at for part in piece.parts for line in part.lines), default="")
        items: dict[str, Item] = {}
        stems: dict[str, frozenset[str]] = {}
        for item in Library(self._store, project).documents():
            # What the rules made of this very piece stands among the statements; what was first
            # said after it does not bear on it.
            later = is_later(held_since(item), end)
            if not later and not evidence.issuperset(item.document.evidence or ("",)):
                name = f"{GLOBAL}:{item.name}" if item.store == GLOBAL else item.name
                items[name] = item
                stems[name] = _stems(subject_of(item))
        worth = _bearing(stems, piece)
        best = sorted(worth, key=lambda name: (-worth[name], name))[:MEMORIES]
        others = [name for name in items if name not in best and items[name].store == project]
        others.sort(key=lambda name: (held_since(items[name]), name))
        return {name: items[name] for name in best}, {
            name: items[name] for name in others[-OTHERS:]
        }

    def submit(
        self, assignment: Assignment, text: str, *, by: Thinker = "agent"
    ) -> list[TakenLesson]:
        """Take an answer, or what of it is right.

        Of an engine, what the rules wrote of single sentences was only written until somebody who
        understands them has read the session. The words of an agent are told to no session before a
        person said yes, and silence nothing that is.

        Raises:
            InvalidInput: it has not the form that was asked for.
            PartlyTaken: something of it is not taken; the message has every reason.
            NotFound: a session is no longer known.
        """
        task = self._task(assignment)
        try:
            answer = session_answer(text, task.piece.quoted(), self._redact)
        except (InvalidInput, Refused) as error:
            left = self.assignments.refused(assignment)
            error.hint = error.hint or again(left)
            raise
        taking = Taking(self._store, self._queue, self._writer, task, by != "agent")
        with self._store.database.atomic():
            for said in task.statements.values() if by == "engine" else ():
                if not is_asked_for(said.quote):
                    self._writer.lay_open(Candidate.of(said))
            taken, reasons = taking.take(answer)
            self._keep_diaries(task, answer.diary)
            if taking.doubts:
                # Whoever reads the memories side by side sees it and can judge better.
                self.assignments.keep(assignment, json.dumps(taking.doubts))
            if not reasons:
                self.assignments.done(assignment, HANDED_IN if by == "agent" else "done")
        if reasons:
            left = self.assignments.refused(assignment)
            numbers = [lesson.number for lesson in taken]
            kept = f"lesson {', '.join(map(_numbered, taken))}" if taken else ""
            raise PartlyTaken(kept, reasons, again(left), left_of(text, numbers), taken)
        return taken

    def _keep_diaries(self, task: Task, parts: Iterable[DiaryPart]) -> None:
        """Diaries in the words of whoever answered take the place of the derived ones."""
        quoted = task.piece.quoted()
        for part in parts:
            if part.start not in quoted:
                continue
            where, line = quoted[part.start]
            for row in diaries(Chosen(self._index.database, (where.session.key,))):
                if part.approaches and line.number in diary_from(row.data).spoken:
                    agents_diary = OwnDiary(part.task, part.approaches, part.worked, part.mistakes)
                    hand_in(self._store, row, check(agents_diary, self._redact).diary)
                    break


def _bearing(stems: Mapping[str, frozenset[str]], piece: Piece) -> dict[str, float]:
    """How much each memory may bear on one line of what was said: on the line that is nearest.

    A long talk shares some words with everything, so each line is looked at by itself, with what
    the agent said beside it, which often names what a person only points at.
    """
    common = Counter(stem for telling in stems.values() for stem in telling)
    # A word that few memories have says more about which of them is meant.
    weight = {stem: log(1 + len(stems) / count) for stem, count in common.items()}
    whole = {name: sum(weight[stem] for stem in telling) for name, telling in stems.items()}
    names = {stem for stem in common if not stem.isalpha()}
    worth: dict[str, float] = {}
    for part in piece.parts:
        for line in part.lines:
            if line.who == "agent":
                continue
            said = _stems(line.text)
            beside = " ".join(near.text for near in part.beside(line.id))
            shown = _stems(beside) - said
            for name, telling in stems.items():
                near, lent = telling & said, telling & shown
                shared = sum(weight[stem] for stem in near)
                shared += BESIDE * sum(weight[stem] for stem in lent)
                enough = len(near) + len(lent) >= FEWEST_SHARED and shared >= LEAST * whole[name]
                named = any(stem in names and common[stem] <= FEW for stem in near)
                if near and (enough or named):
                    worth[name] = max(worth.get(name, 0.0), shared / whole[name] ** 0.5)
    return worth


def _is_idle(part: Part, briefs: Set[str]) -> bool:
    """Whether all that was said is "commit this", or what a machine sends to many sessions."""
    spoken = [line for line in part.lines if line.who != "agent" and line.number >= part.first]
    return all(is_bare(line.text) or opening_of(line.text) in briefs for line in spoken)


def _stems(text: str) -> frozenset[str]:
    """What a text speaks of; a name that is written together, by its parts too."""
    said = words(text)
    return content(said) | content(words(_RE.joint.sub(" ", " ".join(said))))


def _stretches(piece: Piece) -> list[Stretch]:
    return [Stretch(part.session.key, part.first, part.last) for part in piece.parts]


def _numbered(taken: TakenLesson) -> str:
    """A lesson that was taken, by its number; why it waits, if it does."""
    waits = taken.outcome.action == "queued"
    return (
        f"{taken.number} (waits for a person: {taken.outcome.why})" if waits else f"{taken.number}"
    )
