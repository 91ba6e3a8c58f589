"""Meaning: a lesson without its wording, in parts that can be compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reverie.language.polarity import clauses, state
from reverie.language.subjects import is_place_word, objects, places
from reverie.language.values import ADDITIVE, is_ordinary
from reverie.language.wording import EMPTY, LIGHT, Token, tokens

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
        state=state(found),
        additive=any(token.root in ADDITIVE for token in found),
        english=_is_english(found),
    )


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
