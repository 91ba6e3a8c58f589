"""Kin: groups that say one thing in words too different for a comparison of two sentences.

Two sentences alone give little to go by; two groups among all remarks give more: words that hardly
occur anywhere else tie them together. What one asks for and the other rules out, another number,
another name in the place of one keep them apart as ever.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from reverie.data import patterns
from reverie.dream.model import Observation
from reverie.dream.steps.frames import is_norm
from reverie.language.compare import apart, relation, substituted
from reverie.language.meaning import (
    Meaning,
    exact,
    is_choice,
    is_common,
    is_complaint,
    meaning_of,
    meant,
    negated,
    plainly,
)
from reverie.language.neighbours import Alike
from reverie.language.wording import exclude_each_other, is_ordinary

_RE = patterns("statements.txt", "kin")

CONTAINED = 0.6  # of the lighter group's weight
ANCHORED = 0.3  # … when a telling word of its own ties two groups together
COMMON_WEIGHT = 0.25
ALIKE = 0.4  # of the heavier one's
ANCHORED_ALIKE = 0.2
ELSEWHERE = 6  # a single word that ties two groups together may stand in so many other remarks
EXAMPLES = 3
NEAREST = 12
TOPIC = 12  # … and a common one in so many remarks of all, …
OPPOSED = 0.5  # share of words in common from which an opposite sign is a contradiction
PASSING = 0.25  # … at most this share of which read like passing requests
CODE_LASTING = 0.5
TOLD = 2
LASTING = 0.35
QUALITY_LASTING = 0.4  # short and long, real and false are said of many things


@lru_cache(maxsize=8192)
def signed(text: str) -> Mapping[str, int]:
    """The stems of a text, asked for (1), ruled out (-1) or neither; a quality is `^short`."""
    meaning = meant(text)
    found = dict.fromkeys(meaning.replaced, -1)
    for stem in sorted(meaning.solid | meaning.names | meaning.numbers):
        found[stem] = meaning.signs.get(stem, 1)
    found |= {f"={value}": 1 for value in exact(text)}
    found |= {f"^{pole}": sign for pole, sign in meaning.poles.items()}
    _reread(plainly(text), found)
    return found


def _reread(text: str, found: dict[str, int]) -> None:
    clauses = [clause for clause in _RE.clause.split(text) if clause.strip()]
    read = [meaning_of(clause) for clause in clauses]
    bags = [meaning.solid & found.keys() for meaning in read]
    denied = [bool(_RE.denied.search(clause)) for clause in clauses]
    for place, clause in enumerate(clauses):
        elsewhere = {stem for other, bag in enumerate(bags) if other != place for stem in bag}
        if denied[place]:
            taken_up = any(_RE.taken_up.search(later) for later in clauses[place + 1 :])
            asked = {s for o, bag in enumerate(bags) if not denied[o] for s in bag}
            found |= dict.fromkeys(bags[place] if taken_up else bags[place] & asked, 0)
        elif _RE.blamed.search(clause):
            found |= dict.fromkeys(bags[place] - elsewhere, -1)
            turned = {f"^{pole}": -sign for pole, sign in read[place].poles.items()}
            found |= {stem: sign for stem, sign in turned.items() if stem in found}


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
    for common in (False, False, True):
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
        self.counts: Counter[str] = Counter()
        self.leaning: Counter[str] = Counter()
        self.texts: list[str] = []
        for member in members:
            found = signed(member.text)
            self.counts.update(found.keys())
            self.leaning.update(found)
            if member.text not in self.texts and len(self.texts) < EXAMPLES:
                self.texts.append(member.text)

    @property
    def core(self) -> frozenset[str]:
        """Words in at least a third of the wordings."""
        least = len(self.members) / 3
        return frozenset(stem for stem, count in self.counts.items() if count >= least)

    @property
    def lasting(self) -> float:
        return sum(member.lasting for member in self.members) / len(self.members)

    @property
    def norm(self) -> bool:
        """Whether it has the form of a rule, or of a complaint that one was not kept."""
        return any(is_norm(text) or is_complaint(text) for text in self.texts)

    @property
    def holds(self) -> bool:
        """Whether it reads like a rule; a passing request is tied to none by a single word."""
        return self.lasting >= LASTING or self.norm

    @property
    def standing(self) -> bool:
        return any(member.standing for member in self.members)

    def take(self, other: "_Kin") -> None:
        self.members += other.members
        self.counts.update(other.counts)
        self.leaning.update(other.leaning)
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
        shared = {stem for stem in one & other if _agree(stem, a, b)}
        told = [stem for stem in shared if not is_common(stem)]
        anchors = [stem for stem in shared if self._is_anchor(stem, a, b)]
        if not anchors and not told:
            return False
        clash = one & other - shared
        if any(not is_common(stem) and not (anchors and is_ordinary(stem)) for stem in clash):
            return False  # one asks for what the other rules out
        if (a.standing or b.standing) and len(told) < TOLD:
            return False  # a rule that stands by itself needs no company
        if not anchors and all(map(_is_code, told)) and min(a.lasting, b.lasting) < CODE_LASTING:
            return False  # two tasks about one function
        weight = {stem: self._weight(stem, a, b, anchors) for stem in one | other}
        common = sum(weight[stem] for stem in shared)
        least, most = sorted(sum(weight[stem] for stem in bag) for bag in (one, other))
        if not least:
            return False
        anchored = anchors and a.holds and b.holds
        if not anchored and len(shared) < TOLD:
            return False
        contained, alike = (ANCHORED, ANCHORED_ALIKE) if anchored else (CONTAINED, ALIKE)
        if common / least < contained or common / most < alike:
            return False
        return all(_compatible(x, y, anchors) for x in a.texts for y in b.texts)

    def _is_anchor(self, stem: str, a: _Kin, b: _Kin) -> bool:
        """Whether a word that both use is hardly used elsewhere."""
        if stem.isdigit():
            # A number of its own is a value: line length, port, limit.
            return len(stem) > 1 and a.holds and b.holds and self._outside(stem, a, b) <= ELSEWHERE
        if _is_code(stem) or (stem[0] == "^" and min(a.lasting, b.lasting) < QUALITY_LASTING):
            return False
        if not is_common(stem):
            return self._outside(stem, a, b) <= ELSEWHERE
        # What everybody uses in passing may yet be what a rule turns on.
        seldom = self._passing[stem] <= PASSING * self._counts[stem]
        return self.common and a.holds and b.holds and seldom and self._counts[stem] <= TOPIC

    def _outside(self, stem: str, a: _Kin, b: _Kin) -> int:
        return self._counts[stem] - a.counts[stem] - b.counts[stem]

    def _weight(self, stem: str, a: _Kin, b: _Kin, anchors: Sequence[str]) -> float:
        # What ties rules together is seldom used in passing; how many rules use it is no matter.
        outside = self._passing[stem] if stem in anchors else self._outside(stem, a, b)
        rest = self._total - len(a.members) - len(b.members)
        weight = math.log((rest + 2.0) / (outside + 1.0))
        return weight * COMMON_WEIGHT if is_common(stem) and stem not in anchors else weight


def _agree(stem: str, a: _Kin, b: _Kin) -> bool:
    """Whether both ask for it or both rule it out, as far as can be told.

    Words of little in common seldom contradict each other: there, a sign was misread.
    """
    if a.leaning[stem] * b.leaning[stem] >= 0:
        return True
    chosen = any(is_choice(text) or meant(text).replaced for text in (*a.texts, *b.texts))
    return not chosen and len(a.core & b.core) <= OPPOSED * len(a.core | b.core)


def reads_like_a_rule(one: Observation) -> bool:
    return one.lasting >= LASTING or is_norm(one.text) or is_complaint(one.text)


def _is_code(stem: str) -> bool:
    return any(mark in "=_" or mark.isdigit() for mark in stem)


def _compatible(a: str, b: str, anchors: Sequence[str]) -> bool:
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
    both = [stem for stem in anchors if signed(a).get(stem, 0) > 0 < signed(b).get(stem, 0)]
    chosen = len(both) > 1 or any(not is_ordinary(stem) for stem in both)
    gone = _asked(one.replaced, b) | _asked(other.replaced, a)
    if not chosen and not all(is_common(stem) for stem in gone):
        return False  # what one rules out the other asks for
    found = relation(a, b)
    asked = (is_choice(a) and _asks(one, left), is_choice(b) and _asks(other, right))
    banned = any(signed(a).get(stem, 0) < 0 > signed(b).get(stem, 0) for stem in anchors)
    rivals = all(asked) or (any(asked) and not banned)
    # Another verb is no other value, where nothing is chosen and nothing replaced.
    valued = is_choice(a) or is_choice(b) or bool(one.replaced | other.replaced)
    if not chosen and (rivals or (found == "updates" and valued and not banned)):
        return False
    # Two that rule something out, in clauses of either sign, seldom exclude each other.
    if chosen or banned or (negated(a) and negated(b)):
        return True
    return found != "contradicts" and not _opposed(one, other)


def _asked(gone: frozenset[str], text: str) -> frozenset[str]:
    """What one rules out and the other asks for."""
    signs = signed(text)
    return frozenset(stem for stem in gone if signs.get(stem, 0) > 0)


def _asks(meaning: Meaning, own: frozenset[str]) -> bool:
    """Whether it asks for something that only it names."""
    return any(meaning.signs.get(stem, 1) > 0 and not is_common(stem) for stem in own)


def _opposed(one: Meaning, other: Meaning) -> bool:
    shared = one.solid & other.solid
    against = sum(one.signs.get(stem) != other.signs.get(stem) for stem in shared)
    return bool(shared) and against * 2 > len(shared)
