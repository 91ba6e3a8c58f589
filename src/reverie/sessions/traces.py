"""The traces table of `index.db`: what the tool traffic of a session leaves for a dream.

`learn` fills it once per session, `dream` reads it and never opens a log. Derived, like all of the
index.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Literal, NamedTuple, cast

from reverie.db.database import Database
from reverie.sessions.derived import Chosen, replace_rows

What = Literal[
    "failure",  # a call that failed in one way
    "mend",  # a call that failed, and the next one after the same thing that worked
    "noise",  # what looks like trouble in outputs of checks that passed: one row per session
    "refusal",  # a command that the person did not let run
    "hooked",  # a commit that a check stopped which had not been run
    "tests",  # how many tests the calls of one form ran
    "runners",  # which call runs which step: one row per session
    "inquiry",  # a question of the person, with the values that the answer named
    "asked",  # the words of what the person asked for, turn by turn: one row per session
    "wait",  # a call after which another one showed the old state for a while, then the new
    "instructed",  # the lines of a project's instructions: one row per session
    "runs",  # all commands that worked, in order: one row per session
    "ran",  # all command lines as typed, with what became of each: one row per session
    "event",  # something that happened at a given time
    "edited",  # all files that were edited, by the folder worked in: one row per session
    "ask",  # what the person asked for once the work was done, and got
    "finding",  # what a reviewer of the code found, pasted by the person
]


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
    database: Database, session: str, project: str, all_traces: Iterable[Trace]
) -> None:
    """Make `all_traces` all there is of `session`; the caller owns the transaction."""
    rows = [
        (session, project, trace.line, trace.at, trace.what, trace.key, trace.times, trace.failed,
         trace.seconds, trace.tokens, json.dumps(trace.data, separators=(",", ":")), place)
        for place, trace in enumerate(all_traces)
    ]  # fmt: skip
    replace_rows(database, "traces", session, (*_FIELDS, "place"), rows)


_FIELDS = (
    "session", "project", "line", "at", "what", "key", "times", "failed", "seconds", "tokens",
    "data",
)  # fmt: skip
_COLUMNS = ", ".join(_FIELDS)


def traces(chosen: Chosen, what: What) -> Iterator[TraceRow]:
    """All traces of one sort by time, then place; one at a time, so that memory stays small."""
    where, keys = chosen.where()
    rows = chosen.database.stream(
        f"SELECT {_COLUMNS} FROM traces WHERE what = ? AND {where} ORDER BY at, session, place",
        (what, *keys),
    )
    return map(_row, rows)


def shared(chosen: Chosen, what: What) -> Iterator[list[TraceRow]]:
    """Traces of one sort that several sessions have, those with one key together, by key."""
    where, keys = chosen.where()
    rows = chosen.database.stream(
        f"SELECT {_COLUMNS} FROM traces WHERE what = ? AND {where} AND key IN (SELECT key"
        f" FROM traces WHERE what = ? AND {where} GROUP BY key HAVING COUNT(DISTINCT session) > 1)"
        " ORDER BY key, at, session, place",
        (what, *keys, what, *keys),
    )
    for _, group in groupby(map(_row, rows), key=lambda row: row.trace.key):
        yield list(group)


def shared_keys(chosen: Chosen, what: What) -> list[str]:
    """The keys of one sort that several sessions have."""
    where, sessions = chosen.where()
    rows = chosen.database.query(
        f"SELECT key FROM traces WHERE what = ? AND {where} GROUP BY key"
        " HAVING COUNT(DISTINCT session) > 1 ORDER BY key",
        (what, *sessions),
    )
    return [key for (key,) in rows]


def spread(chosen: Chosen, what: What) -> Iterator[int]:
    """For each thing of one sort, how many sessions have it.

    The lines of one output are keys of one thing: those that the same sessions have count once.
    """
    where, sessions = chosen.where()
    rows = chosen.database.stream(
        "SELECT times FROM (SELECT COUNT(DISTINCT session) AS times, MIN(session) AS first,"
        f" MAX(session) AS last, MIN(line) AS line FROM traces WHERE what = ? AND {where}"
        " GROUP BY key) AS keys GROUP BY times, first, last, CASE times WHEN 1 THEN line END",
        (what, *sessions),
    )
    return (times for (times,) in rows)


def counted(chosen: Chosen, what: What, *, by: Literal["key", "project"] = "key") -> Counter[str]:
    """How many sessions have a trace of each key, or any in each project."""
    where, keys = chosen.where()
    rows = chosen.database.query(
        f"SELECT {by}, COUNT(DISTINCT session) FROM traces WHERE what = ?"
        f" AND {where} GROUP BY {by} ORDER BY {by}",
        (what, *keys),
    )
    return Counter(dict(rows))


def holders(chosen: Chosen, what: What) -> list[tuple[str, str]]:
    """Each key with each session that has a trace of it, in that order."""
    where, keys = chosen.where()
    rows = chosen.database.query(
        f"SELECT DISTINCT key, session FROM traces WHERE what = ? AND {where}"
        " ORDER BY key, session",
        (what, *keys),
    )
    return [(key, session) for key, session in rows]


def _row(row: tuple[Any, ...]) -> TraceRow:
    session, project, line, at, what, key, times, failed, seconds, tokens, data = row
    kind = cast("What", what)
    trace = Trace(line, at, kind, key, times, failed, seconds, tokens, json.loads(data))
    return TraceRow(session, project, trace)
