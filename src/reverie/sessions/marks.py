"""Up to where each session was processed: `processed.jsonl`, one line per mark, only appended to.

It is not derived, so it lies outside `index.db`: `reverie reindex` must not make every day pending
again. A session that goes on after its mark is pending again from there.
"""

import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from reverie.files import append_line
from reverie.sessions.query import DayRow

By = Literal["learn", "extract", "drop"]

# A session whose log has no times is processed as a whole or not at all.
_TIMELESS = "-"


@dataclass(slots=True)
class Marks:
    """What was processed so far. Threads may share it."""

    file: Path
    _through: dict[str, str] = field(default_factory=dict[str, str])
    _learned_at: dict[str, str] = field(default_factory=dict[str, str])
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    # Lines a crash cut short. Their sessions count as unprocessed, which loses nothing.
    unreadable: int = 0

    @classmethod
    def open(cls, file: Path) -> "Marks":
        """Read the marks; a missing file means that nothing was processed."""
        marks = cls(file)
        if file.exists():
            for line in file.read_bytes().split(b"\n"):
                marks._take(line)
        return marks

    @property
    def learned_at(self) -> dict[str, str]:
        """Session → when it was last learned from, without what was only extracted or dropped."""
        with self._lock:
            return dict(self._learned_at)

    def mark(self, days: Iterable[DayRow], by: By, at: str) -> int:
        """Note that these stretches were processed; returns how many were not before."""
        with self._lock:
            return self._mark(days, by, at)

    def _mark(self, days: Iterable[DayRow], by: By, at: str) -> int:
        lines: list[str] = []
        for row in days:
            if self.is_pending(row):
                through = row.last or _TIMELESS
                self._through[row.session] = max(through, self._through.get(row.session, ""))
                if by == "learn":
                    self._learned_at[row.session] = max(at, self._learned_at.get(row.session, ""))
                lines.append(
                    json.dumps({"session": row.session, "through": through, "by": by, "at": at})
                )
        if lines:
            # In one write, and after a line end: a line cut by a crash takes no other with it.
            append_line(self.file, "\n" + "\n".join(lines))
        return len(lines)

    def is_pending(self, row: DayRow) -> bool:
        """True when a person spoke in this stretch after the session's mark."""
        return (row.last or _TIMELESS) > self._through.get(row.session, "")

    def pending(self, days: Iterable[DayRow]) -> list[DayRow]:
        """Those of `days` that were not processed, in their order."""
        return [row for row in days if self.is_pending(row)]

    def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            record: Any = json.loads(line)
            session, through = str(record["session"]), str(record["through"])
        except (ValueError, KeyError, TypeError):
            self.unreadable += 1
            return
        self._through[session] = max(through, self._through.get(session, ""))
        if record.get("by") == "learn":
            at = str(record.get("at", ""))
            self._learned_at[session] = max(at, self._learned_at.get(session, ""))
