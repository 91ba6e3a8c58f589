"""Work: a session and the attempts in it, as its traces are made."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from reverie.learn.diary.tasks import elapsed, spent
from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.outputs import readable
from reverie.sessions.model import Turn
from reverie.sessions.traces import Trace, What


class Work(NamedTuple):
    """What one session did."""

    turns: Sequence[Turn]
    tried: Sequence[Attempt]
    root: str = ""  # the folder of its project
    cwd: str = ""  # and that of the session
    copied: Collection[int] = ()  # places of turns that it repeats from the session before

    def output(self, attempt: Attempt) -> str:
        """What a call printed."""
        return readable(attempt.output, self.root)

    def seconds(self, first: Attempt, last: Attempt) -> float:
        """Seconds from a call to the result of another; 0 where the log does not tell."""
        return elapsed(first.at, self.turns[max(last.index, last.result_index)].at)

    def tokens(self, first: Attempt, last: Attempt) -> int:
        """What the messages from a call to the result of another cost."""
        return spent(self.turns, first.index, max(last.index, last.result_index))

    def whole(self, what: What, data: list[Any] | dict[str, Any]) -> Iterator[Trace]:
        """One trace for the whole session, where there is anything to keep."""
        if data:
            yield trace(what, "", self.tried[0], len(data), data=data)


def trace(
    what: What, key: str, attempt: Attempt, times: int = 1, failed: int = 0, **more: Any
) -> Trace:
    """A trace at the place of a call."""
    return Trace(attempt.line, attempt.at, what, key, times, failed, **more)
