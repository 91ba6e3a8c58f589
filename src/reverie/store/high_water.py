"""The high-water mark: the last acknowledged version of each store, in a file beside the database.

A write-ahead log that was cut, damaged or deleted leaves an older database that is whole and adds
up; no check inside of it can see what is missing. This file can. It is written after commits and
never waited for: a power cut may leave it behind the database, which only means that less is seen.
"""

import os

from reverie.db.database import Database
from reverie.db.locks import lock
from reverie.errors import ReverieError

Mark = dict[str, tuple[int, str]]  # store → sequence and commitment of its last version

FILE = "high-water"
_MOST_BYTES = 10_000_000


class HighWater:
    """The mark of one database. What is missing stays marked until somebody resets it."""

    def __init__(self, file: str, database: Database) -> None:
        self._file = file
        self._database = database
        self._noted: Mark | None = None  # what this process wrote last

    def note(self) -> None:
        """Write down how far the stores are; a disk that refuses refuses in vain."""
        try:
            if self._now() != self._noted:
                self._write()
        except (OSError, ReverieError):
            return  # the write itself was acknowledged; the mark stays where it was

    def missing(self) -> list[str]:
        """What was acknowledged and is not there, a sentence each."""
        try:
            with open(self._file, "rb") as file:
                marked = _parsed(file.read(_MOST_BYTES))
        except FileNotFoundError:
            return []
        now = self._now()
        names = dict(self._database.query("SELECT id, name FROM stores"))
        gone = [store for store in sorted(marked) if store not in now]
        return [f"the store {store} was there and is gone" for store in gone] + [
            f"{names[store]}: changes up to number {marked[store][0]} were acknowledged,"
            f" and of its {now[store][0]} not all are those"
            for store in sorted(self._lost(marked))
        ]

    def reset(self) -> None:
        """The database as it is now is what counts."""
        if os.path.lexists(self._file):
            os.unlink(self._file)
        self._noted = None
        self.note()

    def _write(self) -> None:
        descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            lock(descriptor)
            # As much as there is: a buffer for the most there may be costs more than the write.
            size = min(os.fstat(descriptor).st_size, _MOST_BYTES)
            before = _parsed(os.pread(descriptor, size, 0))
            if before != self._noted and self._lost(before):
                return
            # Read under the lock: of two writers, the later one knows what the earlier wrote.
            now = self._now()
            lines = (f"{store} {last} {end}\n" for store, (last, end) in sorted(now.items()))
            data = "".join(lines).encode()
            os.pwrite(descriptor, data, 0)
            os.ftruncate(descriptor, len(data))
            self._noted = now
        finally:
            os.close(descriptor)

    def _now(self) -> Mark:
        rows = self._database.query("SELECT id, sequence, commitment FROM stores")
        return {store: (last, end) for store, last, end in rows}

    def _lost(self, marked: Mark) -> list[str]:
        """The stores whose marked version is not in their chain."""
        now = self._now()
        return [
            store
            for store, mark in marked.items()
            if store in now and now[store] != mark and not self._holds(store, *mark)
        ]

    def _holds(self, store: str, sequence: int, commitment: str) -> bool:
        where = "WHERE store_id = ? AND sequence"
        rows = self._database.query(
            f"SELECT commitment FROM versions {where} = ?", (store, sequence)
        )
        if rows:
            return rows[0][0] == commitment
        # Pruned versions leave a checkpoint behind them.
        pruned = self._database.query(
            f"SELECT 1 FROM checkpoints {where} >= ? LIMIT 1", (store, sequence)
        )
        return bool(pruned) or sequence == 0


def _parsed(data: bytes) -> Mark:
    """What a file says; lines cut by a crash say nothing."""
    marks: Mark = {}
    for line in data.decode("ascii", "replace").splitlines():
        parts = line.split(" ")
        if len(parts) == 3 and parts[1].isdigit() and len(parts[2]) == 64:
            marks[parts[0]] = (int(parts[1]), parts[2])
    return marks
