"""Opening the database of the index: what is there is refused, taken over, or built anew.

Version 0.1.0 kept no record of its migrations but a number (`user_version`), and drops an index of
another number. So ours has that number too, and a record of migrations besides.
"""

from reverie.clock import Clock, system_clock
from reverie.db.database import Database, Transaction
from reverie.db.migrations import INDEX, migrate
from reverie.db.opening import open_database
from reverie.errors import ReverieError, Unavailable

VERSION = 7  # the number of version 0.1.0


def open_tables(
    url: str, *, clock: Clock = system_clock, busy_timeout_ms: int = 10_000
) -> Database:
    """Open the index and bring its tables to the newest schema.

    Raises:
        Busy: another process holds the database for too long.
        ReadOnly, Unavailable: it cannot be opened or written, or a newer Reverie has written it.
        StoreDamaged: the file is not a database or fails its own checks.
    """
    database = open_database(url, busy_timeout_ms=busy_timeout_ms, derived=True)
    try:
        _refuse_newer(database)
        migrate(database, clock, INDEX)
    except ReverieError:
        database.close()
        raise
    return database


def times_written(database: Database) -> int:
    """How often the index was written; equal when nothing was in between."""
    return int(database.query("SELECT times FROM index_writes")[0][0])


def note_write(tx: Transaction) -> None:
    """Count a transaction that changes what sessions hold, or whose they are."""
    tx.execute("UPDATE index_writes SET times = times + 1")


def _refuse_newer(database: Database) -> None:
    if database.dialect == "sqlite" and database.query("PRAGMA user_version")[0][0] > VERSION:
        raise Unavailable(
            "the index was written by a newer version of Reverie",
            hint="upgrade Reverie; nothing was changed",
        )
