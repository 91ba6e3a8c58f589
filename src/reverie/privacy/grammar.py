"""What secrets are called, and how a language says what one is: the names of `data/secrets.toml`.

The rules are written with them, and the judges ask the same words about what stands before a value.
"""

import re
import tomllib
from functools import cache
from typing import Any

from reverie.privacy.keywords import FILE

_NAMED = re.compile(r"\{([a-z]+)\}")


@cache
def table() -> dict[str, Any]:
    """The file of the rules, as it is written."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def spelled_out(pattern: str) -> str:
    """`pattern` with the patterns that its `{names}` stand for."""
    names: dict[str, str] = table()["names"]
    while _NAMED.search(pattern):
        pattern = _NAMED.sub(lambda name: names[name[1]], pattern)
    return pattern


@cache
def in_text(pattern: str) -> re.Pattern[str]:
    """A pattern with names, made when it is asked for: few texts need them, and they are long."""
    return re.compile(spelled_out(pattern))


@cache
def in_bytes(pattern: str) -> re.Pattern[str]:
    """The same for text that was decoded as Latin-1, a character per byte."""
    return re.compile(spelled_out(pattern).encode().decode("latin-1"))
