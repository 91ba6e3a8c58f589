"""Kin: groups that say one thing in words too different for a comparison of two sentences.

Two sentences alone give little to go by; two groups among all remarks give more: words that hardly
occur anywhere else tie them together. Another number, another name or another choice in the place
of one keep them apart as ever.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from reverie.dream.model import Observation
from reverie.dream.steps.frames import is_norm
from reverie.language.compare import relation, substituted
from reverie.language.meaning import exact, is_choice, is_common, is_complaint, meant
from reverie.language.neighbours import Alike
from reverie.language.wording import is_ordinary

CONTAINED = 0.6  # of the lighter group's weight
ANCHORED = 0.4  # … when a telling word of its own ties two groups together
COMMON_WEIGHT = 0.25
ALIKE = 0.4  # of the heavier one's
ANCHORED_ALIKE = 0.2
ELSEWHERE = 6  # a single word that ties two groups together may stand in so many other remarks
EXAMPLES = 3
NEAREST = 12
TOPIC = 12  # … and a common one in so many remarks of all, …
PASSING = 0.25  # … at most this share of which read like passing requests
TOLD = 2
LASTING = 0.35


@lru_cache(maxsize=8192)
def signed(text: str) -> Mapping[str, int]:
    """The stems of a text, asked for (1) or ruled out (-1); a quality is `^short`."""
    meaning = meant(text)
    found = dict.fromkeys(meaning.replaced, -1)
    for stem in sorted(meaning.solid | meaning.names | meaning.numbers):
        found[stem] = meaning.signs.get(stem, 1)
    found |= {f"={value}": 1 for value in exact(text)}
    return found | {f"^{pole}": sign for pole, sign in meaning.poles.items()}


def joined(
    groups: Sequence[Sequence[Observation]], observations: Sequence[Observation]
) -> list[list[Observation]]:
    """The groups, kin put together."""
    counts: Counter[str] = Counter()
    passing: Counter[str] = Counter()
    for observation in observations:
        found = signed(observation.text).keys()
        counts.update(found)
        if not reads_like_a_rule(observation):
            passing.update(found)
    whole = _Whole(counts, passing, len(observations))
    made = [_Kin(group) for group in groups]
    # Words of its own first; then what was put together may be held together by common words too.
    for common in (False, True):
        whole.common = common
        made = _gathered(made, whole)
    return [one.members for one in made]


def _gathered(parts: Sequence["_Kin"], whole: "_Whole") -> list["_Kin"]:
    index = Alike[int]()
    made: list[_Kin] = []
    # The larger first: a lone remark joins a group, not the other way round.
    order = sorted(range(len(parts)), key=lambda i: (-len(parts[i].members), i))
    for place in order:
        one = parts[place]
        near = [made[number] for number in index.near(one.core, NEAREST)]
        home = next((other for other in near if whole.kin(other, one)), None)
        if home is None:
            index.add(len(made), one.core)
            made.append(one)
        else:
            index.add(made.index(home), one.core)
            home.take(one)
    return made


class _Kin:
    """A group as it grows."""

    def __init__(self, members: Sequence[Observation]) -> None:
        self.members = list(members)
        self.counts = Counter(stem for member in members for stem in signed(member.text))
        self.texts = list(dict.fromkeys(member.text for member in members))[:EXAMPLES]

    @property
    def core(self) -> frozenset[str]:
        """Words in at least a third of the wordings."""
        least = len(self.members) / 3
        return frozenset(stem for stem, count in self.counts.items() if count >= least)

    @property
    def standing(self) -> bool:
        return any(member.standing for member in self.members)

    def take(self, other: "_Kin") -> None:
        self.members += other.members
        self.counts.update(other.counts)
        self.texts += [text for text in other.texts if text not in self.texts][:1]


class _Whole:
    """All remarks: what makes a word telling."""

    def __init__(self, counts: Counter[str], passing: Counter[str], total: int) -> None:
        self._counts = counts
        self._passing = passing  # how often passing remarks use a word
        self._total = total
        self.common = False  # whether a common word may tie two groups together

    def kin(self, a: _Kin, b: _Kin) -> bool:
        """Whether two groups are about one thing and say the same of it."""
        one, other = a.core, b.core
        shared = one & other
        told = sum(not is_common(stem) for stem in shared)
        anchors = [stem for stem in shared if self._is_anchor(stem, a, b)]
        if not anchors and (not told or len(shared) < TOLD):
            return False
        if (a.standing or b.standing) and told < TOLD:
            return False  # a rule that stands by itself needs no company
        weight = {stem: self._weight(stem, a, b, anchors) for stem in one | other}
        common = sum(weight[stem] for stem in shared)
        least, most = sorted(sum(weight[stem] for stem in bag) for bag in (one, other))
        contained, alike = (ANCHORED, ANCHORED_ALIKE) if anchors else (CONTAINED, ALIKE)
        if not least or common / least < contained or common / most < alike:
            return False
        return all(_compatible(x, y, anchors) for x in a.texts for y in b.texts)

    def _is_anchor(self, stem: str, a: _Kin, b: _Kin) -> bool:
        """Whether a word that both use is hardly used elsewhere."""
        if not is_common(stem):
            return self._outside(stem, a, b) <= ELSEWHERE
        # What everybody uses in passing may yet be what a rule turns on.
        seldom = self._passing[stem] <= PASSING * self._counts[stem]
        return self.common and seldom and self._counts[stem] <= TOPIC

    def _outside(self, stem: str, a: _Kin, b: _Kin) -> int:
        return self._counts[stem] - a.counts[stem] - b.counts[stem]

    def _weight(self, stem: str, a: _Kin, b: _Kin, anchors: Sequence[str]) -> float:
        # What ties rules together is seldom used in passing; how many rules use it is no matter.
        outside = self._passing[stem] if stem in anchors else self._outside(stem, a, b)
        rest = self._total - len(a.members) - len(b.members)
        weight = math.log((rest + 2.0) / (outside + 1.0))
        return weight * COMMON_WEIGHT if is_common(stem) and stem not in anchors else weight


def reads_like_a_rule(one: Observation) -> bool:
    return one.lasting >= LASTING or is_norm(one.text) or is_complaint(one.text)


def _compatible(a: str, b: str, anchors: Sequence[str]) -> bool:
    """No number, no name and no choice of something else stands between two wordings."""
    one, other = meant(a), meant(b)
    if substituted(a, b):
        return False
    if one.numbers and other.numbers and one.numbers != other.numbers:
        return False
    if one.names and other.names and not one.names & other.names:
        return False
    signs = [(signed(a).get(stem, 0), signed(b).get(stem, 0), stem) for stem in anchors]
    both = [stem for left, right, stem in signs if left > 0 < right]
    if len(both) > 1 or any(not is_ordinary(stem) for stem in both):
        return True  # both ask for the same
    if relation(a, b) == "contradicts" or _takes_back(a, b) or _takes_back(b, a):
        return False
    chosen = [_chooses(a, one.solid - other.solid), _chooses(b, other.solid - one.solid)]
    banned = any(left < 0 > right for left, right, _ in signs)
    return not all(chosen) and (banned or not any(chosen))


def _takes_back(one: str, other: str) -> bool:
    """Whether one says that what the other asks for is no longer used."""
    asked = signed(other)
    gone = meant(one).replaced
    return any(asked.get(stem, 0) > 0 and not is_common(stem) for stem in gone)


def _chooses(text: str, own: frozenset[str]) -> bool:
    """Whether it chooses something that only it names."""
    asked = meant(text).signs
    return is_choice(text) and any(asked.get(stem, 1) > 0 and not is_common(stem) for stem in own)
