"""Is this value a secret, or does it only stand where one could?

Rules with a format of their own need no such question. Assignments and sentences do: most of what
follows `token =` in a transcript is a type, a variable, a placeholder or a word.
"""

import re
from collections.abc import Callable

from reverie.data import patterns
from reverie.privacy.chosen import is_chosen, is_own_word, may_be_chosen
from reverie.privacy.codes import (
    are_bytes,
    are_codes,
    are_digits,
    are_letters,
    is_card,
    is_code,
    is_licence,
    is_number_typed,
    is_recovery_code,
    is_sent,
    is_typed,
    names_card,
    names_code,
)
from reverie.privacy.grammar import in_bytes
from reverie.privacy.headers import is_header
from reverie.privacy.invented import is_joined_phrase, is_word_phrase
from reverie.privacy.literals import (
    JOINTS,
    NO_YEAR,
    are_strange,
    describes_secret,
    entropy,
    is_call,
    is_common,
    is_common_word,
    is_compound,
    is_filler,
    is_path,
    is_readable,
    is_scrambled,
    is_sentence,
    is_spelled,
    is_unreadable,
    is_words,
    names_a_secret,
    pieces,
)
from reverie.privacy.marks import is_mark, last_mark, name_of_mark
from reverie.privacy.names import (
    finds,
    is_certain,
    is_credential,
    is_field,
    is_token_name,
    name_of,
    says_which_one,
)
from reverie.privacy.passwords import (
    are_groups,
    is_encoded_login,
    is_form_password,
    is_hash,
    is_login,
    is_mixed_value,
    is_odd,
    is_password,
    is_strong,
    is_way,
    is_weak,
    names_password,
    trimmed,
)
from reverie.privacy.places import Place, is_flag, is_reference, names_environment, refers
from reverie.privacy.spoken import (
    is_before,
    is_between,
    is_camel_phrase,
    is_in_couple,
    is_item,
    is_joined,
    is_kept,
    is_line,
    is_near,
    is_pair,
    is_phrase,
    is_phrase_told,
    is_said,
    is_wordy,
)

_RE = patterns("judgement.txt", "judgement")

_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_NAMES_A_SESSION = re.compile(r"(?i)session[_ -]?(?:cookie|id)$")
_SECRET_SESSION = 20  # characters in a row
# A kind before the identifier, digits of a digest or a UUID, or a time that sorts.
_NAMES_SESSION = re.compile(r"[A-Za-z]{2,12}[_:-]|[0-9a-fA-F-]+$|[0-7][0-9A-HJKMNP-TV-Z]{25}$")
_DIGEST = re.compile(r"(?i)(?:sha(?:1|224|256|384|512)|md5|blake[23][bs]?)[-:]")
_NUMBER = re.compile(r"[-+~≈]?[\d.,_:%/]+(?:ms|s|m|h|d|k|kb|mb|gb|px|x)?", re.IGNORECASE)
_ASSIGNS = (
    r"(?:[=:>|,({\x82-]|\n|\b(?i:is|was|as|to|be|but|bearer|now|still|currently|_authtoken)|{says})\s*[\"'`\\@]*$|^--?[\w-]+[\"'`]?\s+[\"'`\\]*$"
    r"|^(?i:env|arg|setx?|setenv)\s|[A-Z][A-Z0-9_]{5,}\}?(?:[ \t]{2,}|[ \t]+[\"'])$"
)
_NEXT_NAME = re.compile(r"[+-]?([a-z_.-]{3,40}|[A-Z_]{3,40})[=:]\w")
_BARE_KEY = re.compile(r"(?i)(?:^|[^\w-])key[\"'`\\*)]*\s*[=:|]?\s*[\"'`\\]*$")
_ARN = re.compile(r"(?:\\[nrt])?arn:")
# A host and its port, also behind what it is told by.
_PEER = re.compile(r"(?:[0-9a-f]{40}@)?[\w-]+(?:\.[\w-]+)+:\d{2,5}(?:,|$)")
_KEY_OF_SERVICE = re.compile(r"(?=.*\d.*\d)[A-Za-z0-9+/]{64,}={0,2}")
_BASE62 = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d.*\d)[A-Za-z0-9_]+")
_MIXED_CASE = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z0-9_]+")
_BASE32 = re.compile(r"(?=.*[2-7])[A-Z2-7]{16,}|(?=(?:.*?[2-7]){3})[a-z2-7]{40,}")
_SCHEME = re.compile(r"(?i)(?:bearer|basic|token|apikey|digest|bot)\s+")
_JUDGED = 64
_LONG, _VERY_LONG = 16, 24  # letters that are believed with less around them
_LONG_NUMBER = 10  # digits
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]{0,11}(?:_[A-Z0-9]{1,11})+")
_FINDS_NEARBY = re.compile(r"(?i)public|regex|pattern|tokeni[sz]|tokens$|keys$")
_NEXT_LINE = re.compile(r"[^(\[{=:,+\s\"']\s*\n|[\w}]\"?\]?\)?\s*\n\s*[\w\"'-]+:")
_NAME = re.compile(r"[\w.-]+(?: [Kk]ey)?")
_SIGN_BEHIND = re.compile(r"[^\w\])]*[=:>|(,]?[\s\"'`\\*{(<]*$")
_UUID_NAMED = re.compile(r"(?i)secret|token|(?:api|access|auth)[_. -]?key")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LETS_IN = re.compile(
    r"(?i)cred|log.?in|sign.?in|auth|pass|(?:test|demo|admin|default|service).account|zugang|ident|acc?es"
)
_ALGORITHM = re.compile(
    r"(?i)(?:sha|md5|hs|rs|es|ps|aes|pbkdf|bcrypt|argon|scrypt|hmac|blake)[\w:-]{0,12}$|https?:"
)
_CLIENT = re.compile(
    r"(?i)(?:stripe|openai|anthropic|resend|groq|client|bot|octokit|sendgrid\w*|github|gitlab)(?:\.\w+)?\("
)
_READS = re.compile(r"(?i)(?:get|read|load|find|fetch|prompt|ask|lookup|list|delete|remove)")
_TAKES_WORDS = re.compile(
    r"(?i)pass|pwd|hash|crypt|argon|jwt|hmac|fernet|cred|auth|login|superuser|ssh"
)
_TOKEN_CALL = re.compile(r"(?i)(?:token|secret|key)\(")
_JOINT = re.compile(r"[-_.]")
_ASSIGNED = re.compile(r"[A-Za-z_.]+[=:(]")  # the rest of a name, and a value of it
_BEGINNING = 18  # characters, at most, that tell a vendor
_MADE = 2.8  # bits per character of what a vendor's machine makes
_BRAND = re.compile(r"(?:[A-Z][a-z]+)+[A-Z][A-Za-z]*")
_WHOSE = frozenset("my our your the his her their".split())
_FINDS_WHAT = re.compile(
    r"(?i)(?:cache|sort|lookup|index|bucket|row|partition|primary|foreign|public)\b"
)
_OF_A_CACHE = re.compile(r"(?i)[.-]cache-|^cache-")
_SHOWN_SPACE = "·"
_SELECTOR = re.compile(r"[#.][A-Za-z][\w-]*")
_FEWEST = 6  # characters of a word that a call is given
_SHORTEST_FIELD = 3  # characters of what a field may hold
_PHRASE = 4  # words that are no name of a thing
_PASSWORD_NAMED = re.compile(r"(?i)pass|pwd|_pw|psk|pepper|community")


def is_token(value: str, place: Place) -> bool:
    """A value after `token=` and the like: machine-made, so it must look random."""
    if is_common_word(trimmed(value)) or value[:1] == _SHOWN_SPACE:
        return False
    encoded = value.startswith("base64:")
    if _is_other_field(value, place) and not encoded:
        return value.isdigit() and _is_number(value, place)
    whole = value.removeprefix("base64:")
    value = trimmed(whole)
    if " " in value:
        return _is_salt(value, place) or is_grouped(value, place)
    if value[:1] in tuple("([{") and not place.closed and not place.sign:
        return False
    if len(value) < 8 or is_filler(value):
        return False
    if _DIGEST.match(value) or is_reference(value, place) or place.is_asked:
        return False
    return _is_named_token(value, whole, place)


def _is_named_token(value: str, whole: str, place: Place) -> bool:
    chosen = may_be_chosen(value)
    assigned = in_bytes(_ASSIGNS).search(place.key) is not None or _is_random(value)
    if not chosen and not assigned:
        return False
    name = name_of(place)
    if chosen and _takes_literals(name, place) and is_chosen(value, place):
        return not says_which_one(value, name)
    if not assigned:
        return False
    named = is_credential(name)
    if _UUID.fullmatch(value):
        return named or is_token_name(place.key)
    if named and (is_strong(whole) or _is_literal(value, place)):
        return True
    if (named or is_token_name(place.key)) and is_licence(value):
        return True
    if len(value) >= (_LONG if named else _VERY_LONG) and is_unreadable(value):
        return True
    if is_readable(value):
        return False
    if _BARE_KEY.search(place.key) and not named and not _RE.dotted_key.search(place.key):
        made = _KEY_OF_SERVICE if len(value) >= _JUDGED else _BASE62
        return len(value) >= 20 and made.fullmatch(value) is not None
    return _BASE32.fullmatch(value) is not None or _looks_random(value, place, named=named)


def _takes_literals(name: str, place: Place) -> bool:
    """A name, or an option, that any literal is a secret of."""
    return is_certain(name) or (is_flag(place) and is_field(name))


def _is_number(value: str, place: Place) -> bool:
    return may_be_chosen(value) and is_certain(name_of(place)) and is_chosen(value, place)


def _is_literal(value: str, place: Place) -> bool:
    """Where a literal must stand, under a name that says it all: no word and no name of code."""
    return (
        len(value) >= 12
        and value.isalnum()
        and (place.closed or place.tight or (place.sign != "" and place.ends_line))
        and (any(map(str.isdigit, value)) or _changes_case(value) or is_unreadable(value))
        and not any(is_common(word) for word in pieces(value) if len(word) > 3)
    )


def _changes_case(value: str) -> bool:
    """More often than a name of code does, or never: all of one case are no words."""
    return value.isupper() or len(pieces(value)) * 4 >= len(value)


def _is_salt(value: str, place: Place) -> bool:
    """Signs of every sort in quotes, and spaces among them, as the salts of WordPress have."""
    return (
        place.closed
        and len(value) >= 24
        and is_credential(name_of(place))
        and is_strong(value)
        and len(set(value) - set(" ._-")) - sum(map(str.isalnum, set(value))) >= 6
        and not is_sentence(value)
    )


def is_grouped(value: str, place: Place) -> bool:
    """Groups of one length, as the secrets of authenticators are shown."""
    return (
        (place.closed or (place.sign != "" and place.ends_line))
        and len(value) >= _LONG
        and are_groups(value)
        and any(map(str.isdigit, value))
        and not finds(place.key)
    )


def _is_other_field(value: str, place: Place) -> bool:
    """The next name of a list, a constant, a number, or the key of something that is no secret."""
    return (
        (_is_next_name(value) and not (place.closed and is_strong(value)))
        or _CONSTANT.fullmatch(value) is not None
        or _NUMBER.fullmatch(value) is not None
        or finds(place.key, value)
        or _ARN.match(place.key) is not None
        or _PEER.match(value) is not None
        or place.line.endswith("::")
    )


def _is_next_name(value: str) -> bool:
    """`user=…` behind a name without a value; `k3y-zq=…` is a value with a sign in it."""
    name = _NEXT_NAME.match(value)
    if name is None:
        return False
    plain = name[1].isupper() or value[0] in "+-" or is_common(name[1])
    return plain or not is_strong(value)


def _looks_random(value: str, place: Place, *, named: bool) -> bool:
    """Short pieces between changes of letters, digits and signs; how short depends on the name."""
    mean = len(value) / max(len(pieces(value)), 1)
    digits = any(c.isdigit() for c in value)
    if len(value) >= 20:
        if (named or (place.closed and is_scrambled(value))) and _MIXED_CASE.fullmatch(value):
            return True
        # Digits strewn through letters are no name, whatever the letters between them look like.
        strewn = value.isalnum() and len(re.findall(r"\d+", value)) >= 3 and mean <= 4.5
        limit = (3.8 if named else 3.2) if digits else 3.0
        return (mean <= limit or strewn) and entropy(value) >= 2.8
    if not digits:
        literal = place.quoted or names_environment(place.key)
        return named and literal and len(value) >= 12 and mean <= 2.4 and value.isalpha()
    if len(value) >= 14:
        return mean <= 3.0 and entropy(value) >= 2.6
    return mean <= 2.6 and named and entropy(value) >= 2.3


def is_nearby(value: str, place: Place) -> bool:
    """A value in quotes a few words after a name: nothing else than a secret looks like it."""
    if place.after not in {'"', "'", "`", "\\"} or _RE.digest_named.search(place.key):
        return False
    name = _NAME.match(place.key)
    if name is None or place.line.endswith("::"):
        return False
    if finds(name.group()) or _RE.attribute.search(name.group()):
        return False
    if _FINDS_NEARBY.search(name.group()):
        return False
    if is_filler(value) or is_reference(value, place) or _NEXT_LINE.search(place.key):
        return False
    if names_a_secret(value) or _OF_A_CACHE.search(value):
        return False
    if value.startswith(("/", "~/")) and value.count("/") >= 3:
        return False
    if _PASSWORD_NAMED.search(name.group()):
        return is_mixed_value(value) and any(c.isdigit() for c in value) and not is_weak(value)
    if _UUID.fullmatch(value):
        return _UUID_NAMED.search(place.key) is not None
    if value.isalpha() and len(value) >= _VERY_LONG and is_unreadable(value):
        return True
    return not is_words(value) and not _NUMBER.fullmatch(value) and _is_random(value)


def is_owned(value: str, place: Place) -> bool:
    """Under a name that goes on behind its key word: nothing else than a secret looks like it."""
    name = _SIGN_BEHIND.sub("", name_of(place))
    if _RE.attribute.search(name) or finds(name) or value[0] == ":" or place.line.endswith("::"):
        return False
    if _PASSWORD_NAMED.search(place.key):
        return is_mixed_value(value) and any(map(str.isdigit, value)) and is_password(value, place)
    return is_random(trimmed(value), place)


def is_random(value: str, place: Place) -> bool:
    """A value that stands before its name."""
    if is_filler(value) or _DIGEST.match(value) or is_reference(value, place):
        return False
    return (
        not is_words(value)
        and not _OF_A_CACHE.search(value)
        and not _UUID.fullmatch(value)
        and _is_random(value)
    )


def is_vendors(value: str, place: Place) -> bool:
    """The key of something that has a name: `Mistral key`, and not `Cache key`."""
    owners = re.split(r"\s[Kk](?:ey|EY)\b", place.key, maxsplit=1)[0].split()
    if _RE.digest_named.search(place.key) or any(map(_FINDS_WHAT.match, place.key.split())):
        return False
    if _RE.no_vendor.match(owners[-1]) and owners[-1].lower() not in _WHOSE:
        return False
    named = [word for word in owners if not _RE.no_vendor.match(word)]
    known = any(map(_is_name, named))
    owned = owners[-1].lower() in _WHOSE and not is_hash(trimmed(value))
    if known and _UUID.fullmatch(trimmed(value)):
        return named[-1:] == owners[-1:] and named[-1][0].isupper()
    return (known or owned) and is_random(trimmed(value), place)


def _is_name(word: str) -> bool:
    """What a vendor is called: capitals, also in its middle, or no ordinary word."""
    return word.isupper() or _BRAND.fullmatch(word) is not None or not is_common(word)


def is_made(value: str, _: Place) -> bool:
    """What stands behind the beginning of a vendor's keys: no words, and not a stand-in."""
    beginnings = (value, *(value[end.end() :] for end in _JOINT.finditer(value[:_BEGINNING])))
    return (
        not is_filler(value)
        and not any(map(is_spelled, beginnings))
        and entropy(value) >= _MADE
        and (any(map(str.isdigit, value)) or is_scrambled(value))
    )


def is_session(value: str, place: Place) -> bool:
    """What a cookie carries for a session: also a UUID."""
    value = trimmed(value)
    if is_filler(value) or refers(value):
        return False
    own = is_own_word(value) or is_word_phrase(value)
    return not is_words(value) or (value.isalnum() and not is_compound(value)) or own


def is_session_id(value: str, place: Place) -> bool:
    """What a browser shows to stay logged in; most identifiers of sessions only name one."""
    value = trimmed(value)
    if is_filler(value) or refers(value) or is_path(value):
        return False
    if "cookie" in (place.key + place.rest).lower():
        return _UUID.fullmatch(value) is not None or _is_random(value) or is_unreadable(value)
    longest = max(re.findall(r"[A-Za-z0-9+/=%]+", value), key=len, default="")
    if len(longest) < _SECRET_SESSION or _NAMES_SESSION.match(value):
        return False
    return _is_random(longest) or is_unreadable(longest)


def is_parameter(value: str, place: Place) -> bool:
    """The value of a parameter of an address that says what it is."""
    value = trimmed(value)
    if is_filler(value) or refers(value) or names_a_secret(value):
        return False
    return is_token(value, place) or is_own_word(value)


def is_field_password(value: str, place: Place) -> bool:
    """The value of a key that says it is a password: all but what describes one."""
    value = value.strip()
    if len(value) < _SHORTEST_FIELD or is_way(value, place):
        return False
    if describes_secret(value) or names_password(value):
        return False
    if _SELECTOR.fullmatch(value) and names_a_secret(value[1:]):
        return False
    if names_code(place.key):
        return is_number_typed(value, place) or is_recovery_code(value, place) or is_sent(value)
    return not value.isdigit() or len(value) > _SHORTEST_FIELD


def is_field_secret(value: str, place: Place) -> bool:
    """The value of a key that says it is a token or a secret: nothing that reads as words."""
    several = [part.strip() for part in value.split(",") if part.strip()]
    if len(several) > 1 and all(len(part) >= _FEWEST or part.isalpha() for part in several):
        return any(is_field_secret(part, place) for part in several)
    scheme = _SCHEME.match(value.strip())
    value = _SCHEME.sub("", value.strip())
    if len(value) <= _SHORTEST_FIELD or is_way(value, place) or finds(place.key, value):
        return False
    if scheme and "authorization" in place.key.lower():
        return True
    if is_token(value[:_JUDGED], place) or is_strong(value):
        return len(value.split()) == 1 or not describes_secret(value)
    tells = _RE.attribute.search(_SIGN_BEHIND.sub("", place.key)) and not is_certain(place.key)
    if tells or not is_field(place.key) or describes_secret(value):
        return False
    if value.isdigit():
        return len(value) >= _FEWEST
    return not (is_common(value) and len(JOINTS.split(value)) < _PHRASE)


def is_cell(value: str, place: Place) -> bool:
    """A cell of a column, below the name of it."""
    if names_code(place.key):
        return is_number_typed(value, place) or is_recovery_code(value, place)
    if names_card(place.key):
        return is_card(value, place)
    if _NAMES_A_SESSION.search(place.key):
        return is_session_id(value, place)
    if len(value) < 4 or is_weak(value) or is_sentence(value) or is_way(value, place):
        return False
    if finds(place.key, value):
        return False
    if _PASSWORD_NAMED.search(place.key):
        odd = is_mixed_value(value) or is_joined_phrase(value)
        return value.isdigit() or odd or not is_common(value)
    if any(sign in value for sign in "\"'()[]{}"):
        return " " not in value and is_strong(value) and not is_call(value)
    if len(value) < 8 or is_unreadable(value) or are_strange(value, least=3, all_of_them=True):
        return len(value) >= 8
    if is_licence(value) or _UUID.fullmatch(value):
        return True
    if is_field(place.key) and is_own_word(value):
        return len(value) >= _LONG_NUMBER or not value.isdigit()
    whole = value.removeprefix("base64:")
    return not is_words(value) and (is_strong(whole) or _looks_random(whole, place, named=True))


def is_listed(value: str, place: Place) -> bool:
    """What stands behind a user in a list; of users and accounts much else is told."""
    if _ADDRESS.fullmatch(value):
        return False
    return is_pair(value, place) if _LETS_IN.search(place.key) else is_odd(value, place)


def is_given(value: str, place: Place) -> bool:
    """What is handed to a call that takes a password or a key."""
    if "${" in value or _ALGORITHM.match(value) or _ADDRESS.fullmatch(value):
        return False
    if _READS.match(place.key):
        return False
    if _CLIENT.search(place.key) or _TOKEN_CALL.search(place.key):
        return is_random(value, place)
    named = _TAKES_WORDS.search(place.key) is not None and len(value) >= _FEWEST
    return is_odd(value, place) or (named and is_own_word(value) and not refers(value))


def is_answer(value: str, place: Place) -> bool:
    """What a program prints when it is asked for a token; a digest is what git prints."""
    return is_random(value, place) and not is_hash(value) and "=" not in value.rstrip("=")


def is_part(value: str, place: Place) -> bool:
    """A part of a name that is no word, nor one with its number."""
    common = is_common(value.strip("0123456789-_.!?")) and not NO_YEAR.search(value)
    if common or _ASSIGNED.match(value):
        return False
    chosen = is_camel_phrase(value) or (is_mixed_value(value) and not value.islower())
    return chosen or is_unreadable(value) or is_random(value, place) or is_odd(value, place)


def is_filled(value: str, place: Place) -> bool:
    """What takes the place of a mark, under the name that the mark is."""
    mark = last_mark(place.key)
    if not mark or name_of_mark(value):
        return False
    named = Place(f'"{name_of_mark(mark)}": "', True, '"')
    return is_cell(value, named) and (is_mark(mark) or is_odd(value, named))


def is_user(value: str, place: Place) -> bool:
    """What lets somebody in as the user of an address."""
    return is_token(value, place) and _RE.public_user.match(place.rest) is None


def is_foreign(value: str, place: Place) -> bool:
    """What an English noun is told to be in a sentence of another language."""
    return is_random(value, place) or is_between(value, place)


Test = Callable[[str, Place], bool]

# The tags of data/secrets.toml.
TESTS: dict[str, Test] = {
    "token": is_token,
    "password": is_password,
    "prose": is_said,
    "login": is_login,
    "header": is_header,
    "parameter": is_parameter,
    "odd": is_odd,
    "nearby": is_nearby,
    "random": is_random,
    "password-field": is_field_password,
    "secret-field": is_field_secret,
    "words": is_phrase,
    "wordy": is_wordy,
    "phrase": is_phrase_told,
    "form": is_form_password,
    "before": is_before,
    "between": is_between,
    "line": is_line,
    "pair": is_pair,
    "codes": are_codes,
    "groups": are_letters,
    "grouped": is_grouped,
    "digits": are_digits,
    "column": is_cell,
    "code": is_code,
    "recovery": is_recovery_code,
    "typed": is_typed,
    "session": is_session,
    "session-id": is_session_id,
    "card": is_card,
    "vendor": is_vendors,
    "roster": is_listed,
    "given": is_given,
    "encoded": is_encoded_login,
    "part": is_part,
    "answer": is_answer,
    "made": is_made,
    "owned": is_owned,
    "kept": is_kept,
    "couple": is_in_couple,
    "filled": is_filled,
    "foreign": is_foreign,
    "near": is_near,
    "joined": is_joined,
    "item": is_item,
    "user": is_user,
    "bytes": are_bytes,
}

# Tests of rules that find the head of a table.
HEADS: frozenset[Test] = frozenset({is_cell, is_listed, is_kept, is_in_couple, is_item})

# Tests that are asked about a quoted value up to its closing quote, whatever is in between.
WHOLE_STRING: frozenset[Test] = frozenset({is_password, is_token, is_login, is_said})
# Tests that are asked about all that stands up to a space or what closes the value.
WHOLE_VALUE = WHOLE_STRING | {
    is_said,
    is_before,
    is_between,
    is_pair,
    is_line,
    is_header,
    is_form_password,
    is_filled,
    is_foreign,
    is_near,
}


def _is_random(value: str) -> bool:
    """Nothing but chance writes this: believed although words stand between it and its name."""
    if len(value) < 16 or is_path(value):
        return False
    if len(value) >= 20 and _MIXED_CASE.fullmatch(value) and is_scrambled(value):
        return True
    strewn = len(re.findall(r"\d+", value)) >= 2 or len(value) <= 2.7 * len(pieces(value))
    return (strewn or _BASE32.fullmatch(value) is not None) and entropy(value) >= 3.0
