"""Leases: one dream per store at a time, and whoever was too slow cannot write any more.

A holder is `host:pid`. A lease that ran out, or whose process on this machine is gone, is taken
over with a higher token; every write of a run checks that its token is still the newest.
"""

import os
import socket
from dataclasses import dataclass
from datetime import timedelta

from reverie.clock import Clock, iso
from reverie.errors import LeaseHeld
from reverie.store.database import Database, Transaction

LASTS = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to dream about a store."""

    name: str
    holder: str
    token: int


def take(database: Database, clock: Clock, name: str, holder: str | None = None) -> Lease:
    """Take the lease of `name`.

    Raises:
        LeaseHeld: another run that is alive holds it.
    """
    me = holder or f"{socket.gethostname()}:{os.getpid()}"
    now = clock()
    with database.atomic() as tx:
        rows = tx.execute("SELECT holder, token, expires_at FROM leases WHERE name = ?", (name,))
        held, token, expires = rows[0] if rows else ("", 0, "")
        if held and held != me and expires > iso(now) and _alive(held):
            raise LeaseHeld(
                f"another dream about {name} is running ({held})", hint="wait for it, or stop it"
            )
        tx.execute("DELETE FROM leases WHERE name = ?", (name,))
        tx.execute(
            "INSERT INTO leases (name, holder, token, expires_at) VALUES (?, ?, ?, ?)",
            (name, me, token + 1, iso(now + LASTS)),
        )
    return Lease(name, me, token + 1)


def fence(tx: Transaction, lease: Lease) -> None:
    """Refuse to go on when somebody took the lease over.

    Raises:
        LeaseHeld: there is a newer token.
    """
    rows = tx.execute("SELECT token FROM leases WHERE name = ?", (lease.name,))
    if not rows or rows[0][0] != lease.token:
        raise LeaseHeld(f"another dream about {lease.name} took over", hint="its proposal counts")


def give_back(database: Database, lease: Lease) -> None:
    """Let the next one dream; a lease that was taken over is left alone."""
    with database.atomic() as tx:
        tx.execute(
            "UPDATE leases SET holder = '' WHERE name = ? AND token = ?", (lease.name, lease.token)
        )


def _alive(holder: str) -> bool:
    """Whether the holder may still be running; one on another machine may."""
    host, _, pid = holder.rpartition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
