"""Every error a user can meet, as one tree.

    ReverieError                  1   something went wrong that has no better name
    ├── InvalidInput              2   an argument, path, date or document is not acceptable
    │   ├── InvalidPath               a memory path breaks the path rules
    │   ├── InvalidDocument           frontmatter, type, kind or another field is not valid
    │   ├── TooLarge                  over a size limit
    │   └── HoldsSecret               the text holds a secret, and may not be changed
    ├── NotFound                  3   no memory, store, version, session or project of that name
    │   └── Ambiguous                 a prefix fits several of them
    ├── Conflict                  4   somebody else was first
    │   ├── PreconditionFailed        the content is no longer what the writer had seen
    │   ├── PathTaken                 another memory has this path, or lies above or below it
    │   └── LeaseHeld                 another run holds the lease
    ├── Refused                   5   understood, and not allowed
    │   ├── ReadOnly                  the attachment, store or file system allows no writes
    │   ├── Archived                  the store is archived
    │   ├── Full                      a store, its history or the catalogue is at its limit
    │   └── NotWorthKeeping           derivable from code or git, or a one-off (says what would be)
    ├── ConfigError               6   config.toml, a REVERIE_* variable or a flag is wrong
    ├── StoreDamaged              7   a hash, a chain or the database itself does not add up
    ├── Unavailable               8   a database, engine, client or optional package is missing
    │   ├── RemoteAway                a remote of `reverie sync` is not there now
    │   ├── Busy                      a lock was not free in time
    │   └── CallFailed                a model did not answer, or with nothing that can be used
    └── Interrupted             130   the user pressed Ctrl-C

Each class has one exit code, one HTTP status, one MCP code and one sentence (`summary`) for
the reference page; each instance has one sentence for the user and, where there is something to
do, a hint. Surfaces print `error: …` and `hint: …` and nothing else.
"""

from typing import ClassVar


class ReverieError(Exception):
    """Something went wrong that has no better name."""

    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500
    mcp_code: ClassVar[int] = -32603

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring: what the reference page says of this error."""
        return (cls.__doc__ or "").strip().splitlines()[0]


class InvalidInput(ReverieError):
    """An argument, path, date or document is not acceptable."""

    exit_code = 2
    http_status = 400
    mcp_code = -32602


class InvalidPath(InvalidInput):
    """A memory path breaks the path rules."""


class InvalidDocument(InvalidInput):
    """Frontmatter, type, kind or another field of a memory is not valid."""


class TooLarge(InvalidInput):
    """Content, path or request is over its size limit."""


class HoldsSecret(InvalidInput):
    """The text holds a secret, and whoever sent it relies on what it says, to the byte."""


class NotFound(ReverieError):
    """There is no memory, store, version, session or project of that name."""

    exit_code = 3
    http_status = 404
    mcp_code = -32002


class Ambiguous(NotFound):
    """The name is a prefix of several."""


class Conflict(ReverieError):
    """Somebody else was first."""

    exit_code = 4
    http_status = 409
    mcp_code = -32009


class PreconditionFailed(Conflict):
    """The content is no longer what the writer had seen."""


class PathTaken(Conflict):
    """Another memory has this path, or lies above or below it."""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        conflicting_memory_id: str = "",
        conflicting_path: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.conflicting_memory_id = conflicting_memory_id
        self.conflicting_path = conflicting_path


class LeaseHeld(Conflict):
    """Another run holds the lease."""


class Refused(ReverieError):
    """Understood, and not allowed."""

    exit_code = 5
    http_status = 403
    mcp_code = -32003


class ReadOnly(Refused):
    """The attachment, the store or the file system allows no writes."""


class Archived(Refused):
    """The store is archived: it can be read, not written."""

    http_status = 400


class Full(Refused):
    """The store, its history or the number of stores is at its limit."""

    http_status = 400


class NotWorthKeeping(Refused):
    """Derivable from code or git, or a one-off; the hint says what would be worth keeping."""


class ConfigError(ReverieError):
    """config.toml, a REVERIE_* variable or a flag is wrong."""

    exit_code = 6


class StoreDamaged(ReverieError):
    """A hash, a chain or the database itself does not add up."""

    exit_code = 7


class Unavailable(ReverieError):
    """A database, engine, client or optional package is missing or does not answer."""

    exit_code = 8
    http_status = 503


class RemoteAway(Unavailable):
    """A remote of `reverie sync` is not there now, as a stick that is not plugged in."""


class Busy(Unavailable):
    """A lock was not free in time."""


class CallFailed(Unavailable):
    """A model did not answer, or with nothing that can be used."""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        again: bool = False,
        after: float | None = None,
        whole: bool = False,
        used: tuple[int, int, int, int] | None = None,
        status: int = 0,
    ) -> None:
        super().__init__(message, hint=hint)
        self.again = again  # the same call may succeed
        self.after = after  # seconds, as the server asked
        self.whole = whole  # every other call would fail as well
        self.used = used  # tokens in, out, read from and put into the cache; None: nobody said
        self.status = status  # of HTTP


class Interrupted(ReverieError):
    """The user stopped it."""

    exit_code = 130
