"""Filling a character budget: whole entries, most valuable first, no two that say the same."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from reverie.recall.entry import Ranked
from reverie.recall.frame import MAX_TEXT
from reverie.recall.query import read

# Of the smaller text's words, how many the other must share to count as saying the same.
SAME = 0.8
# Of a text's own words, how many another must hold to say most of it.
COVERED = 0.5
# How many of them make opposites of two texts of which one is negated; of fewer, none are.
OPPOSED = 0.6
_LEAST_OPPOSED = 2
# No entry is shorter than this once it says where it is from.
SHORTEST = 30
# A short text shares most of its words with many; below this size only equality counts.
_FEW = 4
NEGATED = "¬"


class Packed(NamedTuple):
    """An entry that made it, as it will be shown."""

    ranked: Ranked
    text: str


def pack(
    ranked: Sequence[Ranked],
    budget: int,
    show: Callable[[Ranked], str],
    *,
    separator: str = "\n",
    already: Iterable[str] = (),
    patience: int = 60,
    most: int | None = None,
    verbatim: bool = False,
) -> list[Packed]:
    """Take entries in order while they fit; one that does not fit is left out, not cut.

    The texts joined by `separator` never exceed `budget` characters. `already` are texts shown
    elsewhere, so that nothing is said twice; after `patience` refusals in a row, or with `most`
    entries, it stops. With `verbatim` only what has the same words is the same.
    """
    taken: list[Packed] = []
    meanings = [meaning(text) for text in already]
    left = budget
    refused = 0
    for candidate in ranked:
        if refused >= patience or left < SHORTEST or len(taken) == most:
            break
        refused += 1
        # Showing costs a look into the working tree: only for what can fit at all.
        if min(len(candidate.entry.text), MAX_TEXT) > left:
            continue
        words = meaning(candidate.entry.text)
        if any(words == other if verbatim else same(words, other) for other in meanings):
            continue
        text = show(candidate)
        cost = len(text) + (len(separator) if taken else 0)
        if cost <= left:
            taken.append(Packed(candidate, text))
            meanings.append(words)
            left -= cost
            refused = 0
    return taken


# The rules are told with every answer.
@lru_cache(maxsize=128)
def meaning(text: str) -> frozenset[str]:
    """What two texts are compared by: their telling words, and whether something is ruled out."""
    all_words, known = read(text)
    words = frozenset(all_words) - known.stop
    return words | {NEGATED} if known.pattern("denies").search(text) else words


def alike(words: frozenset[str], other: frozenset[str], share: float, least: int = 1) -> bool:
    """Do two sets of words speak of the same, whatever they say of it?"""
    words, other = words - {NEGATED}, other - {NEGATED}
    smaller = min(len(words), len(other))
    return smaller >= least and len(words & other) >= share * smaller


def covers(text: str, other: str) -> bool:
    """Does a text say most of what another one says?"""
    words = meaning(other) - {NEGATED}
    return bool(words) and len(words & meaning(text)) >= COVERED * len(words)


def opposed(words: frozenset[str], other: frozenset[str]) -> bool:
    """Does one of two sets of words rule out what the other asks for?"""
    differ = (NEGATED in words) != (NEGATED in other)
    return differ and alike(words, other, OPPOSED, _LEAST_OPPOSED)


def same(words: frozenset[str], other: frozenset[str]) -> bool:
    """Does a set of words say what another one said? Numbers and negations must agree.

    What is much shorter says the same if the other holds it; what is much longer says more.
    """
    if (NEGATED in words) != (NEGATED in other):
        return False
    small = min(len(words), len(other))
    if len(words & other) < SAME * small:
        return False
    if small < _FEW or small * 2 < len(words):
        return words == other
    differ = words - other if small * 2 < len(other) else words ^ other
    return not any(any(c.isdigit() for c in word) for word in differ)


def repeats(text: str, question: str) -> bool:
    """Is a text hardly more than what was just said, down to its small words?"""
    words = set(read(text)[0])
    agree = (NEGATED in meaning(text)) == (NEGATED in meaning(question))
    return agree and len(words.intersection(read(question)[0])) >= SAME * len(words)
