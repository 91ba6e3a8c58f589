"""The said_again table of `index.db`: which correction had been said before, and in which.

Every correction that was looked at has a row; `first` is "" for one that nobody had said before.
Derived, like all of the index; `recall/repeating` fills it when something was learned.
"""

from collections.abc import Iterable
from typing import NamedTuple

from reverie.db.database import Database
from reverie.sessions.corrections import CorrectionRow, corrections


class Repeated(NamedTuple):
    """A correction that had to come again: when it and the first of them were said."""

    first: str  # id
    project: str
    said: str
    again: str


def unseen(database: Database) -> frozenset[str]:
    """Ids of corrections that were not looked at yet."""
    rows = database.query("SELECT id FROM corrections WHERE id NOT IN (SELECT id FROM said_again)")
    return frozenset(row[0] for row in rows)


def rows_beside(database: Database, ids: Iterable[str]) -> tuple[list[CorrectionRow], set[str]]:
    """The corrections of all projects that have one of these, in order of time; and which of them
    had been said before."""
    fresh = set(ids)
    everything = database.query("SELECT DISTINCT project, id FROM corrections")
    projects = {project for project, identity in everything if identity in fresh}
    known = database.query("SELECT id FROM said_again WHERE first <> ''")
    return corrections(database, projects=projects), {row[0] for row in known}


def note(database: Database, pairs: Iterable[tuple[CorrectionRow, str]]) -> None:
    """Enter what corrections were said before in, or ""; the caller owns the transaction."""
    rows = [
        (row.id, row.session, row.project, row.agent, row.at[:10], first) for row, first in pairs
    ]
    for identity, *_ in rows:
        database.query("DELETE FROM said_again WHERE id = ?", (identity,))
    database.execute_many(
        "INSERT INTO said_again (id, session, project, agent, day, first)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        rows,
    )


def repeats_by_day(database: Database) -> list[tuple[str, str, str, int]]:
    """Project, agent, day → corrections that had been said before."""
    return database.query(
        "SELECT project, agent, day, count(*) FROM said_again WHERE first <> '' GROUP BY 1, 2, 3"
    )


def repeated(database: Database, ids: Iterable[str]) -> list[Repeated]:
    """Of these corrections those that were said again, with when."""
    wanted = sorted(set(ids))
    repeats: list[Repeated] = []
    for place in range(0, len(wanted), 500):
        some = wanted[place : place + 500]
        rows = database.query(
            "SELECT r.first, c.project, f.at, c.at FROM said_again r"
            " JOIN corrections c ON c.id = r.id JOIN corrections f ON f.id = r.first"
            f" WHERE c.label <> 'none' AND r.first IN ({', '.join('?' * len(some))})",
            some,
        )
        repeats += [Repeated(*row) for row in rows]
    return repeats
