"""Tally: things of one sort by key, the sessions they were seen in, and what is usual for the sort.

What is usual is what chance explains: when most files are read in one session only, one that is
read in nine is no accident. The thing itself is left out of the count, or it would explain itself.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

Row = TypeVar("Row")
Key = TypeVar("Key", bound=Hashable)

LEAST_SESSIONS = 2  # fewer are not even a candidate
LEAST_CHANCE = 0.02  # nothing is impossible


class Usual:
    """In how many sessions, beyond the first, things of one sort are seen."""

    def __init__(self, sessions: Iterable[int]) -> None:
        counts = list(sessions)
        self._things = len(counts)
        self._again = sum(counts) - len(counts)

    def without(self, sessions: int) -> float:
        """What the other things explain of one that was seen in `sessions`."""
        others = max(1, self._things - 1)
        return max(LEAST_CHANCE, (self._again - (sessions - 1)) / others)


class Tally(Generic[Key, Row]):
    """Rows by key in the order they came."""

    def __init__(self, session_of: Callable[[Row], str]) -> None:
        self._session_of = session_of
        self._rows: dict[Key, list[Row]] = {}

    def add(self, key: Key, row: Row) -> None:
        self._rows.setdefault(key, []).append(row)

    def fill(self, rows: Iterable[tuple[Key, Row]]) -> "Tally[Key, Row]":
        for key, row in rows:
            self.add(key, row)
        return self

    def sessions(self, rows: Sequence[Row]) -> int:
        return len({self._session_of(row) for row in rows})

    def several(self) -> Iterator[tuple[Key, list[Row], float]]:
        """What several sessions share: key, rows, and the sessions that chance explains."""
        counts = {key: self.sessions(rows) for key, rows in self._rows.items()}
        usual = Usual(counts.values())
        for key, rows in self._rows.items():
            if counts[key] >= LEAST_SESSIONS:
                yield key, rows, usual.without(counts[key])
