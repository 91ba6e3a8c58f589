"""The fixes table of `index.db`: a call that failed and what worked in its place.

`learn` fills it and asks about what it shows. Derived, like all of the index.
"""

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from datetime import date, timedelta
from typing import Literal, NamedTuple

from reverie.db.database import Database
from reverie.sessions.derived import Chosen, replace_rows, select_rows

# `changed`: one thing of the call was. `missing`: its program was not there, and another was used.
FixKind = Literal["changed", "missing"]


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
    failed: str  # the command
    fix: str  # what worked, in full
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


def fixes(chosen: Chosen, *, project: str | None = None, since: int = 0) -> list[FixRow]:
    """Rows from a line on, in order of time, then place."""
    # An index of version 0.1.0 may hold steps that came first; nothing is made of them any more.
    wanted = (
        ("project =", project),
        ("line >=", since or None),
        ("kind !=", "prepared"),
    )
    order = "at, session, line, id"
    return [FixRow(*row) for row in select_rows(chosen, "fixes", _COLUMNS, wanted, order)]


def tries(database: Database) -> dict[str, int]:
    """Evidence id of a mended failure → how many tries it took."""
    return dict(database.query("SELECT id, tries FROM fixes"))


class Failure(NamedTuple):
    """One way of failing that came back."""

    failed: str
    fix: str
    message: str
    project: str
    sessions: int
    tries: int
    minutes: float
    last: str


def recurring(database: Database, project: str, most: int) -> list[Failure]:
    """What failed in several sessions before something else worked, by what it cost in all."""
    rows = database.query(
        "SELECT max(failed), max(fix), max(message), project, count(DISTINCT session), sum(tries),"
        " sum(seconds) / 60.0, max(at) FROM fixes WHERE kind <> 'prepared'"
        f"{' AND project = ?' if project else ''} GROUP BY project, form"
        " HAVING count(DISTINCT session) > 1 ORDER BY 7 DESC, 6 DESC, 1 LIMIT ?",
        (*((project,) if project else ()), most),
    )
    return [Failure(*row) for row in rows]


class Seen(NamedTuple):
    """What a project had shown when it showed a fix."""

    sessions: int  # that had shown the same fix, this one with them
    lesson: str  # as the first of them taught it
    others: int  # other fixes before it in the same week


def seen(database: Database, row: FixRow) -> Seen:
    """Depends on nothing that comes later, so that it stays what it was."""
    day = date.fromisoformat(row.at[:10]) if row.at else None
    monday = (day - timedelta(days=day.weekday())).isoformat() if day else ""
    ((sessions,),) = database.query(
        "SELECT count(DISTINCT session) FROM fixes WHERE project = ? AND form = ?"
        " AND (at, session) <= (?, ?)",
        (row.project, row.form, row.at, row.session),
    )
    ((lesson,),) = database.query(
        "SELECT lesson FROM fixes WHERE project = ? AND form = ?"
        " ORDER BY at, session, line LIMIT 1",
        (row.project, row.form),
    )
    ((others,),) = database.query(
        "SELECT count(DISTINCT form) FROM fixes WHERE project = ? AND form != ? AND at >= ?"
        " AND (at, session, line) < (?, ?, ?)",
        (row.project, row.form, monday, row.at, row.session, row.line),
    )
    return Seen(int(sessions), str(lesson), int(others))
