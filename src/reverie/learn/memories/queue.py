"""The one review queue: what was found but is not sure enough to be written unasked.

States: pending → accepted | edited | rejected | forgotten, or dropped by a model that looked at
what the rules had found. A decision is never asked for twice: a
candidate has the same id on every run. Candidates that say the same are one entry: the later ones
are `joined` to the first and share what becomes of it.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from reverie.clock import Clock, iso
from reverie.db.database import Database, Transaction
from reverie.documents.vocabulary import GLOBAL
from reverie.errors import Ambiguous, NotFound
from reverie.language.compare import relation
from reverie.learn.memories.candidate import Candidate
from reverie.sessions.derived import among
from reverie.sessions.labels import Labels
from reverie.store.seals import REVIEW

if TYPE_CHECKING:
    from reverie.sealing import Sealer

Status = Literal[
    "pending", "joined", "written", "accepted", "edited", "rejected", "forgotten", "dropped"
]
WEEKLY = 8  # entries of one project's week: what two minutes can decide
_COLUMNS = (
    "id, session, candidate, memory_id, seal, status, score, why, created_at, decided_at, joined_to"
)


@dataclass(frozen=True, slots=True)
class Review:
    """One entry of the queue."""

    id: str
    status: Status
    score: float
    why: str  # why it waits, or why it was written at once
    candidate: Candidate
    created_at: str
    decided_at: str | None
    memory_id: str | None
    joined_to: str | None = None  # the entry it is more evidence for
    also: tuple[Candidate, ...] = ()  # what says the same and waits with it

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All that says it, its own first."""
        return (self.candidate, *self.also)


class Advice(NamedTuple):
    """What somebody would do with an entry; a person decides."""

    verdict: Literal["accept", "reword", "reject"]
    text: str  # in which words, of one to be reworded
    reason: str


class Queue:
    """Reviews in the truth database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def status(self, candidate: str) -> Status | None:
        """What became of a candidate that was seen before."""
        rows = self._database.query("SELECT status FROM reviews WHERE id = ?", (candidate,))
        return rows[0][0] if rows else None

    def add(
        self,
        candidate: Candidate,
        *,
        why: str,
        status: Status = "pending",
        memory_id: str | None = None,
        joined_to: str | None = None,
    ) -> bool:
        """Put a candidate into the queue; False when it is already there, whatever its state."""
        now = iso(self._clock())
        decided = None if status in ("pending", "joined") else now
        sealed = (candidate.id, candidate.session, candidate.dumps(), memory_id)
        with self._database.atomic() as tx:
            seal = tx.sealer.seal(REVIEW.name, *sealed) if tx.sealer else None
            rows = tx.execute(
                f"INSERT INTO reviews ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO NOTHING RETURNING id",
                (*sealed, seal, status, candidate.score, why, now, decided, joined_to),
            )
        return bool(rows)

    def make_way(self, candidate: Candidate) -> None:
        """Take out an entry that waits unwritten, for the same words from somebody who thought."""
        with self._database.atomic() as tx:
            tx.execute(
                "DELETE FROM reviews WHERE id = ? AND status = 'pending' AND memory_id IS NULL",
                (candidate.id,),
            )

    def withdraw(self, review_id: str) -> None:
        """Take out an entry as if it had never been there."""
        with self._database.atomic() as tx:
            tx.execute("DELETE FROM reviews WHERE id = ?", (review_id,))

    def join(self, candidate: Candidate, entry: str, *, why: str) -> bool:
        """Make a candidate more evidence of an entry; False when that waits no longer."""
        with self._database.atomic() as tx:
            waits = tx.execute(
                "UPDATE reviews SET score = CASE WHEN score < ? THEN ? ELSE score END"
                " WHERE id = ? AND status = 'pending' RETURNING id",
                (candidate.score, candidate.score, entry),
            )
            return bool(waits) and self.add(candidate, why=why, status="joined", joined_to=entry)

    def waiting(self) -> int:
        """How many a person is asked about."""
        return len(_few_of_a_week(self._undecided()))

    def asked(self) -> list[Review]:
        """What a person is asked about, best first: of each project's week no more than a few.

        The rest stays what it is, a statement that is found and told, and is never asked about.
        """
        return self._with_joined(_few_of_a_week(self._undecided()))

    def pending(self) -> list[Review]:
        """What nobody decided, best first, each with what says the same."""
        return self._with_joined(self._undecided())

    def _undecided(self) -> list[Review]:
        waiting = self._read("status = 'pending' ORDER BY score DESC, created_at, id")
        labels = Labels(self._database).all() if waiting else {}

        # First what the person wants remembered, last what they said nothing lasts of.
        def rank(review: Review) -> int:
            label = labels.get(review.candidate.evidence)
            return 1 if label is None else 0 if label.lasts else 2

        return sorted(waiting, key=rank)

    def answered_by(
        self,
        lesson: str,
        evidence: Iterable[str],
        store: str,
        quoted: Iterable[tuple[str, str]] = (),
    ) -> list[Review]:
        """What waits and need not be asked for once a memory of `store` says `lesson`.

        It says the same, for the same store; or the memory rests on its turn, and that turn brought
        nothing else up, or these were the words (`quoted`: turns with what was said in them).
        """
        words = {(turn, " ".join(said.split())) for turn, said in quoted}
        waiting = self.pending()
        times = Counter(said.evidence for review in waiting for said in review.candidates)
        alone = {turn for turn in evidence if times[turn] == 1}

        def answered(review: Review) -> bool:
            if any(
                said.evidence in alone or (said.evidence, " ".join(said.quote.split())) in words
                for said in review.candidates
            ):
                return True
            alike = relation(lesson, review.candidate.lesson) == "same"
            return alike and store in (review.candidate.store, GLOBAL)

        return [review for review in waiting if answered(review)]

    def _with_joined(self, entries: list[Review]) -> list[Review]:
        joined: dict[str, list[Candidate]] = {}
        for review in self._read("status = 'joined' ORDER BY created_at, id"):
            joined.setdefault(str(review.joined_to), []).append(review.candidate)
        return [replace(review, also=tuple(joined.get(review.id, ()))) for review in entries]

    def of_memory(self, memory_id: str) -> list[Review]:
        """What a memory was made of."""
        return self._read("memory_id = ? ORDER BY created_at, id", (memory_id,))

    def distilled(self) -> Counter[str]:
        """By store, how many lessons somebody worded, whatever became of them."""
        lessons = (review.candidate for review in self._read("memory_id IS NOT NULL"))
        return Counter(lesson.store for lesson in lessons if lesson.name)

    def unconfirmed(self, project: str) -> set[tuple[str, str]]:
        """Store and id of the memories that were written and are still to be confirmed.

        Whether something holds everywhere is said by who worded it: until a person agrees, it is
        only told in the `project` it was said in; and what an agent worded, nowhere.
        """
        return {
            (review.candidate.store, str(review.memory_id))
            for review in self._read("status = 'pending' AND memory_id IS NOT NULL")
            if review.candidate.project == project and not review.candidate.by_agent
        }

    def contested(self) -> dict[tuple[str, str], bool]:
        """Store and id of memories that what waits would replace, and whether that is written."""
        contested: defaultdict[tuple[str, str], bool] = defaultdict(bool)
        for review in self._read("status = 'pending'"):
            old = review.candidate.instead_of
            if old and not review.candidate.by_agent:
                contested[review.candidate.store, old] |= review.memory_id is not None
        return contested

    def advise(self, advice: Mapping[str, Advice]) -> None:
        """Keep what somebody would do with entries."""
        with self._database.atomic() as tx:
            for identity, advised in advice.items():
                tx.execute(
                    "UPDATE reviews SET advice = ? WHERE id = ? AND status = 'pending'",
                    (json.dumps(advised), identity),
                )

    def advice(self) -> dict[str, Advice]:
        rows = self._database.query(
            "SELECT id, advice FROM reviews WHERE status = 'pending' AND advice IS NOT NULL"
        )
        advice: dict[str, Advice] = {}
        for identity, text in rows:
            with suppress(ValueError, TypeError):
                advice[str(identity)] = Advice(*json.loads(str(text)))
        return advice

    def last_decision(self) -> str:
        """Moves with every decision."""
        ((count, last),) = self._database.query(
            "SELECT count(decided_at), max(decided_at) FROM reviews"
        )
        return f"{count} {last}"

    def rejected_evidence(self) -> set[str]:
        """The turns of which somebody said that they teach nothing, or not that."""
        rejected = self._read("status IN ('rejected', 'dropped')")
        return {review.candidate.evidence for review in rejected}

    def of_sessions(self, sessions: Iterable[str]) -> list[Review]:
        """What these sessions brought up and nobody turned down: surest first, then earliest."""
        of_these, keys = among(self._database, "session", sessions)
        gone = "('rejected', 'forgotten', 'dropped')"
        reviews = self._read(f"{of_these} AND status NOT IN {gone}", keys)
        return sorted(
            reviews, key=lambda r: (r.status == "pending", -r.score, r.candidate.at, r.id)
        )

    def decided_since(self, moment: str) -> list[Candidate]:
        """What was decided after a moment, by a person or by being written."""
        return [review.candidate for review in self._read("decided_at > ? ORDER BY id", (moment,))]

    def take_back(self, ids: Iterable[str]) -> None:
        """What a person decided, or had forgotten, waits again."""
        with self._database.atomic() as tx:
            for identity in ids:
                _change(
                    tx,
                    "decided_at = NULL, memory_id = NULL,"
                    " status = CASE WHEN joined_to IS NULL THEN 'pending' ELSE 'joined' END",
                    (),
                    "t.id = ? OR t.joined_to = ?",
                    (identity, identity),
                )

    def ask_again(self, review_id: str, advice: Advice, memory_id: str | None = None) -> None:
        """What was written without a question waits for a person, with what a model would do.

        `memory_id` stays as it is until then.
        """
        deed = "drop it" if advice.verdict == "reject" else "say it otherwise"
        why = f"a model would {deed}" + (f": {advice.reason}" if advice.reason else "")
        with self._database.atomic() as tx:
            setting = "status = 'pending', decided_at = NULL, memory_id = ?, why = ?"
            _change(tx, setting, (memory_id, why), "t.id = ?", (review_id,))
        self.advise({review_id: advice})

    def find(self, reference: str) -> Review:
        """A review by id or unique prefix; for one that was joined, the entry it belongs to.

        Raises:
            NotFound, Ambiguous: none or several fit.
        """
        escaped = reference.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        fitting = self._read("id LIKE ? ESCAPE '\\' ORDER BY id LIMIT 2", [escaped + "%"])
        if not fitting:
            raise NotFound(f"no review {reference!r}", hint="`reverie review --json` lists them")
        if len(fitting) > 1:
            raise Ambiguous(f"{reference!r} fits several reviews")
        review = fitting[0]
        if review.status == "joined" and review.joined_to is not None:
            return self.find(review.joined_to)
        return self._with_joined([review])[0]

    def decide(self, review_id: str, status: Status, memory_id: str | None = None) -> None:
        """Record what a person decided, also for what was joined to it.

        Raises:
            NotFound: there is no such review.
        """
        with self._database.atomic() as tx:
            decided = _change(
                tx,
                "status = ?, decided_at = ?, memory_id = COALESCE(?, memory_id)",
                (status, iso(self._clock()), memory_id),
                "t.id = ? OR (t.joined_to = ? AND t.status = 'joined')",
                (review_id, review_id),
            )
        if not decided:
            raise NotFound(f"no review {review_id!r}")

    def _read(self, condition: str, values: Sequence[object] = ()) -> list[Review]:
        """The entries that a condition fits; not what somebody else wrote among them."""
        return _read(self._database, condition, values)


class Behind(NamedTuple):
    """How a memory came to be, as far as the queue knows."""

    learned: str = ""  # when words for it were last found, ISO
    accepted: bool = False  # by a person, as it was or edited
    standing: bool = False  # a person said it as a rule


def behind_memories(database: Database) -> dict[str, Behind]:
    """Memory id → what was decided and said about it; of memories made from candidates."""
    behind: defaultdict[str, Behind] = defaultdict(Behind)
    for review in _read(database, "memory_id IS NOT NULL ORDER BY id"):
        said, before = review.candidate, behind[str(review.memory_id)]
        behind[str(review.memory_id)] = Behind(
            max(before.learned, review.created_at),
            before.accepted or review.status in ("accepted", "edited"),
            before.standing or (said.standing and said.trust == "user"),
        )
    return behind


def learned_since(database: Database, moment: str) -> tuple[int, str]:
    """How many lessons were found after a moment, and when the first of them."""
    ((count, first),) = database.query(
        "SELECT count(*), min(created_at) FROM reviews WHERE created_at > ?", (moment,)
    )
    return int(count), str(first or "")


def join_projects(tx: Transaction, gone: str, kept: str, moved: Mapping[str, str]) -> None:
    """The reviews of one project become another's; `moved` maps old ids of memories to new."""
    for row in tx.execute(f"SELECT {_COLUMNS} FROM reviews"):
        review = _review(row, tx.sealer)
        if review is not None and review.candidate.project == gone:
            memory = moved.get(review.memory_id, review.memory_id) if review.memory_id else None
            said = (replace(review.candidate, project=kept).dumps(), memory)
            _change(tx, "candidate = ?, memory_id = ?", said, "t.id = ?", (review.id,))


def forget_session(tx: Transaction, session: str) -> int:
    gone = tx.execute("DELETE FROM reviews WHERE session = ? RETURNING id", (session,))
    part_orphans(tx)
    return len(gone)


def forget_waiting(tx: Transaction, session: str) -> None:
    """Take out what waits of a session: it is judged anew, with another trust."""
    tx.execute(
        "DELETE FROM reviews WHERE session = ? AND status IN ('pending', 'joined')", (session,)
    )
    part_orphans(tx)


def part_orphans(tx: Transaction) -> None:
    """After entries were deleted: the first that was joined to one takes its place."""
    rows = tx.execute(
        "SELECT id, joined_to FROM reviews WHERE status = 'joined'"
        " AND joined_to NOT IN (SELECT id FROM reviews) ORDER BY created_at, id"
    )
    heirs: dict[str, str] = {}
    for identity, entry in rows:
        heir = heirs.setdefault(entry, identity)
        tx.execute(
            "UPDATE reviews SET status = ?, joined_to = ? WHERE id = ?",
            ("pending", None, identity) if heir == identity else ("joined", heir, identity),
        )


def _few_of_a_week(ordered: Iterable[Review]) -> list[Review]:
    weeks: Counter[tuple[str, str]] = Counter()
    few: list[Review] = []
    said: set[tuple[str, str]] = set()
    for review in ordered:
        # What an agent says as well as a person is one question.
        lesson = (review.candidate.store, review.candidate.lesson.casefold())
        if lesson in said:
            continue
        said.add(lesson)
        week = (review.candidate.project, _week(review.candidate.at))
        # What somebody worded and nobody wrote stands nowhere else.
        worded = bool(review.candidate.name) and review.memory_id is None
        weeks[week] += not worded
        if worded or weeks[week] <= WEEKLY:
            few.append(review)
    return few


def _week(at: str) -> str:
    """The week of a moment, by its year and number; "" for one without a date."""
    try:
        year, number, _ = date.fromisoformat(at[:10]).isocalendar()
    except ValueError:
        return ""
    return f"{year}-{number}"


def unreadable(database: Database) -> list[str]:
    """The entries that this home did not write, or that cannot be read, by id."""
    readable = {review.id for review in _read(database, "1 = 1")}
    rows = database.query("SELECT id FROM reviews ORDER BY id")
    return [str(identity) for (identity,) in rows if identity not in readable]


def drop_unreadable(database: Database) -> None:
    """Delete what is not this home's; learning finds again what was really said."""
    with database.atomic() as tx:
        for identity in unreadable(database):
            tx.execute("DELETE FROM reviews WHERE id = ?", (identity,))
        part_orphans(tx)


def _change(
    tx: Transaction, setting: str, said: Sequence[object], where: str, values: Sequence[object]
) -> list[str]:
    """Change the entries that are this home's, and seal what they say then; their ids."""
    if tx.sealer is None:
        rows = tx.execute(f"SELECT t.id FROM reviews t WHERE {where}", values)
        ids = [str(row[0]) for row in rows]
    else:
        ids = [
            str(row[0])
            for row, verdict in REVIEW.judged(tx, tx.sealer, where, values)
            if verdict == "valid" or (verdict == "foreign" and tx.sealer.shared)
        ]
    for identity in ids:
        tx.execute(f"UPDATE reviews SET {setting} WHERE id = ?", (*said, identity))
        REVIEW.seal_rows(tx, tx.sealer, "t.id = ?", (identity,))
    return ids


def _read(database: Database, condition: str, values: Sequence[object] = ()) -> list[Review]:
    rows = database.query(f"SELECT {_COLUMNS} FROM reviews WHERE {condition}", values)
    return [review for row in rows if (review := _review(row, database.sealer)) is not None]


def _review(row: tuple[Any, ...], sealer: "Sealer | None") -> Review | None:
    """An entry; None for one that this home did not write, or that says nothing it could read."""
    *said, seal, status, score, why, created, decided, entry = row
    if sealer is not None and not sealer.vouches(seal, REVIEW.name, *said):
        return None
    identity, _, text, memory = said
    try:
        candidate, points = Candidate.loads(str(text)), float(score)
    except (ValueError, TypeError, AttributeError):
        return None
    reason, since = str(why), str(created)
    return Review(str(identity), status, points, reason, candidate, since, decided, memory, entry)
