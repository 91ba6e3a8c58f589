"""What a value is called, and how much that says about it.

The names of `data/secrets.toml` are sorted by strength. Under a `certain` name every literal
that is no word about secrets is one; a `credential` must look made by a machine; a key or a token
that only `finds` something again is no secret at all.
"""

import re

from reverie.data import patterns
from reverie.privacy.grammar import in_bytes
from reverie.privacy.places import Place

_RE = patterns("judgement.txt", "judgement")

# `key: string = `, `key String = `, `key { get; set; } = `, `key (staging): `: no part of a name.
_TYPED = re.compile(
    r"\??:\s{0,3}[&'*]{0,2}[A-Za-z][\w.<>\[\]|&' ]{1,40}?\s{0,3}:?="
    r"|\s(?:As\s)?(?:[Ss]tring|str|text|char)\s{0,3}=|\s?\{[ \w;]{1,40}\}\s?="
    r"|\s[(\[][\w ./-]{1,24}[)\]](?=\W*$)|\s+(?:/t\s+)?REG_\w+(?:\s+/d)?(?=\W*$)"
)
# The name stands further up: `variable "key" { … default = `, `name: key … value: `.
_FURTHER_UP = re.compile(
    r"(?is)^(?:variable\s)?[\s\"'\\-]*([\w.-]{1,80})\b.*?\W"
    r"(?:\w{0,12}value|default|content)[\"'\\]{0,4}\s*[:=]\s*[\"'\\]{0,4}$"
)
_TAGS = re.compile(
    r"</\w{1,12}>(?:\s*<\w{1,12}>)?\s*$|(?:\s[\w:-]{1,30}=\"[^\"<>\n]{0,60}\"){1,3}\s?>(?:\s*<\w{1,12}>)?$"
)
# `the token for staging is `
_FOR_WHAT = re.compile(
    r"(?i)\s(?:for|of|on|in|at|für|von|pour|para)\s(?:[\w.-]{1,24}\s){1,3}?(?=(?:is|was|ist|est|es)\s\W*$)"
)
_SIGNED = re.compile(r"[=:>][\s\"'`*]*$")
_FRAME = re.compile("\xe2[\x94\x95][\x80-\xbf]")  # the lines of a table, a character per byte
_SAYS = r"(?i){says}\s*[\"'`*]*$"
_BEHIND = re.compile(
    r"(?i)(?:[^\w]|\bfrom\s\S{1,60}(?:\sto\b)?"
    r"|\b(?:is|was|as|to|be|should|must|now|still|currently|not|but|set)\b){0,60}$"
)
_WHICH_ONE = re.compile(r"(?i)(?:^|[^\w .-])[ \t]*secrets?\W*$")
_CERTAIN = "(?i){certain}$"
_FIELD = "(?i){field}$"
_CREDENTIAL = "(?i){credential}|{foreignkey}"
_TAKES_UUIDS = "(?i){tokenname}"
_PRIMARY = re.compile(r"(?i)primary[_-]?keys?\W*$")
_KEY_OF_SERVICE = re.compile(r"[A-Za-z0-9+/]{32,}={0,2}")
_LONGEST = 100
_BEFORE = 24  # characters in which the rest of a name stands: `API token`


def name_of(place: Place) -> str:
    """What a value is called: also the word before the name, and no tags behind it."""
    name = _TAGS.sub(
        "", _TYPED.sub("=", _FRAME.sub("|", place.key))
    )  # a colon before the name makes no type of it
    if further := _FURTHER_UP.match(name):
        name = further[1] + "="
    name = _FOR_WHAT.sub(" ", (place.line[-_BEFORE:] + name)[-_LONGEST:])
    return name if _SIGNED.search(name) else in_bytes(_SAYS).sub("=", name)


def is_certain(name: str) -> bool:
    """Whether any literal of this name is a secret."""
    name = _BEHIND.sub("", name)
    return not finds(name) and in_bytes(_CERTAIN).search(name) is not None


def says_which_one(value: str, name: str) -> bool:
    """`secret: kubernetes-dashboard`: words that are joined name a secret that lies elsewhere."""
    return value.replace("-", "").isalpha() and "-" in value and bool(_WHICH_ONE.search(name))


def is_field(name: str) -> bool:
    """Whether what is known to be the whole value of this name is a secret, unless it is a word."""
    return in_bytes(_FIELD).search(_BEHIND.sub("", name)) is not None


def is_credential(name: str) -> bool:
    """Strong enough a name to believe a short random value or a UUID."""
    return in_bytes(_CREDENTIAL).search(name) is not None


def is_token_name(name: str) -> bool:
    """A name that makes a UUID or a licence a secret, though not every literal."""
    return in_bytes(_TAKES_UUIDS).search(name) is not None


def finds(name: str, value: str = "") -> bool:
    """Whether a key only finds something again, and a token only the next page.

    The first of two keys of a service is called primary too, and no row has such a key.
    """
    if _RE.finds.search(name) is not None:
        return True
    return _PRIMARY.search(name) is not None and _KEY_OF_SERVICE.fullmatch(value) is None
