"""Homes: a path below a home folder names a person and a machine, so it is told from `~` on.

For lessons, diaries, failures and calls. Quotes of what a person said stay as they are.
"""

from reverie.data import patterns

_RE = patterns("traffic.txt", "homes")


def tilde(text: str) -> str:
    """The text with every home folder as `~`."""
    if "/home/" not in text and "Users" not in text:
        return text
    return _RE.home.sub("~", text)
