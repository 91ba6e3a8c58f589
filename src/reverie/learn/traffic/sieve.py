"""Sieve: whether a text may hold what a pattern of plain ASCII looks for, in one quick pass.

Most texts hold nothing of what is looked for in all of them; RE2 passes over those at a byte a
step, and the pattern itself is tried on the others. What counts as a letter differs between the
two, so the sieve is for patterns that spell their words out, and lets more through, never less.
"""

import re
from functools import cache

from reverie.privacy.automaton import Expression, expression

_COUNTED = re.compile(r"\{(\d+),(\d+)\}")
_BYTES = 4  # of one character at most
_BLANK, _ANY_BLANK = r"\s", r"[\s\v\x1c-\x1f\x80-\xff]"  # also those that are not ASCII


def may_hold(sought: re.Pattern[str], text: str) -> bool:
    """Whether a line of `text` may match."""
    return _sieve(sought.pattern).search(text.encode("utf-8", "replace")) is not None


@cache
def _sieve(pattern: str) -> Expression:
    widened = _COUNTED.sub(lambda match: f"{{{match[1]},{int(match[2]) * _BYTES}}}", pattern)
    return expression(f"(?m:{widened.replace(_BLANK, _ANY_BLANK)})")
