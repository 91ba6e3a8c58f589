"""Phrasing: what does not change a lesson's meaning is taken off its words.

Case, politeness, singular and plural, tense, word order and the commonest synonyms of engineering
talk. The lists hold general words only; what they do not know is taken as a name.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from reverie.data import patterns, sections, word_sets

_RE = patterns("language.txt", "wording")
_WORDS = word_sets("language.txt", "wording")

Sort = Literal["word", "name", "number", "mark"]

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})

_NUMBER_TEXT = "two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(place) for place, word in enumerate(_NUMBER_TEXT.split(), 2)}

_LISTS = sections("language.txt")
_JOINED = {"pull": "pr", "type": "annotation", "doc": "docstring", "time": "timeout"}
_VOWELS = frozenset("aeiou")


@dataclass(frozen=True, slots=True)
class Token:
    """One word, name, number or mark of a lesson, with the root it is compared by."""

    text: str
    root: str
    sort: Sort


def _synonyms() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _LISTS["synonyms"].splitlines():
        words = line.split()
        for word in words:
            found[stemmed(word)] = stemmed(words[0])
            found[word] = stemmed(words[0])
    return found


def stemmed(word: str) -> str:
    """A word without its commonest English endings: `committing` and `commits` are `commit`."""
    if len(word) <= 3 or not word.isalpha() or word.endswith("ss"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    base = word
    if word.endswith("es") and word[:-2].endswith(("s", "x", "z", "ch", "sh")):
        base = word[:-2]
    elif word.endswith("s") and not word.endswith(("us", "is")):
        base = word[:-1]
    else:
        for ending in ("ing", "ed"):
            short = word.removesuffix(ending)
            if short != word and len(short) >= 3 and any(c in _VOWELS for c in short):
                doubled = short[-1] == short[-2] and short[-1] not in "ls"
                base = short[:-1] if doubled else short
                break
    return base.removesuffix("e") if len(base) > 3 else base


_SYNONYMS = _synonyms()
EMPTY = frozenset(form for word in _LISTS["empty"].split() for form in (word, stemmed(word)))


def root_of(word: str) -> str:
    """What a word is compared by: its stem, or the word that stands for its synonyms."""
    lower = word.lower()
    stem = stemmed(lower)
    return _SYNONYMS.get(lower) or _SYNONYMS.get(stem, stem)


LIGHT = frozenset(root for word in _LISTS["light"].split() for root in (word, root_of(word)))


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a lesson in order; code in quotes is a name, prose in quotes is words."""
    found: list[Token] = []
    plain = _RE.pairs.sub(_join, text.translate(_APOSTROPHES))
    for match in _RE.token.finditer(plain):
        sort, value = match.lastgroup or "mark", match.group(match.lastgroup or 0)
        if sort == "date":
            continue
        if sort == "code":
            found += tokens(value) if " " in value else [_name(value)]
        elif sort in {"quoted", "name"}:
            found.append(_name(value))
        elif sort == "number":
            found.append(Token(value, value.replace(",", "").lower(), "number"))
        elif sort == "word":
            found.append(_word(value))
        else:
            found.append(Token(value, value, "mark"))
    return tuple(found)


def _name(value: str) -> Token:
    """A name keeps its letters; only ordinary words in quotes lose their endings."""
    if value.isdigit():
        return Token(value, value, "number")
    lower = value.lower().removesuffix("()")
    return Token(value, _SYNONYMS.get(lower, lower), "name")


def _word(value: str) -> Token:
    lower = value.lower()
    if lower in _NUMBERS:
        return Token(value, _NUMBERS[lower], "number")
    return Token(value, root_of(lower), "word")


def _join(match: re.Match[str]) -> str:
    first = next(group for group in match.groups() if group)
    lower = first.lower()
    if lower in _WORDS.styles:
        return f"{first}case"
    return _JOINED.get(lower, f"{lower}end")
