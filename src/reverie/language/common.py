"""Common: words that everybody who programs uses in passing, whatever the project.

A hand-written list of general English and of the words of the trade; a group of remarks that
consists of them alone is most likely habit, not a rule.
"""

import re
from functools import cache, lru_cache

from reverie.data import sections
from reverie.language.compare import meaning_of

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
