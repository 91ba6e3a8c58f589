"""RE2 as it is used here: on bytes, in linear time, without the wrapper's cost per match.

google-re2 has no types, and its generators and match objects take longer than the search itself;
both are dealt with in this one place. The library is imported on first use.
"""

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from reverie.errors import InvalidInput

Span = tuple[int, int]


class Expression:
    """One compiled pattern."""

    __slots__ = ("_anywhere", "_match", "pattern")

    def __init__(self, pattern: str) -> None:
        """Compile `pattern`.

        Raises:
            InvalidInput: RE2 does not accept it.
        """
        self.pattern = pattern
        re2 = _re2()
        try:
            self._match: Any = re2.compile(pattern.encode(), _options())._regexp.Match
        except re2.error as error:
            raise InvalidInput(f"{pattern!r} is not a valid RE2 pattern: {error}") from None
        self._anywhere: Any = re2._Anchor.UNANCHORED

    def __reduce__(self) -> tuple[object, ...]:
        return Expression, (self.pattern,)

    def search(self, text: bytes, at: int = 0) -> list[Span] | None:
        """The first match from `at`: its span, then those of its groups, `(-1, -1)` for unused."""
        spans: list[Span] = self._match(self._anywhere, text, at, len(text))
        return spans if spans[0][0] >= 0 else None


class Keywords:
    """Many patterns in one automaton: which of them occur, in one pass."""

    __slots__ = ("_set", "present")

    def __init__(self, patterns: list[str]) -> None:
        self._set: Any = _re2().Set.SearchSet(_options())
        for pattern in patterns:
            self._set.Add(pattern.encode())
        self._set.Compile()
        # The numbers of the patterns that occur, in no order; nothing if there are none.
        self.present: Callable[[bytes], list[int] | None] = self._set._set.Match


def escaped(literal: str) -> str:
    """A pattern that matches exactly `literal`."""
    return _re2().escape(literal)


@cache
def expression(pattern: str) -> Expression:
    """`pattern`, compiled once.

    Raises:
        InvalidInput: RE2 does not accept it.
    """
    return Expression(pattern)


@cache
def _re2() -> Any:
    return importlib.import_module("re2")


@cache
def _options() -> Any:
    options = _re2().Options()
    # Bytes, not characters: any input can be searched, and a byte is one step.
    options.encoding = options.Encoding.LATIN1
    # The states of the long rules have to fit, or they are made again and again.
    options.max_mem = 8 << 20
    options.log_errors = False
    return options
