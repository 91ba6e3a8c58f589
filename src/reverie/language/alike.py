"""Finding texts that may be about the same thing, without comparing all pairs.

An inverted index of word stems with bounded lists: a stem that too many texts share says nothing
and is not followed. What is found is only *near*; whether it is the same is decided by
`compare`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from reverie.data import pairs, patterns, sections
from reverie.language.compare import Meaning, Relation, meaning_of, relation
from reverie.language.values import is_ordinary
from reverie.language.words import words

# Common words: what everybody who programs uses in passing, whatever the project. A group of
# remarks that consists of them alone is most likely habit, not a rule.
SHORTEST_ROOT = 4
PREFIX = 3  # letters in which a word and its stem agree; else the stem is that of a synonym
_ENDING = re.compile(r"(?:at(?:ors?|ions?|ing|ed|es?)?|ers?|ings?|ed|ions?)$")


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """A word without the endings that make a noun of a verb: `validator`, `validation`."""
    cut = _ENDING.sub("", word)
    return cut if len(cut) >= SHORTEST_ROOT else word


@cache
def _stems() -> frozenset[str]:
    found: set[str] = set()
    for word in sections("language.txt")["common"].split():
        own = {root(stem) for stem in meaning_of(word).solid}
        found |= {word, *(stem for stem in own if stem[:PREFIX] == word[:PREFIX])}
    return frozenset(found)


def is_common(stem: str) -> bool:
    """Whether a word says little about what a remark is about."""
    return stem in _stems()


_RE = patterns("language.txt", "alike")

LISTED = 64  # texts remembered per stem; the latest stay
NEAREST = 10

SLOT = 4  # words, of which one may differ


class Near(NamedTuple):
    """One text that shares uncommon words: its number, and how much it shares."""

    number: int
    weight: float


def stems(text: str) -> frozenset[str]:
    """The words of a text that carry its subject, in the one form `sameness` gives them."""
    meaning = meant(text)
    values = frozenset(f"={value}" for value in exact(text)) | {
        f"^{pole}" for pole in meaning.poles
    }
    found = meaning.solid | meaning.names | meaning.numbers | meaning.replaced
    return frozenset(map(root, found)) | values


@lru_cache(maxsize=8192)
def substituted(a: str, b: str) -> bool:
    """Whether one word stands in the place of another and all else is the same."""
    one, other = words(plainly(a)), words(plainly(b))
    if len(one) != len(other) or len(one) < SLOT:
        return False
    places = [
        place for place, pair in enumerate(zip(one, other, strict=True)) if len(set(pair)) > 1
    ]
    if len(places) != 1:
        return False
    left, right = one[places[0]], other[places[0]]
    return root(left) != root(right) and left not in other and right not in one


def meant(text: str) -> Meaning:
    """What a text says, apart from how it says it."""
    return meaning_of(plainly(text))


def related(a: str, b: str) -> Relation:
    """How two texts relate, in their plainest form; other exact values are never the same."""
    found = relation(plainly(a), plainly(b))
    if found != "same":
        return found
    if apart(exact(a), exact(b)):
        return "different"
    return "updates" if is_choice(a) and is_choice(b) and _named_otherwise(a, b) else "same"


def _named_otherwise(a: str, b: str) -> bool:
    """Whether each asks for something by a name that the other does not know."""
    one, other = meant(a), meant(b)
    return all(
        any(
            mine.signs.get(stem, 1) > 0 and not is_ordinary(stem) and not is_common(root(stem))
            for stem in mine.solid - theirs.solid
        )
        for mine, theirs in ((one, other), (other, one))
    )


@lru_cache(maxsize=8192)
def exact(text: str) -> frozenset[str]:
    """Values that are written exactly: code, paths, affixes, numbers."""
    found = {match.strip("`.,;:!?)(\"'") for match in _RE.exact.findall(text.lower())}
    return frozenset(value for value in found if value)


@lru_cache(maxsize=8192)
def negated(text: str) -> bool:
    """Whether it rules something out, in whatever words."""
    return bool(_RE.negated.search(text))


@lru_cache(maxsize=8192)
def is_choice(text: str) -> bool:
    """Whether it says what is to be used for something."""
    return bool(_RE.choice.search(plainly(text)))


def apart(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether both name values and none of them is the same."""
    return bool(a) and bool(b) and not a & b


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


# Plainly: a remark in its plainest form, so that a comparison of words sees what it says.
def _plainer() -> Iterator[tuple[re.Pattern[str], str]]:
    for line in sections("language.txt")["plainest"].splitlines():
        shape, _, plain = line.partition(" => ")
        for name in ("did", "again", "take"):
            shape = shape.replace(f"{{{name}}}", getattr(_RE, name).pattern.removeprefix("(?i)"))
        yield re.compile(shape, re.I), plain[1:-1]


_PLAINER = tuple(_plainer())
_NUMBERS = dict(pairs("language.txt", "alike.numbers"))


@lru_cache(maxsize=8192)
def plainly(text: str) -> str:
    """The text without what is said around it, usual turns of phrase in their plainest form."""
    plain = text
    for form, word in _PLAINER:
        plain = form.sub(word, plain)
    return _RE.number_word.sub(lambda match: _NUMBERS[match[0].lower()], plain) or text


def is_complaint(text: str) -> bool:
    """Whether it only says what was done wrong, not what is wanted."""
    return bool(_RE.did.match(text) or _RE.again.match(text))
