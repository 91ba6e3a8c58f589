"""The fixes table of `index.db`: a call that failed and the changed call that then worked.

`learn` fills it, `dream` reads it. Derived, like all of the index.
"""

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from typing import Literal

from reverie.db.database import Database
from reverie.sessions.derived import replace_rows, select_rows

# `changed`: another form of the call worked. `prepared`: the same call worked after another one.
FixKind = Literal["changed", "prepared"]


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


def replace_fixes(database: Database, session: str, rows: Iterable[FixRow], since: int = 0) -> None:
    """Make `rows` all there is of `session` from a line on; the caller owns the transaction."""
    ordered = [astuple(row) for row in sorted(rows, key=lambda row: (row.line, row.id))]
    replace_rows(database, "fixes", session, _COLUMNS, ordered, ("line", since))


def fixes(
    database: Database, *, session: str | None = None, project: str | None = None, since: int = 0
) -> list[FixRow]:
    """Rows from a line on, in order of time, then place."""
    wanted = (("session =", session), ("project =", project), ("line >=", since or None))
    order = "at, session, line, id"
    return [FixRow(*row) for row in select_rows(database, "fixes", _COLUMNS, wanted, order)]


def tries(database: Database) -> dict[str, int]:
    """Evidence id of a mended failure → how many tries it took."""
    return dict(database.query("SELECT id, tries FROM fixes"))


def first_of_its_form(database: Database, row: FixRow) -> bool:
    """Whether no other session of the project taught the same before."""
    return not database.query(
        "SELECT 1 FROM fixes WHERE project = ? AND form = ? AND session != ?"
        " AND (at, session) < (?, ?) LIMIT 1",
        (row.project, row.form, row.session, row.at, row.session),
    )
