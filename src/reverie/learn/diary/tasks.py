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

from reverie.clock import parse_iso
from reverie.data import patterns
from reverie.errors import InvalidInput
from reverie.language.words import content, overlap, said, words
from reverie.learn.traffic.attempts import shell_text
from reverie.sessions.growing import BEGINNING, Checkpoint
from reverie.sessions.model import Turn

THRESHOLD = 1.75
PAUSE = timedelta(hours=1)
LONG_PAUSE = timedelta(hours=8)
SHORT = 4  # content words; fewer cannot state an aim of their own
LONG_TASK = 12  # human turns; the longer a task, the likelier that it is over
LONGEST_TASK = 40  # nobody reads a diary of more, and what grows is written up task by task
KNOWN_WORDS = 400  # of a task; the latest are compared

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

    def learn(self, turn: Turn) -> None:
        self.spoken += 1
        self.tickets.update(_RE.ticket.findall(turn.text[:4000]))
        self.hear(content(words(said(turn.text).prose)))

    def hear(self, found: Collection[str]) -> None:
        for word in sorted(found):
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
        if turn.kind == "boundary":
            self.compacted = True
        elif turn.kind == "plan":
            self.planned = True
        elif turn.kind == "outcome":
            self.finished = True
        elif turn.kind == "text" and turn.role == "agent":
            self.reply = turn.text
        elif turn.kind == "tool_call" and turn.tool is not None:
            text = shell_text(turn.tool.name, turn.tool.input)
            self.finished = self.finished or bool(text and _RE.finishes.search(text))


def tasks(
    turns: Sequence[Turn], corrected: Collection[int] = (), begun: Checkpoint = BEGINNING
) -> list[Task]:
    """The tasks of a session, in order; they cover all turns from the checkpoint on.

    `corrected` holds the places of turns that correct the agent: they belong to its task. A session
    in which nobody spoke and nothing was done has no task.
    """
    starts: list[tuple[int, tuple[str, ...]]] = []
    aim, since = _Aim(), _Since()
    finished = False
    last: datetime | None = None
    for place, turn in enumerate(turns):
        if place < begun.since:
            if turn.role == "human":
                since, last = _Since(), moment_of(turn.at) or last
            else:
                since.see(turn)
            continue
        if turn.kind == "plan" and _RE.plan.match(turn.text):
            starts.append((place, ("a plan was handed over",)))
            aim, since, finished = _Aim(), _Since(), False
            aim.hear(content(words(turn.text[:2000])))
            continue
        if turn.role != "human":
            since.see(turn)
            continue
        moment = moment_of(turn.at)
        finished = finished or since.finished
        if turn.kind in {"prompt", "command"}:
            why = begun.why or ("the session begins",)
            if starts:
                pause = moment - last if moment and last else timedelta()
                why = _reasons(turn, aim, since, finished, pause, place in corrected)
            if why:
                starts.append((place, why))
                aim, finished = _Aim(), False
        aim.learn(turn)
        aim.hear(content(words(since.reply[-600:])))
        since = _Since()
        last = moment or last
    if not starts and any(turn.kind == "tool_call" or turn.role == "human" for turn in turns):
        starts = [(0, ("the session begins",))]
    if not starts:
        return []
    ends = [place for place, _ in starts[1:]] + [len(turns)]
    # What stands before the first prompt (hooks, a resumed context) belongs to the first task.
    return [
        Task(number, 0 if number == 1 else start, end, why)
        for number, ((start, why), end) in enumerate(
            zip(starts, ends, strict=True), begun.tasks + 1
        )
    ]


def _reasons(
    turn: Turn, aim: _Aim, since: _Since, finished: bool, pause: timedelta, corrects: bool
) -> tuple[str, ...]:
    """Why a new task begins with this turn; nothing when it does not."""
    if turn.kind == "command":
        return ("the context was cleared",) if _RE.cleared.match(turn.text) else ()
    if _RE.plan.match(turn.text):
        return ("a plan was handed over",)
    own = said(turn.text)
    if len(own.content) < SHORT:
        return ()
    if aim.spoken >= LONGEST_TASK:
        return ("the task had grown very long",)
    weights = _weights(turn, aim, since, finished, pause)
    if corrects:
        weights.append((-2.0, ""))
    known, _ = overlap(own.content, aim.words)
    if known < 0.15:
        weights.append((1.0, "its words are new"))
    elif known < 0.3:
        weights.append((0.5, "most of its words are new"))
    elif known > 0.5:
        weights.append((-1.0, ""))
    if sum(weight for weight, _ in weights) < THRESHOLD:
        return ()
    return tuple(reason for weight, reason in weights if weight > 0)


def _weights(
    turn: Turn, aim: _Aim, since: _Since, finished: bool, pause: timedelta
) -> list[tuple[float, str]]:
    found = _pauses(pause)
    if since.finished:
        found.append((1.25, "the work before was committed"))
    elif finished:
        found.append((0.75, "something was committed before"))
    if aim.spoken >= LONG_TASK:
        found.append((1.0 if aim.spoken >= 2 * LONG_TASK else 0.5, "the task had grown long"))
    if since.compacted:
        found.append((0.5, "the context was compacted"))
    if since.planned:
        found.append((0.75, "a plan was made"))
    tickets = set(_RE.ticket.findall(turn.text[:4000]))
    if tickets and aim.tickets:
        same = tickets & aim.tickets
        found.append((-1.0, "") if same else (1.0, f"it names {min(tickets)}"))
    found += _openings(turn.text)
    if since.reply.rstrip().endswith("?"):
        found.append((-0.75, ""))
    return found


def _pauses(pause: timedelta) -> list[tuple[float, str]]:
    if pause > LONG_PAUSE:
        return [(2.0, f"{pause.total_seconds() / 3600:.0f} hours had passed")]
    if pause > PAUSE:
        return [(0.75, f"{pause.total_seconds() / 60:.0f} minutes had passed")]
    return []


def _openings(text: str) -> list[tuple[float, str]]:
    if _RE.opening.match(text):
        return [(1.0, "its opening words begin something new")]
    if _RE.adding.match(text):
        return [(-0.5, "")]
    return [(-1.0, "")] if _RE.following.match(text) else []


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
