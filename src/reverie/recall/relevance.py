"""How well an entry answers a question, on one scale from 0 to 1 for every source.

BM25 scores of two tables cannot be compared. The share of the question's weight that an entry
covers can: rare words weigh much, words that stand everywhere little, and a word that stands
nowhere weighs most, so that a question about something unknown finds nothing good enough.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reverie.recall.entry import Entry
from reverie.recall.query import Query

_WORD = re.compile(r"[^\W_]+")
_ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ies", "ed", "es", "ly", "s", "e", "y")


@dataclass(frozen=True, slots=True)
class Match:
    """What search and comparison say of one entry."""

    bm25: float  # share of the best score of its source
    coverage: float  # share of the question's weight
    relevance: float


def stem(word: str) -> str:
    """A word without its ending; cruder than Porter, and only ever compared with itself."""
    if len(word) > 4:
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                return word[: -len(ending)]
    return word


def weights(query: Query, units: int, seen: Callable[[str], int]) -> dict[str, float]:
    """Term → weight; `seen` says in how many of `units` a term stands."""
    return {
        term: math.log(1.0 + (units - count + 0.5) / (count + 0.5))
        for term in query.terms
        for count in (min(seen(term), units),)
    }


def coverage(text: str, weight: Mapping[str, float]) -> float:
    """The share of the weight whose terms stand in `text`."""
    total = sum(weight.values())
    if not total:
        return 0.0
    words = {stem(word) for word in _WORD.findall(text.lower())}
    return sum(value for term, value in weight.items() if stem(term) in words) / total


def matches(found: Sequence[tuple[Entry, float]], weight: Mapping[str, float]) -> dict[str, Match]:
    """Id → match, for the entries of one source with their search scores."""
    covered = {entry.id: coverage(_words(entry), weight) for entry, _ in found}
    top = max((score for _, score in found), default=0.0)
    best = max(covered.values(), default=0.0)
    result: dict[str, Match] = {}
    for entry, score in found:
        share = score / top if top > 0 else 0.0
        value = 0.5 * covered[entry.id] + 0.5 * share * best
        result[entry.id] = Match(share, covered[entry.id], value)
    return result


def _words(entry: Entry) -> str:
    return f"{entry.id} {entry.title} {entry.text} {entry.premise}"
