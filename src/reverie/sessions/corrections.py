"""The corrections table of `index.db`: what a person said against what an agent held.

`learn` fills it, `recall` and `stats` read it; it lives here because neither may import the other.
It is derived: deleting `index.db` loses nothing that the logs do not hold.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from reverie.sessions.derived import replace_rows

# Turns below `explicit`/`implicit` are kept with label `none` when they are worth remembering
# (a durable statement) or nearly a correction; readers choose by label and score.
CorrectionLabel = Literal["none", "explicit", "implicit"]
Tier = Literal["critical", "high", "medium", "low"]

CORRECTIONS_SCHEMA = """
CREATE TABLE IF NOT EXISTS corrections (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    agent TEXT NOT NULL,
    line INTEGER NOT NULL,
    at TEXT NOT NULL,
    project TEXT NOT NULL,
    text TEXT NOT NULL,
    span TEXT NOT NULL,
    premise TEXT NOT NULL,
    premise_line INTEGER,
    context TEXT NOT NULL,
    label TEXT NOT NULL,
    score REAL NOT NULL,
    durable TEXT NOT NULL,
    durable_score REAL NOT NULL,
    type TEXT NOT NULL,
    kind TEXT NOT NULL,
    lesson TEXT NOT NULL,
    standing INTEGER NOT NULL,
    sure INTEGER NOT NULL,
    trust TEXT NOT NULL,
    tier TEXT NOT NULL,
    position REAL NOT NULL,
    density REAL NOT NULL,
    signals TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS corrections_by_session ON corrections (session, line);
CREATE INDEX IF NOT EXISTS corrections_by_project ON corrections (project, at);
CREATE VIRTUAL TABLE IF NOT EXISTS corrections_fts USING fts5 (
    text, lesson, premise, context,
    content = 'corrections', content_rowid = 'row', tokenize = 'porter unicode61'
);
CREATE TRIGGER IF NOT EXISTS corrections_added AFTER INSERT ON corrections BEGIN
    INSERT INTO corrections_fts (rowid, text, lesson, premise, context)
    VALUES (new.row, new.text, new.lesson, new.premise, new.context);
END;
CREATE TRIGGER IF NOT EXISTS corrections_removed AFTER DELETE ON corrections BEGIN
    INSERT INTO corrections_fts (corrections_fts, rowid, text, lesson, premise, context)
    VALUES ('delete', old.row, old.text, old.lesson, old.premise, old.context);
END;
"""


class CorrectionRow(NamedTuple):
    """One row; texts are redacted before they come here."""

    id: str  # evidence id: `agent:session#line`
    session: str  # session key
    agent: str
    line: int
    at: str
    project: str  # slug
    text: str  # the person's words, verbatim
    span: str = ""  # the words that carry the correction; part of `text`
    premise: str = ""  # what the agent held, verbatim
    premise_line: int | None = None
    context: str = ""  # the end of what was said just before it: searched, never shown
    label: CorrectionLabel = "none"
    score: float = 0.0
    durable: Literal["none", "project", "global"] = "none"
    durable_score: float = 0.0
    type: str = ""  # of the memory it would make; "" when nothing is worth keeping
    kind: str = ""
    lesson: str = ""
    standing: bool = False  # a rule said outright: "always…", "from now on…"
    sure: bool = False  # certain enough to become a memory without review
    trust: str = "user"
    tier: Tier = "low"
    position: float = 0.0  # where in its topic, 0 first … 1 last
    density: float = 0.0  # corrections near it
    signals: Mapping[str, float] = {}


COLUMNS: str = ", ".join(CorrectionRow._fields)
_FLAGS = (CorrectionRow._fields.index("standing"), CorrectionRow._fields.index("sure"))
_SIGNALS = CorrectionRow._fields.index("signals")


def replace_session(
    connection: sqlite3.Connection, session: str, rows: Iterable[CorrectionRow]
) -> None:
    """Make `rows` all there is of `session`; the caller owns the transaction."""
    ordered = sorted(rows, key=lambda row: (row.line, row.id))
    replace_rows(connection, "corrections", session, CorrectionRow._fields, map(_values, ordered))


def replace_signals(connection: sqlite3.Connection, rows: Iterable[CorrectionRow]) -> None:
    """Store the signals of rows that are already there; the caller owns the transaction."""
    connection.executemany(
        "UPDATE corrections SET signals = ? WHERE id = ?",
        [(json.dumps(dict(row.signals), sort_keys=True), row.id) for row in rows],
    )


def corrections(
    connection: sqlite3.Connection,
    *,
    projects: Iterable[str] | None = None,
    since: str | None = None,
    labels: Iterable[CorrectionLabel] | None = None,
    session: str | None = None,
) -> list[CorrectionRow]:
    """Rows in order of time, then id."""
    clauses: list[str] = ["1"]
    values: list[Any] = []
    for column, wanted in (("project", projects), ("label", labels)):
        if wanted is not None:
            chosen = sorted(set(wanted))
            clauses.append(f"{column} IN ({', '.join('?' * len(chosen))})")
            values += chosen
    if since is not None:
        clauses.append("at >= ?")
        values.append(since)
    if session is not None:
        clauses.append("session = ?")
        values.append(session)
    found = connection.execute(
        f"SELECT {COLUMNS} FROM corrections WHERE {' AND '.join(clauses)} ORDER BY at, id", values
    )
    return [correction_from(row) for row in found]


def moments(connection: sqlite3.Connection) -> list[str]:
    """When corrections were made."""
    rows = connection.execute("SELECT at FROM corrections WHERE label <> 'none'")
    return [str(at) for (at,) in rows]


def correction_from(row: tuple[Any, ...]) -> CorrectionRow:
    """A row selected with `COLUMNS`, as a value."""
    values = list(row)
    for place in _FLAGS:
        values[place] = bool(values[place])
    values[_SIGNALS] = json.loads(values[_SIGNALS])
    return CorrectionRow._make(values)


def _values(row: CorrectionRow) -> tuple[Any, ...]:
    values: list[Any] = list(row)
    for place in _FLAGS:
        values[place] = int(values[place])
    values[_SIGNALS] = json.dumps(dict(row.signals), sort_keys=True)
    return tuple(values)
