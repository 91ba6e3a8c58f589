"""Is this a code that somebody types in: a PIN, the digits of a card, a code for recovery?

They are short, and often nothing but digits: the name and the place have to say so.
"""

import re

from reverie.privacy.grammar import in_bytes
from reverie.privacy.literals import is_common, is_filler, is_words
from reverie.privacy.passwords import are_groups, is_identifier, is_weak
from reverie.privacy.places import Place

_VARIANT = (
    r"(?:[_ -]?(?:prod|production|dev|test|staging|live|old|new|value|field|input|box|\d{1,3}))?"
)
_NAMED = re.compile(rf"(?i)(?:pin|puk|t?otp|cvv2?|cvc2?|csc|tan|(?<!pass)code)s*{_VARIANT}\W*$")
_CHECK = re.compile(rf"(?i)(?:cvv|cvc|csc)2?s*{_VARIANT}\W*$")
_BEHIND = re.compile(r"(?i)(?:\W|\b(?:was|is|are|now|to|for|old|new|currently|formerly)\b)+$")
_RECOVERY = r"(?i){recovery}"
_TYPED = re.compile(r"\d{4,12}")
_SENT = re.compile(r"(?=(?:\D*\d){4})[A-Za-z0-9]{1,8}(?:[ -]?[A-Za-z0-9]{2,8}){1,4}")
_CHECK_DIGITS = re.compile(r"\d{3}")
_CODE = r"[A-Za-z0-9]{3,8}"
# Further codes of a list have a stroke inside, as words of a sentence have none. The last one may
# be cut, where a long value is judged by its beginning.
_GROUPS = re.compile(
    rf"{_CODE}(?:[ -]{_CODE}){{0,7}}"
    rf"(?:(?:[ ,;]{{1,2}}{_CODE}(?:-{_CODE})+)+[ ,;]{{0,2}}[A-Za-z0-9-]*)?"
    r"|[A-Za-z0-9+/_=-]{10,128}"
)
# The end of a question, and who answers it.
_QUESTION = re.compile(r"\?\s*\n[^\n]*$")
_CARDS = r"(?i){cards}s?\W*$"
_CARD_DIGITS = range(13, 20)
_FEWEST_DIGITS = 5  # different ones: the numbers of documentation have fewer
_SHORTEST = 6  # characters of a code for recovery
_GROUPS_OF_LETTERS = 3  # that are no sentence
_COUNTED = re.compile(r"\.|\s+of\b")  # behind a number that counts pins
_LICENCE = re.compile(r"(?:[A-Z0-9]{4,8}-){2,7}[A-Z0-9]{4,8}")
_BYTE = 255
_VOWELS = re.compile(r"[aeiou]", re.IGNORECASE)


def names_code(name: str) -> bool:
    """Whether what has this name is typed in."""
    return _NAMED.search(name) is not None


def is_number_typed(value: str, place: Place) -> bool:
    """Digits as a field for them takes them: of a card also the three on its back."""
    if _TYPED.fullmatch(value):
        return True
    return _CHECK.search(place.key) is not None and _CHECK_DIGITS.fullmatch(value) is not None


def is_sent(value: str) -> bool:
    """A code as it is sent to somebody: digits in groups, with a letter or two before them."""
    return _SENT.fullmatch(value) is not None


def is_typed(value: str, place: Place) -> bool:
    """A number in a place that takes other values too, right behind the name of a code."""
    name = _BEHIND.sub("", _QUESTION.sub("", place.key))
    if _CHECK.search(name) and _CHECK_DIGITS.fullmatch(value):
        return True
    return names_code(name) and is_number_typed(value, place)


def is_recovery_code(value: str, place: Place) -> bool:
    """Digits or groups of signs under the name of what replaces a second factor."""
    if in_bytes(_RECOVERY).search(place.key) is None or len(value) < _SHORTEST:
        return False
    if not _GROUPS.fullmatch(value) or is_weak(value) or is_filler(value):
        return False
    if any(map(str.isdigit, value)):
        return not is_identifier(value)
    if " " in value:
        return len(value.split()) >= _GROUPS_OF_LETTERS and are_groups(value)
    apart = "-" in value and _is_drawn(value)
    return (place.sign != "" or apart) and not is_common(value)


def names_card(name: str) -> bool:
    """Whether what has this name is the number of a card."""
    return in_bytes(_CARDS).search(name) is not None


def is_card(value: str, _: Place) -> bool:
    """A number whose last digit follows from the others, as on cards."""
    digits = [int(sign) for sign in value if sign.isdigit()]
    if len(digits) not in _CARD_DIGITS or len(set(digits)) < _FEWEST_DIGITS:
        return False
    doubled = (sum(divmod(digit * 2, 10)) for digit in digits[-2::-2])
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def are_codes(value: str, _: Place) -> bool:
    """Several codes in a row: most have a digit, and no two are equal."""
    codes = re.findall(r"[A-Za-z0-9]{4,}(?:-[A-Za-z0-9]{4,})*", value)
    drawn = sum(map(_is_drawn, codes))
    return len(codes) >= 2 and drawn * 3 >= len(codes) * 2 and len(set(codes)) == len(codes)


def _is_drawn(code: str) -> bool:
    """No word: digits, letters that make none, or groups that prose does not join."""
    if any(map(str.isdigit, code)) or not is_words(code):
        return True
    groups = code.split("-")
    return len(groups) > 1 and sum(map(is_common, groups)) * 2 <= len(groups)


def are_letters(value: str, place: Place) -> bool:
    """Groups of four that no prose is made of."""
    groups = re.split(r"[ -]", value)
    ordinary = sum(is_common(group) and len(_VOWELS.findall(group)) > 0 for group in groups)
    if ordinary * 2 > len(groups):
        return False
    strange = sum(not _VOWELS.search(group) or any(c.isdigit() for c in group) for group in groups)
    return strange >= 1 or re.search(r"[:=]\s*[\"'`]*$", place.key) is not None


def are_digits(value: str, _: Place) -> bool:
    """A number that was chosen: neither counted up nor all the same."""
    return not is_filler(value)


def is_code(value: str, place: Place) -> bool:
    """A number under a name that says it is one to be typed in."""
    return (
        len(value) >= 4
        and not is_filler(value)
        and (place.sign != "" or not _COUNTED.match(place.rest))
    )


def are_bytes(value: str, _: Place) -> bool:
    """Numbers that chance wrote, as far as they are seen: those of tables stay small, or count."""
    numbers = [int(number) for number in value.split(",")[:-1]]
    large = sum(number > _BYTE // 2 for number in numbers)
    return max(numbers) <= _BYTE and large * 4 >= len(numbers) and numbers != sorted(numbers)


def is_licence(value: str) -> bool:
    """Groups of one length, as licences are printed; not words that happen to have it."""
    groups = value.split("-")
    return (
        _LICENCE.fullmatch(value) is not None
        and len({len(group) for group in groups}) == 1
        and not any(map(is_common, groups))
    )
