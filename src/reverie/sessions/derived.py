"""Tables of `index.db` with what was made of each session: replaced and asked for in one way."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any


def replace_rows(
    connection: sqlite3.Connection,
    table: str,
    session: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
) -> None:
    """Make `rows` all that a table holds of a session; the caller owns the transaction."""
    connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))
    marks = ", ".join("?" * len(columns))
    connection.executemany(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", list(rows)
    )


def select_rows(
    connection: sqlite3.Connection,
    table: str,
    columns: Sequence[str],
    wanted: Iterable[tuple[str, Any]],
    order: str,
) -> list[tuple[Any, ...]]:
    """Rows for which each test (`"day >="`) holds of its value; None for no such test."""
    clauses, values = ["1"], list[Any]()
    for test, value in wanted:
        if value is not None:
            clauses.append(f"{test} ?")
            values.append(value)
    return connection.execute(
        f"SELECT {', '.join(columns)} FROM {table} WHERE {' AND '.join(clauses)} ORDER BY {order}",
        values,
    ).fetchall()
