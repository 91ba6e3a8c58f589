"""Tables of the index with what was made of each session: one list of them, one way to use them.

Learning replaces what they hold of a session, unlearning takes it out, joining projects moves it.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from reverie.db.database import Database

# Each has the columns `session` (its key) and `project` (a slug), and is owned by one module.
MADE_FROM_SESSIONS = (
    "corrections",
    "statements",
    "traces",
    "diaries",
    "fixes",
    "said_again",
    "awaiting_learning",
    "growing",
    "set_aside",
)


class Chosen(NamedTuple):
    """Some sessions of an index: what is read through it was made of these and no others."""

    database: Database
    sessions: tuple[str, ...] | None = None  # keys; None for all

    def where(self) -> tuple[str, tuple[str, ...]]:
        """A condition on the column `session`, and its values."""
        if self.sessions is None:
            return "1 = 1", ()
        return among(self.database, "session", self.sessions)


def among(database: Database, column: str, values: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """A condition that a column holds one of many values, and what it is asked with."""
    # One value however many there are: a database takes only so many of them.
    listed = "value FROM json_each(?)"
    if database.dialect == "postgresql":
        listed = "json_array_elements_text(CAST(? AS json))"
    return f"{column} IN (SELECT {listed})", (json.dumps(list(values)),)


def replace_rows(
    database: Database,
    table: str,
    session: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    since: tuple[str, int] = ("", 0),
) -> None:
    """Make `rows` all that a table holds of a session; the caller owns the transaction.

    With `since`, a column and a number, only what lies from there on is replaced.
    """
    column, number = since
    beyond, values = (f" AND {column} >= ?", (session, number)) if number else ("", (session,))
    database.query(f"DELETE FROM {table} WHERE session = ?{beyond}", values)
    marks = ", ".join("?" * len(columns))
    database.execute_many(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", list(rows)
    )


def select_rows(
    chosen: Chosen,
    table: str,
    columns: Sequence[str],
    wanted: Iterable[tuple[str, Any]],
    order: str,
) -> list[tuple[Any, ...]]:
    """Rows for which each test (`"day >="`) holds of its value; None for no such test."""
    where, keys = chosen.where()
    clauses, values = [where], list[Any](keys)
    for test, value in wanted:
        if value is not None:
            clauses.append(f"{test} ?")
            values.append(value)
    return chosen.database.query(
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
