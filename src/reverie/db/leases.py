"""Leases: one run of a kind at a time, and whoever was too slow cannot write any more.

A holder is `host:pid`, and one thread of it. A lease that ran out, or whose process on this machine
is gone, is taken over with a higher token; a run checks with each write, or when it renews its
lease, that its token is still the newest.
"""

import os
import socket
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from reverie.clock import Clock, iso
from reverie.db.database import Database, Transaction
from reverie.errors import LeaseHeld

LASTS = timedelta(minutes=15)

# The leases this process holds: database and name → process and thread.
_held: dict[tuple[str, str], tuple[int, int]] = {}
_guard = threading.Lock()


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to do something that only one may do at a time."""

    name: str
    holder: str
    token: int
    doing: str  # in words, for whoever finds it taken
    lasts: timedelta = LASTS


def take(
    database: Database,
    clock: Clock,
    name: str,
    holder: str | None = None,
    *,
    doing: str,
    wait: Callable[[LeaseHeld], None] | None = None,
    lasts: timedelta = LASTS,
) -> Lease:
    """Take the lease of `name`; `wait` is called before each further try, and may give up.

    Raises:
        LeaseHeld: another run that is alive holds it, and nobody waits.
    """
    me = holder or f"{socket.gethostname()}:{os.getpid()}"
    while True:
        try:
            with _reserved((database.url, name), doing) if holder is None else nullcontext():
                token = _taken(database, clock, name, me, doing, lasts)
                return Lease(name, me, token, doing, lasts)
        except LeaseHeld as error:
            if wait is None:
                raise
            wait(error)


def fence(tx: Transaction, lease: Lease) -> None:
    """Refuse to go on when somebody took the lease over.

    Raises:
        LeaseHeld: there is a newer token.
    """
    rows = tx.execute("SELECT token FROM leases WHERE name = ?", (lease.name,))
    if not rows or rows[0][0] != lease.token:
        raise LeaseHeld(
            f"{lease.doing} was taken over by another process", hint="what that one does counts"
        )


def renew(database: Database, clock: Clock, lease: Lease) -> None:
    """Hold it for longer.

    Raises:
        LeaseHeld: somebody took it over.
    """
    with database.atomic() as tx:
        fence(tx, lease)
        tx.execute(
            "UPDATE leases SET expires_at = ? WHERE name = ?",
            (iso(clock() + lease.lasts), lease.name),
        )


def give_back(database: Database, lease: Lease) -> None:
    """Let the next one have it; a lease that was taken over is left alone."""
    _held.pop((database.url, lease.name), None)
    with database.atomic() as tx:
        tx.execute(
            "UPDATE leases SET holder = '' WHERE name = ? AND token = ?", (lease.name, lease.token)
        )


def end(tx: Transaction, lease: Lease) -> None:
    """Take it out with the last write of what it was for; the holder still gives it back."""
    tx.execute("DELETE FROM leases WHERE name = ? AND token = ?", (lease.name, lease.token))


@contextmanager
def _reserved(key: tuple[str, str], doing: str) -> Generator[None]:
    """This thread holds it within this process, unless taking it fails."""
    here = (os.getpid(), threading.get_ident())
    with _guard:
        before = _held.get(key)
        # What a parent held before a fork is the parent's.
        if before is not None and before[0] == here[0] and before[1] != here[1]:
            raise LeaseHeld(f"{doing} is under way in this process", hint="wait for it, or stop it")
        _held[key] = here
    try:
        yield
    except BaseException:
        with _guard:
            if before is None:
                del _held[key]
            else:
                _held[key] = before
        raise


def _taken(
    database: Database, clock: Clock, name: str, me: str, doing: str, lasts: timedelta
) -> int:
    """The token under which the lease is ours now."""
    now = clock()
    with database.atomic() as tx:
        tx.lock("leases")
        rows = tx.execute(
            "SELECT holder, token, taken_at, expires_at FROM leases WHERE name = ?", (name,)
        )
        held, token, since, expires = rows[0] if rows else ("", 0, "", "")
        if held and held != me and expires > iso(now) and _alive(held):
            when = f" since {since[:16].replace('T', ' ')} UTC" if since else ""
            raise LeaseHeld(
                f"{doing} is under way in {_told(held)}{when}", hint="wait for it, or stop it"
            )
        tx.execute("DELETE FROM leases WHERE name = ?", (name,))
        tx.execute(
            "INSERT INTO leases (name, holder, token, taken_at, expires_at) VALUES (?, ?, ?, ?, ?)",
            (name, me, token + 1, iso(now), iso(now + lasts)),
        )
    return int(token) + 1


def _told(holder: str) -> str:
    host, _, pid = holder.rpartition(":")
    return f"process {pid}" if host == socket.gethostname() else f"process {pid} on {host}"


def _alive(holder: str) -> bool:
    """Whether the holder may still be running; one on another machine may."""
    host, _, pid = holder.rpartition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return True
    if sys.platform == "win32":
        return _runs_on_windows(int(pid))
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _runs_on_windows(pid: int) -> bool:
    """As above; there signal 0 is a Ctrl-C and would end the process that is asked about."""
    import ctypes

    kernel: Any = getattr(ctypes, "windll").kernel32  # noqa: B009 - not there elsewhere
    synchronize, running = 0x0010_0000, 0x102
    handle = kernel.OpenProcess(synchronize, False, pid)
    if not handle:
        return False
    state = kernel.WaitForSingleObject(handle, 0)
    kernel.CloseHandle(handle)
    return state == running
