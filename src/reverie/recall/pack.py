"""Filling a character budget: whole entries, most valuable first, no two that say the same."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reverie.recall.entry import Ranked
from reverie.recall.query import words_of

# Of the smaller text's words, how many the other must share to count as saying the same.
SAME = 0.8
# A short text shares most of its words with many; below this size only equality counts.
_FEW = 4


@dataclass(frozen=True, slots=True)
class Packed:
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
    patience: int = 200,
) -> list[Packed]:
    """Take entries in order while they fit; one that does not fit is left out, not cut.

    The texts joined by `separator` never exceed `budget` characters. `already` are texts shown
    elsewhere, so that nothing is said twice; after `patience` refusals in a row it stops.
    """
    taken: list[Packed] = []
    seen = [frozenset(words_of(text)) for text in already]
    left = budget
    refused = 0
    for candidate in ranked:
        if refused >= patience:
            break
        words = frozenset(words_of(candidate.entry.text))
        cost = 0
        if not any(same(words, other) for other in seen):
            text = show(candidate)
            cost = len(text) + (len(separator) if taken else 0)
            if cost <= left:
                taken.append(Packed(candidate, text))
                seen.append(words)
                left -= cost
                refused = 0
                continue
        refused += 1
    return taken


def same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Do two sets of words say the same? A differing number or negation makes them different."""
    if one == other:
        return True
    small, large = sorted((one, other), key=len)
    if len(small) < _FEW or len(small) * 2 < len(large):
        return False
    if any(any(c.isdigit() for c in word) for word in one ^ other):
        return False
    return len(small & large) >= SAME * len(small)
