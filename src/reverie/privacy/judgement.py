"""Is this value a secret, or does it only stand where one could?

Rules with a format of their own need no such question. Assignments and sentences do: most of what
follows `token =` in a transcript is a type, a variable, a placeholder or a word.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from reverie.data import patterns, sections

_RE = patterns("judgement.txt", "judgement")

_COMMON = frozenset(sections("judgement.txt")["common"].split())

_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_DIGEST = re.compile(r"(?i)(?:sha(?:1|224|256|384|512)|md5|blake[23][bs]?)[-:]")
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:?\d\d)?|\d{1,2}:\d\d(?::\d\d)?")
_NUMBER = re.compile(r"[-+~≈]?[\d.,_:%/]+(?:ms|s|m|h|d|k|kb|mb|gb|px|x)?", re.IGNORECASE)
_SIGIL = "$%@&*!"
_SPLIT = re.compile(r"[-_./:\\@?&=+ ]+")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d{1,4}|[^A-Za-z0-9]")
_ASSIGNS = re.compile(
    r"(?:[=:>|,\x82]|\n|\b(?i:is|was|as|to|be|bearer|_authtoken))\s*[\"'`\\@]*$|^--?[\w-]+[\"'`]?\s+[\"'`\\]*$"
    r"|^(?i:env|arg|setx?|setenv)\s|[A-Z][A-Z0-9_]{5,}(?:[ \t]{2,}|[ \t]+[\"'])$"
)
_NEXT_FIELD = re.compile(r"(?:;([\w .-]{2,40})|[&,]([a-z][a-z0-9_.-]{2,40}))[=:]")
_NEXT_NAME = re.compile(r"[+-]?(?:[a-z_.-]{3,40}|[A-Z_]{3,40})[=:]\w")
_DESCRIBES = re.compile(r"(?i:pass|pwd|secret|token|key|login|auth|user)|[A-Z]{3}_|/|^[A-Z]")
_BARE_KEY = re.compile(r"(?i)(?:^|[^\w-])key[\"'`\\]*\s*[=:|]?\s*[\"'`\\]*$")
_TYPED = re.compile(r"\??:\s{0,3}[&'*]{0,2}[A-Za-z][\w.<>\[\]|&' ]{1,40}?\s{0,3}:?=")
_ARN = re.compile(r"(?:\\[nrt])?arn:")
_BASE62 = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d.*\d)[A-Za-z0-9_]+")
_MIXED_CASE = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z0-9_]+")
_BASE32 = re.compile(r"(?=.*[2-7])[A-Z2-7]{16,}")
_SCHEME = re.compile(r"(?i)(?:bearer|basic|token|apikey|digest|bot)\s+")
_URL = re.compile(r"(?i)[a-z][a-z0-9+.-]{1,12}://")
_SENTENCE = frozenset(sections("judgement.txt")["sentence"].split())
_JUDGED = 64
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]{0,11}(?:_[A-Z0-9]{1,11})+")
_TYPE_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*\.\w*(?:Key|Token|Secret|Password|Str)")
_FINDS_NEARBY = re.compile(r"(?i)public|tokeni[sz]|tokens$|keys$")
_NAME = re.compile(r"[\w.-]+(?: [Kk]ey)?")
_UUID_NAMED = re.compile(r"(?i)secret|token|(?:api|access|auth)[_. -]?key")
_PASSWORD_NAMED = re.compile(r"(?i)pass|pwd|_pw")
_VOWEL = re.compile(r"[aeiouyAEIOUY]")
_FILE = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{1,5}\d?")


class Place(NamedTuple):
    """What stands around a value."""

    key: str  # the match before the value: name and separator
    quoted: bool
    after: str  # the character after the value, "" at the end


def alone(value: str, key: str) -> str:
    """An unquoted value without the next field and the punctuation behind it.

    On a line of an environment there is no next field: all of it is the value.
    """
    for next_field in () if _names_environment(key) else _NEXT_FIELD.finditer(value):
        if is_words(next_field.group(1) or next_field.group(2)):
            value = value[: next_field.start()]
            break
    return value.rstrip(",;)}]>.|")


def entropy(text: str) -> float:
    """Shannon entropy in bits per character."""
    if not text:
        return 0.0
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values())


def is_placeholder(value: str) -> bool:
    """A stand-in that no service would accept."""
    lowered = value.lower()
    return (
        lowered in _COMMON or _RE.placeholder.search(lowered) is not None or len(set(lowered)) <= 2
    )


def is_token(value: str, place: Place) -> bool:
    """A value after `token=` and the like: machine-made, so it must look random."""
    encoded = value.startswith("base64:")
    if _is_other_field(value, place) and not encoded:
        return False
    whole = value.removeprefix("base64:")
    value = _trimmed(whole)
    if len(value) < 8 or is_placeholder(value) or _DIGEST.match(value) or _is_code(value, place):
        return False
    if not _ASSIGNS.search(place.key) and not _is_random(value):
        return False
    named = _names_credential(place.key)
    if _UUID.fullmatch(value):
        return named or _RE.token_name.search(place.key) is not None
    if named and _strong(whole):
        return True
    if is_words(value):
        return False
    if _BARE_KEY.search(place.key) and not _RE.dotted_key.search(place.key):
        return len(value) >= 20 and _BASE62.fullmatch(value) is not None
    return _BASE32.fullmatch(value) is not None or _looks_random(value, place, named=named)


def _is_other_field(value: str, place: Place) -> bool:
    """The next name of a list, a constant, a number, or the key of something that is no secret."""
    return any((
        _NEXT_NAME.match(value),
        _CONSTANT.fullmatch(value),
        _NUMBER.fullmatch(value),
        _RE.finds.search(place.key),
        _ARN.match(place.key),
    ))  # fmt: skip


def _looks_random(value: str, place: Place, *, named: bool) -> bool:
    """Short pieces between changes of letters, digits and signs; how short depends on the name."""
    pieces = len(_PIECE.findall(value))
    mean = len(value) / max(pieces, 1)
    digits = any(c.isdigit() for c in value)
    if len(value) >= 20:
        if named and _MIXED_CASE.fullmatch(value):
            return True
        # Digits strewn through letters are no name, whatever the letters between them look like.
        strewn = value.isalnum() and len(re.findall(r"\d+", value)) >= 3 and mean <= 4.5
        limit = (3.8 if named else 3.2) if digits else 3.0
        return (mean <= limit or strewn) and entropy(value) >= 2.8
    if not digits:
        literal = place.quoted or _names_environment(place.key)
        return named and literal and len(value) >= 12 and mean <= 2.4 and value.isalpha()
    if len(value) >= 14:
        return mean <= 3.0 and entropy(value) >= 2.6
    return mean <= 2.2 and named and entropy(value) >= 2.3


def is_password(value: str, place: Place) -> bool:
    """A value after `password=`: person-made, so shorter and less random."""
    whole, value = value, _trimmed(value)
    if len(value) < 4 or _is_weak(value) or _is_code(value, place):
        return False
    if not _ASSIGNS.search(place.key):
        # `password value` without a sign between them is prose.
        return _mixed(value) if place.quoted else _strong(whole)
    if _mixed(value):
        return True
    if _names_environment(place.key):
        return len(value) >= 6
    closed = place.quoted and place.after in {'"', "'", "`", "\\"}
    named = re.search(r"[=:>]\s*[\"'`\\]*$", place.key) is not None
    if not closed or not named or len(value) < 6:
        return False
    return not _DESCRIBES.search(value) or re.fullmatch(r"[A-Z][a-z]+_\d{2,}", value) is not None


def is_said(value: str, place: Place) -> bool:
    """A value told in a sentence: it must not be a word of that sentence."""
    value = _trimmed(value).strip("*_~.!?)]”’")
    if len(value) < 4 or _is_weak(value) or _is_code(value, Place(place.key, False, place.after)):
        return False
    if place.quoted and re.search(r"(?i)\b(?:is|was|:|=)\s*[\"'`“‘*]*$", place.key):
        return len(value) >= 6 and (_mixed(value) or value.isalpha())
    return _mixed(value) and not _FILE.fullmatch(value)


def is_mixed(value: str, place: Place) -> bool:
    """A value whose place alone says little."""
    return _mixed(value) and not _is_weak(value) and not _is_code(value, place)


def is_nearby(value: str, place: Place) -> bool:
    """A value in quotes a few words after a name: nothing else than a secret looks like it."""
    if place.after not in {'"', "'", "`", "\\"} or _RE.digest_named.search(place.key):
        return False
    name = _NAME.match(place.key)
    if name is None or _RE.finds.search(name.group()) or _FINDS_NEARBY.search(name.group()):
        return False
    if is_placeholder(value) or _is_code(value, place):
        return False
    if _PASSWORD_NAMED.search(name.group()):
        return _mixed(value) and any(c.isdigit() for c in value) and not _is_weak(value)
    if _UUID.fullmatch(value):
        return _UUID_NAMED.search(place.key) is not None
    return not is_words(value) and not _NUMBER.fullmatch(value) and _is_random(value)


def is_random(value: str, place: Place) -> bool:
    """A value that stands before its name."""
    if is_placeholder(value) or _DIGEST.match(value) or _is_code(value, place):
        return False
    return not is_words(value) and not _UUID.fullmatch(value) and _is_random(value)


def is_login(value: str, place: Place) -> bool:
    """The password half of `user:password`, where nothing else can stand."""
    return len(value) >= 3 and not _is_weak(value) and not _is_code(value, place)


def is_header(value: str, place: Place) -> bool:
    """Credentials of a header: a scheme in front of them is enough."""
    return (
        len(value) >= 8
        and not is_placeholder(value)
        and value.lower() not in {"bearer", "basic", "digest"}
        and not is_words(value)
    )


def is_field_password(value: str, place: Place) -> bool:
    """The value of a key that says it is a password: all but what describes one."""
    value = value.strip()
    if not 4 <= len(value) <= 256 or _is_reference(value, place):
        return False
    if re.search(r"(?i)(?:pin|otp)\W*$", place.key):
        return re.fullmatch(r"\d{4,8}", value) is not None
    if value.isdigit():
        return len(value) >= 6 and len(set(value)) > 2
    if _is_weak(value.replace("<", "")) or _is_sentence(value):
        return False
    return not _is_identifier(value)


def is_field_secret(value: str, place: Place) -> bool:
    """The value of a key that says it is a token or a secret: nothing that reads as words."""
    scheme = _SCHEME.match(value.strip())
    value = _SCHEME.sub("", value.strip())
    if not 8 <= len(value) <= 4_096 or _is_reference(value, place) or _RE.finds.search(place.key):
        return False
    if len(value.split()) > 1:
        return _strong(value) and len(value) <= 64 and not _is_sentence(value)
    if scheme and "authorization" in place.key.lower():
        return True
    if is_token(value[:_JUDGED], place) or _strong(value):
        return True
    return len(value) >= 16 and value.isalpha() and not _is_speakable(value)


def is_phrase(value: str, _: Place) -> bool:
    """The words of a seed, nothing but words."""
    return re.fullmatch(r"\W*[a-z]+(?:[\s,;\"'|-]+[a-z]+){11,23}\W*", value) is not None


Test = Callable[[str, Place], bool]

# The tags of data/secrets.toml.
TESTS: dict[str, Test] = {
    "token": is_token,
    "password": is_password,
    "prose": is_said,
    "login": is_login,
    "header": is_header,
    "mixed": is_mixed,
    "nearby": is_nearby,
    "random": is_random,
    "password-field": is_field_password,
    "secret-field": is_field_secret,
    "words": is_phrase,
}


def _trimmed(value: str) -> str:
    return value.rstrip(",;)}]>.:!?*|")


def _is_weak(value: str) -> bool:
    """A placeholder, or a describing word with a few digits behind it."""
    if is_placeholder(value):
        return True
    stem = re.sub(r"[\d!._-]{0,4}$", "", value.lower())
    return stem in _COMMON or _NUMBER.fullmatch(value) is not None or bool(_DATE.match(value))


def _is_code(value: str, place: Place) -> bool:
    """A type, variable, call, path or file name rather than a literal."""
    if _RE.reference.match(value) and not place.quoted:
        return True
    if value[:1] in _SIGIL and is_words(value.strip(_SIGIL)):
        return True
    if value.startswith(
        ("${", "$(", "{{", "[", "env:", "op://", "vault:", "secret://", "arn:", "http")
    ):
        return True
    if not place.quoted and place.after and place.after in "([":
        return True
    if not place.quoted and _TYPE_NAME.fullmatch(value):
        return True
    if any(c in value for c in "()[]{}|") and not place.quoted and not _mixed_symbols(value):
        return True
    return _is_path(value) or (not place.quoted and is_words(value) and "." in value)


def _is_reference(value: str, place: Place) -> bool:
    """A placeholder, or the way to a secret rather than the secret."""
    if re.fullmatch(r"<[^<>]*>", value) or is_placeholder(value.replace("<", "")):
        return True
    return _is_code(value, place) or _URL.match(value) is not None


def _is_sentence(value: str) -> bool:
    """A message about a password, not a phrase that is one."""
    words = value.lower().split()
    if len(words) < 2:
        return False
    return value[-1] in ".:?!…" or not _SENTENCE.isdisjoint(words)


def _is_speakable(value: str) -> bool:
    """Whether single letters in a row could be words: English has vowels, and few rare pairs."""
    lowered = value.lower()
    vowels = sum(letter in "aeiouy" for letter in lowered)
    longest = max(len(run) for run in re.split(r"[aeiouy]", lowered))
    changes = sum(a.islower() and b.isupper() for a, b in pairwise(value))
    return vowels * 4 > len(value) and longest <= 4 and changes * 5 <= len(value)


def _is_path(value: str) -> bool:
    """Folders and a file: most of what stands between the slashes reads as a name."""
    parts = [part for part in value.split("/") if part]
    rooted = value.startswith(("/", "./", "../", "~/"))
    if len(parts) < (1 if rooted else 3):
        return False
    readable = sum(len(part) for part in parts if is_words(part.strip("@*")))
    return readable * 2 > len(value)


def _mixed_symbols(value: str) -> bool:
    """Brackets inside what is otherwise no call or index: `a(b9!x` rather than `f(x)`."""
    return any(c.isdigit() for c in value) and any(c in "!#^&*%~" for c in value)


def is_words(value: str) -> bool:
    """Only words and small numbers, joined: `next_page_token`, `Secrets.api.v2`."""
    parts = [part for part in _SPLIT.split(value) if part]
    return bool(parts) and all(_is_word(part) for part in parts)


def _is_word(part: str) -> bool:
    """One name, also in camel case, with at most one number in it."""
    if not part.isascii() or not part.isalnum():
        return False
    words = _PIECE.findall(part)
    letters = [word for word in words if word.isalpha()]
    numbers = [word for word in words if word.isdigit()]
    if len(numbers) > 1 or sum(map(len, numbers)) > 4:
        return False
    if len(part) <= 4:
        return True
    unspoken = sum(not _VOWEL.search(word) for word in letters)
    mean = sum(map(len, letters)) / max(len(letters), 1)
    return (
        len(part) <= 40
        and mean >= (3.2 if len(part) > 13 else 2.6)
        and unspoken * 2 <= len(letters)
    )


def _mixed(value: str) -> bool:
    """Letters with digits or symbols: what password fields ask for."""
    kinds = (
        any(c.islower() for c in value)
        + any(c.isupper() for c in value)
        + any(c.isdigit() for c in value) * 2
        + any(c in "!@#$%^&*+=?~|/" for c in value)
    )
    return kinds >= 3 and not _is_identifier(value)


def _is_random(value: str) -> bool:
    """Nothing but chance writes this: believed although words stand between it and its name."""
    if len(value) < 16 or _is_path(value):
        return False
    strewn = len(re.findall(r"\d+", value)) >= 2 or len(value) <= 2.7 * len(_PIECE.findall(value))
    return (strewn or _BASE32.fullmatch(value) is not None) and entropy(value) >= 3.0


def _strong(value: str) -> bool:
    """Mixed beyond what any word or name of code is: letters, digits and a symbol."""
    return (
        len(value) >= 8
        and _mixed(value)
        and any(c.isalpha() for c in value)
        and any(c in "!@#$%^&*+?~" for c in value)
    )


def _is_identifier(value: str) -> bool:
    """`password1Field`, `hash_v2`: names of code that happen to have a digit."""
    return (
        re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value) is not None
        and is_words(value)
        and ("_" in value or sum(w[:1].isupper() for w in _PIECE.findall(value)) >= 2)
    )


def _names_environment(key: str) -> bool:
    """`DB_PASSWORD=`: the value of such a line is the secret, whatever it looks like."""
    name = re.search(
        r"([A-Z][A-Z0-9_]*)[\"'\\]{0,8}[\s,\"'\\]*(?:value)?[\s\"'\\]*[=:\s]\s{0,2}[\"'\\]*$", key
    )
    return name is not None and len(name.group(1)) >= 3


def _names_credential(key: str) -> bool:
    """Strong enough a name to believe a short value or a UUID."""
    return _RE.credential.search(_TYPED.sub("=", key)) is not None
