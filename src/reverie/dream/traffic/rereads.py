"""Rereads: a file that sessions look up again and again and that nobody ever changes.

What is looked up so often belongs into the memory, or into the file that every session reads. A
file that is worked on in other sessions is no lookup: it is read because it is the work.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence

from reverie.dream.model import Cost, Observation
from reverie.dream.traffic.tally import Usual
from reverie.sessions.traces import TraceRow, counted, shared, traces

LEAST_SESSIONS = 4
AGAIN = 2  # readings in one session that are one too many
SHARE = 0.5  # of a project's reading sessions look up a file that all of them need


def rereads(connection: sqlite3.Connection) -> Iterator[Observation]:
    """Files by project: those several sessions come back to, and those most sessions need."""
    readers = _readers(connection)
    worked_on = {
        (row.project, file) for row in traces(connection, "edited") for file in row.trace.data
    }
    needed = Usual(counted(connection, "reading").values())
    returned_to = Usual(_returned_to(connection).values())
    for rows in shared(connection, "reading"):
        for project in sorted({row.project for row in rows}):
            own = [row for row in rows if row.project == project]
            if (project, rows[0].trace.key) in worked_on:
                continue
            again = [row for row in own if row.trace.times >= AGAIN]
            if len(again) >= LEAST_SESSIONS:
                yield from _told(again, returned_to.without(len(again)))
            elif len(own) >= max(LEAST_SESSIONS, SHARE * readers[project]):
                yield from _told(own, needed.without(len(own)))


def _returned_to(connection: sqlite3.Connection) -> Counter[str]:
    """In how many sessions each file is read more than once."""
    rows = connection.execute(
        "SELECT key, COUNT(DISTINCT session) FROM traces WHERE what = 'reading' AND times >= ?"
        " GROUP BY key ORDER BY key",
        (AGAIN,),
    )
    return Counter(dict(rows.fetchall()))


def _readers(connection: sqlite3.Connection) -> Counter[str]:
    """How many sessions of each project read anything."""
    rows = connection.execute(
        "SELECT project, COUNT(DISTINCT session) FROM traces WHERE what = 'reading'"
        " GROUP BY project ORDER BY project"
    )
    return Counter(dict(rows.fetchall()))


def _told(rows: Sequence[TraceRow], chance: float) -> Iterator[Observation]:
    project, file = rows[0].project, rows[0].trace.key
    times = sum(row.trace.times for row in rows)
    text = (
        f"`{file}` is read again and again ({times} times in {len(rows)} sessions) and never"
        " changed: say in CLAUDE.md what is looked up there"
    )
    for row in rows:
        yield Observation(
            source="reread",
            text=text,
            session=row.session,
            project=project,
            at=row.trace.at,
            evidence=row.evidence,
            key=f"{project}\0{file}",
            quote=f"read {row.trace.times} times" if row.trace.times > 1 else "read once",
            trust="agent",
            kind="best-practice",
            type="reference",
            cost=Cost(tokens=row.trace.tokens),
            chance=chance,
            detail={"file": file, "readings": row.trace.times},
        )
