"""The SQLite driver: WAL, one private file, opened by SQLite alone.

No code here or elsewhere opens the database file itself: closing such a handle would drop the
locks of every connection of this process, and a write could then vanish without an error.
"""

import itertools
import os
import sqlite3
import stat
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any

from reverie.db.database import Connection, Dialect, Row
from reverie.db.locks import one_at_a_time
from reverie.errors import (
    Busy,
    Conflict,
    InvalidInput,
    ReadOnly,
    Refused,
    ReverieError,
    StoreDamaged,
    Unavailable,
)

VERSION = sqlite3.sqlite_version_info
# Below this, two connections that write and checkpoint at one moment can damage the file.
WAL_RESET_FIXED = (3, 51, 3)

# The truth is on the disk when a write returns. What is derived is only never half written.
_TRUTH = ("PRAGMA foreign_keys = ON", "PRAGMA secure_delete = ON", "PRAGMA synchronous = FULL")
_DERIVED = ("PRAGMA synchronous = NORMAL",)
# Half of what SQLite takes by itself; whoever lists thousands of memories wants the whole.
_SPARING = "PRAGMA cache_size = -1000"
_SIDES = ("-wal", "-shm")
_SMALLEST_PAGE = 512
RESTORE = (
    "`reverie doctor` says what is wrong; `reverie repair` brings back the newest backup that adds"
    " up, keeps this file, and learns the rest from your logs"
)
COPIES = "backups"  # the folder beside a database with copies of it
DAILY = "-daily-"  # in the names of those made by themselves
REINDEX = "it is derived: `reverie reindex` sets it aside and builds it anew"
MEMORY = ":memory:"
_SURROGATE = "text holds a lone surrogate, which no encoding can store"

_NOT_STORABLE = (sqlite3.DataError, sqlite3.InterfaceError)

# Making the file and connecting to it are one step: see `_make`.
_making = threading.Lock()
_numbers = itertools.count()


class SqliteDriver:
    """Opens connections to one file."""

    dialect: Dialect = "sqlite"
    begin = "BEGIN IMMEDIATE"
    begin_snapshot = "BEGIN"
    begin_private = "BEGIN"
    for_update = ""

    def __init__(
        self,
        path: str,
        busy_timeout_ms: int,
        *,
        create: bool = True,
        read_only: bool = False,
        derived: bool = False,
        sparing: bool = False,
    ) -> None:
        self.path = path
        self.url = f"sqlite:///{path}"
        self._busy_timeout_ms = busy_timeout_ms
        self._create = create
        self._read_only = read_only
        self._derived = derived
        self._sparing = sparing
        self._hint = REINDEX if derived else RESTORE
        # Not `id(self)`, which the next one may get while a connection of this one is still open.
        self._number = next(_numbers)

    def connect(self) -> "SqliteConnection":
        with _making:
            writable = self._prepare()
        try:
            return self._connected(writable)
        except Busy:
            raise
        except Unavailable as error:
            if not writable:
                raise
            # A full disk has no room for the files SQLite shares with other processes, and what
            # is there can still be read.
            try:
                connection = self._connected(writable=False)
            except ReverieError:
                raise error from None
            connection.passing = True
            return connection

    def _connected(self, writable: bool) -> "SqliteConnection":
        with _making:
            try:
                raw = self._open(writable)
            except sqlite3.Error as error:
                raise translated(error, self.path, self._hint) from error
        connection = SqliteConnection(raw, self.path, self._hint)
        try:
            connection.execute("PRAGMA temp_store = MEMORY")
            for pragma in _DERIVED if self._derived else _TRUTH:
                connection.execute(pragma)
            if self._sparing:
                connection.execute(_SPARING)
            if writable:
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1")
        except ReverieError:
            connection.close()
            raise
        return connection

    def has_table(self, connection: Connection, name: str) -> bool:
        sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
        return bool(connection.execute(sql, (name,)))

    def columns(self, connection: Connection, table: str) -> list[str]:
        rows = connection.execute("SELECT name FROM pragma_table_info(?) ORDER BY cid", (table,))
        return [row[0] for row in rows]

    def lock(self, connection: Connection, name: str) -> None:
        """BEGIN IMMEDIATE holds the only write lock there is."""

    def wait_for_disk(self, connection: Connection, *, wait: bool) -> None:
        if not self._derived:
            connection.execute(f"PRAGMA synchronous = {'FULL' if wait else 'NORMAL'}")

    def be_patient(self, connection: Connection, milliseconds: int | None) -> None:
        patience = self._busy_timeout_ms if milliseconds is None else milliseconds
        connection.execute(f"PRAGMA busy_timeout = {int(patience)}")

    def scrub(self, connection: Connection, tables: Sequence[str]) -> None:
        # Full-text segments keep the words of deleted rows until they are merged, and pages keep
        # moved cells until VACUUM writes every page anew; the log goes last.
        for name in self._full_texts(connection):
            connection.execute(f"INSERT INTO {name} ({name}) VALUES ('optimize')")
        connection.execute("VACUUM")
        busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]
        if busy:
            raise Busy(
                f"a reader still needs the old pages of {self.path}, so the write-ahead log was"
                " not emptied",
                hint="repeat the command when other Reverie processes are idle",
            )
        if not self._derived:
            self._drop_daily_copies()

    def _drop_daily_copies(self) -> None:
        """What was taken out must not live on in a copy; the next learning makes a new one."""
        folder = os.path.join(os.path.dirname(self.path), COPIES)
        stem = os.path.basename(self.path).removesuffix(".db")
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if name.startswith(f"{stem}{DAILY}"):
                with suppress(FileNotFoundError):
                    os.unlink(os.path.join(folder, name))

    def damage(self, connection: Connection) -> list[str]:
        problems = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
        problems = [] if problems == ["ok"] else problems
        # What is derived indexes a part of its rows, which this check would take for damage.
        for name in () if self._derived else self._full_texts(connection):
            try:
                connection.execute(f"INSERT INTO {name} ({name}) VALUES ('integrity-check')")
            except StoreDamaged:
                problems.append("the full-text index does not match the memories")
            except ReadOnly:
                pass
        return problems

    def _full_texts(self, connection: Connection) -> list[str]:
        rows = connection.execute(
            "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%' ORDER BY 1"
        )
        return [str(name) for (name,) in rows]

    def _open(self, writable: bool) -> sqlite3.Connection:
        if self.path == MEMORY:
            # Connections of one process share it by this name as long as one of them is open.
            return self._connect(f"file:reverie-{self._number}?mode=memory&cache=shared", uri=True)
        if writable:
            return self._connect(self.path)
        from urllib.parse import quote

        uri = f"file:{quote(self.path)}?mode=ro"
        # A cleanly closed file on a read-only disk has no log, and SQLite may not make one.
        log = self.path + "-wal"
        if not os.path.exists(log) or not os.path.getsize(log):
            uri += "&immutable=1"
        return self._connect(uri, uri=True)

    def _connect(self, target: str, *, uri: bool = False) -> sqlite3.Connection:
        return sqlite3.connect(
            target,
            uri=uri,
            isolation_level=None,
            timeout=self._busy_timeout_ms / 1000,
            check_same_thread=False,
        )

    def _prepare(self) -> bool:
        """Refuse what is unsafe, make what is missing; whether the file can be written."""
        if self.path == MEMORY:
            return True
        for name in (self.path, self.path + "-wal", self.path + "-shm"):
            _refuse_odd(name)
        _refuse_others(self.path)
        if not os.path.lexists(self.path):
            if not self._create:
                raise Unavailable(f"there is no database at {self.path}")
            self._make()
        if not self._read_only:
            for name in (self.path, self.path + "-wal", self.path + "-shm"):
                _make_private(name)
        # SQLite would take so short a file for a new database and start again from nothing.
        if os.stat(self.path).st_size < _SMALLEST_PAGE and not self._derived:
            raise StoreDamaged(f"{self.path} is cut off: its content is gone", hint=RESTORE)
        folder = os.path.dirname(self.path) or "."
        return not self._read_only and os.access(self.path, os.W_OK) and os.access(folder, os.W_OK)

    def _make(self) -> None:
        """Create the file in one step, private and never empty.

        It is built under another name and linked into place, so that an empty file under the
        right name always means damage, and of two processes that start together one wins.
        """
        folder = os.path.dirname(self.path) or "."
        if not os.path.isdir(folder):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            os.chmod(folder, 0o700)
        new = f"{self.path}.{os.getpid()}.new"
        with suppress(FileNotFoundError):
            os.unlink(new)
        try:
            os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            os.chmod(new, 0o600)
            with closing(self._connect(new)) as raw:
                raw.execute("PRAGMA journal_mode = WAL")
                raw.execute("PRAGMA user_version = 1")
            if any(os.path.lexists(self.path + side) for side in _SIDES):
                with one_at_a_time(folder):
                    self._set_aside()
                    publish(new, self.path)
            else:
                publish(new, self.path)
        except sqlite3.Error as error:
            raise translated(error, self.path, self._hint) from error
        except PermissionError:
            raise ReadOnly(f"{folder} allows no new files") from None
        except OSError as error:
            raise Unavailable(f"{self.path} cannot be made: {error.strerror}") from error
        finally:
            with suppress(FileNotFoundError):
                os.unlink(new)

    def _set_aside(self) -> None:
        """Keep what belonged to a database that is gone away from the one to come.

        SQLite would play a log that it finds into the new file, whoever wrote it.
        """
        if os.path.lexists(self.path):
            return  # another process was first
        for side in _SIDES:
            left = self.path + side
            if os.path.lexists(left):
                number = 1
                while os.path.lexists(f"{left}.left-{number}"):
                    number += 1
                os.rename(left, f"{left}.left-{number}")


class SqliteConnection:
    """One connection; its errors are ours."""

    __slots__ = ("_hint", "_path", "broken", "passing", "raw")

    def __init__(self, raw: sqlite3.Connection, path: str, hint: str = RESTORE) -> None:
        self.raw = raw
        self._path = path
        self._hint = hint
        self.broken = False
        self.passing = False

    def execute(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        try:
            return self.raw.execute(sql, params).fetchall()
        except sqlite3.Error as error:
            if sql == "ROLLBACK" and not self.raw.in_transaction:
                # A full disk makes SQLite roll back by itself, and there is nothing left to undo.
                return []
            raise translated(error, self._path, self._hint) from error
        except UnicodeEncodeError:
            raise InvalidInput(_SURROGATE) from None
        except UnicodeDecodeError as error:
            raise StoreDamaged(
                f"{self._path} is damaged: {error.reason}", hint=self._hint
            ) from error

    def execute_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with self._translating():
            self.raw.executemany(sql, rows)

    def stream(self, sql: str, params: Sequence[Any] = ()) -> Iterator[Row]:
        with self._translating():
            yield from self.raw.execute(sql, params)

    def backup_to(self, other: "SqliteConnection") -> None:
        """Replace what `other` holds by what this one holds, through the backup API."""
        with self._translating():
            self.raw.backup(other.raw)

    def close(self) -> None:
        self.broken = True
        self.raw.close()

    @contextmanager
    def _translating(self) -> Generator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise translated(error, self._path, self._hint) from error
        except UnicodeEncodeError:
            raise InvalidInput(_SURROGATE) from None
        except UnicodeDecodeError as error:
            raise StoreDamaged(
                f"{self._path} is damaged: {error.reason}", hint=self._hint
            ) from error


def translated(error: sqlite3.Error, path: str, hint: str = RESTORE) -> ReverieError:
    """The error of ours that says the same; `hint` is what to do about damage."""
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return Busy("another writer held the database for too long", hint="try again")
    if name.startswith("SQLITE_READONLY"):
        return ReadOnly(f"{path} can be read but not written{_why_not(path)}")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StoreDamaged(f"{path} is damaged: {error}", hint=hint)
    if str(error).startswith("Could not decode"):
        # The rest of the message is the text itself.
        return StoreDamaged(f"{path} is damaged: a text is not UTF-8", hint=hint)
    if name.startswith("SQLITE_CONSTRAINT"):
        return Conflict(f"the database refused the change: {error}")
    if name.startswith("SQLITE_FULL"):
        return Unavailable(f"no space left for {path}", hint="nothing was changed")
    if name == "SQLITE_TOOBIG" or isinstance(error, _NOT_STORABLE):
        return InvalidInput(f"the database cannot hold this: {error}")
    if name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN")):
        return Unavailable(f"{path} cannot be used: {error}", hint="nothing was changed")
    return Unavailable(f"the database failed: {error}")


def _why_not(path: str) -> str:
    """Why a file cannot be written, as far as the file system says."""
    if not hasattr(os, "statvfs"):
        return ""
    with suppress(OSError):
        system = os.statvfs(os.path.dirname(path) or ".")
        if system.f_flag & os.ST_RDONLY:
            return ": its file system is read-only"
        if not system.f_bavail:
            return ": no space is left on its disk"
    return ""


def publish(new: str, path: str) -> None:
    """Give a finished file its name, unless another process was first."""
    try:
        os.link(new, path)
    except FileExistsError:
        return
    except OSError:
        # No hard links here (FAT, some network shares): the small race is accepted.
        if not os.path.lexists(path):
            os.rename(new, path)


def _refuse_odd(name: str) -> None:
    try:
        mode = os.lstat(name).st_mode
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise Unavailable(f"{os.path.dirname(name)} is not a folder") from None
    if stat.S_ISLNK(mode):
        raise Refused(f"{name} is a symbolic link", hint="name the real place of the database")
    if not stat.S_ISREG(mode):
        raise Refused(f"{name} is not a plain file")


def _refuse_others(path: str) -> None:
    """A log beside a database is believed, so it must be its owner's, or ours."""
    if os.name != "posix" or not os.path.lexists(path):
        return
    trusted = {os.geteuid(), os.lstat(path).st_uid}
    for side in _SIDES:
        with suppress(FileNotFoundError):
            if os.lstat(path + side).st_uid not in trusted:
                raise Refused(f"{path}{side} belongs to somebody else", hint="look who made it")


def _make_private(name: str) -> None:
    if os.name != "posix":
        return
    try:
        status = os.stat(name)
    except FileNotFoundError:
        return
    if stat.S_IMODE(status.st_mode) & 0o077 and status.st_uid == os.geteuid():
        # A read-only file system refuses; the open that follows says what can be done.
        with suppress(OSError):
            os.chmod(name, stat.S_IMODE(status.st_mode) & 0o600)
