"""Neighbours: which lessons are worth comparing, found without comparing all of them."""

import math
from collections import defaultdict
from collections.abc import Hashable

from reverie.language.meaning import Meaning, meaning_of
from reverie.language.values import CHOICES


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
