"""The fixes table of `index.db`: a call that failed and the changed call that then worked.

`learn` fills it, `dream` reads it. Derived, like all of the index.
"""

import sqlite3
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from typing import Literal

from reverie.sessions.derived import replace_rows, select_rows

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
    tokens INTEGER NOT NULL,
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
    tokens: int  # … as the log counts them, without what came from a cache
    form: str  # what was changed; equal for the same fix of other arguments
    lesson: str


_COLUMNS: tuple[str, ...] = tuple(f.name for f in fields(FixRow))


def replace_fixes(connection: sqlite3.Connection, session: str, rows: Iterable[FixRow]) -> None:
    """Make `rows` all there is of `session`; the caller owns the transaction."""
    ordered = sorted(rows, key=lambda row: (row.line, row.id))
    replace_rows(connection, "fixes", session, _COLUMNS, [astuple(row) for row in ordered])


def fixes(
    connection: sqlite3.Connection, *, session: str | None = None, project: str | None = None
) -> list[FixRow]:
    """Rows in order of time, then place."""
    wanted = (("session =", session), ("project =", project))
    order = "at, session, line, id"
    return [FixRow(*row) for row in select_rows(connection, "fixes", _COLUMNS, wanted, order)]


def tries(connection: sqlite3.Connection) -> dict[str, int]:
    """Evidence id of a mended failure → how many tries it took."""
    return dict(connection.execute("SELECT id, tries FROM fixes").fetchall())


def first_of_its_form(connection: sqlite3.Connection, row: FixRow) -> bool:
    """Whether no other session of the project taught the same before."""
    earlier = connection.execute(
        "SELECT 1 FROM fixes WHERE project = ? AND form = ? AND session != ?"
        " AND (at, session) < (?, ?) LIMIT 1",
        (row.project, row.form, row.session, row.at, row.session),
    ).fetchone()
    return earlier is None
