"""Is this value a password? People make them, so nothing about their form can be relied on.

Under a name that says so a literal is one, whatever it looks like. What is asked is whether it is a
literal at all, and not a stand-in, a variable, a type, or a word about passwords.
"""

import re
from base64 import b64decode

from reverie.privacy.grammar import in_text
from reverie.privacy.invented import is_invented, is_joined_phrase
from reverie.privacy.literals import (
    are_strange,
    is_common,
    is_compound,
    is_message,
    is_no_prose,
    is_odd_sentence,
    is_path,
    is_sentence,
    is_stand_in,
    is_symbols,
    is_unreadable,
    is_words,
    names_a_secret,
    pieces,
    weight,
)
from reverie.privacy.places import (
    Place,
    ends_clause,
    is_couple_of_names,
    is_declared,
    is_flag,
    is_reference,
    is_setter,
    is_setting,
    names_environment,
    refers,
)

_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:?\d\d[\d:.Z+-]*)?|\d{1,2}:\d\d(?::\d\d)?")
_NUMBER = re.compile(
    r"[-+~≈]?[\d.,_:/]+(?:%|[kmg]?hz|ms|s|m|h|d|k|kb|mb|gb|px|x|/tcp|/udp)?", re.IGNORECASE
)
_URL = re.compile(r"(?i)[a-z][a-z0-9+.-]{1,12}://")
_VARIABLE = re.compile(r"(?:process|os|env|self|this|config|settings|secrets|vars?)\.[A-Za-z_]")
_RULES = re.compile(r"(?:required|nullable|sometimes|string|confirmed|min|max|present)(?:\||$)")
_NEXT_NAME = re.compile(r"[+-]?(?:[a-z_.-]{3,40}|[A-Z_]{3,40})[=:]\w")

# `all checks pass: ...`, `a single-pass `scan` ...`, and the name of an element that ends.
_IN_PROSE = re.compile(r"[a-z](?: pass:?|-pass)\s[\"'`]*$")
_OF_SERVICE = r"(?i)\b(?:{services})[ -]pass:?\s[\"'`]*$"
_OPTION_OR_KEYWORD = re.compile(r"(?:^|[\s\"'`({\[,])(?:--?|:)[A-Za-z][\w.-]*\s[\"'`]*$")
_OPTION = re.compile(r"--?[a-z][a-z-]*(?:=|$)")
_ATTRIBUTE = re.compile(r"[A-Za-z][\w.:-]*=[\"']")  # the next one of a tag
_QUOTED_NAME = re.compile(r"[\"'`]\s*,")
_NUMBER_OF_JSON = re.compile(r"[\"']\s?:\s?$")
_TABLE = frozenset({"|", "\x82"})
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_ODD = 8  # characters
_LONG = 10
_LOGIN = re.compile(rb"[\w.@+-]{1,64}:(?P<password>[!-~]{4,256})")
_DIGITS = "0123456789"
_NAME_AND_NUMBER = re.compile(r"[A-Z][a-z]+_\d{2,}")


def is_password(value: str, place: Place) -> bool:
    """A value after `password=` and its like."""
    whole = value
    value = value if place.closed else trimmed(value)
    if weight(value) < 4 or is_weak(value) or is_reference(value, place) or _URL.match(value):
        return False
    if place.is_asked or (not place.closed and _ATTRIBUTE.match(value)):
        return False
    if place.line.endswith("</") or _is_in_prose(place.line + place.key):
        return is_strong(whole) or (len(value) >= _LONG and _is_made(value))
    if value.isdigit():
        return _is_numeric(value, place)
    if place.closed:
        return _is_quoted(value, place)
    if " " in value:
        return _is_spaced(value, place)
    if is_setting(value, place):
        return _is_literal(value, place)
    if place.sign in _TABLE:
        return False
    if not place.sign:
        # `password value` without a sign between them is prose.
        apart = place.key.endswith("   ") and place.ends_line
        if place.quoted or apart:
            return is_mixed_value(value)
        mixed = is_mixed_value(value) and len(value) >= _ODD and ends_clause(place)
        odd = is_odd(value, place) or is_invented(value) or is_joined_phrase(value)
        return is_strong(whole) or mixed or (place.ends_line and odd)
    if is_mixed_value(value) or is_unreadable(value):
        return True
    return len(value) >= 8 and value.isalpha() and not is_words(value)


def _is_spaced(value: str, place: Place) -> bool:
    """Several words behind a sign; without one they are prose, unless a phrase is asked for."""
    if are_groups(value):
        return place.sign != "" or ends_clause(place)
    assigned = place.sign in {":", "=", ">"}
    phrase = is_passphrase(value) or (assigned and (is_odd_sentence(value) or is_couple(value)))
    asked = place.sign != "" or ("phrase" in place.key.lower() and place.ends_line)
    return asked and phrase


def _is_in_prose(before: str) -> bool:
    """`two-pass compiler`, but neither `--smtp-pass value` nor `:smtp-pass "value"`."""
    if _IN_PROSE.search(before) is None or _OPTION_OR_KEYWORD.search(before) is not None:
        return False
    return in_text(_OF_SERVICE).search(before) is None


def _is_made(value: str) -> bool:
    """Letters of both cases and digits that make no words."""
    return is_mixed_value(value) and not is_words(value) and value.lower() != value


def _is_numeric(value: str, place: Place) -> bool:
    if not place.sign and not is_flag(place):
        column = names_environment(place.key) and is_setting(value, place)
        at_end = len(value) >= _ODD and place.ends_line
        return len(value) >= 6 and (place.closed or column or at_end or is_declared(place))
    if place.closed or (_NUMBER_OF_JSON.search(place.key) and len(value) >= 6):
        return len(value) >= 4
    return len(value) >= 5 and is_setting(value, place)


def _is_quoted(value: str, place: Place) -> bool:
    """A closed string: a literal, unless it names or describes something."""
    if names_a_secret(value.lstrip("#.")) or is_label(value):
        return False
    if place.sign == "," and not is_setter(place) and not is_flag(place):
        if is_couple_of_names(place):
            return is_mixed_value(value) or not is_common(value)
        if not _QUOTED_NAME.search(place.key):  # a variable, and what is done with it
            return False
        return is_unreadable(value) or (is_mixed_value(value) and any(map(str.isdigit, value)))
    if not place.sign and not is_flag(place):
        return is_mixed_value(value) or not is_common(value) or is_joined_phrase(value)
    if is_mixed_value(value):
        return True
    return weight(value) >= 5 and (" " not in value or not is_common(value))


def _is_literal(value: str, place: Place) -> bool:
    """Unquoted, where only literals stand: all but words that describe a password."""
    if is_mixed_value(value):
        return True
    if _NEXT_NAME.match(value) or names_a_secret(value) or len(value) < 5:
        return False
    certain = place.tight or names_environment(place.key) or place.sign in {">", "\n"}
    return certain or any(map(str.isdigit, value)) or not is_common(value)


def is_passphrase(value: str) -> bool:
    """Several words that make no sentence."""
    words = value.split()
    return (
        3 <= len(words) <= 10
        and all(word.isalnum() for word in words)
        and not is_sentence(value)
        and not is_message(value)
        and sum(map(is_common, words)) * 2 <= len(words)
    )


def are_groups(value: str) -> bool:
    """Groups of one length that are no words, as codes and passwords of apps are printed."""
    groups = value.split(" ")
    alike = len({len(group) for group in groups}) == 1 and all(map(str.isalnum, groups))
    ordinary = sum(is_common(group) for group in groups if not any(map(str.isdigit, group)))
    return alike and len(groups) > 1 and ordinary * 3 <= len(groups)


def is_couple(value: str) -> bool:
    """Two words that are seldom met in code and make no sense together."""
    words = value.split()
    return (
        len(words) == 2
        and all(word.isalpha() and word.islower() and len(word) > 3 for word in words)
        and not any(map(is_common, words))
    )


def is_label(value: str) -> bool:
    """What a form shows: `Enter your password`, `Visible`."""
    words = value.split()
    if is_sentence(value):
        return not is_odd_sentence(value)
    if names_password(value):
        return True
    named = value[:1].isupper() and value[1:].islower() and value[-1] not in "?!"
    return named and all(map(is_common, words)) and not any(map(str.isdigit, words[0]))


def names_password(value: str) -> bool:
    """Several words, one of which is that for a password in some language."""
    if weight(value) == len(value) and len(value.split()) < 2:
        return False
    named = in_text("(?i){password}").search(value) is not None
    return named and not any(map(str.isdigit, value))


def is_hash(value: str) -> bool:
    """What git and checksums print."""
    return _HASH.fullmatch(value) is not None


def is_odd(value: str, place: Place) -> bool:
    """A value whose place says little: mixed, or what neither a sentence nor code would say."""
    value = value if place.closed else trimmed(value)
    if is_weak(value) or refers(value) or is_path(value) or is_hash(value):
        return False
    if is_reference(value, place) and not are_strange(value, least=3, all_of_them=True):
        return False
    if is_mixed_value(value):
        return True
    if len(value) < _ODD or is_common(value.rstrip(_DIGITS)) or names_a_secret(value):
        return False
    if value.isupper() and value.isalpha():
        return not is_compound(value)
    return value.isdigit() or (
        is_no_prose(value) and (not value.isalnum() or sum(map(str.isdigit, value)) != 1)
    )


def is_login(value: str, place: Place) -> bool:
    """The password half of `user:password`, where nothing else can stand."""
    phrase = " " not in value or place.closed or is_passphrase(value) or are_groups(value)
    if _OPTION.match(value) or not phrase:
        return False
    return len(value) >= 3 and not is_weak(value) and not refers(value)


def is_form_password(value: str, place: Place) -> bool:
    """What is typed into a field for a password."""
    if is_weak(value) or is_reference(value, place) or is_label(value):
        return False
    return not names_a_secret(value) and (is_mixed_value(value) or not is_common(value))


def is_way(value: str, place: Place) -> bool:
    """A placeholder, or the way to a secret rather than the secret."""
    if re.fullmatch(r"<[^<>]*>", value) or is_stand_in(value.replace("<", "")):
        return True
    return is_reference(value, place) or bool(_URL.match(value) or _VARIABLE.match(value))


def is_weak(value: str) -> bool:
    """A stand-in, a number with a unit, or a date."""
    if is_stand_in(value) or _RULES.match(value):
        return True
    if not value.isdigit() and _NUMBER.fullmatch(value):
        return True
    return _DATE.fullmatch(value) is not None


def trimmed(value: str) -> str:
    """Without what a sentence or a list puts behind it."""
    return value.rstrip(",;)}]>.:!?*|")


def is_mixed_value(value: str) -> bool:
    """Letters with digits or symbols: what password fields ask for."""
    kinds = (
        any(c.islower() or (c.isalpha() and not c.isupper()) for c in value)
        + any(c.isupper() for c in value)
        + any(c.isdigit() for c in value) * 2
        + any(c in "!@#$%^&*+=?~|/" for c in value)
    )
    return is_symbols(value) or (kinds >= 3 and not is_identifier(value))


def is_strong(value: str) -> bool:
    """Mixed beyond what any word or name of code is: letters, digits and a symbol."""
    return (
        len(value) >= 8
        and any(c in "!@#$%^&*+?~" for c in value)
        and is_mixed_value(value)
        and any(c.isalpha() for c in value)
    )


def is_identifier(value: str) -> bool:
    """`password1Field`, `hash_v2`: names of code that happen to have a digit."""
    return (
        re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value) is not None
        and is_words(value)
        and ("_" in value or sum(w[:1].isupper() for w in pieces(value)) >= 2)
        and not _NAME_AND_NUMBER.fullmatch(value)
    )


def is_encoded_login(value: str, _: Place) -> bool:
    """`user:password` in base64."""
    padded = value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4)
    try:
        login = _LOGIN.fullmatch(b64decode(padded, altchars="-_" if "-" in value else None))
    except ValueError:
        return False
    return login is not None and not is_weak(login["password"].decode())
