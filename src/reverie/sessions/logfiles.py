"""What the index remembers of each log file, and how it sees what became of it."""

import hashlib
import json
import sqlite3
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from reverie.sessions.discover import LogFile
from reverie.sessions.intake import Reading
from reverie.sessions.model import Damage
from reverie.sessions.transcript import Resume

State = Literal["read", "copy", "ignored", "empty"]

_HEAD_BYTES = 1024
_TAIL_BYTES = 256

_COLUMNS = (
    "path, agent, relative, inode, size, mtime_ns, head, tail, offset, resume, session, state,"
    " visited, bad_lines, bad_bytes, reasons"
)


@dataclass(frozen=True, slots=True)
class Known:
    """One row of `files`."""

    path: str
    agent: str
    relative: str
    inode: int
    size: int
    mtime_ns: int
    head: str
    tail: str
    offset: int
    session: str
    state: State
    visited: bool  # a visitor has seen what was read
    resume: Resume | None = None
    damage: Damage = field(default_factory=Damage)

    def is_news(self, log: LogFile, visiting: bool) -> bool:
        """True when the file has changed, or a visitor has yet to see it."""
        return self.stat != stat_of(log) or (visiting and not self.visited)

    @property
    def stat(self) -> tuple[int, int, int]:
        return self.inode, self.size, self.mtime_ns


def stat_of(log: LogFile) -> tuple[int, int, int]:
    """What is compared to see that nothing changed; no file is opened for it."""
    return log.inode, log.size, log.mtime_ns


def name_of(log: LogFile) -> str:
    """How a log is named in the index: its path, and the part of it where it holds several."""
    return f"{log.path}::{log.part}" if log.part else str(log.path)


def known_of(log: LogFile, reading: Reading, session: str, state: State, visited: bool) -> Known:
    """The row of a file that was just read."""
    offset = reading.resume.offset
    # An offset into decompressed bytes or into one of several parts says nothing about the file's
    # own bytes: such a log is read whole when it changes.
    plain = log.path.suffix != ".zst" and not log.part and 0 < offset <= log.size
    at = offset if plain else log.size
    # A part lies in another program's database, which is never opened by hand.
    head, tail = ("", "") if log.part else (head_of(log), tail_of(log, at))
    return Known(
        name_of(log),
        log.agent,
        log.relative,
        *stat_of(log),
        head,
        tail,
        at,
        session,
        state,
        visited or state != "read",
        reading.resume if plain else None,
        reading.damage,
    )


def follows(log: LogFile, known: Known) -> bool:
    """True when the file only grew since: same beginning, same bytes before the old end."""
    return (
        known.state == "read"
        and known.resume is not None
        and log.size > known.size
        and head_of(log) == known.head
        and tail_of(log, known.offset) == known.tail
    )


class DamagedFile(NamedTuple):
    """A log with lines that could not be read."""

    path: str
    lines: int
    size: int  # bytes lost
    reasons: str  # JSON: reason → lines


def damaged_files(connection: sqlite3.Connection) -> list[DamagedFile]:
    """The files with lines no reader could make sense of, the worst first."""
    rows = connection.execute(
        "SELECT path, bad_lines, bad_bytes, reasons FROM files WHERE bad_lines > 0"
        " ORDER BY bad_lines DESC, path"
    )
    return [DamagedFile(*row) for row in rows]


def same_bytes(connection: sqlite3.Connection, log: LogFile) -> list[Known]:
    """Files of the index that begin and end like this one and have its size."""
    if log.part or not (head := head_of(log)):
        return []
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM files WHERE head = ? AND size = ? AND agent = ? AND session != ''"
        " ORDER BY path",
        (head, log.size, log.agent),
    )
    return [known for known in map(_known, found) if tail_of(log, known.offset) == known.tail]


def known_file(connection: sqlite3.Connection, name: str) -> Known | None:
    """The row of one file, None when the index has not met it."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM files WHERE path = ?", (name,)).fetchone()
    return None if row is None else _known(row)


def remember(connection: sqlite3.Connection, known: Known) -> None:
    """Store or replace the row of a file."""
    connection.execute(
        f"INSERT OR REPLACE INTO files ({_COLUMNS}) VALUES ({', '.join('?' * 16)})",
        (
            known.path,
            known.agent,
            known.relative,
            *known.stat,
            known.head,
            known.tail,
            known.offset,
            json.dumps(known.resume.to_json()) if known.resume else "",
            known.session,
            known.state,
            int(known.visited),
            known.damage.bad_lines,
            known.damage.bad_bytes,
            json.dumps(known.damage.reasons, sort_keys=True),
        ),
    )


def head_of(log: LogFile) -> str:
    """A hash of the first line, or of as much of it as a kilobyte holds; "" while it is cut."""
    with open(log.path, "rb") as file:
        data = file.read(_HEAD_BYTES)
    line, newline, _ = data.partition(b"\n")
    if not newline and len(data) < _HEAD_BYTES:
        return ""
    return hashlib.sha256(line).hexdigest()[:16]


def tail_of(log: LogFile, offset: int) -> str:
    """A hash of the bytes just before `offset`."""
    with open(log.path, "rb") as file:
        file.seek(max(0, offset - _TAIL_BYTES))
        data = file.read(min(offset, _TAIL_BYTES))
    return hashlib.sha256(data).hexdigest()[:16]


def _known(row: tuple[Any, ...]) -> Known:
    (path, agent, relative, inode, size, mtime, head, tail, offset, resume, session, state,
     visited, bad_lines, bad_bytes, reasons) = row  # fmt: skip
    return Known(
        path,
        agent,
        relative,
        inode,
        size,
        mtime,
        head,
        tail,
        offset,
        session,
        state,
        bool(visited),
        Resume.from_json(json.loads(resume)) if resume else None,
        Damage(bad_lines, bad_bytes, json.loads(reasons)),
    )
