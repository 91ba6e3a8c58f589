"""Tables of the index with what was made of each session: one list of them, one way to use them.

Learning replaces what they hold of a session, unlearning takes it out, joining projects moves it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from reverie.db.database import Database

# Each has the columns `session` (its key) and `project` (a slug), and is owned by one module.
MADE_FROM_SESSIONS = (
    "corrections",
    "statements",
    "traces",
    "diaries",
    "fixes",
    "awaiting_learning",
    "set_aside",
)


def replace_rows(
    database: Database,
    table: str,
    session: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
) -> None:
    """Make `rows` all that a table holds of a session; the caller owns the transaction."""
    database.query(f"DELETE FROM {table} WHERE session = ?", (session,))
    marks = ", ".join("?" * len(columns))
    database.execute_many(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", list(rows)
    )


def select_rows(
    database: Database,
    table: str,
    columns: Sequence[str],
    wanted: Iterable[tuple[str, Any]],
    order: str,
) -> list[tuple[Any, ...]]:
    """Rows for which each test (`"day >="`) holds of its value; None for no such test."""
    clauses, values = ["1 = 1"], list[Any]()
    for test, value in wanted:
        if value is not None:
            clauses.append(f"{test} ?")
            values.append(value)
    return database.query(
        f"SELECT {', '.join(columns)} FROM {table} WHERE {' AND '.join(clauses)} ORDER BY {order}",
        values,
    )


def forget_session(database: Database, session: str) -> None:
    """Take out all that was made of a session; the caller owns the transaction."""
    for table in MADE_FROM_SESSIONS:
        database.query(f"DELETE FROM {table} WHERE session = ?", (session,))


def join_projects(database: Database, gone: str, kept: str) -> None:
    """Make what was made in one project another's; the caller owns the transaction."""
    for table in MADE_FROM_SESSIONS:
        database.query(f"UPDATE {table} SET project = ? WHERE project = ?", (kept, gone))
