"""Neighbours: texts that may be about the same thing, found without comparing all pairs.

Inverted indexes of word stems with bounded lists: a stem that too many texts share says nothing
and is not followed. What is found is only *near*; whether it is the same is decided by `compare`.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

from reverie.language.meaning import Meaning, meaning_of
from reverie.language.wording import CHOICES

LISTED = 64  # texts remembered per stem; the latest stay
NEAREST = 10
Key = TypeVar("Key", bound=Hashable)


class Alike(Generic[Key]):
    """Keys of texts by their stems; one key may hold several texts."""

    def __init__(self, listed: int = LISTED) -> None:
        self._listed = listed
        self._lists: defaultdict[str, list[Key]] = defaultdict(list)
        self._seen: Counter[str] = Counter()
        self._age: dict[Key, int] = {}

    def add(self, key: Key, stems: Iterable[str]) -> None:
        """File a text under its stems."""
        self._age.setdefault(key, len(self._age))
        for stem in sorted(stems):
            self._seen[stem] += 1
            listed = self._lists[stem]
            if key in listed[-2:]:
                continue
            listed.append(key)
            if len(listed) > self._listed:
                del listed[0]

    def discard(self, key: Key, stems: Iterable[str]) -> None:
        """Forget a text that was filed under these stems."""
        for stem in stems:
            if key in self._lists[stem]:
                self._lists[stem].remove(key)
                self._seen[stem] -= 1

    def near(self, stems: Iterable[str], most: int = NEAREST) -> list[Key]:
        """What shares the rarest stems, nearest first, then by age."""
        weights: defaultdict[Key, float] = defaultdict(float)
        for stem in sorted(stems):
            weight = 1.0 / (1.0 + self._seen[stem]) ** 0.5
            for key in dict.fromkeys(self._lists.get(stem, ())):
                weights[key] += weight
        return sorted(weights, key=lambda key: (-weights[key], self._age[key]))[:most]


class Neighbours:
    """Lessons by the words they share."""

    def __init__(self, cap: int = 200) -> None:
        self._index: Alike[Hashable] = Alike(cap)
        self._texts: dict[Hashable, str] = {}

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, key: Hashable, text: str) -> None:
        """Remember a lesson under a key; a key that is known keeps its first text."""
        if key not in self._texts:
            self._texts[key] = text
            self._index.add(key, _handles(meaning_of(text)))

    def discard(self, key: Hashable) -> None:
        """Forget a lesson."""
        if (text := self._texts.pop(key, None)) is not None:
            self._index.discard(key, _handles(meaning_of(text)))

    def near(self, text: str, limit: int = 20) -> list[Hashable]:
        """Keys of lessons that share telling words with `text`, most shared first, then by age."""
        return self._index.near(_handles(meaning_of(text)), limit)


def _handles(meaning: Meaning) -> frozenset[str]:
    """What a lesson is found by: its telling words, its values, and the meaning of opposites."""
    pairs = {f"{noun} {place}" for noun in meaning.objects for place in meaning.places}
    choices = {f"choice {CHOICES[root]}" for root in meaning.signs if root in CHOICES}
    handles = meaning.solid | meaning.replaced | meaning.poles.keys() | pairs | choices
    return handles or frozenset(meaning.signs)
