"""Sameness: how two short lessons relate.

Precision first: a number, a name or a negation that differs keeps two lessons apart. The relation
is symmetric; which of two lessons is the later one is for the caller to know.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from reverie.data import sections
from reverie.language.polarity import clauses, is_state_word, state
from reverie.language.subjects import is_place_word, objects, places
from reverie.language.values import (
    ADDITIVE,
    CHOICES,
    STYLES,
    exclude_each_other,
    is_affix,
    is_ordinary,
)
from reverie.language.wording import EMPTY, LIGHT, Token, tokens

__all__ = ["Meaning", "Neighbours", "Relation", "compare", "meaning_of", "relation"]

Relation = Literal["same", "updates", "contradicts", "different"]

ALIKE = 0.6  # share of the weight of all words that two lessons have in common
WITHIN = 0.85  # or of the words of the shorter one,
BARELY = 0.58  # if they have at least this much in common
SUBJECT = 0.5  # for the rest, when the values were found to differ
_ARTICLES = frozenset({"the", "our", "my", "this"})
_UNITS = frozenset(sections("language.txt")["units"].split())
_OPPOSED_PLACES = ({"first", "last"}, {"earlier", "later"}, {"upward", "downward"})


# Meaning: a lesson without its wording, in parts that can be compared.
KNOWN = 0.3  # share of its words we must know to take an unknown one for a name
LIGHT_WEIGHT = 0.3
NAME_WEIGHT = 1.5


@dataclass(frozen=True, slots=True)
class Meaning:
    """A lesson without its wording."""

    key: str  # its words in order, without case, marks and politeness
    weights: Mapping[str, float]  # root → how much it tells
    signs: Mapping[str, int]  # root → asked for (+1) or ruled out (-1)
    order: tuple[str, ...]
    names: frozenset[str]
    numbers: frozenset[str]
    replaced: frozenset[str]  # "not npm", "instead of m_"
    poles: Mapping[str, int]
    objects: frozenset[str]
    places: frozenset[str]
    labels: Mapping[str, str]  # noun → the number that says which one: crane 3
    state: int
    additive: bool
    english: bool  # else an unknown word may be any word, not a name

    @property
    def solid(self) -> frozenset[str]:
        """The words that tell this lesson from others."""
        return frozenset(root for root, weight in self.weights.items() if weight >= 1)


@lru_cache(maxsize=4096)
def meaning_of(text: str) -> Meaning:
    """What a lesson says, apart from how it says it."""
    found = tokens(text)
    parts = clauses(found)
    asked = any(part.sign > 0 and part.tokens for part in parts)
    signs: dict[str, int] = {}
    order: list[str] = []
    replaced: set[str] = set()
    poles: dict[str, int] = {}
    for part in parts:
        solid = [token for token in part.tokens if token.root not in LIGHT]
        poles.update(part.opposites)
        if asked and part.sign < 0 and (part.contrast or len(solid) <= 1):
            replaced.update(token.root for token in part.tokens)
            continue
        for token in part.tokens:
            signs.setdefault(token.root, part.sign)
            order.append(token.root)
    names = frozenset(token.root for token in found if token.sort == "name") & signs.keys()
    numbers = frozenset(token.root for token in found if token.sort == "number") & signs.keys()
    return Meaning(
        key=_key(found),
        weights={root: _weight(root, names) for root in signs},
        signs=signs,
        order=tuple(order),
        names=names,
        numbers=numbers,
        replaced=frozenset(replaced - signs.keys()),
        poles=poles,
        objects=objects(found),
        places=places(found),
        labels=_labels(found),
        state=state(found),
        additive=any(token.root in ADDITIVE for token in found),
        english=_is_english(found),
    )


def _labels(found: Sequence[Token]) -> dict[str, str]:
    """The numbers that tell one thing from others of its kind, not how much of it there is.

    They stand behind the first noun ("Crane 3 lifts…") or behind one after "of" ("of row 2").
    """
    said = [token for token in found if token.sort != "mark"]
    labels: dict[str, str] = {}
    for place, token in enumerate(said):
        if token.sort != "number" or "." in token.text or place == 0:
            continue
        noun, after = said[place - 1], said[place + 1 : place + 2]
        first = place == 1 or (place == 2 and said[0].text.lower() in _ARTICLES)
        counted = any(one.text.lower() in _UNITS for one in after)
        if noun.sort == "word" and not counted and (first or said[place - 2].text.lower() == "of"):
            labels[noun.root] = token.root
    return labels


def _key(found: Sequence[Token]) -> str:
    """The words in order, without marks and what is said out of politeness."""
    said = [token for token in found if token.sort != "mark"]
    telling = [t.root for t in said if t.text.lower() not in EMPTY and t.root not in EMPTY]
    return " ".join(telling or [token.root for token in said])


def _is_english(found: Sequence[Token]) -> bool:
    words = [token for token in found if token.sort == "word"]
    known = sum(
        token.text.lower() in EMPTY
        or token.root in EMPTY
        or token.root in LIGHT
        or is_ordinary(token.root)
        for token in words
    )
    return known >= KNOWN * len(words)


def _weight(root: str, names: frozenset[str]) -> float:
    if root in names:
        return NAME_WEIGHT
    return LIGHT_WEIGHT if root in LIGHT or is_place_word(root) else 1.0


# Neighbours: which lessons are worth comparing, found without comparing all of them.
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


def relation(a: str, b: str) -> Relation:
    """How two lessons relate, whichever was said first."""
    return compare(meaning_of(a), meaning_of(b))


def compare(a: Meaning, b: Meaning) -> Relation:
    """How two meanings relate, whichever comes first."""
    if a.key == b.key and a.state == b.state:
        return "same"
    # Words are matched greedily from one side: always from the same one.
    if (b.key, b.state) < (a.key, a.state):
        a, b = b, a
    if _of_other_things(a, b):
        return "different"
    if a.state * b.state < 0:
        return "updates" if _of_one_thing(a, b) else "different"
    if any(a.places & pair and b.places & pair and not a.places & b.places & pair
           for pair in _OPPOSED_PLACES):  # fmt: skip
        return "different"
    naming = _naming(a, b)
    if naming is not None:
        return naming
    if _replace_alike(a, b):
        return "same"
    if _replaces(a, b) or _replaces(b, a):
        return "updates"
    valued = _values(a, b)
    if valued is not None:
        return valued
    if _apart(a, b) or _substituted(a, b):
        return "different"
    if not _alike(a.weights, b.weights, bool(a.poles.keys() & b.poles.keys())):
        return "different"
    return "contradicts" if _opposed(a, b) else "same"


def _of_other_things(a: Meaning, b: Meaning) -> bool:
    """Whether they speak of things of another kind, or of other ones of the same kind."""
    if a.objects and b.objects and a.objects != b.objects:
        return True
    return any(b.labels.get(noun, number) != number for noun, number in a.labels.items())


def _apart(a: Meaning, b: Meaning) -> bool:
    """Whether a number or a name is in one lesson only."""
    return (
        a.numbers != b.numbers
        or any(name not in b.signs for name in a.names)
        or any(name not in a.signs for name in b.names)
    )


def _of_one_thing(a: Meaning, b: Meaning) -> bool:
    """Whether two lessons about something broken or mended speak of the same thing."""
    one, other = _stateless(a), _stateless(b)
    # Each with a telling word of its own: the import job and the export job.
    differs = any(one[root] >= 1 for root in one.keys() - other) and any(
        other[root] >= 1 for root in other.keys() - one
    )
    return not differs and not _apart(a, b) and _alike(one, other)


def _stateless(meaning: Meaning) -> dict[str, float]:
    return {root: weight for root, weight in meaning.weights.items() if not is_state_word(root)}


def _alike(a: Mapping[str, float], b: Mapping[str, float], shared_pole: bool = False) -> bool:
    """Whether two bags of weighted words say the same."""
    common = sum(min(weight, b[root]) for root, weight in a.items() if root in b)
    union = sum(a.values()) + sum(b.values()) - common
    if shared_pole:  # a word with an opposite, told apart from the others, counts as one more
        common, union = common + 1, union + 1
    if not union or not common:
        return False
    if common / union >= ALIKE:
        return True
    least = min(sum(a.values()), sum(b.values())) + shared_pole
    telling = sum(1 for root in a if root in b and a[root] >= 1) + shared_pole
    return telling >= 2 and common / least >= WITHIN and common / union >= BARELY


def _naming(a: Meaning, b: Meaning) -> Relation | None:
    """Two conventions for the names of the same kind of thing: same piece or style, or another."""
    if not a.objects or a.objects != b.objects:
        return None
    for pick in (_affixes, _styles):
        one, other = pick(a), pick(b)
        if one and other and (pick is _styles or a.places == b.places):
            return "same" if one & other else "updates"
    return None


def _affixes(meaning: Meaning) -> frozenset[str]:
    return frozenset(name for name in meaning.names if is_affix(name))


def _styles(meaning: Meaning) -> frozenset[str]:
    return frozenset(root for root in meaning.signs if root in STYLES)


def _replaces(newer: Meaning, older: Meaning) -> bool:
    """Whether one lesson names the other's value as the one that is no longer to be used."""
    gone = {root for root in newer.replaced if older.signs.get(root, 0) > 0}
    if not gone:
        return False
    chosen = newer.solid - older.solid
    rest_new = {r: w for r, w in newer.weights.items() if r not in chosen and w >= 1}
    rest_old = {r: w for r, w in older.weights.items() if r not in gone and w >= 1}
    return not rest_new or not rest_old or _near(rest_new, rest_old)


def _replace_alike(a: Meaning, b: Meaning) -> bool:
    """Whether both put the same thing in the place of the same other."""
    if not a.replaced & b.replaced:
        return False
    chosen = (
        {root for root in one.solid - other.solid if _is_value(one, root)}
        for one, other in ((a, b), (b, a))
    )
    return not all(chosen) and any(_is_value(a, root) for root in a.solid & b.solid)


def _values(a: Meaning, b: Meaning) -> Relation | None:
    """Same subject with another value, or two things that differ in a name; None: neither."""
    one, other = a.solid - b.solid, b.solid - a.solid
    rivals = any(exclude_each_other(x, y) for x in one for y in other)
    one = {root for root in one if (rivals and root in CHOICES) or _is_value(a, root)}
    other = {root for root in other if (rivals and root in CHOICES) or _is_value(b, root)}
    if any(is_state_word(root) for root in one | other):
        return None  # "fix the test" puts no other value in the place of "the test is broken"
    if not one or not other:
        return None
    if _renumbered(a, b):
        return "different"
    beside = a.additive or b.additive or (_runs(a, one) and _runs(b, other))
    if beside and not rivals:
        return "different"
    if len(one) != 1 or len(other) != 1 or _opposed(a, b):
        return "different"
    rest_a = {r: w for r, w in a.weights.items() if r not in one}
    rest_b = {r: w for r, w in b.weights.items() if r not in other}
    if not _solid(rest_a) and not _solid(rest_b):
        return "updates" if rivals else "different"
    if not rivals and _only_the_verb(a, b) and not (one | other) & (a.numbers | b.numbers):
        return "different"
    return "updates" if _near(rest_a, rest_b) else "different"


def _only_the_verb(a: Meaning, b: Meaning) -> bool:
    """ "Ask ops", "ask about the drawer": all they share is what is to be done."""
    return a.order[0] == b.order[0] and a.solid & b.solid == frozenset([a.order[0]])


def _renumbered(a: Meaning, b: Meaning) -> bool:
    """Whether several numbers differ in their places: crane 3 lifts 6 tons, crane 6 lifts 9."""
    one, other = ([r for r in side.order if r in side.numbers] for side in (a, b))
    return sum(x != y for x, y in zip(one, other, strict=False)) > 1


def _runs(meaning: Meaning, values: set[str]) -> bool:
    """Whether the value is a program to be run: others may be run beside it."""
    if "run" not in meaning.order:
        return False
    place = meaning.order.index("run")
    # With a subject before it, it tells where or on what something runs.
    asked = all(root in LIGHT for root in meaning.order[:place])
    return asked and any(root in values for root in meaning.order[place + 1 : place + 2])


def _is_value(meaning: Meaning, root: str) -> bool:
    if root in meaning.names or root in meaning.numbers:
        return True
    return meaning.english and not is_ordinary(root) and root not in LIGHT


def _solid(bag: Mapping[str, float]) -> bool:
    return any(weight >= 1 for weight in bag.values())


def _near(a: Mapping[str, float], b: Mapping[str, float]) -> bool:
    common = sum(min(weight, b[root]) for root, weight in a.items() if root in b)
    union = sum(a.values()) + sum(b.values()) - common
    return (
        bool(union)
        and common / union >= SUBJECT
        and any(root in b and weight >= 1 for root, weight in a.items())
    )


def _substituted(a: Meaning, b: Meaning) -> bool:
    """One telling word in the place of another: `unit tests`, `integration tests`."""
    if a.poles or b.poles:
        return False
    one, other = a.order, b.order
    return any(
        tag == "replace"
        and one_end - one_start == other_end - other_start
        and not (one_start == other_start == 0 and _opens_lightly(a, b))
        and (_new(one[one_start:one_end], a, b) or _new(other[other_start:other_end], b, a))
        for tag, one_start, one_end, other_start, other_end in SequenceMatcher(
            None, one, other, autojunk=False
        ).get_opcodes()
    )


def _opens_lightly(a: Meaning, b: Meaning) -> bool:
    """One of the two begins with a verb that says little: `put …`, `ship …`."""
    return a.weights[a.order[0]] < 1 or b.weights[b.order[0]] < 1


def _new(part: Sequence[str], own: Meaning, rest: Meaning) -> bool:
    """Whether a telling word of `part` is nowhere in the other lesson."""
    return any(own.weights[root] >= 1 and root not in rest.signs for root in part)


def _opposed(a: Meaning, b: Meaning) -> bool:
    """Whether one asks for what the other rules out."""
    if any(b.poles.get(head, sign) != sign for head, sign in a.poles.items()):
        return True
    against = {root for root in a.solid & b.solid if a.signs[root] != b.signs[root]}
    if not against:
        return False
    # In a lesson that both asks and rules out, one side must be answered whole.
    return any(
        {root for root in one.solid if one.signs[root] == sign} <= against
        for one in (a, b)
        for sign in (1, -1)
        if any(one.signs[root] == sign for root in one.solid)
    )
