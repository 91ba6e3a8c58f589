"""Exchanging two names of one folder in one step, where the operating system can."""

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache

_RENAME_EXCHANGE = 2  # Linux: RENAME_EXCHANGE; macOS: RENAME_SWAP has the same value


def swap_names(folder: int, first: str, second: str) -> bool:
    """Exchange two files of an open folder; false when system or file system cannot."""
    rename = _rename()
    if rename is None:
        return False
    done = rename(folder, os.fsencode(first), folder, os.fsencode(second), _RENAME_EXCHANGE)
    return done == 0


@cache
def _rename() -> "Callable[[int, bytes, int, bytes, int], int] | None":
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    try:
        found = getattr(ctypes.CDLL(None, use_errno=True), name)
    except (OSError, AttributeError):
        return None
    found.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    found.restype = ctypes.c_int
    return found
