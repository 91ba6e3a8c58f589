"""One process at a time learns into a home: the others are told by whom, and wait their turn."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from reverie.cli.printing import say

if TYPE_CHECKING:
    from reverie.cli.app import App
    from reverie.errors import LeaseHeld

LOOK_AGAIN_SECONDS = 0.2
RENEW_AFTER = timedelta(minutes=1)

Keep = Callable[[], None]  # holds the lease for longer; raises LeaseHeld when it was taken over


@contextmanager
def learning(app: "App", *, wait: bool = True, quiet: bool = False) -> Generator[Keep]:
    """The right to change what was learned; whoever waits is told once, unless `quiet`.

    Raises:
        LeaseHeld: another process learns, and `wait` is false.
    """
    import socket

    from reverie.db import leases

    told: list[str] = []

    def look_again(error: "LeaseHeld") -> None:
        if not told and not quiet:
            say(f"{error.message}: waiting for it (Ctrl-C stops the waiting)")
        told.append(error.message)
        time.sleep(LOOK_AGAIN_SECONDS)

    # The index is what cannot be shared; on PostgreSQL other machines learn with their own.
    name = f"learn {socket.gethostname()}:{app.config.index_db}"
    database = app.store.database
    lease = leases.take(
        database, app.clock, name, doing="learning", wait=look_again if wait else None
    )
    renewed = app.clock()

    def keep() -> None:
        nonlocal renewed
        if app.clock() - renewed >= RENEW_AFTER:
            leases.renew(database, app.clock, lease)
            renewed = app.clock()

    try:
        yield keep
    finally:
        leases.give_back(database, lease)
