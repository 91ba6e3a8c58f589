"""Text typed while Claude Code worked.

Before 2.1.97 such a text stands only on the `queue-operation` line; later the same words come once
more, as an attachment or a user line, when they are delivered. The place of delivery is the turn;
the queue line is one only when no delivery follows.
"""

from dataclasses import dataclass

# By so many conversation lines after a text left the queue, its delivery would have been seen;
# and by so many after it was put there, whatever happened to it.
_AFTER_LEAVING = 200
_AFTER_PUTTING = 2_000


@dataclass(slots=True)
class _Waiting:
    text: str
    key: str  # under which the parser remembers the queue line
    offset: int
    line: int
    until: int  # the count of conversation lines at which it is given up


class SteeringQueue:
    """Decides which queued texts were delivered elsewhere."""

    def __init__(self) -> None:
        self._waiting: list[_Waiting] = []
        self._lines = 0
        self.open = False  # whether any text is not decided yet
        self.withdrawn: set[int] = set()

    def keys(self) -> set[str]:
        """The queue lines that are not decided."""
        return {item.key for item in self._waiting}

    def put(self, text: str, key: str, offset: int, line: int) -> None:
        self._waiting.append(_Waiting(text, key, offset, line, self._lines + _AFTER_PUTTING))
        self.open = True

    def leave(self, text: str = "") -> None:
        """Something was taken out; where the log does not say which, the time runs for all."""
        for item in self._waiting:
            if text in ("", item.text):
                item.until = min(item.until, self._lines + _AFTER_LEAVING)

    def taken_back(self) -> list[int]:
        """All that waited went back into the editor: the lines of what was not sent so."""
        self.leave()
        return [item.line for item in self._waiting]

    def tick(self) -> None:
        """One more conversation line; texts waited for too long were never delivered."""
        self._lines += 1
        self._waiting = [item for item in self._waiting if item.until >= self._lines]
        self.open = bool(self._waiting)

    def delivered(self, text: str) -> None:
        """These words came again as a turn of their own: the queue line is not one."""
        for index, item in enumerate(self._waiting):
            if item.text == text:
                self.withdrawn.add(item.offset)
                del self._waiting[index]
                break
        self.open = bool(self._waiting)
