"""What a project's files may have put into a client's environment, and so into our worker's."""

import os
import re
from collections.abc import Mapping

from reverie.connect.switches import MAX_FILE, PROJECT_FILES, account_home
from reverie.errors import Unavailable

_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
# `HOME` is the account's, whatever a file says (`switches.trusted`); the others lead nowhere.
_HARMLESS = frozenset({"HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "PWD"})


def without_named_in(folder: str, environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` without the variables that files of a project or above it speak of.

    A repository must name neither the program that is started, nor where it sends words and keys.

    Raises:
        Unavailable: they speak of `PATH`, so that no program can be found safely.
    """
    named = _named(folder)
    kept = {
        name: value
        for name, value in environ.items()
        if name in _HARMLESS or (named is not None and name not in named)
    }
    if "PATH" in environ and "PATH" not in kept:
        raise Unavailable("a file of the project speaks of PATH, so no program is started for it")
    return kept


def _named(folder: str) -> set[str] | None:
    """The words of a project's files; None when they may hold any."""
    words: set[str] = set()
    place, account = os.path.realpath(folder) if folder else "", account_home()
    while place:
        for name in PROJECT_FILES if place != account else ():
            data = _content(os.path.join(place, name))
            # A name can be spelled with escapes, or lie behind more than is read.
            if b"\\u" in data or b"\\x" in data or len(data) > MAX_FILE:
                return None
            words |= {word.decode() for word in _WORD.findall(data)}
        above = os.path.dirname(place)
        place = above if above != place else ""
    return words


def _content(path: str) -> bytes:
    try:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read(MAX_FILE + 1)
    except OSError:
        pass  # the client could not read it either
    return b""
