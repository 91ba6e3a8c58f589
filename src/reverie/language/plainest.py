"""Phrasings: a remark in its plainest form, so that a comparison of words sees what it says."""

import re
from collections.abc import Iterator
from functools import lru_cache

from reverie.data import sections

# "You mocked the database again", "Float amounts again": what was done and should not have been.
_DID = re.compile(
    r"^(?:you|u)(?: just| have|'ve)? (?!forgot|miss|skip|need)\w+ed (.{2,60}?)(?: again)?[.!]*$",
    re.I,
)
_TAKE = r"drop|remove|strip|omit|ditch|abandon|get rid of|stop using|leave out|take out"
_AGAIN = re.compile(
    r"^(?!(?:run|try|do|check|build|test|start|look|read|deploy|push|same|it|this|that|here|once|not|"
    r"and|no)\b)((?:[^\s,.]+ ){0,4}?[^\s,.]+) again[.!]*$",
    re.I,
)
_NAMED = {"{did}": _DID.pattern, "{again}": _AGAIN.pattern, "{take}": _TAKE}


def _plainer() -> Iterator[tuple[re.Pattern[str], str]]:
    for line in sections("language.txt")["plainest"].splitlines():
        shape, _, plain = line.partition(" => ")
        for name, pattern in _NAMED.items():
            shape = shape.replace(name, pattern)
        yield re.compile(shape, re.I), plain[1:-1]


_PLAINER = tuple(_plainer())
_NUMBERS: dict[str, str] = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "twelve": "12",
}  # fmt: skip
_NUMBER = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b", re.I)


@lru_cache(maxsize=8192)
def plainly(text: str) -> str:
    """The text without what is said around it, usual turns of phrase in their plainest form."""
    plain = text
    for form, word in _PLAINER:
        plain = form.sub(word, plain)
    return _NUMBER.sub(lambda match: _NUMBERS[match[0].lower()], plain) or text


def is_complaint(text: str) -> bool:
    """Whether it only says what was done wrong, not what is wanted."""
    return bool(_DID.match(text) or _AGAIN.match(text))
