"""Waiting for what another process does: for as long as a busy machine may need, never for a time.

A test that uses this asks whether something comes true, not when.
"""

import time
from collections.abc import Callable

# A hang must end some time; nothing that comes true takes a hundredth of it.
SECONDS = 600


def eventually(comes_true: Callable[[], object], seconds: float = SECONDS) -> bool:
    """Whether a condition comes true."""
    give_up = time.monotonic() + seconds
    while not comes_true():
        if time.monotonic() > give_up:
            return False
        time.sleep(0.01)
    return True
