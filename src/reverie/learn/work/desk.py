"""Work: the user's own agent thinks about a session, Reverie hands out and checks.

An agent's lesson waits for a person. It is written at once only if it rests on a person's own
statement, says no more than that statement, and the judge found the statement lasting as well.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reverie.clock import Clock
from reverie.data import sections
from reverie.errors import InvalidInput, NotFound, Refused
from reverie.language.compare import relation
from reverie.language.words import content, overlap, words
from reverie.learn.detect.observe import fit_to_keep
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.queue import Queue
from reverie.learn.memories.writing import Outcome, Writer
from reverie.learn.work.answers import MOST_LESSONS, SCHEMA, Lesson, lessons_of
from reverie.learn.work.assignments import Assignment, Assignments
from reverie.learn.work.pieces import Piece, next_piece, piece_between
from reverie.sessions.corrections import corrections
from reverie.sessions.index import Index
from reverie.sessions.query import SessionRow, learned_until
from reverie.store.store import Store
from reverie.trust import Trust, lowest

GROUNDED = 0.6  # share of a lesson's telling words that its evidence must hold
SCORE = 0.5  # of a lesson that waits: neither surer nor less sure than others

INSTRUCTIONS = sections("instructions.txt")["learn"].replace("{most}", str(MOST_LESSONS))


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of work as an agent gets it."""

    assignment: Assignment
    project: str
    piece: Piece
    instructions: str = INSTRUCTIONS
    schema: Mapping[str, Any] = field(default_factory=lambda: SCHEMA)

    @property
    def material(self) -> list[dict[str, str]]:
        """What is quoted."""
        return [
            {"id": line.id, "who": line.who, "at": line.at, "text": line.text}
            for line in self.piece.lines
        ]


class Work:
    """Hands out sessions, oldest first, and takes lessons."""

    def __init__(
        self, store: Store, index: Index, clock: Clock, redact: Callable[[str], str]
    ) -> None:
        self._index = index
        self._redact = redact
        self._queue = Queue(store.database, clock)
        self._writer = Writer(store, self._queue)
        self.assignments = Assignments(store.database, clock)

    def next(
        self,
        project: str | None = None,
        buried: frozenset[str] = frozenset(),
        *,
        agent: str | None = None,
        session: str | None = None,
    ) -> Task | None:
        """The oldest piece nobody has, also only of one agent or one session; None: all is done."""
        out = self.assignments.of("learn")
        spoken = learned_until(self._index.database)
        for row in self._index.sessions(agent=agent, project=project):
            if row.key not in spoken or row.key in buried or session not in (None, row.key):
                continue
            for task in self._pieces(row, out.get(row.key, []), spoken[row.key]):
                return task
        return None

    def _pieces(self, session: SessionRow, out: list[Assignment], spoken: int) -> Iterator[Task]:
        """What of a session may be taken now: what was given up first, then what is new."""
        turns = None
        for old in filter(self.assignments.lapsed, out):
            if taken := self.assignments.again(old):
                turns = turns or self._index.turns(session.key)
                piece = piece_between(session.key, turns, old.first, old.last)
                yield Task(taken, session.project, piece)
        after = max((old.last for old in out), default=-1)
        while after < spoken:
            turns = turns or self._index.turns(session.key)
            piece = next_piece(session.key, turns, after)
            if piece is None:
                return
            if taken := self.assignments.begin("learn", session.key, piece.first, piece.last):
                yield Task(taken, session.project, piece)
            after = piece.last

    def submit(self, assignment: Assignment, text: str) -> list[tuple[Lesson, Outcome]]:
        """Take an answer, or send it back.

        Raises:
            InvalidInput: it has not the form that was asked for.
            Refused: a lesson may not be kept; the message has every reason.
            NotFound: the session is no longer known.
        """
        session = self._index.session(assignment.subject)
        turns = self._index.turns(session.key)
        piece = piece_between(session.key, turns, assignment.first, assignment.last)
        if not piece.lines:
            raise NotFound(f"{session.key} no longer has these lines")
        try:
            lessons = lessons_of(text, piece.trusts, self._redact)
        except (InvalidInput, Refused) as error:
            left = self.assignments.refused(assignment)
            error.hint = error.hint or _again(left)
            raise
        lasting = {
            row.id: row.lesson
            for row in corrections(self._index.database, session=session.key)
            if row.durable != "none"
        }
        outcomes = [
            (lesson, self._take(_candidate(lesson, piece, session), lesson, piece, lasting))
            for lesson in lessons
        ]
        self.assignments.done(assignment)
        return outcomes

    def _take(
        self, candidate: Candidate, lesson: Lesson, piece: Piece, lasting: dict[str, str]
    ) -> Outcome:
        waiting = [
            review
            for review in self._queue.pending()
            if review.candidate.store == candidate.store and review.id != candidate.id
        ]
        if _is_grounded(candidate, lesson, piece, lasting):
            outcome = self._writer.write(candidate, sure=True)
            for review in waiting:
                # What the rules made of the same words, and of no others, is answered by this.
                own = review.candidate.evidence == candidate.evidence and not review.also
                if outcome.memory_id and own:
                    self._queue.decide(review.id, "written", outcome.memory_id)
            return outcome
        for review in waiting:
            if relation(review.candidate.lesson, candidate.lesson) == "same":
                return Outcome("known", f"{review.id} waits for review and says it")
        only_tools = all(piece.trusts[one] == "tool" for one in lesson.evidence)
        why = "only a tool said so" if only_tools else "an agent's own conclusion"
        return self._writer.hold(candidate, why=why)


def _candidate(lesson: Lesson, piece: Piece, session: SessionRow) -> Candidate:
    trusts: list[Trust] = [piece.trusts[one] for one in lesson.evidence]
    first = min(lesson.evidence, key=lambda one: piece.trusts[one] != "user")
    said = piece.said(first)
    return Candidate(
        lesson=fit_to_keep(lesson.text, said.at),
        type=lesson.type,
        kind=lesson.kind,
        scope="global" if lesson.scope == "global" else "project",
        project=session.project,
        session=session.key,
        evidence=first,
        at=said.at,
        quote=said.text,
        premise="",
        standing=False,
        trust=lowest("agent", *trusts),
        score=SCORE,
    )


def _is_grounded(
    candidate: Candidate, lesson: Lesson, piece: Piece, lasting: dict[str, str]
) -> bool:
    """Whether a lesson says what a person said, and the judge found that lasting too."""
    if any(piece.trusts[one] != "user" for one in lesson.evidence):
        return False
    if candidate.evidence not in lasting:
        return False
    share, _ = overlap(content(words(lesson.text)), content(words(candidate.quote)))
    return share >= GROUNDED or relation(lesson.text, lasting[candidate.evidence]) == "same"


def _again(left: int) -> str:
    if not left:
        return "this piece is closed; go on to the next one"
    return "correct these points and hand it in again"
