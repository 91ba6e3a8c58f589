"""Tasks: where in a session the human's aim changes.

Each prompt is weighed as a possible beginning. Evidence for a new aim: something was finished (a
commit, a pull request), time passed, the context was compacted or cleared, a plan was handed over,
a new ticket is named, the words are new. Evidence for the same aim: a short answer, a correction,
an answer to a question, the same words and names. Only what came before a prompt is looked at, so
a session that grows keeps the tasks it had.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

from reverie.clock import parse_iso
from reverie.data import patterns
from reverie.errors import InvalidInput
from reverie.language.words import content, overlap, said, words
from reverie.learn.traffic.attempts import shell_text
from reverie.sessions.growing import BEGINNING, Checkpoint
from reverie.sessions.model import Turn

THRESHOLD = 1.75
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
PAUSE, LONG_PAUSE = HOUR, 8 * HOUR
SHORT = 4  # content words; fewer cannot state an aim of their own
LONG_TASK = 12  # human turns; the longer a task, the likelier that it is over
LONGEST_TASK = 40  # nobody reads a diary of more, and what grows is written up task by task
KNOWN_WORDS = 400  # of a task; the latest are compared
BEGINS = ("the session begins",)
HANDED_OVER = ("a plan was handed over",)

_RE = patterns("diaries.txt", "tasks")


@dataclass(frozen=True, slots=True)
class Task:
    """One piece of work: turns[start:end] of a session, and why it begins there."""

    number: int  # from 1
    start: int
    end: int
    why: tuple[str, ...]


@dataclass(slots=True)
class _Aim:
    """What is known of the task so far."""

    words: dict[str, None] = field(default_factory=dict[str, None])
    tickets: set[str] = field(default_factory=set[str])
    spoken: int = 0
    finished: bool = False

    def learn(self, turn: Turn) -> None:
        self.spoken += 1
        self.tickets |= _tickets(turn)
        self.hear(said(turn.text).prose)

    def hear(self, text: str) -> None:
        for word in sorted(content(words(text))):
            self.words.pop(word, None)
            self.words[word] = None
        for old in list(self.words)[: max(0, len(self.words) - KNOWN_WORDS)]:
            del self.words[old]


@dataclass(slots=True)
class _Since:
    """What happened since the last human turn."""

    finished: bool = False
    compacted: bool = False
    planned: bool = False
    reply: str = ""

    def see(self, turn: Turn) -> None:
        self.compacted |= turn.kind == "boundary"
        self.planned |= turn.kind == "plan"
        self.finished |= turn.kind == "outcome"
        if turn.kind == "text" and turn.role == "agent":
            self.reply = turn.text
        elif turn.kind == "tool_call" and turn.tool is not None:
            text = shell_text(turn.tool.name, turn.tool.input)
            self.finished |= bool(text and _RE.finishes.search(text))


def tasks(
    turns: Sequence[Turn], corrected: Collection[int] = (), begun: Checkpoint = BEGINNING
) -> list[Task]:
    """The tasks of a session, in order; they cover all turns from the checkpoint on.

    `corrected` holds the places of turns that correct the agent: they belong to its task. A session
    in which nobody spoke and nothing was done has no task.
    """
    starts: list[tuple[int, tuple[str, ...]]] = []
    aim, since = _Aim(), _Since()
    last: datetime | None = None
    for place, turn in enumerate(turns):
        is_context = place < begun.since
        if turn.kind == "plan" and not is_context and _RE.plan.match(turn.text):
            starts.append((place, HANDED_OVER))
            aim, since = _Aim(), _Since()
            aim.hear(turn.text[:2000])
            continue
        if turn.role != "human":
            since.see(turn)
            continue
        moment = moment_of(turn.at)
        if not is_context:
            aim.finished |= since.finished
            if turn.kind in {"prompt", "command"}:
                why = begun.why or BEGINS
                if starts:
                    pause = moment - last if moment and last else timedelta()
                    why = _reasons(turn, aim, since, pause, corrects=place in corrected)
                if why:
                    starts.append((place, why))
                    aim = _Aim()
            aim.learn(turn)
            aim.hear(since.reply[-600:])
        since, last = _Since(), moment or last
    if not starts and any(turn.kind == "tool_call" or turn.role == "human" for turn in turns):
        starts = [(0, BEGINS)]
    # What stands before the first prompt (hooks, a resumed context) belongs to the first task.
    return [
        Task(number, 0 if number == 1 else start, end, why)
        for number, ((start, why), (end, _)) in enumerate(
            pairwise([*starts, (len(turns), ())]), begun.tasks + 1
        )
    ]


def _reasons(
    turn: Turn, aim: _Aim, since: _Since, pause: timedelta, *, corrects: bool
) -> tuple[str, ...]:
    """Why a new task begins with this turn; nothing when it does not."""
    if turn.kind == "command":
        return ("the context was cleared",) if _RE.cleared.match(turn.text) else ()
    if _RE.plan.match(turn.text):
        return HANDED_OVER
    telling = said(turn.text).content
    if len(telling) < SHORT:
        return ()
    if aim.spoken >= LONGEST_TASK:
        return ("the task had grown very long",)
    known, _ = overlap(telling, aim.words)
    tickets = _tickets(turn)
    shared = tickets & aim.tickets
    opens, adds, follows = (
        bool(shape.match(turn.text)) for shape in (_RE.opening, _RE.adding, _RE.following)
    )
    # Each kind of evidence: whether it is there, how much it weighs, and how it is told.
    evidence = [
        (pause > LONG_PAUSE, 2.0, f"{pause / HOUR:.0f} hours had passed"),
        (PAUSE < pause <= LONG_PAUSE, 0.75, f"{pause / MINUTE:.0f} minutes had passed"),
        (since.finished, 1.25, "the work before was committed"),
        (aim.finished and not since.finished, 0.75, "something was committed before"),
        (LONG_TASK <= aim.spoken < 2 * LONG_TASK, 0.5, "the task had grown long"),
        (aim.spoken >= 2 * LONG_TASK, 1.0, "the task had grown long"),
        (since.compacted, 0.5, "the context was compacted"),
        (since.planned, 0.75, "a plan was made"),
        (bool(shared), -1.0, ""),
        (bool(tickets and aim.tickets) and not shared, 1.0, f"it names {min(tickets, default='')}"),
        (opens, 1.0, "its opening words begin something new"),
        (adds and not opens, -0.5, ""),
        (follows and not (opens or adds), -1.0, ""),
        (since.reply.rstrip().endswith("?"), -0.75, ""),
        (corrects, -2.0, ""),
        (known < 0.15, 1.0, "its words are new"),
        (0.15 <= known < 0.3, 0.5, "most of its words are new"),
        (known > 0.5, -1.0, ""),
    ]
    if sum(weight for holds, weight, _ in evidence if holds) < THRESHOLD:
        return ()
    return tuple(reason for holds, _, reason in evidence if holds and reason)


def _tickets(turn: Turn) -> set[str]:
    return set(_RE.ticket.findall(turn.text[:4000]))


def moment_of(at: str) -> datetime | None:
    """When a turn was said; None for a log's impossible dates (year 0, 9999, no date at all)."""
    try:
        moment = parse_iso(at) if at else None
    except (InvalidInput, OverflowError):
        return None
    # Near the ends of the calendar, adding a week overflows.
    return moment if moment and 1990 <= moment.year < 9000 else None


def spent(turns: Sequence[Turn], start: int, end: int) -> int:
    """The tokens that the log counts from the message of turn `start` to turn `end`."""
    while start > 0 and turns[start - 1].role == "agent":
        start -= 1
    return sum(turn.tokens for turn in turns[start : end + 1])


def elapsed(start: str, end: str) -> float:
    """Seconds between two moments of a log; 0 when it does not tell."""
    first, last = moment_of(start), moment_of(end)
    return max(0.0, (last - first).total_seconds()) if first and last else 0.0
