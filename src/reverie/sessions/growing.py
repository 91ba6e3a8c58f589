"""The table of sessions that may still grow, with what is needed to go on without the rest of them.

A session that grows is read from the byte where it was left, and what was made of it is made again
from a checkpoint on: the beginning of a piece of work that later turns can still change. Before the
checkpoint stands context, the turns that what follows may look back at. The row goes when the
session is settled; should it grow once more, it is read whole.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from reverie.clock import iso, parse_iso
from reverie.db.database import Database
from reverie.errors import InvalidInput
from reverie.sessions.awaiting import Awaiting, await_learning
from reverie.sessions.derived import replace_rows
from reverie.sessions.model import Turn

SETTLED = timedelta(hours=1)  # without a word; then a session counts as over


class Checkpoint(NamedTuple):
    """From where on a session is made again; the default is all of it."""

    since: int = 0  # place in the turns that are at hand
    spoken: int = 0  # human turns before those at hand
    tasks: int = 0  # before the checkpoint
    why: tuple[str, ...] = ()  # a task begins at the checkpoint


BEGINNING = Checkpoint()


class Tail(NamedTuple):
    """The end of a session: context, and what is made again when it grows."""

    turns: list[Turn]
    checkpoint: Checkpoint
    copied: tuple[int, ...]  # places that another session tells
    undone: tuple[tuple[int, int], ...]  # line ranges that were rewound when it was read


class Growing(NamedTuple):
    """One row."""

    session: str
    project: str
    ended: str
    unanswered: int | None
    tail: Tail


def may_grow(ended: str, now: datetime) -> bool:
    """Whether a session in which something last happened then is likely to go on."""
    try:
        return bool(ended) and abs(now - parse_iso(ended)) < SETTLED
    except (InvalidInput, OverflowError):
        return False


def replace_growing(database: Database, session: str, row: Growing | None) -> None:
    """Note how to go on with a session, or that it is settled; the caller owns the transaction."""
    kept = [] if row is None else [(*row[:-1], msgspec.json.encode(row.tail).decode())]
    replace_rows(database, "growing", session, Growing._fields, kept)


def tail_of(database: Database, session: str) -> Tail | None:
    """The end of a session that may grow."""
    rows = database.query("SELECT tail FROM growing WHERE session = ?", (session,))
    return msgspec.json.decode(rows[0][0], type=Tail) if rows else None


def unanswered(database: Database, session: str) -> int | None:
    """The line of the words that the agent still works on."""
    rows = database.query("SELECT unanswered FROM growing WHERE session = ?", (session,))
    return rows[0][0] if rows else None


def still_growing(database: Database) -> set[str]:
    """The sessions that may still grow."""
    return {session for (session,) in database.query("SELECT session FROM growing")}


class Over(NamedTuple):
    """A session in which nothing has happened for long enough."""

    session: str
    project: str
    path: str  # of its log; "" when nobody knows


def to_settle(database: Database, now: datetime) -> list[Over]:
    """The sessions that are over by now, and not settled yet."""
    rows = database.query(
        "SELECT g.session, g.project, coalesce(s.path, '') FROM growing g"
        " LEFT JOIN sessions s ON s.key = g.session WHERE g.ended < ? ORDER BY g.session",
        (iso(now - SETTLED),),
    )
    return [Over(*row) for row in rows]


def settle(database: Database, over: Iterable[Over]) -> None:
    """Have these sessions learned from once more, and whole where their logs are still there.

    The caller owns the transaction.
    """
    for row in over:
        replace_growing(database, row.session, None)
        await_learning(database, Awaiting(row.session, row.project))
        database.query(
            "UPDATE files SET visited = 0 WHERE session = ? AND state = 'read'", (row.session,)
        )
