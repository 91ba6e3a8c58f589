"""Rereads: a file that sessions look up again and again without ever changing it.

What is looked up so often belongs into the memory, or into the file that every session reads.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence

from reverie.dream.tally import Usual
from reverie.dream.values import Cost, Observation
from reverie.sessions.traces import TraceRow, counted, shared

AGAIN = 2.0  # readings per session, on average, from which it is "again and again" …
SHARE = 0.5  # … or the share of a project's reading sessions that look it up


def rereads(connection: sqlite3.Connection) -> Iterator[Observation]:
    """Files by project, for those that are read again and again."""
    readers = _readers(connection)
    usual = Usual(counted(connection, "reading").values())
    for rows in shared(connection, "reading"):
        for project in sorted({row.project for row in rows}):
            own = [row for row in rows if row.project == project]
            times = sum(row.trace.times for row in own)
            often = times >= AGAIN * len(own) or len(own) >= SHARE * readers[project]
            if len(own) > 1 and often:
                yield from _told(own, usual.without(len(own)))


def _readers(connection: sqlite3.Connection) -> Counter[str]:
    """How many sessions of each project read anything."""
    rows = connection.execute(
        "SELECT project, COUNT(DISTINCT session) FROM traces WHERE what = 'reading'"
        " GROUP BY project ORDER BY project"
    )
    return Counter(dict(rows.fetchall()))


def _told(rows: Sequence[TraceRow], chance: float) -> Iterator[Observation]:
    project, file = rows[0].project, rows[0].trace.key
    text = f"`{file}` is read again and again without being changed: keep what it says at hand"
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
