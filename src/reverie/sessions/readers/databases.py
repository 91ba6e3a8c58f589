"""Another program's SQLite database, read without writing a byte to it or holding it up.

A plain read-only connection still makes files beside a database in WAL mode, and takes locks. So:

- nothing in the write-ahead log: opened as immutable, which does neither, and thrown away if the
  file changed meanwhile;
- something in it and the shared memory there: opened through that, read-only; readers of a WAL
  hold up no writer;
- something in it and no shared memory (a crash, a copied folder): read from a copy of both;
- a rollback journal, so that somebody is in the middle of writing: not now.
"""

import sqlite3
import weakref
from collections.abc import Generator
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path

from reverie.errors import Unavailable

MAGIC = b"SQLite format 3\0"
# Above this a database with a stale write-ahead log is not copied.
_MAX_COPY = 2 * 1024**3


@contextmanager
def reading(path: Path) -> Generator[sqlite3.Connection, None, None]:
    """A connection that can only read.

    Raises:
        Unavailable: it is being written just now, was changed while it was read, or is damaged.
    """
    try:
        if _size(path, "-journal"):
            raise Unavailable(f"{path} is being written just now")
        if not _size(path, "-wal"):
            before = _state(path)
            with closing(_connected(path, "mode=ro&immutable=1")) as connection:
                yield connection
            if _state(path) != before:
                raise Unavailable(f"{path} changed while it was read")
        elif shared := _through_shared_memory(path):
            with closing(shared):
                yield shared
        else:
            copy = _copied(path, _state(path))
            with closing(_connected(copy.path, "mode=ro")) as connection:
                yield connection
    except sqlite3.Error as error:
        raise Unavailable(f"cannot read {path}: {error}") from error
    except OSError as error:
        raise Unavailable(f"cannot read {path}: {error.strerror}") from error


def has_tables(path: Path, *names: str) -> bool:
    """Whether a file is a database with tables of these names."""
    try:
        with reading(path) as connection:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return {name for (name,) in rows}.issuperset(names)
    except Unavailable:
        return False


def _connected(path: Path, options: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{options}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=2.0)
    # Text that is not UTF-8 is damage of one row, not of all.
    connection.text_factory = _text
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _through_shared_memory(path: Path) -> sqlite3.Connection | None:
    """A connection that uses the writer's shared memory; None when there is none to be used."""
    if not Path(f"{path}-shm").exists():
        return None
    connection = _connected(path, "mode=ro&readonly_shm=1")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        return None
    return connection


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


class _Copy:
    """A copy of a database in a folder of its own, which goes when nobody uses it any more."""

    def __init__(self, folder: str) -> None:
        import shutil

        self.path = Path(folder) / "copy.db"
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)


@lru_cache(maxsize=1)
def _copied(path: Path, state: tuple[int, ...]) -> _Copy:
    """A copy of a database in this state; all of its sessions are read from the same one."""
    import shutil
    import tempfile

    if _size(path, "") + _size(path, "-wal") > _MAX_COPY:
        raise Unavailable(f"{path} was not closed and is too large to copy")
    copy = _Copy(tempfile.mkdtemp(prefix="reverie-"))
    for ending in ("", "-wal"):
        shutil.copyfile(f"{path}{ending}", f"{copy.path}{ending}")
    if _state(path) != state:
        raise Unavailable(f"{path} changed while it was copied")
    return copy


def _size(path: Path, ending: str) -> int:
    try:
        return Path(f"{path}{ending}").stat().st_size
    except FileNotFoundError:
        return 0


def _state(path: Path) -> tuple[int, ...]:
    state: list[int] = []
    for ending in ("", "-wal"):
        try:
            status = Path(f"{path}{ending}").stat()
        except FileNotFoundError:
            continue
        state += (status.st_ino, status.st_size, status.st_mtime_ns)
    return tuple(state)
