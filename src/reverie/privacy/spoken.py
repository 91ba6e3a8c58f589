"""Is this a secret that somebody told? In prose every word stands where a secret could.

What is in quotes is meant literally. What is not must be no word of the sentence: mixed, or letters
that make no ordinary word, at the end of a clause.
"""

import re

from reverie.data import patterns
from reverie.privacy.codes import are_codes, is_sent
from reverie.privacy.grammar import in_bytes, in_text
from reverie.privacy.invented import is_invented, is_joined_phrase, is_unknown, is_word_phrase
from reverie.privacy.literals import (
    JOINTS,
    are_strange,
    is_call,
    is_common,
    is_odd_sentence,
    is_symbols,
    is_unreadable,
    is_words,
    names_a_secret,
    pieces,
    weight,
)
from reverie.privacy.passwords import (
    are_groups,
    is_couple,
    is_label,
    is_mixed_value,
    is_passphrase,
    is_strong,
    is_weak,
    trimmed,
)
from reverie.privacy.places import Place, ends_clause, refers

_RE = patterns("judgement.txt", "judgement")

_MESSAGE = (
    r"(?i)(?:{says}|\b(?:is|was|be|to|as|but|is\s+now)|['\x99]s|[:=,]|->)\s*[\"'`*\x80-\xff]*$"
)
_WORDS_AND_SIGN = re.compile(r"\w [\w-]+[\"'`*]{0,3}\s?[:=]\s*[\"'`*]*$")
_VERB = re.compile(r"(?i)(?:\b(?:is|was|be|to|lautet|ist|est|es|jest)|\xc3[\xa8\xa9])\s*$")
_CHOOSES = r"(?i)\b(?:{chooses})\s[\"'`*]*$"
_CODES = (
    r"(?i)(?:(?!{password}|secret|token|key)[^\n.!?]){0,60}(?:{codes}|{foreigncodes}|{recovery})\b"
    r"(?! (?:secret|seed|key))"
)
_USER = (
    r"(?i)(?:{users})[\s:=]{1,3}(?!(?:and|or|und|oder|et|ou|y|o|e|en|och|og)\s)\S{2,40}[\s,;/]{1,3}"
    r"(?:\S{1,3}\s)?$"
)
_NAMED = r"(?i){password}|\bpass\b|_pass\b|pwd|\bpw\b|psk\b|{pepper}"
# Nothing but whose it is stands between the name and what says that it follows.
_NAMED_AND_SAID = (
    r"(?i)(?:{password}|\bpass|pwd|\bpw)[\"'`*]{0,3}(?:\s(?:for|of|on|at|in|to|zu[mr]?|für|pour|de|para)\s[^\n:=]{1,40}?|\s(?:here|there))?"
    r"(?:{says}|\s(?:is|was|to|be)(?:\snow)?|['\x99]s|:|=|\s?->)\s*[\"'`*]*$"
)
_SAID_AFTER = r"(?i)[*_`\"']{0,4}\s?(?:{saidafter})"
_LATIN = re.compile(r"([!-~]+)[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff00-\uff60]")
_EXCLAIMS = re.compile(r"\w\d!$")  # a password ends so as often as a sentence does
_ENDS_IN_DIGITS = re.compile(r"[A-Za-z_]{4,}\d{1,4}")
_CAMEL_AND_NUMBER = re.compile(r"(?:[A-Z][a-z]{2,}){2,}\d{1,4}")
_STANDARD = re.compile(r"[A-Z]{2,5}\d+")
_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}")
_FILE = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{1,5}\d?")
_CODE = re.compile(
    r"(?:process|os|env|self|this|import|std|config|settings|var|data|secrets|req|request|args|user)\??[.\[]"
    r"|--?[a-z]|[A-Z]+_[A-Z_]+$"
)
_CALL = re.compile(r"[\w.]+[(\[]")
_DOTTED = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)+")
# `the password handling from bcrypt to argon2`: not the password went from one to the other.
_OF_ANOTHER = re.compile(
    r"(?i)(?:word|phrase|code|wd|pwd?)s?\s(?!for|of|on|at|in|from)\w+\s.*from\s\S+\sto\s*$"
)
# `move the password to vault`: what is moved goes to a place.
_MOVES = r"(?i)\b(?:{moves})\b[\w ]{0,24}$"
_EXAMPLE = re.compile(r"(?i)\b(?:such|as well|known|same|as soon|as long) as\s*[\"'`]*$")
# Headings of what is told about secrets, and not of one.
_ABOUT = re.compile(
    r"(?i)[\s#]*(?:how|why|when|where|about|resett?|chang|rotat|forg[eo]t|configur)"
)
_ANSWERS = re.compile(r"\?\s*\n[^\n]*[:>]\s*$")
_NAMES_ANOTHER = re.compile(r"[\"'`]\s*:")  # a key of its own, on the line below
_WORDS_IN_PHRASE = 3
# Whose it is, before its name: of code only names stand between commas.
_OWNED = re.compile(
    r"(?i)\b(?:a|the|my|our|your|their|new|old|root|admin|das|dein|mein|unser|neue[ns]?)\s"
    r"(?:[\w-]{1,20}\s){0,2}[\w-]+[\"'`*]{0,3},"
)
_INTERLEAVED = re.compile(r"[A-Za-z]{3,}\d{3,}[A-Za-z]{3,}")
_NUMBER = 3  # digits that no name of a thing has
_FEWEST_NEAR, _LONG_ENOUGH = 6, 10
_FEWEST_KEPT = 4  # characters of what is kept secret
_LONG, _SORTS_OF_SIGNS = 16, 5  # of what no call is written with
_NAME = 24  # characters before a value that its name may have
_LINE_ENDS = re.compile(r"[\"'`*}\]]{0,4}\s*(?:$|\x1f|\\n|\\r|</)")


def is_said(value: str, place: Place) -> bool:
    """A value told in a sentence: it must not be a word of that sentence."""
    if not place.closed and not is_symbols(value) and not _EXCLAIMS.search(value):
        value = _own_script(trimmed(value).strip("*_~.!?)]”’»"))
    after = in_bytes(_SAID_AFTER).match(place.rest) is not None
    if (
        not place.closed
        and weight(value[:1]) > 1
        and not after
        and in_text("{particles}").search(value)
    ):
        return False
    if " " in value:
        return _is_phrase_said(value, place)
    if weight(value) < 4 or not _is_own_word(value) or _names_something(place):
        return False
    if _OF_ANOTHER.search(place.key) or (
        in_bytes(_MOVES).search(place.line) and place.key.rstrip().endswith((" to", " into"))
    ):
        return is_strong(value)
    if not in_bytes(_NAMED).search(place.key):
        return is_mixed_value(value) and not _COLOUR.fullmatch(value)
    if is_mixed_value(value):
        return True
    direct = (
        in_bytes(_MESSAGE).search(place.key) is not None
        or place.sign in {":", "=", "->"}
        or after
        or in_bytes(_USER).search(place.line) is not None
    )
    if value.isdigit():
        return len(value) >= (5 if direct else 6)
    if place.closed:
        return weight(value) >= 5 and (direct or not is_common(value))
    if direct:
        return is_unknown(value) or (ends_clause(place) and _is_no_word(value, place))
    if is_invented(value):
        return ends_clause(place) or after
    strange = is_unreadable(value) or not is_words(value) or is_joined_phrase(value)
    strange = strange or _is_phrase(value) or is_camel_phrase(value)
    return len(value) >= 8 and value.isascii() and strange


def _is_no_word(value: str, place: Place) -> bool:
    """At the end of a clause: a word and digits, or what is no ordinary word."""
    least = 5 if place.sign in {":", "="} or not value.isascii() else 6
    if _ENDS_IN_DIGITS.fullmatch(value) and not _STANDARD.fullmatch(value):
        return True
    if is_joined_phrase(value):
        return True
    return weight(value) >= least and not is_common(value) and is_told_apart(value)


def is_told(place: Place) -> bool:
    """Whether a verb, or a sign behind words that are no name of code, says what follows."""
    if place.sign in {":", "=", ","}:
        return _WORDS_AND_SIGN.search(place.line + place.key) is not None
    if place.sign == "(":
        return place.rest.startswith(")")
    return in_bytes(_MESSAGE).search(place.key) is not None


def _names_something(place: Place) -> bool:
    """A thing that has to do with passwords, one of many, or a key on the line below."""
    if place.closed and "\n" in place.key and _NAMES_ANOTHER.match(place.rest):
        return True
    return _EXAMPLE.search(place.key) is not None or _RE.compound.search(place.key) is not None


def _is_phrase_said(value: str, place: Place) -> bool:
    """Several words: only in quotes, or where nothing but the secret can follow."""
    if are_groups(value) and in_bytes(_NAMED_AND_SAID).search(place.key):
        return True
    if place.closed or place.sign in {":", "=", "->"}:
        return is_passphrase(value) or is_odd_sentence(value) or is_couple(value)
    return _VERB.search(place.key) is not None and is_passphrase(value) and len(value.split()) > 3


def is_phrase_told(value: str, place: Place) -> bool:
    """Several words that stand alone between a name and the end of their line or string."""
    if not place.closed and place.sign not in {":", "=", ">"}:
        return False
    return not is_label(value) and (is_passphrase(value) or is_odd_sentence(value))


def _own_script(value: str) -> str:
    """Without the particles and verbs that follow in a script that writes no spaces."""
    latin = _LATIN.match(value)
    return latin[1] if latin else value


def _is_phrase(value: str) -> bool:
    return len(re.split(r"[-_.]", value)) > _WORDS_IN_PHRASE and not is_common(value)


def is_camel_phrase(value: str) -> bool:
    """Words that code seldom has, joined by their capitals, and a number: `TundraWalnut41`."""
    if _CAMEL_AND_NUMBER.fullmatch(value) is None:
        return False
    return sum(not is_common(word) for word in pieces(value) if word.isalpha()) >= 2


def is_told_apart(value: str) -> bool:
    """No word of prose: letters that make none, or words joined as prose does not join them."""
    parts = re.split(r"[-_.]", value)
    if len(parts) == 1:
        return True
    return len(parts) >= 3 and all(part.isalnum() for part in parts)


def is_before(value: str, place: Place) -> bool:
    """A value that is told before its name: `X is the password`."""
    value = value.strip("*_~.,!?()[]”’»")
    if in_bytes(_CODES).match(place.rest):
        if place.closed and (is_sent(value) or are_codes(value, place)):
            return True
        return value.replace(" ", "").isdigit() and 4 <= len(value) <= 13
    if " " in value:
        return place.closed and any(map(str.isdigit, value)) and are_groups(value)
    if len(value) < 5 or not _is_own_word(value):
        return False
    if is_mixed_value(value) or _is_odd(value) or is_joined_phrase(value):
        return True
    chosen = in_bytes(_CHOOSES).search(place.line + place.key) is not None
    return (place.closed or chosen) and not is_common(value)


def is_between(value: str, place: Place) -> bool:
    """The same for one that stands where a noun could: letters must make no word."""
    word = value.strip("*_~.,!?()[]”’»")
    telling = any(map(str.isdigit, value)) or is_strong(value) or is_unreadable(value)
    telling = telling or is_invented(word) or is_joined_phrase(word)
    return is_before(value, place) and (telling or are_strange(value, least=3, all_of_them=True))


def is_near(value: str, place: Place) -> bool:
    """A word of no language, or signs that make none, in a clause that names a password.

    Of tokens and secrets much else is told, so that only what is no word is one.
    """
    value = value.strip("*_~.,;:!?()[]\"'`”’»")
    if len(value) < _FEWEST_NEAR or not _is_own_word(value) or _names_something(place):
        return False
    if place.sign == "," and not _OWNED.search(place.line + place.key):
        return False
    if is_unknown(value):
        return True
    digits = sum(map(str.isdigit, value))
    plain = is_words(value) and place.sign != "," and digits < _NUMBER
    odd = (is_mixed_value(value) and digits > 0 and not plain) or is_camel_phrase(value)
    if in_bytes(_NAMED).search(place.key + place.rest[:_NAME]) is None:
        odd = odd and any(map(str.isupper, value)) and any(map(str.islower, value))
        odd = odd or _INTERLEAVED.fullmatch(value) is not None
        return is_strong(value) or (odd and len(value) >= _LONG_ENOUGH)
    if place.closed and not is_common(value):
        return True
    return odd or is_strong(value) or is_joined_phrase(value)


def is_item(value: str, place: Place) -> bool:
    """The same for one of a list that is called so."""
    return is_near(value, place)


def is_line(value: str, place: Place) -> bool:
    """A value that has a line for itself, below what asks for it."""
    value = value.strip("*_~.,!?()[]”’»")
    if len(value) < 4 or not _LINE_ENDS.match(place.rest) or not _is_own_word(value):
        return False
    if _ABOUT.match(place.key):
        return False
    if value.isdigit():
        return len(value) >= 5
    if value.isalpha() and value.istitle():
        # A title, unless somebody answers with nothing else.
        return len(value) >= 8 and _ANSWERS.search(place.key) is not None and not is_common(value)
    return not is_common(value) or is_joined_phrase(value)


def is_pair(value: str, place: Place) -> bool:
    """What stands behind a user and a stroke."""
    value = trimmed(value)
    if " " in value:
        return are_groups(value)
    if len(value) < 4 or not _is_own_word(value):
        return False
    if value.isdigit():
        return len(value) >= 5
    return is_mixed_value(value) or not is_common(value) or is_joined_phrase(value)


def is_kept(value: str, _: Place) -> bool:
    """A value of what holds nothing but secrets."""
    return len(value) >= _FEWEST_KEPT and not is_weak(value) and not refers(value)


def is_in_couple(value: str, place: Place) -> bool:
    """What stands behind a user, below a head of two words."""
    return is_pair(value, place)


def is_phrase(value: str, _: Place) -> bool:
    """The words of a seed, nothing but words."""
    return re.fullmatch(r"\W*[a-z]+(?:[\s,;\"'|-]+[a-z]+){11,23}\W*", value) is not None


def is_joined(value: str, place: Place) -> bool:
    """Words that are one, told to be a password or a phrase that opens something."""
    told = in_bytes("(?i){password}").search(place.line + place.key + place.rest) is not None
    return told and is_word_phrase(value.strip("*_~.,;:!?"))


def is_wordy(value: str, place: Place) -> bool:
    """Words that somebody chose and that make no sentence, joined by whatever."""
    if _RE.compound.search(place.key[-_NAME:] + value):  # `password-policy-for-guests`
        return False
    return is_passphrase(JOINTS.sub(" ", value)) or is_joined_phrase(value)


def _is_own_word(value: str) -> bool:
    """Neither a stand-in nor a reference, a file or a name of code."""
    if (
        is_weak(value)
        or ("<" in value and not is_strong(value))
        or (value[0] in "{$[(%&#" and not _is_no_reference(value))
        or is_label(value)
        or names_a_secret(value)
    ):
        return False
    if refers(value) or _CODE.match(value):
        return False
    if any(c in "[](){}" for c in value) and is_call(value) and not _is_no_call(value):
        return False
    parts = value.split(".")
    if len(parts) > _WORDS_IN_PHRASE or (len(parts) == 3 and sum(map(is_common, parts)) <= 1):
        return True
    return not (_FILE.fullmatch(value) or _DOTTED.fullmatch(value))


def _is_no_reference(value: str) -> bool:
    """Signs before what is neither a name nor a number."""
    return is_symbols(value) or not is_words(value.strip("{}[]()$%&#"))


def _is_no_call(value: str) -> bool:
    if len(value) >= _LONG and sum(not sign.isalnum() for sign in set(value)) >= _SORTS_OF_SIGNS:
        return True
    return is_mixed_value(value) and any(map(str.isdigit, value)) and not _CALL.match(value)


def _is_odd(value: str) -> bool:
    return len(value) >= 8 and not is_common(value) and is_told_apart(value)
