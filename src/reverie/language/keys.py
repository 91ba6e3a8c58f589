"""Keys: the words and names by which two remarks are found to be about the same thing.

Coarser than a comparison needs: endings that make a noun of a verb go ("declare", "declaration"),
and a name is known by its last part ("tools/check.py", "./check").
"""

from functools import lru_cache
from typing import NamedTuple

from reverie.data import patterns, word_sets
from reverie.language.meaning import is_common
from reverie.language.wording import EMPTY, LIGHT, NEGATIONS, Token, root_of, tokens

_RE = patterns("language.txt", "keys")
_WORDS = word_sets("language.txt", "keys")

MUCH = 2  # telling words of a remark of which one is what it is about
FEW = 4  # telling words of a remark in which a name is what it is about
SHORTEST = 2  # letters of a word


class Keys(NamedTuple):
    """What a remark speaks of."""

    words: frozenset[str]
    names: frozenset[str]  # of files, types, options, values: what is no word of the language
    values: frozenset[str]  # numbers

    @property
    def all(self) -> frozenset[str]:
        return self.words | self.names


@lru_cache(maxsize=16384)
def keys_of(text: str) -> Keys:
    """The words, names and numbers of a remark, each in the one form it is looked up by."""
    words: set[str] = set()
    names: set[str] = set()
    values: set[str] = set()
    for token in tokens(text):
        if token.sort == "number":
            values.add(token.root)
        elif token.sort == "name":
            names |= _named(token.text)
            parts = set(_RE.part.findall(token.text.lower())) - _WORDS.everywhere
            words |= {fold(root_of(part)) for part in parts}
        elif token.sort == "word" and not _is_empty(token):
            words.add(fold(token.root))
    names.update(code.lower() for code in _RE.code.findall(text))
    names.update(folder.lower() for folder in _RE.folder.findall(text))
    names = {name for name in names - _WORDS.everywhere if not (is_common(name) or is_slight(name))}
    return Keys(frozenset(words), frozenset(names), frozenset(values))


def _is_empty(token: Token) -> bool:
    word = token.text.lower()
    return bool({word, token.root} & (EMPTY | NEGATIONS)) or "'" in word or len(word) < SHORTEST


def _named(text: str) -> set[str]:
    """A name as it is known: each part of its path, without its ending."""
    whole = text.lower().strip("./`").removesuffix("()")
    return {known for part in whole.split("/") if (known := _RE.ending.sub("", part))}


def fold(root: str) -> str:
    """A root without the ending that makes a noun or an agent of a verb."""
    return _RE.made_noun.sub("", root)


@lru_cache(maxsize=16384)
def share_subject(remark: str, other: str) -> bool:
    """Whether two remarks name the same thing, two words, or one that is much of either."""
    mine, theirs = keys_of(remark), keys_of(other)
    my_keys, their_keys = (_telling(each.all) for each in (mine, theirs))
    named = mine.names & theirs.names
    if len((my_keys & their_keys) - _parts(named)) > 1 or (
        named and min(len(my_keys), len(their_keys)) <= FEW
    ):
        return True
    return any(
        _is_much(_beside(remark, key), _beside(other, key))
        for key in my_keys & their_keys
        if not is_common(key)
    )


def _is_much(count: int, other: int) -> bool:
    return min(count, other) <= MUCH and max(count, other) <= MUCH + 1


def _beside(text: str, key: str) -> int:
    """How many telling words its clause holds."""
    clauses = [clause for part in _RE.clause.split(text) if key in (clause := keys_of(part).all)]
    return min(
        (sum(not is_common(each) for each in _telling(clause)) for clause in clauses),
        default=MUCH + 2,
    )


def _parts(names: frozenset[str]) -> set[str]:
    """The words of names: with the name they are one thing."""
    return {fold(root_of(part)) for name in names for part in _RE.part.findall(name)} - names


def _telling(keys: frozenset[str]) -> set[str]:
    return {key for key in keys if not is_slight(key)}


def known_as(root: str) -> frozenset[str]:
    """Under which keys a root, a name or an exact value is found."""
    return frozenset({fold(root), root}) | _named(root)


def is_slight(key: str) -> bool:
    """Whether a word is too general to say by itself what is spoken of."""
    return key in _slight()


@lru_cache(maxsize=1)
def _slight() -> frozenset[str]:
    return LIGHT | frozenset(map(fold, LIGHT))
