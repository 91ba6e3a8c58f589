"""Opening the database of the index: what is there is refused, taken over, or built anew.

Version 0.1.0 kept no record of its migrations but a number (`user_version`), and drops an index of
another number. So ours has that number too, and a record of migrations besides.
"""

from collections.abc import Callable

from reverie.clock import Clock, system_clock
from reverie.db.database import Database, Transaction
from reverie.db.migrations import INDEX, applied, known, migrate
from reverie.db.opening import open_database
from reverie.errors import ReverieError, Unavailable

VERSION = 7  # the number of version 0.1.0


def open_tables(
    url: str,
    *,
    clock: Clock = system_clock,
    busy_timeout_ms: int = 10_000,
    first: Callable[[], object] | None = None,
) -> Database:
    """Open the index and bring its tables to the newest schema.

    `first` is called before a table is changed, and may refuse: a home whose memories a newer
    program has written is left alone as a whole.

    Raises:
        Busy: another process holds the database for too long.
        ReadOnly, Unavailable: it cannot be opened or written, or a newer Reverie has written it.
        StoreDamaged: the file is not a database or fails its own checks.
    """
    database = open_database(url, busy_timeout_ms=busy_timeout_ms, derived=True)
    try:
        if database.dialect == "sqlite":
            _refuse_newer(database)
        if first is not None and applied(database, INDEX) < len(known(INDEX)):
            first()
        if database.dialect == "sqlite":
            _set_unknown_aside(database, clock)
        migrate(database, clock, INDEX)
        if database.dialect == "sqlite" and database.has_table("old_sessions"):
            from reverie.sessions.carry_over import take_over

            take_over(database)
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


def _version(database: Database) -> int:
    return int(database.query("PRAGMA user_version")[0][0])


def _refuse_newer(database: Database) -> None:
    if _version(database) > VERSION:
        raise Unavailable(
            "the index was written by a newer version of Reverie",
            hint="upgrade Reverie; nothing was changed",
        )


def _set_unknown_aside(database: Database, clock: Clock) -> None:
    """Tables of a version before 0.1.0 cannot be taken over as they are."""
    if _version(database) != VERSION and database.has_table("sessions"):
        from reverie.db import backups
        from reverie.sessions.carry_over import set_aside

        with backups.one_at_a_time(database) as folder:
            if folder is not None and _version(database) != VERSION:
                backups.keep(database, folder, 0, clock)
                set_aside(database, VERSION)
