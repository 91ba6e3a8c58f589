"""The table of sessions that were read, and from which nothing was learned yet.

What a session taught is written into another database than the session itself. A run that died
between the two goes on from here.
"""

from reverie.db.database import Database
from reverie.sessions.derived import replace_rows


def await_learning(database: Database, session: str, project: str) -> None:
    """Note a session that was just read; the caller owns the transaction."""
    replace_rows(
        database, "awaiting_learning", session, ("session", "project"), [(session, project)]
    )


def awaiting_learning(database: Database) -> list[tuple[str, str]]:
    """Key and project of each session that waits, by its start."""
    rows = database.query(
        "SELECT a.session, a.project FROM awaiting_learning a"
        " LEFT JOIN sessions s ON s.key = a.session ORDER BY coalesce(s.started, ''), a.session"
    )
    return [(session, project) for session, project in rows]


def is_learned(database: Database, session: str) -> None:
    """A session waits no longer; the caller owns the transaction."""
    database.query("DELETE FROM awaiting_learning WHERE session = ?", (session,))


def any_awaits(database: Database) -> bool:
    """Whether a run died before it wrote what it had read."""
    return bool(database.query("SELECT 1 FROM awaiting_learning LIMIT 1"))
