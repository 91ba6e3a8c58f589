"""Locks of the operating system on an open file or folder: gone with the process that held them."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager


def try_lock(descriptor: int) -> bool:
    """Take the lock now; False when another process has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def lock(descriptor: int) -> None:
    """Wait for the lock. Windows has only locks that keep readers out too, so there it is none."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)


@contextmanager
def one_at_a_time(folder: str) -> Generator[None]:
    """Hold a folder against others who do the same; nothing on Windows, as above."""
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        lock(descriptor)
        yield
    finally:
        os.close(descriptor)
