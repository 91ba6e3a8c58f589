"""Neighbours: texts that may be about the same thing, found without comparing all pairs.

Inverted indexes of word stems with bounded lists: a stem that too many texts share says nothing
and is not followed. What is found is only *near*; whether it is the same is decided by `compare`.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from typing import NamedTuple

from reverie.language.meaning import Meaning, meaning_of
from reverie.language.wording import CHOICES

LISTED = 64  # texts remembered per stem; the latest stay
NEAREST = 10


class Near(NamedTuple):
    """One text that shares uncommon words: its number, and how much it shares."""

    number: int
    weight: float


class Alike:
    """Texts by their stems; numbers are given by the caller and may hold several texts."""

    def __init__(self, listed: int = LISTED) -> None:
        self._listed = listed
        self._lists: dict[str, list[int]] = defaultdict(list)
        self._seen: Counter[str] = Counter()

    def add(self, number: int, found: Iterable[str]) -> None:
        """File a text under its stems."""
        for stem in sorted(found):
            self._seen[stem] += 1
            listed = self._lists[stem]
            if number in listed[-2:]:
                continue
            listed.append(number)
            if len(listed) > self._listed:
                del listed[0]

    def near(self, found: Iterable[str], most: int = NEAREST) -> list[Near]:
        """What shares the rarest stems, nearest first."""
        weights: defaultdict[int, float] = defaultdict(float)
        for stem in sorted(found):
            listed = self._lists.get(stem)
            if listed:
                weight = 1.0 / (1.0 + self._seen[stem]) ** 0.5
                for number in dict.fromkeys(listed):
                    weights[number] += weight
        ordered = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))
        return [Near(number, weight) for number, weight in ordered[:most]]


class Neighbours:
    """Lessons by the words they share.

    Near-linear: a word keeps at most `cap` lessons, and the rarer a shared word the more it counts.
    """

    def __init__(self, cap: int = 200) -> None:
        self._cap = cap
        self._postings: defaultdict[str, list[Hashable]] = defaultdict(list)
        self._texts: dict[Hashable, tuple[int, str]] = {}
        self._added = 0

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, key: Hashable, text: str) -> None:
        """Remember a lesson under a key; a key that is known keeps its first text."""
        if key in self._texts:
            return
        self._added += 1
        self._texts[key] = (self._added, text)
        for root in _handles(meaning_of(text)):
            posting = self._postings[root]
            if len(posting) < self._cap:
                posting.append(key)

    def discard(self, key: Hashable) -> None:
        """Forget a lesson."""
        _, text = self._texts.pop(key, (0, ""))
        for root in _handles(meaning_of(text)):
            if key in self._postings[root]:
                self._postings[root].remove(key)

    def near(self, text: str, limit: int = 20) -> list[Hashable]:
        """Keys of lessons that share telling words with `text`, most shared first, then by age."""
        shared: defaultdict[Hashable, float] = defaultdict(float)
        for root in sorted(_handles(meaning_of(text))):
            posting = self._postings.get(root, ())
            for key in posting:
                shared[key] += 1 / math.log2(2 + len(posting))
        ranked = sorted(shared, key=lambda key: (-shared[key], self._texts[key][0]))
        return ranked[:limit]


def _handles(meaning: Meaning) -> frozenset[str]:
    """What a lesson is found by: its telling words, its values, and the meaning of opposites."""
    pairs = {f"{noun} {place}" for noun in meaning.objects for place in meaning.places}
    choices = {f"choice {CHOICES[root]}" for root in meaning.signs if root in CHOICES}
    found = meaning.solid | meaning.replaced | meaning.poles.keys() | pairs | choices
    return found or frozenset(meaning.signs)
