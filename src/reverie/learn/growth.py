"""Growth: what of a session must be made again when it goes on, and what that may look back at.

What was made of a turn is final once later turns cannot change it: a judgement when the next person
has spoken, the density of corrections three human turns later, the place in a task when the task is
over. So a session is made again from the beginning of a task on, the last one that has as many
human turns after it as anything looks ahead.
"""

from collections.abc import Sequence
from datetime import datetime

from reverie.language.exchanges import disowns
from reverie.learn.detect.judge import LOOKS_BACK
from reverie.learn.detect.observe import DENSITY_REACH
from reverie.learn.detect.speaker import OPEN, TALKED
from reverie.learn.diary.tasks import Task
from reverie.learn.statements.talk import CHAT
from reverie.sessions.growing import Checkpoint, Growing, Tail, may_grow
from reverie.sessions.index import SessionRead
from reverie.sessions.model import SPOKEN, Turn


def judged_from(read: SessionRead) -> int:
    """The first place to judge: before the checkpoint, as far as a neighbour's density reaches."""
    known = [place for place in _spoken(read.turns) if place < read.checkpoint.since]
    return known[-DENSITY_REACH] if len(known) >= DENSITY_REACH else 0


def growing(read: SessionRead, split: Sequence[Task], now: datetime) -> Growing | None:
    """How to go on with a session; None when it is over, or must be read whole to be understood."""
    ended = max((turn.at for turn in read.turns), default="")
    # What disowns earlier words may reach further back than what is at hand: it is read whole next.
    fresh = read.turns[read.checkpoint.since :] if read.checkpoint.since else ()
    reaches_back = any(turn.kind in TALKED and disowns(turn.text) for turn in fresh)
    if not may_grow(ended, now) or not read.end or read.head.agent == CHAT:
        return None
    until = "" if reaches_back else ended
    return Growing(read.key, read.project.slug, until, _unanswered(read.turns), _tail(read, split))


def _tail(read: SessionRead, split: Sequence[Task]) -> Tail:
    turns, spoken = read.turns, _spoken(read.turns)
    task = _last_final(turns, spoken, split)
    since = task.start if task is not None else 0
    start = _context(turns, spoken, since)
    checkpoint = Checkpoint(
        since - start,
        read.checkpoint.spoken + sum(place < start for place in spoken),
        task.number - 1 if task is not None else 0,
        task.why if since and task is not None else (),
    )
    context = [_as_context(turn) for turn in turns[start:since]]
    # What lies behind the end of the reading was told with a reservation, and is read again.
    rest = [turn.read() for turn in turns[since:] if turn.offset < read.end]
    last = start + len(context) + len(rest)
    copied = tuple(place - start for place in sorted(read.copied) if start <= place < last)
    return Tail([*context, *rest], checkpoint, copied, read.undone)


def _last_final(turns: Sequence[Turn], spoken: Sequence[int], split: Sequence[Task]) -> Task | None:
    """The last task before which nothing changes any more."""
    for task in reversed(split):
        after = sum(place >= task.start for place in spoken)
        # In a damaged log one line can hold turns of two tasks.
        apart = task.start == 0 or turns[task.start - 1].line < turns[task.start].line
        if after >= DENSITY_REACH and apart:
            return task
    return split[0] if split else None


def _context(turns: Sequence[Turn], spoken: Sequence[int], since: int) -> int:
    """Where what a judgement may look back at begins: with a person's words, or at the start."""
    before = [place for place in spoken if place < since and turns[place].kind in TALKED]
    far = [place for place in before[:-OPEN] if since - place >= LOOKS_BACK]
    return far[-1] if far else 0


def _as_context(turn: Turn) -> Turn:
    """Nobody looks back at what a tool answered or an agent thought, only that it did."""
    spoken = turn.role != "tool" and turn.kind != "thinking"
    tool = turn.tool._replace(unread=None) if turn.tool is not None else None
    return turn if spoken else turn._replace(text="", tool=tool)


def _unanswered(turns: Sequence[Turn]) -> int | None:
    """The line of the last human turn while the agent has not handed back yet."""
    spoken = _spoken(turns)
    for turn in reversed(turns[spoken[-1] :] if spoken else ()):
        if turn.kind in {"tool_call", "tool_result"}:
            break
        if turn.role == "agent" and turn.kind == "text":
            return None
    return turns[spoken[-1]].line if spoken else None


def _spoken(turns: Sequence[Turn]) -> list[int]:
    return [i for i, turn in enumerate(turns) if turn.role == "human" and turn.kind in SPOKEN]
