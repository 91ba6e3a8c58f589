"""Stops: prompts that a hook of the project held up, as traces.

The agent never saw them; the person had to type them again.
"""

from collections.abc import Iterator

from reverie.data import patterns
from reverie.learn.traffic.ways import levelled
from reverie.learn.traffic.work import Work
from reverie.sessions.traces import Trace

MAX_MESSAGE = 160

_RE = patterns("traffic.txt", "stops")


def stops(work: Work) -> Iterator[Trace]:
    """Each message that stopped a prompt, with the command by which it can be turned off."""
    known: set[str] = set()
    for turn in work.turns:
        stopped = _RE.stopped.match(turn.text) if turn.role == "harness" else None
        key = levelled(stopped["message"]) if stopped else ""
        if stopped is None or not key or key in known or turn.undone:
            continue
        known.add(key)
        remedy = _RE.remedy.search(turn.text)
        data = {
            "message": stopped["message"][:MAX_MESSAGE],
            "remedy": remedy["command"] if remedy else "",
        }
        yield Trace(turn.line, turn.at, "stopped", key, data=data)
