"""What a value is made of: filler, a reference, words, or something that only a secret is.

Whoever writes documentation puts a stand-in where a secret would go, and code puts a variable
there. Both are told by the whole value: a secret with `example` in its middle is a secret.
"""

import math
import re
from collections import Counter
from functools import cache
from itertools import pairwise

from reverie.data import sections

FILE = "judgement.txt"
JOINTS = re.compile(r"[-_. ]")  # between the words of a phrase
NO_YEAR = re.compile(r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{4}")

_TOLD_BY_FILLER = 80  # characters; what is longer is judged by its beginning
_LONG = 16
_SHORTEST = 4  # letters of a word that the list of common ones has
_CHOSEN_DIGITS = 6  # of a number that somebody counted up to have a password
_BUILT_ON = re.compile(r"[0-9!@#$%^&*+?~]")  # what a word becomes a password with
_ITS_NUMBER = re.compile(r"(?<=[a-z])[-_ ]0?\d$")  # `test-token-1`
_WORD_AND_YEAR = re.compile(r"[A-Z][a-z]+[-_.](?:19|20)\d\d")  # a password made of its name
_RUN = 3  # so many equal or counting characters in a row are filler
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_FEWEST_WORDS, _MOST_WORDS = 4, 10  # of a sentence that is a secret
_LONGEST_WORD = 16
_UNREADABLE = 8  # letters; of fewer nothing can be said
_USUAL = 25  # words of the list that have a pair of letters
_SYMBOLS = 7  # so many signs in a row
_STREWN = re.compile(r"[\w!#%^&*+=?~-]{4,}")
_CALLED = re.compile(r"([\w.:]*)[(\[{]([^)\]}]*)[)\]}]?")
_SIGNS = "-_./:#@!*+=~ "
_RUNS = re.compile(r"[a-z]+|[0-9]+|[^\W_a-z0-9]+")
_MASK = re.compile(r"[*•●#xX.·_-]{3,}|…")
# What shows only the ends of a secret: `sk-****e988`.
_COVERED = re.compile(r"(\w[\w-]{0,11})?(?:[*•●]{3,}|\.{3,}|…)(\w{0,8})")
_SPLIT = re.compile(r"[-_./:\\@?&=+ ]+")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d{1,4}|[^A-Za-z0-9]")
_STANDARD = re.compile(r"[A-Z]{2,5}\d+")
_OWN_NUMBER = re.compile(r"[-_. ](?!(?:19|20)\d\d$)\d{2,}$")
_CHOSEN_WORDS = 2
_OWN_DIGITS = 2  # that the name of a thing may have
_LONGEST_PHRASE = 12  # words of what somebody keeps in mind
_KEYS = frozenset("key keys api apikey".split())
_VOWEL = re.compile(r"[aeiouyAEIOUY]")
_NAMES_SECRET = frozenset(
    "pass passwd password passphrase pwd pw secret secrets token tokens credential credentials auth"
    " user username login hash hashed salt encrypted".split()
)
_ROOTS = frozenset("home Users etc usr var opt tmp root srv mnt run dev proc workspace".split())
_ENDINGS = ("", "s", "es", "d", "ed", "ing", "ly", "er", "r", "able", "ment", "ion")
_BEGINNINGS = ("", "un", "in", "non", "re", "pre", "mis", "over", "auto", "self", "pseudo")


def pieces(value: str) -> list[str]:
    """Runs of letters of one case, of digits, and single other characters."""
    return _PIECE.findall(value)


def entropy(text: str) -> float:
    """Shannon entropy in bits per character."""
    if not text:
        return 0.0
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values())


def weight(value: str) -> int:
    """How long a value is, where a sign of a script without letters counts for two."""
    return len(value) + len(_IDEOGRAPH.findall(value))


def is_filler(value: str) -> bool:
    """A stand-in that no service would accept: nothing but filler from one end to the other."""
    lowered = value.lower()
    if value.isdigit():
        return len(set(value)) == 1 or _counts(value)
    if lowered in describing() or value in _words("example") or len(set(lowered)) <= 2:
        return True
    if is_symbols(value):
        return False
    if value.startswith("<") or value.endswith(("...", "…")) or _COVERED.fullmatch(value):
        return True
    masked = sum(len(run) for run in _MASK.findall(value))
    if masked * 2 > len(value) or _asks_for_one(value):
        return True
    return _is_covered(lowered[:_TOLD_BY_FILLER])


def _asks_for_one(value: str) -> bool:
    """`your-cactus-key-here`: words that say what is to be put there, whatever it is called."""
    words = JOINTS.split(value.lower())
    if len(words) < 3 or not all(map(str.isalpha, words)):
        return False
    asks = words[0] in _words("asks") and not _words("filler").isdisjoint(words[1:])
    return asks or words[-1] == "here"


def is_stand_in(value: str) -> bool:
    """Filler that nobody chose: a word of documentation as a whole.

    People build passwords on the same words. `changeme` stands for one, `Changeme1!` is one.
    """
    if value.isdigit():
        return is_filler(value) and (len(value) < _CHOSEN_DIGITS or len(set(value)) == 1)
    value = _ITS_NUMBER.sub("", value)
    if not is_filler(value):
        return False
    lowered = value.lower()
    if not _BUILT_ON.search(lowered) or lowered in describing() or value in _words("example"):
        return True
    if len(set(lowered)) <= 2 or value.startswith("<") or value.endswith(("...", "…")):
        return True
    if _MASK.search(value) or not _words("telling").isdisjoint(_filler_words(lowered)):
        return True
    # `test-token-123`: words and a number, each for itself.
    parts = _SPLIT.split(lowered)
    return len(parts) > 2 and all(
        part.isalpha() or _counts(part) or len(part) == 1 for part in parts
    )


def _filler_words(lowered: str) -> set[str]:
    return {match.group() for match in _filler().finditer(lowered)}


def is_symbols(value: str) -> bool:
    """Signs of many sorts and nothing else: neither a mask nor a line that was drawn."""
    return (
        len(value) >= _SYMBOLS
        and not any(map(str.isalnum, value))
        and value.isascii()
        and len(set(value)) * 2 >= min(len(value), 2 * _SYMBOLS - 4)
    )


def is_call(value: str) -> bool:
    """`load(name)`, `rows[0]`: what is between the brackets is a name, a number, or nothing."""
    call = _CALLED.match(value)
    if call is None or is_symbols(value):
        return False
    name, argument = call.groups()
    if not argument:
        return True
    if name and not is_words(name):
        return False
    inside = pieces(argument)
    strewn = _STREWN.fullmatch(argument) is not None and len(argument) <= 2.5 * len(inside)
    return not strewn or (bool(name) and not (name.isalpha() and name.islower()))


def _is_covered(lowered: str) -> bool:
    """Whether filler words, runs and signs make up the value; of a long one, nearly all of it."""
    filler = _filler()
    # A short one begins with filler, or it is none.
    start = lowered.lstrip(_SIGNS)
    if len(lowered) < _LONG and not filler.match(start) and not _counts(start[:_RUN]):
        return False
    kept = filler.sub(" ", lowered)
    left = sum(len(run) for run in _RUNS.findall(kept) if not _counts(run))
    return left == 0 or (len(lowered) >= _LONG and left * 8 <= len(lowered))


def _counts(run: str) -> bool:
    """Equal characters, or each one after the other: `000`, `1234`, `abcdef`."""
    if len(run) < _RUN:
        return False
    steps = {ord(second) - ord(first) for first, second in pairwise(run)}
    return steps == {0} or steps <= {1, ord("0") - ord("9"), ord("a") - ord("9")}


@cache
def _filler() -> re.Pattern[str]:
    words = sorted(_words("filler"), key=lambda word: -len(word))
    return re.compile("|".join(map(re.escape, words)) + r"|([a-z0-9])\1{2,}")


def is_words(value: str) -> bool:
    """Only words and small numbers, joined: `next_page_token`, `Secrets.api.v2`."""
    parts = [part for part in _SPLIT.split(value) if part]
    return bool(parts) and all(_is_word(part) for part in parts)


def _is_word(part: str) -> bool:
    """One name, also in camel case, with at most one number in it."""
    if not part.isascii() or not part.isalnum():
        return False
    words = pieces(part)
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


def is_unreadable(value: str) -> bool:
    """Letters in an order that no word has: made by a machine, or by a hand on a keyboard."""
    if len(value) < _UNREADABLE or not value.isascii() or not value.isalpha():
        return False
    pairs = list(pairwise(value.lower()))
    return sum(pair in _usual_pairs() for pair in pairs) < 0.6 * len(pairs)


def is_scrambled(value: str) -> bool:
    """Letters that make no words, or that change their case more often than a name of code."""
    letters = "".join(filter(str.isalpha, value))
    parts = pieces(letters)
    if is_unreadable(letters) or len(parts) * 7 >= len(letters) * 2:
        return True
    ordinary = any(len(part) >= _SHORTEST and is_common(part) for part in parts)
    return len(parts) * 4 >= len(letters) and not ordinary


def is_spelled(value: str) -> bool:
    """Words, most letters of which are in ordinary ones: a name of code."""
    words = [word for word in pieces(value) if word.isalpha()]
    ordinary = sum(len(word) for word in words if len(word) >= _SHORTEST and is_common(word))
    return is_words(value) and ordinary * 2 >= sum(map(len, words))


def is_readable(value: str) -> bool:
    """Words, and not only by their shape."""
    return is_words(value) and not is_unreadable("".join(filter(str.isalpha, value)))


@cache
def _usual_pairs() -> frozenset[tuple[str, str]]:
    """The pairs of letters that words are made of."""
    counted = Counter(pair for word in _words("common") for pair in pairwise(word))
    return frozenset(pair for pair, count in counted.items() if count >= _USUAL)


def is_common(value: str) -> bool:
    """Every part is an ordinary word of prose or code: `case-sensitive`, `rotated`."""
    parts = [part for part in _SPLIT.split(value) if part]
    if is_words(value):
        parts = [word for part in parts for word in pieces(part)]
        if any(len(word) > 2 and word.isdigit() for word in parts):
            return False
    long = [part.lower() for part in parts if len(part) >= _SHORTEST]
    # Short words are not asked for, so that they must not be all there is.
    few = sum(map(len, long)) * 2 < sum(map(len, parts)) and len(parts) > 2
    return bool(parts) and not few and all(map(_is_common_word, long))


def is_common_word(value: str) -> bool:
    """One ordinary word, or a few in camel case, and nothing else: what most places hold."""
    return value.isalpha() and is_common(value)


@cache
def _is_common_word(word: str) -> bool:
    common = _ordinary()
    if word in common:
        return True
    stems = [word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending)]
    stems += [stem + "e" for stem in stems] + [stem + "y" for stem in stems]
    return any(
        stem.removeprefix(beginning) in common
        for stem in stems
        if len(stem) >= 4
        for beginning in _BEGINNINGS
        if stem.startswith(beginning)
    )


def is_compound(value: str) -> bool:
    """Words without anything between them: `staticfilesroot`; digits may end it."""
    letters = value.lower().rstrip("0123456789")
    if not letters.isalpha():
        return False
    known = _joined()
    ends = {0}  # where a word may begin
    for start in range(len(letters)):
        if start in ends:
            longest = min(len(letters), start + _LONGEST_WORD)
            ends.update(
                stop for stop in range(start + 2, longest + 1) if letters[start:stop] in known
            )
    return len(letters) in ends


def are_strange(value: str, *, least: int, all_of_them: bool) -> bool:
    """Words that are seldom met in code, joined: of three or more one may be an ordinary one."""
    words = [word for word in JOINTS.split(value) if word]
    if not all(word.isascii() and word.isalnum() for word in words):
        return False
    strange = [word for word in words if len(word) > 3 and not is_common(word)]
    if all_of_them or len(words) < 3:
        return len(strange) == len(words) >= least
    # What is short is no ordinary word of a name either: `jwt`, `822`.
    ordinary = sum(len(word) > 3 for word in words) - len(strange)
    return len(words) >= least and len(strange) > max(ordinary, 1 if len(words) > 3 else 0)


def is_no_prose(value: str) -> bool:
    """Digits behind a word, letters in an order that no word has, or three joined words."""
    if value.isalpha():
        return is_unreadable(value) or len(pieces(value)) * 4 >= len(value) + 4
    if value.isalnum():
        return any(map(str.isdigit, value)) and not _STANDARD.fullmatch(value)
    few = len(JOINTS.split(value)) < 4 and value.replace("-", "").isalpha()
    return are_strange(value, least=3, all_of_them=few) or NO_YEAR.search(value) is not None


def names_a_secret(value: str) -> bool:
    """A name of code in which the word itself stands: `userPassword`, `X-Auth-Token`.

    With a number it is one if it has no other words: `password2`, but neither `DevPass2` nor
    `Secret99`; nor is what ends in a longer number (`river-secret-822`) or has two words that
    code hardly uses (`river-saddle-secret`).
    """
    if not is_words(value) or _WORD_AND_YEAR.fullmatch(value):
        return False
    words = [word.lower() for word in pieces(value) if word.isalpha()]
    digits = sum(map(str.isdigit, value))
    if digits and JOINTS.search(value) is None:
        return digits == 1 and all(word in _NAMES_SECRET for word in words)
    if _NAMES_SECRET.isdisjoint(words) or has_own_number(value):
        return False
    return "-" not in value or sum(len(w) > 3 and not is_common(w) for w in words) < _CHOSEN_WORDS


def has_own_number(value: str) -> bool:
    """Ends in a number that somebody chose: neither a year nor which one of several."""
    return _OWN_NUMBER.search(value) is not None


def is_sentence(value: str) -> bool:
    """A message about a password, not a phrase that is one."""
    words = value.lower().split()
    if len(words) < 2:
        return False
    plain = all(word.strip(".,:;?!…'\"()").isalpha() for word in words)
    return (plain and value[-1] in ".:?!…") or not _words("sentence").isdisjoint(words)


def is_odd_sentence(value: str) -> bool:
    """A sentence with a number in it that speaks of no secret: easy to keep in mind as one."""
    words = value.split()
    return (
        _FEWEST_WORDS <= len(words) <= _MOST_WORDS
        and any(map(str.isdigit, words))
        and any(word.isalpha() and not is_common(word) for word in words)
        and not is_message(value)
    )


def is_message(value: str) -> bool:
    """What tells somebody about a secret, whatever words it has besides."""
    words = (word.strip(".,:;?!…'\"()") for word in value.lower().split())
    return not _words("message").isdisjoint(words)


def describes_secret(value: str) -> bool:
    """What is told of a secret, or the name of one, where the secret itself would stand.

    All words are ordinary, and one of them is of such a message or name; a constant needs none.
    """
    words = [word.lower() for word in pieces(value) if word.isalpha()]
    known = [word in _joined() or len(word) < _SHORTEST for word in words]
    if len(value.split()) > 1:
        messages = sum(map(is_message, words))
        about = (
            not _NAMES_SECRET.isdisjoint(words) or messages > 1 or (messages == 1 and all(known))
        )
        return about or len(words) > _LONGEST_PHRASE
    if has_own_number(value) or sum(map(str.isdigit, value)) > _OWN_DIGITS:
        return False
    if not is_words(value) or not all(known):
        return False
    return not (_NAMES_SECRET | _KEYS).isdisjoint(words) or (value.isupper() and "_" in value)


def is_path(value: str) -> bool:
    """Folders and a file: most of what stands between the slashes reads as a name."""
    parts = [part for part in value.split("/") if part]
    rooted = value.startswith(("/", "./", "../", "~/"))
    if value.startswith("/") and len(parts) > 1 and parts[0] in _ROOTS:
        return True
    if len(parts) < (1 if rooted else 3) or (not rooted and value.endswith("=")):
        return False
    readable = sum(len(part) for part in parts if is_readable(part.strip("@*")))
    return readable * 2 > len(value)


def describing() -> frozenset[str]:
    """Words that say what a secret is or lacks, and what everybody's local service is set to."""
    return _words("describes")


@cache
def _ordinary() -> frozenset[str]:
    return _words("common") | describing()


@cache
def _joined() -> frozenset[str]:
    return _ordinary() | _words("filler")


@cache
def _words(part: str) -> frozenset[str]:
    return frozenset(sections(FILE)[part].split())
