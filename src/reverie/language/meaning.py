"""Meaning: a lesson or remark without its wording, in parts that can be compared."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from reverie.data import patterns
from reverie.language.lexicon import lexicon
from reverie.language.polarity import clauses, state
from reverie.language.wording import (
    ADDITIVE,
    EMPTY,
    LIGHT,
    NEGATIONS,
    Token,
    is_ordinary,
    is_place_word,
    objects,
    places,
    tokens,
)

_RE = patterns("language.txt", "meaning")
_EN = lexicon()
_ARTICLES = _EN.words("clauses.articles")
_UNITS = _EN.words("words.units")

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
    later: frozenset[str]  # of two things in order the second
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
    solid: frozenset[str]  # the words that tell this lesson from others


@lru_cache(maxsize=4096)
def meaning_of(text: str) -> Meaning:
    """What a lesson says, apart from how it says it."""
    wording = tokens(text)
    parts = clauses(wording)
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
    names = frozenset(token.root for token in wording if token.sort == "name") & signs.keys()
    numbers = frozenset(token.root for token in wording if token.sort == "number") & signs.keys()
    weights = {root: _weight(root, names) for root in signs}
    return Meaning(
        key=_key(wording),
        weights=weights,
        signs=signs,
        order=tuple(order),
        later=frozenset(token.root for part in parts for token in part.later),
        names=names,
        numbers=numbers,
        replaced=frozenset(replaced - signs.keys()),
        poles=poles,
        objects=objects(wording),
        places=places(wording),
        labels=_labels(wording),
        state=state(wording),
        additive=any(token.root in ADDITIVE for token in wording),
        english=_is_english(wording),
        solid=frozenset(root for root, weight in weights.items() if weight >= 1),
    )


def _labels(wording: Sequence[Token]) -> dict[str, str]:
    """The numbers that tell one thing from others of its kind, not how much of it there is.

    They stand behind the first noun ("Crane 3 lifts…") or behind one after "of" ("of row 2").
    """
    said = [token for token in wording if token.sort != "mark"]
    labels: dict[str, str] = {}
    for place, token in enumerate(said):
        if token.sort != "number" or "." in token.text or place == 0:
            continue
        noun, after = said[place - 1], said[place + 1 : place + 2]
        first = place == 1 or (place == 2 and said[0].text.lower() in _ARTICLES)
        counted = any(next_token.text.lower() in _UNITS for next_token in after)
        if noun.sort == "word" and not counted and (first or said[place - 2].text.lower() == "of"):
            labels[noun.root] = token.root
    return labels


def _key(wording: Sequence[Token]) -> str:
    """The words in order, without marks and what is said out of politeness; a denial is none."""
    said = [token for token in wording if token.sort != "mark"]
    telling = [
        token.root
        for token in said
        if token.text.lower() in NEGATIONS or not {token.text.lower(), token.root} & EMPTY
    ]
    return " ".join(telling or [token.root for token in said])


def _is_english(wording: Sequence[Token]) -> bool:
    words = [token for token in wording if token.sort == "word"]
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


# Plainly: a remark in its plainest form, so that a comparison of words sees what it says.
def _plainer() -> Iterator[tuple[re.Pattern[str], str]]:
    for line in _EN.lines("patterns.plainest"):
        shape, _, plain = line.partition(" => ")
        for name in ("did", "again", "take"):
            shape = shape.replace(f"{{{name}}}", _EN.pattern(name).pattern.removeprefix("(?i)"))
        yield re.compile(shape, re.I), plain[1:-1]


_PLAINER = tuple(_plainer())
_NUMBERS = _EN.pairs("words.numbers")
_NUMBER = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b", re.IGNORECASE)


@lru_cache(maxsize=8192)
def plainly(text: str) -> str:
    """The text without what is said around it, usual turns of phrase in their plainest form."""
    plain = text
    for form, word in _PLAINER:
        plain = form.sub(word, plain)
    return _NUMBER.sub(lambda match: _NUMBERS[match[0].lower()], plain) or text


def is_complaint(text: str) -> bool:
    """Whether it only says what was done wrong, not what is wanted."""
    return bool(_EN.pattern("did").match(text) or _EN.pattern("again").match(text))


def meant(text: str) -> Meaning:
    """What a text says, apart from how it says it."""
    return meaning_of(plainly(text))


# Common words: what everybody who programs uses in passing, whatever the project.
PREFIX = 3  # letters in which a word and its stem agree; else the stem is that of a synonym


@cache
def _stems() -> frozenset[str]:
    forms: set[str] = set()
    for word in _EN.words("lessons.common"):
        solid = meaning_of(word).solid
        forms |= {word, *(stem for stem in solid if stem[:PREFIX] == word[:PREFIX])}
    return frozenset(forms)


def is_common(stem: str) -> bool:
    """Whether a word says little about what a remark is about."""
    return stem in _stems()


def stems(text: str) -> frozenset[str]:
    """The words of a text that carry its subject, in the one form `sameness` gives them."""
    meaning = meant(text)
    values = frozenset(f"={value}" for value in exact(text)) | {
        f"^{pole}" for pole in meaning.poles
    }
    roots = meaning.solid | meaning.names | meaning.numbers | meaning.replaced
    return roots | values


@lru_cache(maxsize=8192)
def exact(text: str) -> frozenset[str]:
    """Values that are written exactly: code, paths, affixes, numbers."""
    values = {match.strip("`.,;:!?)(\"'").rstrip("/") for match in _RE.exact.findall(text.lower())}
    return frozenset(value for value in values if value)


@lru_cache(maxsize=8192)
def negated(text: str) -> bool:
    """Whether it rules something out, in whatever words."""
    return bool(_EN.pattern("negated").search(text))


@lru_cache(maxsize=8192)
def is_choice(text: str) -> bool:
    """Whether it says what is to be used for something."""
    return bool(_EN.pattern("choice").search(plainly(text)))
