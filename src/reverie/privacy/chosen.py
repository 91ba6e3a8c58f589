"""Is this what somebody chose for a key or a token: a word with digits, a number, joined words?

Nothing about such a value is random. It is believed under a name that is certain, where a literal
must stand; in prose it must besides be no word of the sentence.
"""

import re

from reverie.privacy.invented import is_invented
from reverie.privacy.literals import (
    JOINTS,
    NO_YEAR,
    are_strange,
    has_own_number,
    is_common,
    is_compound,
    is_filler,
    is_no_prose,
    is_unreadable,
    names_a_secret,
    pieces,
)
from reverie.privacy.passwords import is_strong, is_weak
from reverie.privacy.places import (
    Place,
    ends_clause,
    is_couple_of_names,
    is_flag,
    is_setter,
    is_setting,
    names_environment,
)
from reverie.privacy.spoken import is_told

_FEWEST = 8  # characters
_NUMBER = 10  # digits of a secret that has nothing else and no quotes around it
_INTERLEAVED = re.compile(r"[A-Za-z]{3,}\d{3,}[A-Za-z]{3,}")
_ENDS_IN_NUMBER = re.compile(r"[-_. ]\d{3}$")
_DIGITS = re.compile(r"\d{3}")
_TYPE = re.compile(r"(?:[A-Z][a-z]+){2,}")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]{0,11}(?:_[A-Z0-9]{1,11})+")


def is_chosen(value: str, place: Place) -> bool:
    """Whether a value that may be chosen stands where it is no word, number or name of code."""
    if _stands_literally(value, place):
        if value.isdigit():
            return place.closed or len(value) >= _NUMBER
        named = not place.quoted and not names_environment(place.key) and _TYPE.fullmatch(value)
        return not named or is_unreadable(value)
    if _INTERLEAVED.fullmatch(value):
        return True
    if not ends_clause(place) or not is_told(place):
        return False
    return len(value) >= _NUMBER if value.isdigit() else is_no_prose(value) or is_invented(value)


def may_be_chosen(value: str) -> bool:
    """As far as the value alone tells."""
    if len(value) < _FEWEST or not (value.isdigit() or is_own_word(value) or is_strong(value)):
        return False
    return not is_filler(value) and not is_weak(value) and not names_a_secret(value)


def _stands_literally(value: str, place: Place) -> bool:
    """In quotes behind a sign, or where a setting, an option or a cell of a table has its value."""
    if not place.closed or place.sign in {"|", "\x82"}:
        return is_setting(value, place)
    if place.sign == ",":
        return is_setter(place) or is_flag(place) or is_couple_of_names(place)
    return True


def is_own_word(value: str) -> bool:
    """No word of code or prose, nor a few of them joined: `tiger2258`, `dtdoaqykzxy`."""
    if not value.isascii() or is_common(value) or _CONSTANT.fullmatch(value):
        return False
    if value.isalnum():
        if NO_YEAR.search(value):
            return True
        return not _is_name_of_code(value) and (_has_number(value) or not is_compound(value))
    if not all(word.isalnum() for word in JOINTS.split(value) if word):
        return False
    if _ENDS_IN_NUMBER.search(value) or NO_YEAR.search(value):
        return True
    if are_strange(value, least=2, all_of_them=False):
        return True
    words = JOINTS.split(value)
    return has_own_number(value) and any(len(w) > 3 and not is_common(w) for w in words)


def _is_name_of_code(value: str) -> bool:
    """Ordinary words in camel case: half of the letters are enough."""
    words = [word for word in pieces(value) if word.isalpha()]
    ordinary = sum(len(word) for word in words if len(word) > 3 and is_common(word))
    return len(words) > 1 and ordinary * 2 >= len(value)


def _has_number(value: str) -> bool:
    return _DIGITS.search(value) is not None
