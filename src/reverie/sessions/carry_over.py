"""An index of tables nobody knows any more: built anew, with the sessions that exist nowhere else.

A session whose log is gone can only be taken from the old tables; all others are read again from
their logs and kept copies. The old tables stay beside the new ones until that is done.
"""

import os

from reverie.db.database import Database, Transaction

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
        for table in ("gone", *_OLD.values()):
            tx.execute(f"DROP TABLE IF EXISTS {table}")


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
