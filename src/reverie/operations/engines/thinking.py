"""Thinking: an engine answers for pieces of sessions, within caps, each call with its receipt.

One process at a time runs engines for a home. A run that is killed has paid for its last call and
keeps what was answered; the next one sends only the rest.
"""

import json
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from reverie.dream.proposals.work import DreamTask, DreamWork, Taken
from reverie.engines.prices import Usage, estimated_tokens, listed_on
from reverie.engines.protocol import Answer, Prompt, only_json
from reverie.engines.receipts import Receipts
from reverie.errors import (
    Ambiguous,
    CallFailed,
    Conflict,
    InvalidInput,
    NotFound,
    Refused,
    ReverieError,
    Unavailable,
)
from reverie.home import Home
from reverie.learn.work.assignments import Assignment, Assignments
from reverie.learn.work.pieces import Task
from reverie.learn.work.prompts import instructions
from reverie.learn.work.revision import FEW, FEWEST, MANY, RevisionTask
from reverie.learn.work.taking import PartlyTaken, TakenLesson
from reverie.operations.engines import working
from reverie.operations.engines.calling import Caller, Wait
from reverie.operations.engines.catalog import Chosen

if TYPE_CHECKING:
    from reverie.errors import LeaseHeld

ANSWERS = 3  # of a piece, if what it says is not taken
FAILURES = 2  # pieces in a row that end a run
ANSWER_TOKENS = 800  # about, of one piece,
DREAM_TOKENS = 4_000  # of one that a dream asks for,
AGAIN_TOKENS = (3_000, 1_000)  # and what comes back of it once, with the answer to that
RECEIVED = 300  # characters of an answer in a message
LOOK_AGAIN_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which pieces are to be thought about."""

    project: str | None = None  # slug; None for all
    since: str | None = None
    session: str | None = None
    pieces: int | None = None
    kind: working.Kind = "session"


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would take, before anything is sent."""

    engine: str
    model: str
    sessions: int
    pieces: int
    input_tokens: int
    output_tokens: int
    usd: float | None  # at list prices; None: unknown
    prices_of: str  # the day of the list
    left_sessions: int
    left_tokens: int
    left_usd: float
    of_dreams: bool = False  # such sessions count against no cap


@dataclass(frozen=True, slots=True)
class Thought:
    """What became of one piece."""

    sessions: list[str]
    piece: str
    taken: Taken | None
    error: ReverieError | None = None


# --- what there is to think about ---------------------------------------------------------------


def wanted(
    home: Home,
    *,
    project: str | None = None,
    everything: bool = False,
    since: str | None = None,
    pieces: int | None = None,
    kind: working.Kind = "session",
) -> Wanted:
    """What is meant by a project, or by the folder of the asker.

    Raises:
        InvalidInput: the asker's folder belongs to no project, and none is named.
    """
    slug = working.slug_of(home, project, everything=everything)
    return Wanted(slug, since, None, pieces, kind)


def waiting_tasks(home: Home, asked: Wanted) -> Iterator[working.AnyTask]:
    """The pieces that nobody has, oldest first; none is taken.

    Raises:
        Refused: they could hold words of a project that is kept out.
    """
    _refuse_excluded(home, asked)
    match asked.kind:
        case "day":
            tasks: Iterator[working.AnyTask] = working.day_desk(home).waiting()
        case "dream":
            tasks = working.dream_desk(home).waiting(asked.project)
        case "triage":
            tasks = working.triage_desk(home).waiting(asked.project)
        case "session":
            since = asked.since or ""
            tasks = working.desk(home).waiting(asked.project, _left_out(home), since=since)
        case "revise":
            tasks = working.revision_desk(home).waiting(asked.project)
    return islice(tasks, asked.pieces)


def taken_tasks(home: Home, asked: Wanted) -> Iterator[working.AnyTask]:
    """The same pieces, each taken when it is asked for."""
    _refuse_excluded(home, asked)
    if asked.kind != "session":
        everything = asked.project is None
        while task := working.next_piece(
            home, asked.kind, project=asked.project, everything=everything
        ):
            yield task
        return
    desk, left_out = working.desk(home), _left_out(home)
    while task := desk.next(
        asked.project, left_out, session=asked.session, since=asked.since or ""
    ):
        yield task


def _with_second_looks(home: Home, asked: Wanted) -> Iterator[working.AnyTask]:
    """Pieces, and what sessions taught, read side by side: while there is much, and at the end."""
    pieces = 0
    for task in taken_tasks(home, asked):
        yield task
        pieces += 1
        if asked.kind == "session":
            yield from _second_looks(home, asked, MANY)
    if asked.kind == "session":
        # One session after another, as they end, is not worth a look each time.
        yield from _second_looks(home, asked, FEW if pieces > 1 else FEWEST)


def _second_looks(home: Home, asked: Wanted, fewest: int) -> Iterator[working.AnyTask]:
    """What the sessions of each project taught that has so many new lessons."""
    only = home.index.session(asked.session).project if asked.session else asked.project
    left_out, desk = excluded(home), working.revision_desk(home)
    for planned in list(desk.waiting(only, fewest)):
        if planned.project not in left_out and (task := desk.next(planned.project, fewest)):
            yield task


def _refuse_excluded(home: Home, asked: Wanted) -> None:
    """Pieces of sessions are chosen one by one; others may hold the words of any project."""
    left_out = excluded(home) if asked.kind != "session" else set[str]()
    if left_out and (asked.project in left_out or asked.project is None or asked.kind == "day"):
        raise Refused(
            "engines.ignore_projects keeps the words of some projects from engines",
            hint="choose another --project",
        )


def _left_out(home: Home) -> Set[str]:
    """The sessions of which no engine is sent anything: unlearned, or of an excluded project."""
    left_out = excluded(home)
    rows = home.index.sessions() if left_out else []
    return home.buried | {row.key for row in rows if row.project in left_out}


def excluded(home: Home) -> set[str]:
    names: set[str] = set()
    for reference in home.settings.engines.ignore_projects:
        names.add(reference)
        with suppress(NotFound, Ambiguous):
            names.add(home.projects.find(reference).slug)
    return names


def pass_over(home: Home, session: str) -> None:
    """Count what is new in one session, by its key, as thought about: its agent saved it itself."""
    desk = working.desk(home)
    for task in taken_tasks(home, Wanted(session=session)):
        desk.assignments.done(task.assignment)


# --- before a run -------------------------------------------------------------------------------


def estimate(home: Home, engine: Chosen, asked: Wanted) -> Estimate:
    """What a run would take; sends and changes nothing."""
    return estimate_of(home, engine, waiting_tasks(home, asked))


def estimate_of(home: Home, engine: Chosen, tasks: Iterable[working.AnyTask]) -> Estimate:
    """What it would take to answer pieces."""
    sessions: set[str] = set()
    pieces = tokens = answered = dreams = 0
    for task in tasks:
        pieces += 1
        tokens += estimated_tokens(task.prompt)
        if isinstance(task, DreamTask):
            dreams += 1
            sessions |= set(task.portion.sessions)
            tokens += AGAIN_TOKENS[0]
            answered += DREAM_TOKENS + AGAIN_TOKENS[1]
        else:
            sessions |= set(sessions_of(task))
            answered += ANSWER_TOKENS
    caps, today = home.settings.engines, Receipts(home.config.home, home.clock).today()
    return Estimate(
        engine=engine.name,
        model=engine.model,
        sessions=len(sessions),
        pieces=pieces,
        input_tokens=tokens,
        output_tokens=answered,
        usd=engine.price.of(Usage(tokens, answered)) if engine.price else None,
        prices_of=listed_on(),
        left_sessions=max(0, caps.max_sessions_per_day - len(today.sessions)),
        left_tokens=max(0, caps.max_tokens_per_day - today.tokens),
        left_usd=max(0.0, caps.max_usd_per_day - today.usd),
        of_dreams=dreams > 0,
    )


def first_task(home: Home, asked: Wanted) -> working.AnyTask:
    """The piece that would be sent first.

    Raises:
        NotFound: nothing waits.
    """
    for task in waiting_tasks(home, asked):
        return task
    raise NotFound("nothing waits to be thought about", hint="`reverie learn` reads the logs")


# --- a run --------------------------------------------------------------------------------------


def run(
    home: Home,
    engine: Chosen,
    asked: Wanted,
    *,
    wait: Wait = time.sleep,
    waiting: Callable[[str], None] | None = None,
) -> Iterator[Thought]:
    """Have an engine think about pieces, oldest first; each is done when it is asked for.

    What fails for one session is told in its `Thought` and stops no other.

    Args:
        wait: Waits so many seconds before another try.
        waiting: Told for whom this one waits; with None it does not wait.

    Raises:
        LeaseHeld: another process runs an engine, and nobody is `waiting`.
        Refused: a cap allows no further call.
        Unavailable: the engine does not answer.
    """
    with alone(home, wait, waiting) as keep:
        assignments = Assignments(home.store.database, home.clock)
        take = partial(working.submit, home, chosen=True)
        runner = _Runner(home, engine, wait, keep, assignments, take)
        try:
            for task in islice(_with_second_looks(home, asked), asked.pieces):
                yield runner.think(task)
        finally:
            runner.end()


def dream_with(
    home: Home,
    engine: Chosen,
    desk: DreamWork,
    project: str | None,
    *,
    wait: Wait = time.sleep,
    waiting: Callable[[str], None] | None = None,
) -> Iterator[Thought]:
    """Have an engine look over what a dream is about; what is taken of its answers is kept.

    Args:
        home: Whose receipts and caps these are; `desk` may be that of another.

    Raises:
        As `run`.
    """
    with alone(home, wait, waiting) as keep:

        def kept(piece: str, text: str) -> Taken:
            return desk.keep(desk.assignments.find(piece), text)

        runner = _Runner(home, engine, wait, keep, desk.assignments, kept)
        try:
            while task := desk.next(project):
                yield runner.think(task)
        finally:
            runner.end()


def sessions_of(task: working.AnyTask) -> list[str]:
    parts = task.piece.parts if isinstance(task, Task) else ()
    return [part.session.key for part in parts]


def ask_once(
    home: Home, engine: Chosen, task: working.AnyTask, *, wait: Wait = time.sleep
) -> Answer:
    """One answer, as in a run, of which nothing is kept but the receipt.

    Raises:
        As `run`.
    """
    with alone(home, wait, None) as keep:
        return Caller(home, engine, wait).call(task.prompt, sessions_of(task), keep)


@contextmanager
def alone(
    home: Home, wait: Wait, waiting: Callable[[str], None] | None
) -> Generator[Callable[[], None]]:
    """The right to run engines for this home; what it yields holds it for longer."""
    import socket

    from reverie.db import leases

    messages: list[str] = []

    def look_again(error: "LeaseHeld") -> None:
        if not messages and waiting is not None:
            waiting(error.message)
        messages.append(error.message)
        wait(LOOK_AGAIN_SECONDS)

    # The receipts and their caps are those of the home, whichever database it uses.
    name = f"think {socket.gethostname()}:{home.config.home}"
    lease = leases.take(
        home.database,
        home.clock,
        name,
        doing="thinking with an engine",
        wait=None if waiting is None else look_again,
    )
    try:
        _settle_the_dead(home)
        yield lambda: leases.renew(home.database, home.clock, lease)
    finally:
        leases.give_back(home.database, lease)


def _settle_the_dead(home: Home) -> None:
    """What a run left open that was killed: its piece is free again, its charge stands."""
    receipts = Receipts(home.config.home, home.clock)
    assignments = Assignments(home.store.database, home.clock)
    for receipt in receipts.left_open():
        receipts.add(replace(receipt, outcome="killed"))
        with suppress(ReverieError):  # answered meanwhile, or gone
            assignments.give_back(assignments.find(receipt.piece))


class _Runner:
    """One run of one engine."""

    def __init__(
        self,
        home: Home,
        engine: Chosen,
        wait: Wait,
        keep: Callable[[], None],
        assignments: Assignments,
        submit: Callable[[str, str], Taken],
    ) -> None:
        self.assignments = assignments
        self._submit = submit  # hands in the answer to a piece
        self._caller = Caller(home, engine, wait)
        self._keep = keep
        self._held: list[Assignment] = []  # pieces that this run has and did not finish
        self._failed = 0  # pieces in a row

    def end(self) -> None:
        """Let others have what was not finished."""
        for held in self._held:
            self.assignments.give_back(held)

    def think(self, task: working.AnyTask) -> Thought:
        """Have a piece answered.

        Raises:
            Refused, Unavailable: no further call makes sense.
        """
        assignment = task.assignment
        self._held.append(assignment)
        try:
            taken = self._answered(task)
        except _OneFailed as failure:
            self._failed += not _of_the_piece(failure.error)
            if self._failed >= FAILURES:
                raise failure.error from None
            return Thought(sessions_of(task), assignment.id, failure.taken, failure.error)
        self._failed = 0
        self._held.remove(assignment)
        return Thought(sessions_of(task), assignment.id, taken)

    def _hold(self, task: working.AnyTask) -> None:
        """Keep the right to run, and to this piece, while a call goes on."""
        self._keep()
        self.assignments.renew(task.assignment)

    def _answered(self, task: working.AnyTask) -> Taken:
        """An answer that was taken; one that was not is sent back with the reasons."""
        prompt = asked = task.prompt
        before: tuple[TakenLesson, ...] = ()  # of answers that were taken in part
        for left in reversed(range(ANSWERS)):
            try:
                answer = self._caller.call(asked, sessions_of(task), partial(self._hold, task))
            except Unavailable as error:
                if isinstance(error, CallFailed) and error.whole:
                    raise
                if _of_the_piece(error):
                    # Tried again by a later run, but not for ever.
                    with suppress(ReverieError):
                        self.assignments.refused(self.assignments.find(prompt.id))
                raise _OneFailed(error) from None
            text = only_json(answer.text) or answer.text
            try:
                taken = self._submit(prompt.id, text)
            except (InvalidInput, Refused) as error:
                self._caller.came_to(answer, "not taken")
                before += error.taken if isinstance(error, PartlyTaken) else ()
                if not left:
                    kept = Taken(task.assignment, before) if before else None
                    raise _OneFailed(_not_taken(prompt, error, text), kept) from None
                asked = _sent_back(task, text, error)
            except (Conflict, NotFound) as error:
                self._caller.came_to(answer, "too late")
                raise _OneFailed(error) from None
            else:
                self._caller.came_to(answer, "taken")
                return taken._replace(lessons=(*before, *taken.lessons))
        raise AssertionError("the last answer is taken or not")


class _OneFailed(Exception):
    """No answer for one piece; another may have one."""

    def __init__(self, error: ReverieError, taken: Taken | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.taken = taken  # what was taken all the same


def _of_the_piece(error: ReverieError) -> bool:
    """Whether the engine did answer, only not with something that can be used."""
    if isinstance(error, CallFailed):
        return not error.status
    return not isinstance(error, Unavailable)


def _sent_back(task: working.AnyTask, answer: str, error: ReverieError) -> Prompt:
    """What of the answer was not taken, and why, with as much of the piece as that needs."""
    left, asked = answer, task.prompt
    if isinstance(error, PartlyTaken) and isinstance(task, Task | RevisionTask | DreamTask):
        left = json.dumps(error.left, ensure_ascii=False)
        if isinstance(task, DreamTask):
            again, material = instructions("dream_again"), task.material_of(error.left)
        else:
            again, material = instructions("again"), task.only(error.left).prompt.material
        asked = replace(asked, instructions=again.text, version=again.version, material=material)
    why = json.dumps({"answer": left, "refused": error.message}, ensure_ascii=False)
    more = (
        "\n\nYou answered this, and not all of it was taken. Answer again in the same form, only"
        " with what was not taken, corrected or left out; what else there was to say is kept, its"
        f" lists stay empty:\n{why}"
    )
    return replace(asked, material=asked.material + more)


def _not_taken(prompt: Prompt, error: ReverieError, text: str) -> Refused:
    received = " ".join(text.split())[:RECEIVED]
    return Refused(
        f"{prompt.id}: {ANSWERS} answers were not taken: {error.message}\nreceived: {received}"
    )
