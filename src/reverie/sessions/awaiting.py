"""The table of sessions that were read, and from which nothing was learned yet.

What a session taught is written into another database than the session itself. A run that died
between the two goes on from here. The same holds for what follows from several sessions: how they
relate, the write-up of their days, the backup and the reminder.
"""

from typing import NamedTuple

from reverie.db.database import Database
from reverie.sessions.derived import replace_rows

# Facts of the index: a session of this key was learned, and something was.
_LEARNED = "learned "
_UNTOLD = "untold"


class Awaiting(NamedTuple):
    """A session that waits, from one of its lines on."""

    session: str
    project: str
    line: int = 0


def await_learning(database: Database, read: Awaiting) -> None:
    """Note a session that was just read; the caller owns the transaction."""
    known = database.query("SELECT line FROM awaiting_learning WHERE session = ?", (read.session,))
    first = min([read.line, *(line for (line,) in known)])
    row = read._replace(line=first)
    replace_rows(database, "awaiting_learning", read.session, Awaiting._fields, [row])


def awaiting_learning(database: Database) -> list[Awaiting]:
    """The sessions that wait, by their start."""
    rows = database.query(
        "SELECT a.session, a.project, a.line FROM awaiting_learning a"
        " LEFT JOIN sessions s ON s.key = a.session ORDER BY coalesce(s.started, ''), a.session"
    )
    return [Awaiting(*row) for row in rows]


def is_learned(database: Database, session: str) -> None:
    """A session waits no longer, but for what follows from it; the caller owns the transaction."""
    database.query("DELETE FROM awaiting_learning WHERE session = ?", (session,))
    put_fact(database, _LEARNED + session, "")


def not_written_up(database: Database) -> list[Awaiting]:
    """The sessions that were learned, and whose day was not written up yet."""
    rows = database.query(
        "SELECT s.key, s.project FROM facts f JOIN sessions s ON s.key = substr(f.name, ?)"
        " WHERE substr(f.name, 1, ?) = ? ORDER BY s.key",
        (len(_LEARNED) + 1, len(_LEARNED), _LEARNED),
    )
    return [Awaiting(session, project) for session, project in rows]


def wrote_up(database: Database) -> None:
    """All that follows from sessions is written; that nobody was told yet is noted instead.

    The caller owns the transaction.
    """
    question = "DELETE FROM facts WHERE substr(name, 1, ?) = ? RETURNING name"
    if database.query(question, (len(_LEARNED), _LEARNED)):
        put_fact(database, _UNTOLD, "")


def is_untold(database: Database) -> bool:
    """Whether something was learned since the last backup and reminder."""
    return bool(database.query("SELECT 1 FROM facts WHERE name = ?", (_UNTOLD,)))


def told(database: Database) -> None:
    """The backup is made, and the reminder written; the caller owns the transaction."""
    database.query("DELETE FROM facts WHERE name = ?", (_UNTOLD,))


def await_all(database: Database) -> None:
    """Let every session be learned from once more; the caller owns the transaction."""
    database.query("DELETE FROM awaiting_learning")
    database.query(
        "INSERT INTO awaiting_learning (session, project)"
        " SELECT key, project FROM sessions WHERE subagent = 0"
    )


def fact(database: Database, name: str) -> str:
    """What was noted under a name; "" when nobody did."""
    rows = database.query("SELECT value FROM facts WHERE name = ?", (name,))
    return rows[0][0] if rows else ""


def put_fact(database: Database, name: str, value: str) -> None:
    """Note something; the caller owns the transaction."""
    database.query("DELETE FROM facts WHERE name = ?", (name,))
    database.query("INSERT INTO facts (name, value) VALUES (?, ?)", (name, value))


def learned_into(database: Database) -> str:
    """The mark of the memories that were learned into; "" when nobody noted it yet."""
    return fact(database, "memories")


def learn_into(database: Database, memories: str) -> None:
    """From now on these memories are learned into; all there is, if they are others than before.

    The caller owns the transaction.
    """
    if learned_into(database) not in ("", memories):
        await_all(database)
    put_fact(database, "memories", memories)


def any_awaits(database: Database) -> bool:
    """Whether a run died before it wrote what it had read, or all that follows from it."""
    if database.query("SELECT 1 FROM awaiting_learning LIMIT 1"):
        return True
    return bool(not_written_up(database)) or is_untold(database)
