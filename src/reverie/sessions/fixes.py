"""The fixes table of `index.db`: a call that failed and the changed call that then worked.

`learn` fills it, `dream` reads it. Derived, like all of the index.
"""

import sqlite3
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from typing import Any, Literal

# `changed`: another form of the call worked. `prepared`: the same call worked after another one.
FixKind = Literal["changed", "prepared"]

FIXES_SCHEMA = """
CREATE TABLE IF NOT EXISTS fixes (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    project TEXT NOT NULL,
    line INTEGER NOT NULL,
    fixed_line INTEGER NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    failed TEXT NOT NULL,
    fix TEXT NOT NULL,
    signature TEXT NOT NULL,
    message TEXT NOT NULL,
    trouble TEXT NOT NULL,
    tries INTEGER NOT NULL,
    seconds REAL NOT NULL,
    form TEXT NOT NULL,
    lesson TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS fixes_by_session ON fixes (session, line);
CREATE INDEX IF NOT EXISTS fixes_by_form ON fixes (project, form);
"""


@dataclass(frozen=True, slots=True)
class FixRow:
    """One row; commands and messages are redacted before they come here."""

    id: str  # evidence id of the failure: `agent:session#line`
    session: str
    project: str
    line: int  # of the failure
    fixed_line: int  # of the call that worked
    at: str
    kind: FixKind
    failed: str  # the command, varying arguments as `…`
    fix: str
    signature: str
    message: str
    trouble: str
    tries: int  # failures before it worked
    seconds: float  # from the failure to the call that worked; 0 when the log does not tell
    form: str  # what was changed; equal for the same fix of other arguments
    lesson: str


_COLUMNS: tuple[str, ...] = tuple(f.name for f in fields(FixRow))


def replace_fixes(connection: sqlite3.Connection, session: str, rows: Iterable[FixRow]) -> None:
    """Make `rows` all there is of `session`; the caller owns the transaction."""
    connection.execute("DELETE FROM fixes WHERE session = ?", (session,))
    marks = ", ".join("?" * len(_COLUMNS))
    connection.executemany(
        f"INSERT INTO fixes ({', '.join(_COLUMNS)}) VALUES ({marks})",
        [astuple(row) for row in sorted(rows, key=lambda row: (row.line, row.id))],
    )


def fixes(
    connection: sqlite3.Connection, *, session: str | None = None, project: str | None = None
) -> list[FixRow]:
    """Rows in order of time, then place."""
    clauses, values = ["1"], list[Any]()
    for column, wanted in (("session", session), ("project", project)):
        if wanted is not None:
            clauses.append(f"{column} = ?")
            values.append(wanted)
    found = connection.execute(
        f"SELECT {', '.join(_COLUMNS)} FROM fixes WHERE {' AND '.join(clauses)}"
        " ORDER BY at, session, line, id",
        values,
    )
    return [FixRow(*row) for row in found]


def first_of_its_form(connection: sqlite3.Connection, row: FixRow) -> bool:
    """Whether no other session of the project taught the same before."""
    earlier = connection.execute(
        "SELECT 1 FROM fixes WHERE project = ? AND form = ? AND session != ?"
        " AND (at, session) < (?, ?) LIMIT 1",
        (row.project, row.form, row.session, row.at, row.session),
    ).fetchone()
    return earlier is None
