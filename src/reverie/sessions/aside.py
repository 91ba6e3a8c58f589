"""What could not be learned: set aside with its reason, while everything else goes on.

A failure inside one session is that session's alone. What concerns the home (no lock, no space, a
damaged database) is not: going on would fail again with every session, so it ends the run. What is
set aside is named by `doctor` and status, and the next run tries it again.
"""

import errno
import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Literal, NamedTuple

from reverie.db.database import Database
from reverie.errors import (
    Interrupted,
    LeaseHeld,
    ReadOnly,
    ReverieError,
    StoreDamaged,
    Unavailable,
)

Step = Literal["reading", "judging", "writing", "daily", "relating"]

LONGEST_REASON = 500
_OF_THE_HOME = (LeaseHeld, Unavailable, StoreDamaged, ReadOnly, Interrupted)
_OF_THE_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})


class Aside(NamedTuple):
    """One thing that could not be learned."""

    session: str  # its key; the name of a log that cannot be read; a day; a project
    project: str
    step: Step
    reason: str


@contextmanager
def apart(failed: Callable[[str], object]) -> Generator[None]:
    """What fails in the block is its own: `failed` is told the reason, and the caller goes on.

    Raises:
        ReverieError, OSError: it concerns the home.
    """
    try:
        yield
    except Exception as error:  # the outermost handler of one session
        if not _is_its_own(error):
            raise
        failed(_reason(error))


def _is_its_own(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno not in _OF_THE_DISK
    return not isinstance(error, _OF_THE_HOME)


def _reason(error: Exception) -> str:
    """Why, in one line; a failure nobody has foreseen is named by its type."""
    named = isinstance(error, ReverieError)
    text = error.message if named else f"{type(error).__name__}: {error}"
    storable = text.encode("utf-8", "replace").decode().replace("\0", " ")
    return " ".join(storable.split())[:LONGEST_REASON]


def asides(database: Database) -> list[Aside]:
    """All that is set aside, by name."""
    rows = database.query(
        f"SELECT {', '.join(Aside._fields)} FROM set_aside ORDER BY step, session"
    )
    return [Aside(*row) for row in rows]


def set_aside(database: Database, unlearned: Iterable[Aside]) -> None:
    """Note what could not be learned; the caller owns the transaction."""
    for aside in unlearned:
        take_back(database, [aside.session])
        database.query(
            "INSERT INTO set_aside (session, project, step, reason) VALUES (?, ?, ?, ?)", aside
        )


def renew(database: Database, unlearned: Iterable[Aside], tried: Iterable[str]) -> None:
    """Of what was `tried`, only the `unlearned` are set aside now; of the rest, what still exists.

    The caller owns the transaction.
    """
    done = set(tried)
    gone = [aside.session for aside in asides(database) if aside.session in done or _is_gone(aside)]
    take_back(database, gone)
    set_aside(database, unlearned)


def _is_gone(aside: Aside) -> bool:
    """Whether a log that could not be read is there no longer."""
    return aside.step == "reading" and not os.path.exists(aside.session.split("::")[0])


def take_back(database: Database, sessions: Iterable[str]) -> None:
    """These are learned, or gone; the caller owns the transaction."""
    for session in sessions:
        database.query("DELETE FROM set_aside WHERE session = ?", (session,))
