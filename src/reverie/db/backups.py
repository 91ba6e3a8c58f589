"""Copies of SQLite files through SQLite itself: whole, whoever is writing them meanwhile."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress

from reverie.clock import Clock, iso
from reverie.db.database import Database
from reverie.db.locks import lock
from reverie.db.opening import open_database
from reverie.db.sqlite import MEMORY, SqliteConnection, publish

FOLDER = "backups"  # beside the database


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
