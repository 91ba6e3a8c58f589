"""Kin: groups that say one thing in words too different for a comparison of two sentences.

Two sentences alone give little to go by; two groups among all remarks give more: words that hardly
occur anywhere else tie them together. Numbers, names and negations keep them apart as ever.
"""

import math
from collections import Counter
from collections.abc import Sequence

from reverie.dream.alike import (
    Alike,
    apart,
    exact,
    is_choice,
    meant,
    negated,
    related,
    root,
    stems,
    substituted,
)
from reverie.dream.common import is_common
from reverie.dream.values import Observation
from reverie.learn.sameness import Meaning
from reverie.learn.values import exclude_each_other

CONTAINED = 0.6  # of the lighter group's weight
COMMON_WEIGHT = 0.25
ALIKE = 0.4  # of the heavier one's
ELSEWHERE = 6  # a single word that ties two groups together may stand in so many other remarks
EXAMPLES = 3
NEAREST = 6


def joined(
    groups: Sequence[Sequence[Observation]], observations: Sequence[Observation]
) -> list[list[Observation]]:
    """The groups, kin put together."""
    counts: Counter[str] = Counter()
    for observation in observations:
        counts.update(stems(observation.text))
    whole = _Whole(counts, len(observations))
    index = Alike()
    made: list[_Kin] = []
    # The larger first: a lone remark joins a group, not the other way round.
    order = sorted(range(len(groups)), key=lambda i: (-len(groups[i]), i))
    for place in order:
        one = _Kin(groups[place])
        home = next(
            (
                made[near.number]
                for near in index.near(one.core, NEAREST)
                if whole.kin(made[near.number], one)
            ),
            None,
        )
        if home is None:
            index.add(len(made), one.core)
            made.append(one)
        else:
            home.take(one)
    return [one.members for one in made]


class _Kin:
    """A group as it grows."""

    def __init__(self, members: Sequence[Observation]) -> None:
        self.members = list(members)
        self.counts: Counter[str] = Counter()
        self.texts: list[str] = []
        for member in members:
            self.counts.update(stems(member.text))
            if member.text not in self.texts and len(self.texts) < EXAMPLES:
                self.texts.append(member.text)

    @property
    def core(self) -> frozenset[str]:
        """Words in at least a third of the wordings."""
        least = len(self.members) / 3
        return frozenset(stem for stem, count in self.counts.items() if count >= least)

    def take(self, other: "_Kin") -> None:
        self.members += other.members
        self.counts.update(other.counts)
        self.texts += [text for text in other.texts if text not in self.texts][:1]


class _Whole:
    """All remarks: what makes a word telling."""

    def __init__(self, counts: Counter[str], total: int) -> None:
        self._counts = counts
        self._total = total

    def kin(self, a: _Kin, b: _Kin) -> bool:
        """Whether two groups are about one thing and say the same of it."""
        one, other = a.core, b.core
        shared = one & other
        telling = [stem for stem in shared if not is_common(stem)]
        if not telling or (len(telling) == 1 and self._outside(telling[0], a, b) > ELSEWHERE):
            return False
        weight = {stem: self._weight(stem, a, b) for stem in one | other}
        common = sum(weight[stem] for stem in shared)
        least, most = sorted(sum(weight[stem] for stem in bag) for bag in (one, other))
        if not least or common / least < CONTAINED or common / most < ALIKE:
            return False
        return all(_compatible(x, y) for x in a.texts for y in b.texts)

    def _outside(self, stem: str, a: _Kin, b: _Kin) -> int:
        return self._counts[stem] - a.counts[stem] - b.counts[stem]

    def _weight(self, stem: str, a: _Kin, b: _Kin) -> float:
        outside = self._outside(stem, a, b)
        rest = self._total - len(a.members) - len(b.members)
        weight = math.log((rest + 2.0) / (outside + 1.0))
        return weight * COMMON_WEIGHT if is_common(stem) else weight


def _compatible(a: str, b: str) -> bool:
    """No number, name or negation stands between two wordings."""
    one, other = meant(a), meant(b)
    if apart(exact(a), exact(b)) or substituted(a, b):
        return False
    if one.numbers and other.numbers and one.numbers != other.numbers:
        return False
    if one.names and other.names and not one.names & other.names:
        return False
    left, right = one.solid - other.solid, other.solid - one.solid
    if any(exclude_each_other(x, y) for x in left for y in right):
        return False
    gone = (one.replaced & other.solid) | (other.replaced & one.solid)
    if not all(is_common(root(stem)) for stem in gone):
        return False  # what one rules out the other asks for
    found = related(a, b)
    if found == "updates" or (
        is_choice(a) and is_choice(b) and _asks(one, left) and _asks(other, right)
    ):
        return False
    # Two that rule something out, in clauses of either sign, seldom exclude each other.
    if negated(a) and negated(b):
        return True
    return found in {"same", "different"} and not _opposed(one, other)


def _asks(meaning: Meaning, own: frozenset[str]) -> bool:
    """Whether it asks for something that only it names."""
    return any(meaning.signs.get(stem, 1) > 0 and not is_common(root(stem)) for stem in own)


def _opposed(one: Meaning, other: Meaning) -> bool:
    shared = one.solid & other.solid
    against = sum(one.signs.get(stem) != other.signs.get(stem) for stem in shared)
    return bool(shared) and against * 2 > len(shared)
