"""Opening the database of the index: what is there is refused, taken over, or built anew.

Version 0.1.0 kept no record of its migrations but a number (`user_version`), and drops an index of
another number. So ours has that number too, and a record of migrations besides.
"""

import os
from collections.abc import Callable

from reverie.clock import Clock, system_clock
from reverie.db.database import Database, Transaction
from reverie.db.migrations import INDEX, applied, known, migrate
from reverie.db.opening import open_database
from reverie.errors import ReverieError, Unavailable

VERSION = 7  # the number of version 0.1.0


# An index of tables nobody knows any more: built anew, with the sessions that exist nowhere else.
_OLD = {"sessions": "old_sessions", "turns": "old_turns"}


def set_aside(database: Database, version: int) -> None:
    """Put the sessions and turns of an unknown version aside, and drop what was made of them."""
    with database.atomic() as tx:
        listed = tx.execute(
            "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
            " AND type IN ('table', 'index', 'trigger', 'view')"
            " ORDER BY type = 'table', sql NOT LIKE 'CREATE VIRTUAL%', name"
        )
        for kind, name in listed:
            if name in _OLD:
                tx.execute(f'ALTER TABLE "{name}" RENAME TO {_OLD[name]}')
            elif name not in _OLD.values():
                tx.execute(f'DROP {kind} IF EXISTS "{name}"')
        tx.execute(f"PRAGMA user_version = {version}")


def take_over(database: Database) -> None:
    """Take over the sessions without a log, and drop the old tables."""
    with database.atomic() as tx:
        gone = [
            (number,)
            for number, path in tx.execute("SELECT id, path FROM old_sessions")
            if not os.path.exists(path)
        ]
        tx.execute("CREATE TEMP TABLE gone AS SELECT id FROM old_sessions WHERE id < 0")
        tx.execute_many("INSERT INTO gone VALUES (?)", gone)
        _copy(tx, "sessions", "id IN (SELECT id FROM gone)")
        if tx.columns("old_turns"):
            _copy(tx, "turns", "session IN (SELECT id FROM gone)")
        tx.execute(
            "INSERT INTO turns_fts (rowid, text)"
            " SELECT id, text FROM turns WHERE searchable = 1 AND copied = 0"
        )
        _pair_turns(tx)
        for table in ("gone", *_OLD.values()):
            tx.execute(f"DROP TABLE IF EXISTS {table}")


def _pair_all(tx: Transaction) -> None:
    """Make found what is written without spaces, for an index of an earlier version."""
    from reverie.sessions.corrections import pair_corrections

    _pair_turns(tx)
    pair_corrections(tx)


def _pair_turns(tx: Transaction) -> None:
    from reverie.db.full_text import learn_pairs
    from reverie.language.scripts import runs
    from reverie.sessions.query import TURNS

    turns = tx.stream("SELECT id, text FROM turns WHERE searchable = 1 AND copied = 0")
    learn_pairs(tx, TURNS, [(key, text) for key, text in turns if runs(text)])


def _copy(tx: Transaction, table: str, where: str) -> None:
    """Rows of an old table; columns it did not have yet are empty."""
    there = set(tx.columns(_OLD[table]))
    columns: list[str] = []
    values: list[str] = []
    for name, kind, needed in tx.execute(
        'SELECT name, type, "notnull" FROM pragma_table_info(?) ORDER BY cid', (table,)
    ):
        columns.append(f'"{name}"')
        empty = ("0" if kind == "INTEGER" else "''") if needed else "NULL"
        values.append(f'"{name}"' if name in there else empty)
    tx.execute(
        f"INSERT INTO {table} ({', '.join(columns)})"
        f" SELECT {', '.join(values)} FROM {_OLD[table]} WHERE {where}"
    )


def open_tables(
    url: str,
    *,
    clock: Clock = system_clock,
    busy_timeout_ms: int = 10_000,
    first: Callable[[], object] | None = None,
    owner: str = "",
) -> Database:
    """Open the index and bring its tables to the newest schema.

    A server may hold the indexes of several owners; each has tables of its own, in a schema that
    is named after them, and sees no others.

    `first` is called before a table is changed, and may refuse: a home whose memories a newer
    program has written is left alone as a whole.

    Raises:
        Busy: another process holds the database for too long.
        ReadOnly, Unavailable: it cannot be opened or written, or a newer Reverie has written it.
        StoreDamaged: the file is not a database or fails its own checks.
    """
    if owner and not url.startswith("sqlite"):
        from reverie.db.postgres import in_schema

        url = in_schema(url, f"reverie_{owner}")
    database = open_database(url, busy_timeout_ms=busy_timeout_ms, derived=True)
    try:
        if database.dialect == "sqlite":
            _refuse_newer(database)
        if first is not None and applied(database, INDEX) < len(known(INDEX)):
            first()
        if database.dialect == "sqlite":
            _set_unknown_aside(database, clock)
        migrate(database, clock, INDEX, also={"pairs": _pair_all})
        if database.dialect == "sqlite" and database.has_table("old_sessions"):
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

        with backups.one_at_a_time(database) as folder:
            if folder is not None and _version(database) != VERSION:
                backups.keep(database, folder, 0, clock)
                set_aside(database, VERSION)
