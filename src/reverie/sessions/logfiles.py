"""What the index remembers of each log file, and how it sees what became of it."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from reverie.db.database import Database
from reverie.sessions.intake import Reading
from reverie.sessions.logs.discover import LogFile
from reverie.sessions.logs.transcript import Resume
from reverie.sessions.model import Damage

State = Literal["read", "copy", "ignored", "empty"]

_HEAD_BYTES = 1024
_TAIL_BYTES = 256

# Those stored as they are, in the order in which `Known` has them.
_PLAIN = "path agent relative inode size mtime_ns head tail offset session state".split()
_COLUMNS = ", ".join(
    f'"{name}"' for name in (*_PLAIN, *"visited resume bad_lines bad_bytes reasons".split())
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


def damaged_files(database: Database) -> list[DamagedFile]:
    """The files with lines no reader could make sense of, the worst first."""
    rows = database.query(
        "SELECT path, bad_lines, bad_bytes, reasons FROM files WHERE bad_lines > 0"
        " ORDER BY bad_lines DESC, path"
    )
    return [DamagedFile(*row) for row in rows]


def same_bytes(database: Database, log: LogFile) -> list[Known]:
    """Files of the index that begin and end like this one and have its size."""
    if log.part or not (head := head_of(log)):
        return []
    rows = database.query(
        f"SELECT {_COLUMNS} FROM files WHERE head = ? AND size = ? AND agent = ? AND session != ''"
        " ORDER BY path",
        (head, log.size, log.agent),
    )
    return [known for known in map(_known, rows) if tail_of(log, known.offset) == known.tail]


def known_file(database: Database, name: str) -> Known | None:
    """The row of one file, None when the index has not met it."""
    rows = database.query(f"SELECT {_COLUMNS} FROM files WHERE path = ?", (name,))
    return _known(rows[0]) if rows else None


def forget(database: Database, name: str) -> None:
    """Drop the row of a file."""
    database.query("DELETE FROM files WHERE path = ?", (name,))


def forget_all(database: Database) -> None:
    """Drop all rows: every log is read again."""
    database.query("DELETE FROM files")


def forget_resume(database: Database, session: str) -> None:
    """Drop where the reader of a session stood, which holds titles and calls of it."""
    database.query("UPDATE files SET resume = '' WHERE session = ?", (session,))


def is_copy_now(database: Database, name: str) -> None:
    """Note that another file tells more than this one."""
    database.query("UPDATE files SET state = 'copy' WHERE path = ?", (name,))


def stats(database: Database, *, visited: bool) -> dict[str, tuple[int, int, int]]:
    """Each file as it was when it was last read; with `visited`, only those a visitor has seen."""
    rows = database.query(
        "SELECT path, inode, size, mtime_ns FROM files WHERE visited >= ?", (int(visited),)
    )
    return {path: (inode, size, mtime) for path, inode, size, mtime in rows}


def files_of(database: Database, session: str) -> list[Path]:
    """The files that hold a session: its log, copies of it, kept ones too."""
    rows = database.query("SELECT path FROM files WHERE session = ? ORDER BY path", (session,))
    return [Path(path) for (path,) in rows]


def remember(database: Database, known: Known) -> None:
    """Store or replace the row of a file."""
    forget(database, known.path)
    database.query(
        f"INSERT INTO files ({_COLUMNS}) VALUES ({', '.join('?' * 16)})",
        (
            *(getattr(known, name) for name in _PLAIN),
            int(known.visited),
            json.dumps(known.resume.to_json()) if known.resume else "",
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
    *plain, visited, resume, bad_lines, bad_bytes, reasons = row
    return Known(
        *plain,
        visited=bool(visited),
        resume=Resume.from_json(json.loads(resume)) if resume else None,
        damage=Damage(bad_lines, bad_bytes, json.loads(reasons)),
    )
