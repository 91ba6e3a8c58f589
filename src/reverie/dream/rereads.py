"""Rereads: a file that sessions look up again and again without ever changing it.

What is looked up so often belongs into the memory, or into the file that every session reads.
"""

import sqlite3
from collections.abc import Iterator

from reverie.dream.tally import Tally
from reverie.dream.values import Cost, Observation
from reverie.sessions.traces import TraceRow, traces

AGAIN = 2.0  # readings per session, on average, from which it is "again and again" …
SHARE = 0.5  # … or the share of a project's reading sessions that look it up


def rereads(connection: sqlite3.Connection) -> Iterator[Observation]:
    """Files by project, for those that are read again and again."""
    tally: Tally[tuple[str, str], TraceRow] = Tally(lambda row: row.session)
    readers: dict[str, set[str]] = {}
    for row in traces(connection, "reading"):
        tally.add((row.project, row.trace.key), row)
        readers.setdefault(row.project, set()).add(row.session)
    for (project, file), rows, chance in tally.several():
        sessions = tally.sessions(rows)
        times = sum(row.trace.times for row in rows)
        if times < AGAIN * sessions and sessions < SHARE * len(readers[project]):
            continue
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
