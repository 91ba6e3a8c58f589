"""Homes: a path below a home folder names a person and a machine, so it is told from `~` on.

For lessons, diaries, failures and calls. Quotes of what a person said stay as they are.
"""

from functools import lru_cache

from reverie.data import patterns

SHORT = 200  # characters of a path, or of a line with one
_RE = patterns("traffic.txt", "homes")


def tilde(text: str) -> str:
    """The text with every home folder as `~`."""
    if "/home/" not in text and "Users" not in text:
        return text
    return _short(text) if len(text) <= SHORT else _RE.home.sub("~", text)


@lru_cache(maxsize=2048)
def _short(text: str) -> str:
    """Of the same few folders and files again and again."""
    return _RE.home.sub("~", text)
