"""Is this a word that nobody knows? What people make up to have a password is easy to say, and its
letters are those of words, so that only lists of words tell it from one."""

import re
from collections.abc import Iterator
from functools import lru_cache

from reverie.data import patterns, word_sets
from reverie.privacy.literals import (
    JOINTS,
    is_common,
    is_compound,
    is_message,
    is_readable,
    is_sentence,
    names_a_secret,
    pieces,
)

_RE = patterns("judgement.txt", "invented")
_LISTS = word_sets("judgement.txt", "invented-words")
_FEWEST, _MOST = 7, 20  # letters
_STEM = 4  # letters
_TELLING = 8  # signs of what has digits
_WORDS = 4  # of a phrase that is joined by hyphens
_SHORTEST = 3  # letters of one of them
_JOINED = re.compile(r"[a-z]{3,}([-._])(?:[a-z]{3,}\1){2,}[a-z]{3,}")
_CAPITALS = re.compile(r"(?:[A-Z][a-z]+){4,}")


@lru_cache(maxsize=1024)
def is_invented(value: str) -> bool:
    """Letters that are no word of English or code, and have no ending of German."""
    return (
        _FEWEST <= len(value) <= _MOST
        and value.isascii()
        and value.isalpha()
        and value.islower()
        and not _is_known(value)
        and not is_compound(value)
        and _RE.inflected.search(value) is None
    )


def is_unknown(value: str) -> bool:
    """The same, also of several that are joined by their capitals."""
    if value.islower():
        return is_invented(value)
    if not value.isalpha() or not value.isascii() or value[1:].islower() or value.isupper():
        return False
    words = [value.lower(), *(word.lower() for word in pieces(value) if len(word) > 1)]
    known = any(map(_is_known, words)) or is_compound(value)
    return _TELLING <= len(value) <= _MOST and not known


def _is_known(word: str) -> bool:
    """A word of English or of code, or what a program or a service is called."""
    from reverie.data.english import is_listed

    if is_common(word) or word in _LISTS.products | _LISTS.german or not word.isascii():
        return True
    return is_listed(word) or any(map(is_listed, _stems(word)))


def _stems(word: str) -> Iterator[str]:
    """What a word may be made of that no list has: `redactor`, `misconfigured`, `tokenizers`."""
    for beginning in ("", *_LISTS.beginnings):
        rest = word.removeprefix(beginning)
        if beginning and len(rest) in (len(word), *range(_STEM)):
            continue
        yield rest
        for ending in _LISTS.endings:
            stem = rest.removesuffix(ending)
            if _STEM <= len(stem) < len(rest):
                yield from (stem, f"{stem}e", f"{stem[:-1]}y" if stem[-1] == "i" else stem[:-1])


def is_joined_phrase(value: str) -> bool:
    """Four words or more, joined by hyphens, that say nothing: `acorn-lantern-copper-tide`."""
    words = value.split("-")
    spoken = JOINTS.sub(" ", value)
    return (
        len(words) >= _WORDS
        and all(len(word) >= _SHORTEST and word.isalpha() and word.islower() for word in words)
        and not is_sentence(spoken)
        and not is_message(spoken)
        and not names_a_secret(value)
    )


def is_word_phrase(value: str) -> bool:
    """Four words or more, joined by one sign or by their capitals, where only a phrase can stand:
    it may be written as a name of code is, but is no way to a value and does not speak of one."""
    joint = _JOINED.fullmatch(value)
    words = value.split(joint[1]) if joint else pieces(value)
    return (
        (joint is not None or _CAPITALS.fullmatch(value) is not None)
        and words[0].lower() not in _LISTS.roots
        and words[-1].lower() not in _LISTS.kinds
        and _LISTS.speaking.isdisjoint(map(str.lower, words))
    )


def is_telling(value: str) -> bool:
    """What stands in two places by no chance: a secret that is met again is the same one."""
    if any(map(str.isdigit, value)) or value.count("-") > 1:
        return len(value) >= _TELLING and not value.isdigit()
    return len(value) >= _FEWEST and (is_unknown(value) or not is_readable(value))
