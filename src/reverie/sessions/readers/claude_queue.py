"""Text typed while Claude Code worked.

Before 2.1.97 such a text stands only on the `queue-operation` line; later the same words come once
more, as an attachment or a user line, when they are delivered. The place of delivery is the turn;
the queue line is one only when no delivery follows.
"""

from dataclasses import dataclass

# So many conversation lines after a text left the queue, its delivery would have been seen.
_PATIENCE = 200


@dataclass(slots=True)
class _Waiting:
    text: str
    offset: int
    left_at: int | None = None  # count of conversation lines when it left the queue


class SteeringQueue:
    """Decides which queued texts were delivered elsewhere."""

    def __init__(self) -> None:
        self._waiting: list[_Waiting] = []
        self._lines = 0
        self.withdrawn: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def put(self, text: str, offset: int) -> None:
        self._waiting.append(_Waiting(text, offset))

    def leave(self) -> None:
        """Something was taken out; the log does not say which, so the clock starts for all."""
        for item in self._waiting:
            if item.left_at is None:
                item.left_at = self._lines

    def tick(self) -> None:
        """One more conversation line; texts that left the queue long ago were not delivered."""
        self._lines += 1
        self._waiting = [
            item
            for item in self._waiting
            if item.left_at is None or self._lines - item.left_at <= _PATIENCE
        ]

    def delivered(self, text: str) -> bool:
        """These words came again as a turn of their own: the queue line is not one."""
        for index, item in enumerate(self._waiting):
            if item.text == text:
                self.withdrawn.add(item.offset)
                del self._waiting[index]
                return True
        return False

    def clear(self) -> None:
        self._waiting.clear()
