"""Copies of SQLite files through SQLite itself: whole, whoever is writing them meanwhile."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress

from reverie.clock import Clock, iso
from reverie.db.database import Database
from reverie.db.locks import lock
from reverie.db.opening import open_database
from reverie.db.sqlite import COPIES, DAILY, MEMORY, SqliteConnection, publish
from reverie.errors import StoreDamaged

FOLDER = COPIES


def copy_pages(source: Database, target: Database) -> None:
    """Make one SQLite database what another one is."""
    with source.lend() as old, target.lend() as new:
        if isinstance(old, SqliteConnection) and isinstance(new, SqliteConnection):
            old.backup_to(new)


@contextmanager
def copied_to(source: Database, file: str) -> Generator[Database]:
    """A new file under another name, filled by `source` if that is SQLite too.

    At the end of the block it is closed and gets its name: one file that can be read from a
    read-only disk. When the block fails, nothing is left of it.
    """
    new = f"{file}.{os.getpid()}.new"
    target = open_database(f"sqlite:///{new}")
    try:
        if source.dialect == "sqlite":
            copy_pages(source, target)
        yield target
        target.query("PRAGMA journal_mode = DELETE")
        target.close()
        publish(new, file)
    finally:
        target.close()
        for leftover in (new, f"{new}-wal", f"{new}-shm", f"{new}-journal"):
            with suppress(FileNotFoundError):
                os.unlink(leftover)


@contextmanager
def one_at_a_time(database: Database) -> Generator[str | None]:
    """The folder for backups of a database, for one process at a time; None if it is no file."""
    path = database.url.removeprefix("sqlite:///")
    if database.dialect != "sqlite" or path == MEMORY:
        yield None
        return
    folder = os.path.join(os.path.dirname(path), FOLDER)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        lock(descriptor)
        yield folder
    finally:
        os.close(descriptor)


def keep(database: Database, folder: str, number: int, clock: Clock) -> str:
    """Keep a database as it was at a schema; returns the file: `memory-schema-8-2026….db`."""
    stem = os.path.basename(database.url).removesuffix(".db")
    stamp = "".join(char for char in iso(clock()) if char.isalnum())
    file = os.path.join(folder, f"{stem}-schema-{number}-{stamp}.db")
    with copied_to(database, file):
        return file


def rotate(database: Database, clock: Clock, kept: int) -> None:
    """Keep a compressed copy of today, if there is none yet, and the newest ones besides.

    A damaged database is not copied: that would push out the copies that are sound.
    """
    with one_at_a_time(database) as folder:
        if folder is None:
            return
        stem = os.path.basename(database.url).removesuffix(".db")
        today = os.path.join(folder, f"{stem}{DAILY}{iso(clock())[:10]}.db.zst")
        if os.path.exists(today):
            return
        plain = today.removesuffix(".zst") + f".{os.getpid()}"
        try:
            with copied_to(database, plain) as copy:
                if copy.damage():
                    return
            _pack(plain, today)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(plain)
        daily = sorted(name for name in os.listdir(folder) if _is_daily(name, stem))
        for name in daily[:-kept]:
            os.unlink(os.path.join(folder, name))


def unpack(packed: str, file: str) -> None:
    """Make a compressed copy a database file again.

    Raises:
        StoreDamaged: it is not a whole copy.
    """
    import zstandard

    try:
        with open(packed, "rb") as source, open(file, "xb", opener=_private) as target:
            zstandard.ZstdDecompressor().copy_stream(source, target)
    except zstandard.ZstdError as error:
        raise StoreDamaged(f"{packed} is damaged: {error}") from error


def _pack(file: str, packed: str) -> None:
    import zstandard

    part = f"{packed}.part"
    with suppress(FileNotFoundError):
        os.unlink(part)
    with open(file, "rb") as source, open(part, "xb", opener=_private) as target:
        zstandard.ZstdCompressor().copy_stream(source, target, size=os.path.getsize(file))
        target.flush()
        os.fsync(target.fileno())
    os.replace(part, packed)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _is_daily(name: str, stem: str) -> bool:
    return name.startswith(f"{stem}{DAILY}") and name.endswith(".zst")
