"""Seed phrases: twelve to twenty-four words of one published list, and nothing between them.

They have no format and often no name. What tells them from prose is that every word is one of 2048
(BIP-39, English), which prose does not manage for twelve words in a row: it needs `the` and `of`.
"""

import re
from collections.abc import Iterator
from functools import cache

from reverie.privacy.automaton import expression
from reverie.privacy.keywords import BETWEEN_WORDS, DATA, PHRASE

# The words beside a phrase may be of the list too; a list of words has many more.
_FEWEST, _MOST = 12, 40
_LENGTHS = frozenset({15, 18, 21, 24})  # of longer phrases
_CLOSING = frozenset({b'"', b"'", b"`", b"\\", b"<"})
_WORD = re.compile(rf"{BETWEEN_WORDS}?([a-z]{{3,8}})(?![A-Za-z])".encode())
_ESCAPE = re.compile(rb"\\[nrt]")
_LETTERS = re.compile(rb"[a-z]+")


def phrases(text: bytes, at: int = 0) -> Iterator[tuple[int, int]]:
    """Where seed phrases are from `at` on, first to last."""
    pattern = expression(PHRASE)
    while groups := pattern.search(text, at):
        at = _after_stranger(text, *groups[0])
        if at:
            continue
        start = groups[0][0]
        words = _run(text, start)
        various = len({text[slice(*word)] for word in words})
        if _FEWEST <= len(words) <= _MOST and various * 3 >= len(words) * 2:
            yield words[0][0], _end_of_longer(text, words[-1][1], len(words))
        at = words[-1][1] if words else start + 3


def _end_of_longer(text: bytes, stop: int, count: int) -> int:
    """Where the phrase really ends: words of other lists may fill it up to its closing quote."""
    at = stop
    while count < max(_LENGTHS) and (word := _WORD.match(text, at)):
        at = word.end()
        count += 1
    return at if count in _LENGTHS and text[at : at + 1] in _CLOSING else stop


def _after_stranger(text: bytes, start: int, stop: int) -> int:
    """The end of the last word in this stretch that is not of the list; 0 when all are.

    The last one, since no phrase can begin before it: prose is passed over in long steps.
    """
    known = _list()
    stretch = _ESCAPE.sub(b"  ", text[start:stop])
    # The last word may be cut.
    for word in reversed(list(_LETTERS.finditer(stretch))[:-1]):
        if word.group() not in known:
            return start + word.end()
    return 0


def _run(text: bytes, at: int) -> list[tuple[int, int]]:
    """The words of the list that follow one another from `at`; a whole list of words is none."""
    known = _list()
    spans: list[tuple[int, int]] = []
    while match := _WORD.match(text, at):
        if match.group(1) not in known:
            break
        spans.append(match.span(1))
        at = match.end()
    return spans


@cache
def _list() -> frozenset[bytes]:
    return frozenset((DATA / "seed_words.txt").read_bytes().split())
