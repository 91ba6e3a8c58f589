"""The traces table of `index.db`: what the tool traffic of a session leaves for a dream.

`learn` fills it once per session, `dream` reads it and never opens a log. Derived, like all of the
index.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Literal, NamedTuple, cast

What = Literal[
    "reading",  # a file that was read and not edited
    "failure",  # a call that failed in one way
    "detour",  # several failures on the way to one success
    "question",  # asked of the person, with the answer
    "runs",  # all commands that worked, in order: one row per session
    "event",  # something that happened at a given time
    "edited",  # all files that were edited: one row per session
    "misedit",  # edits that failed in one way
    "breach",  # a named rule that a check stopped at
    "ask",  # what the person asked for once the work was done, and got
]

TRACES_SCHEMA = """
CREATE TABLE IF NOT EXISTS traces (
    session TEXT NOT NULL,
    line INTEGER NOT NULL,
    place INTEGER NOT NULL,
    project TEXT NOT NULL,
    at TEXT NOT NULL,
    what TEXT NOT NULL,
    key TEXT NOT NULL,
    times INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    seconds REAL NOT NULL,
    tokens INTEGER NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (session, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS traces_by_what ON traces (what, at, session, place);
CREATE INDEX IF NOT EXISTS traces_by_key ON traces (what, key, session);
"""


class Trace(NamedTuple):
    """One trace, redacted. What `key` and `data` hold depends on `what`."""

    line: int
    at: str
    what: What
    key: str
    times: int = 1
    failed: int = 0  # calls that failed
    seconds: float = 0.0
    tokens: int = 0
    data: Any = None  # JSON


class TraceRow(NamedTuple):
    """A trace of one session as it is stored."""

    session: str
    project: str
    trace: Trace

    @property
    def evidence(self) -> str:
        return f"{self.session}#{self.trace.line}"


def replace_traces(
    connection: sqlite3.Connection, session: str, project: str, found: Iterable[Trace]
) -> None:
    """Make `found` all there is of `session`; the caller owns the transaction."""
    connection.execute("DELETE FROM traces WHERE session = ?", (session,))
    connection.executemany(
        "INSERT INTO traces VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (session, one.line, place, project, one.at, one.what, one.key, one.times, one.failed,
             one.seconds, one.tokens, json.dumps(one.data, separators=(",", ":")))
            for place, one in enumerate(found)
        ],
    )  # fmt: skip


_COLUMNS = "session, project, line, at, what, key, times, failed, seconds, tokens, data"


def traces(connection: sqlite3.Connection, what: What) -> Iterator[TraceRow]:
    """All traces of one sort by time, then place; one at a time, so that memory stays small."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM traces WHERE what = ? ORDER BY at, session, place", (what,)
    )
    return map(_row, rows)


def shared(connection: sqlite3.Connection, what: What) -> Iterator[list[TraceRow]]:
    """Traces of one sort that several sessions have, those with one key together, by key."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM traces WHERE what = ? AND key IN (SELECT key FROM traces"
        " WHERE what = ? GROUP BY key HAVING COUNT(DISTINCT session) > 1)"
        " ORDER BY key, at, session, place",
        (what, what),
    )
    for _, group in groupby(map(_row, rows), key=lambda row: row.trace.key):
        yield list(group)


def counted(connection: sqlite3.Connection, what: What) -> Counter[str]:
    """How many sessions have a trace of each key."""
    rows = connection.execute(
        "SELECT key, COUNT(DISTINCT session) FROM traces WHERE what = ? GROUP BY key ORDER BY key",
        (what,),
    )
    return Counter(dict(rows.fetchall()))


def _row(row: tuple[Any, ...]) -> TraceRow:
    session, project, line, at, what, key, times, failed, seconds, tokens, data = row
    kind = cast("What", what)
    trace = Trace(line, at, kind, key, times, failed, seconds, tokens, json.loads(data))
    return TraceRow(session, project, trace)
