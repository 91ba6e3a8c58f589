"""Locks of the operating system on an open file or folder: gone with the process that held them."""

import sys


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
