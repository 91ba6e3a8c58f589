"""Rereads: a file that sessions look up again and again and that nobody ever changes.

What is looked up so often belongs into the memory, or into the file that every session reads. A
file that is worked on in other sessions is no lookup: it is read because it is the work.
"""

from collections.abc import Iterator, Sequence

from reverie.db.database import Database
from reverie.dream.model import Cost, Observation
from reverie.dream.traffic.tally import Usual, observed
from reverie.sessions.traces import TraceRow, counted, shared, traces

LEAST_SESSIONS = 4
AGAIN = 2  # readings in one session that are one too many
SHARE = 0.5  # of a project's reading sessions look up a file that all of them need


def rereads(database: Database) -> Iterator[Observation]:
    """Files by project: those several sessions come back to, and those most sessions need."""
    readers = counted(database, "reading", by="project")
    worked_on = {
        (row.project, file) for row in traces(database, "edited") for file in row.trace.data
    }
    needed = Usual(counted(database, "reading").values())
    returned_to = Usual(counted(database, "reading", times=AGAIN).values())
    for rows in shared(database, "reading"):
        for project in sorted({row.project for row in rows}):
            own = [row for row in rows if row.project == project]
            if (project, rows[0].trace.key) in worked_on:
                continue
            again = [row for row in own if row.trace.times >= AGAIN]
            if len(again) >= LEAST_SESSIONS:
                yield from _told(again, returned_to.without(len(again)))
            elif len(own) >= max(LEAST_SESSIONS, SHARE * readers[project]):
                yield from _told(own, needed.without(len(own)))


def _told(rows: Sequence[TraceRow], chance: float) -> Iterator[Observation]:
    project, file = rows[0].project, rows[0].trace.key
    times = sum(row.trace.times for row in rows)
    text = (
        f"`{file}` is read again and again ({times} times in {len(rows)} sessions) and never"
        " changed: say in CLAUDE.md what is looked up there"
    )
    for row in rows:
        yield observed(
            "reread",
            text,
            row,
            key=f"{project}\0{file}",
            quote=f"read {row.trace.times} times" if row.trace.times > 1 else "read once",
            trust="agent",
            kind="best-practice",
            type="reference",
            cost=Cost(tokens=row.trace.tokens),
            chance=chance,
            detail={"file": file, "readings": row.trace.times},
        )
