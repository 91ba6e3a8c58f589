"""Is this a word that nobody knows? What people make up to have a password is easy to say, and its
letters are those of words, so that only lists of words tell it from one."""

from functools import lru_cache

from reverie.data import patterns
from reverie.privacy.literals import (
    JOINTS,
    is_common,
    is_compound,
    is_message,
    is_readable,
    is_sentence,
    names_a_secret,
)

_RE = patterns("judgement.txt", "invented")
_FEWEST, _MOST = 7, 20  # letters
_TELLING = 8  # signs of what has digits
_WORDS = 4  # of a phrase that is joined by hyphens
_SHORTEST = 3  # letters of one of them


@lru_cache(maxsize=1024)
def is_invented(value: str) -> bool:
    """Letters that are no word of English or code, and have no ending of German."""
    from reverie.data.english import is_listed

    return (
        _FEWEST <= len(value) <= _MOST
        and value.isascii()
        and value.isalpha()
        and value.islower()
        and not is_common(value)
        and not is_compound(value)
        and not is_listed(value)
        and _RE.inflected.search(value) is None
    )


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


def is_telling(value: str) -> bool:
    """What stands in two places by no chance: a secret that is met again is the same one."""
    if any(map(str.isdigit, value)) or value.count("-") > 1:
        return len(value) >= _TELLING and not value.isdigit()
    return len(value) >= _FEWEST and (is_invented(value.lower()) or not is_readable(value))
