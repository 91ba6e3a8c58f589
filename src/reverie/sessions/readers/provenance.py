"""Fields by which a record says that it came from elsewhere than the keyboard.

Clients mark a hook's text, another agent's, a server's or a channel's with a field each, and which
come next nobody knows. So a record is sure only as far as its fields are those of typed ones.
"""

import re
from collections.abc import Container, Mapping
from functools import lru_cache
from typing import Any

from reverie.data import lines

_SOURCES = frozenset(lines("clients.txt", "sources"))
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def foreign(record: Mapping[str, Any], known: Container[str], *, lenient: bool = False) -> bool:
    """Whether a record has a field beyond the `known`; `lenient`: one that is named like a source.

    What is empty or false says nothing.
    """
    return any(
        value and name not in known and (not lenient or _names_a_source(name))
        for name, value in record.items()
    )


@lru_cache(maxsize=1024)
def _names_a_source(name: str) -> bool:
    return not _SOURCES.isdisjoint(word.lower().rstrip("s") for word in _WORD.findall(name[:100]))
