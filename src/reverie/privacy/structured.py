"""Secrets in values that have names: the arguments of a tool, a line of a log, a JSON document.

A text is searched with what stands before it. What a value is called, or which option it follows,
is often all that tells a secret from a word, so each string is shown to the redactor in its place:

    {"password": "blue harbour"}     →  ␞"password": "blue harbour"␟
    ["mysql", "-u", "svc", "-pblue"] →  mysql -u svc -pblue

The two control characters say where a value really begins and ends; rules ending in `-field` in
`data/secrets.toml` know them.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, cast

from reverie.privacy.keywords import may_hold_secret
from reverie.privacy.statements import columns_of

Redact = Callable[[str], str]
Leaf = Callable[[str, Redact], str]

BEGIN, END = "\x1e", "\x1f"

_MAX_DEPTH = 60
_MAX_NAME = 100
_MAX_BEFORE = 300  # characters of a command line that are looked back at
_MAX_JSON = 200_000
_MANY = 20  # keys of a map that is hardly met twice

# Keys that only say "here is it": what it is called stands one level up, or beside it.
_SAYS_NOTHING = re.compile(
    r"\w{0,20}value|values|default|content|data|text|string|plain|plaintext|raw|current|val|v|body"
    r"|secretstring"
)
_NAMES = (
    "name key variable header field option parameter param label k selector element locator target"
    " placeholder id path ref"
).split()
# A map with such a name holds nothing else.
_OF_SECRETS = frozenset({
    "secrets", "secret", "passwords", "credentials", "creds", "passphrases", "usersecrets",
    "securevalues", "secretvalues", "secretenv", "securejsondata", "password", "passphrase",
})  # fmt: skip
# What a map with such a name holds is one of them, by whatever name.
_OF_KEYS = re.compile(r"(?:api|access|auth|refresh|private|secret)?(?:keys|tokens)")
_SECRETISH = re.compile(r"(?i)pass|pwd|secret|token|key|credential|auth|\bpin\b|otp|psk")
_PROGRAMS = ("command", "cmd", "program", "executable", "file", "bin")
_ARGUMENTS = ("args", "argv", "arguments", "parameters")
_LOGINS = frozenset({"auth", "basicauth", "httpauth", "credentials", "login", "userpass"})
# Beside the secrets of such a map stand who they belong to and where they lie.
_NO_SECRET = re.compile(
    r"(?i)(?:user(?:_?name)?|login|e?mail|host|url|uri|port|type|kind|id|name|region|scheme|file|path|"
    r"source|store|provider|version|description|enabled|ref|arn|scopes?|expir\w*|\w*at|"
    r"format|title|pattern|(?:min|max)\w*|\w*length|required|label|placeholder|hint|help|message|error|"
    r"key|\w*policy|rules?|hash\w*|algorithm|status|count)$"
)
_SEED = "[redacted:seed-phrase"
_MARKED = re.compile(r"\[redacted:[^\[\]]+\]")
_BYTES = 16  # so many numbers in a row are a key
# What a browser keeps for a site: under such names nothing else than a login.
_KEPT_BY_BROWSERS = re.compile(
    r"cookies?$|^cookies?(?:jar|store|header)$|^(?:local|session)storage$"
)
_OF_A_SESSION = re.compile(
    r"(?i)sess|sid\b|auth|token|jwt|remember|[cx]srf|login|secret|key|pass|credential|ticket|saml|sso"
)
_COOKIE = re.compile(r"([^\s=;,\"']{1,100})=([^;]+)")
_NOT_LETTERS = re.compile(r"[^a-z]")
_NUMBERED = re.compile(r"(?:arg|argument|param|p|a|v|x|value|item)?_?\d{1,2}")
_NAMED_ITEM = re.compile(r"(--?[A-Za-z][\w.-]*|[A-Za-z_][\w.-]*)=(?=.)", re.DOTALL)
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")
_VARIABLE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
# Names as they are written in lists; beside one of the same sort there is no value.
_SORTS_OF_NAMES = (
    re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*"),
    re.compile(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*"),
)
_JOINED = re.compile(r"[A-Za-z0-9]+[_-][\w-]+|[A-Z][A-Z0-9]{5,}")
# An answer that is no sentence is named by the question beside it.
_QUESTIONS = ("question", "prompt")
_GOES_ON = re.compile(
    r"(?i)[?:]? (?:(?:shall|should|do|does|to|for|is|will|can|would|of|on|in)\b|$)"
)
_ANSWERS = frozenset({"answer", "response", "reply"})
# Statements of SQL, and the values of their parameters.
_STATEMENTS = frozenset({"sql", "query", "statement", "text", "stmt", "command", "q"})


class _Place(NamedTuple):
    """What is known of a value from the outside."""

    name: str = ""
    is_secret: bool = False  # all of it is, as in a Secret of Kubernetes


def redact_value(value: Any, redact: Redact, leaf: Leaf | None = None) -> Any:
    """A JSON value with its strings redacted, each knowing its name; keys are redacted too.

    `leaf` may treat a string further; it is given the way to redact it, or a part of it.
    """
    return _Walk(redact, leaf or _whole).value(value, _Place(), 0)


def inside_json(text: str, redact: Redact) -> str:
    """A text that is itself JSON: its values are marked, the rest stays as it is written."""
    edges = text[:1] + text.rstrip()[-1:]
    if edges not in ("{}", "[]") or len(text) > _MAX_JSON:
        return text
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return text
    replaced: dict[str, str] = {}

    def noted(part: str, redact: Redact) -> str:
        clean = redact(inside_json(part, redact) if part[:1] in ("{", "[") else part)
        if clean != part:
            replaced[part] = clean
        return clean

    redact_value(document, redact, noted)
    for secret, clean in sorted(replaced.items(), key=lambda pair: -len(pair[0])):
        for ascii_only in (True, False):
            old, new = (json.dumps(one, ensure_ascii=ascii_only) for one in (secret, clean))
            text = text.replace(old, new)
    return text


def in_place(text: str, redact: Redact, before: str, after: str = "") -> str:
    """`text` as it is redacted where `before` and `after` stand around it."""
    whole = redact(f"{before}{text}{after}")
    if whole.startswith(before) and whole.endswith(after):
        return whole[len(before) : len(whole) - len(after)]
    return redact(text)


def redact_parts(parts: Iterable[str], redact: Redact) -> list[str]:
    """Texts that belong together, as a rule and its reason: each is seen behind those before it."""
    clean: list[str] = []
    for part in parts:
        before = " ".join(filter(None, clean))[-_MAX_BEFORE:].rstrip(" :")
        shown = redact(part)
        clean.append(in_place(shown, redact, f"{before}: ") if before and shown else shown)
    return clean


def named(text: str, redact: Redact, name: str) -> str:
    """`text` as the value of `name`, all of it."""
    name = _END_OF_NAME.sub("", name[:_MAX_NAME].translate(_UNQUOTED))
    plain = text.translate(_UNBOUND) if BEGIN in text or END in text else text
    clean = in_place(plain, redact, f'{BEGIN}"{name}": "', f'"{END}')
    return text if clean == plain else clean


# What a form has for it says nothing more about what it is called.
_END_OF_NAME = re.compile(
    r"(?i)(?:[\])>'*:?\s]+$|(?<=\w)[ _-]?(?:field|input|text[ _-]?(?:box|field)|box)$)+"
)
_UNBOUND = {ord(BEGIN): " ", ord(END): " "}
_UNQUOTED = {**_UNBOUND, ord('"'): " ", ord("\\"): " ", ord("\n"): " "}


def _whole(text: str, redact: Redact) -> str:
    return redact(text)


class _Walk:
    def __init__(self, redact: Redact, leaf: Leaf) -> None:
        self._redact = redact
        self._leaf = leaf

    def value(self, value: Any, place: _Place, depth: int) -> Any:
        if isinstance(value, str):
            return self._text(value, place) if value else value
        if depth >= _MAX_DEPTH:
            return None
        if isinstance(value, Mapping):
            return self._mapping(cast("Mapping[str, Any]", value), place, depth + 1)
        if isinstance(value, (list, tuple)):
            return self._items(list(cast("Sequence[Any]", value)), place, depth + 1)
        if isinstance(value, int) and value > 99 and _may_tell(place.name):
            # Only a password, a PIN or a card is ever a bare number; counts of tokens are many.
            clean = named(str(value), self._redact, place.name)
            return clean if "password-field" in clean or "card-field" in clean else value
        return value

    def _text(self, text: str, place: _Place) -> str:
        def redact(part: str) -> str:
            clean = self._redact(part)
            if "=" in part and _is_kept_by_browsers(place.name):
                return _COOKIE.sub(self._cookie, clean)
            name = f"secret {place.name}" if place.is_secret else place.name
            if not _may_tell(name):
                return clean
            # A mark for some words of a seed would hide that the others belong to it.
            whole = named(part, self._redact, name) if _SEED in clean else ""
            return whole if _MARKED.fullmatch(whole) else named(clean, self._redact, name)

        return self._leaf(text, redact)

    def _cookie(self, pair: re.Match[str]) -> str:
        """One of the pairs in a header: `theme=dark; sid=…`."""
        name, value = pair.groups()
        if not _OF_A_SESSION.search(name):
            return pair[0]
        return f"{name}={named(value, self._redact, f'{name} password')}"

    def _after(self, text: str, before: str) -> str:
        return self._leaf(text, lambda part: in_place(part, self._redact, before))

    def _mapping(self, items: Mapping[str, Any], place: _Place, depth: int) -> dict[str, Any]:
        keys = tuple(items)
        shape = _shape(keys) if len(keys) <= _MANY else _shape.__wrapped__(keys)
        beside = _beside(items, shape.names)
        secret = place.is_secret or items.get("kind") == "Secret"
        of_secrets = _letters(place.name) in _OF_SECRETS
        of_keys = _OF_KEYS.fullmatch(_letters(place.name)) is not None
        redacted: dict[str, Any] = {}
        before: Any = ""
        for key, item in items.items():
            name = _name_of(key, beside, place.name) if key in shape.say_nothing else key
            if before and _NUMBERED.fullmatch(key) and _is_name(before):
                name = before
            before = item
            if shape.asked and _letters(key) in _ANSWERS and _is_answer(item):
                name = _asked_for(_beside(items, shape.asked)) or name
            elif key.endswith("?") and _is_answer(item):
                name = _asked_for(key)
            if of_secrets and not _NO_SECRET.search(key):
                name = f"{key} password"
            elif of_keys and isinstance(item, str) and not _NO_SECRET.search(key):
                name = f"{key} {place.name}".rstrip("s")
            elif _is_kept_by_browsers(place.name) and _OF_A_SESSION.search(name):
                name = f"{name} password"
            below = _Place(name, secret and (place.is_secret or key in {"data", "stringData"}))
            shown = self._redact(key) if key in shape.may_be_secret else key
            redacted[shown] = self.value(item, below, depth)
        if shape.statements:
            self._parameters(items, shape.statements, redacted, depth)
        if shape.command:
            # A program under one key and its arguments under another are one command line.
            program, arguments = shape.command
            if isinstance(items[program], str) and _all_texts(items[arguments]):
                redacted[arguments] = self._words(items[arguments], str(items[program]))
        return redacted

    def _parameters(
        self,
        items: Mapping[str, Any],
        statements: tuple[str, ...],
        redacted: dict[str, Any],
        depth: int,
    ) -> None:
        """The values of a statement's parameters, each called like its column."""
        texts = (items[key] for key in statements)
        columns = next((c for t in texts if isinstance(t, str) and (c := columns_of(t))), None)
        if columns is None or not any(map(_names_a_field, columns.values())):
            return
        for key, item in items.items():
            if key in redacted and isinstance(item, (list, tuple, dict)):
                redacted[key] = self._bound(item, redacted[key], columns, depth)

    def _bound(self, values: Any, shown: Any, columns: Mapping[str, str], depth: int) -> Any:
        """Values of parameters in their order, by their names, or a list of either."""
        as_shown: Any = shown
        if isinstance(values, Mapping) and isinstance(shown, dict):
            by_name = cast("Mapping[str, Any]", values)
            return cast("dict[str, Any]", shown) | {
                key: self.value(item, _Place(columns[name]), depth)
                for key, item in by_name.items()
                if (name := key.lstrip(":@$")) in columns
            }
        listed = list(cast("Sequence[Any]", values))
        seen_items = cast("list[Any]", shown) if isinstance(shown, list) else []
        if len(seen_items) != len(listed):
            return as_shown
        return [
            self._bound(item, seen, columns, depth)
            if isinstance(item, (list, tuple, dict))
            else self.value(item, _Place(columns[str(number)]), depth)
            if str(number) in columns
            else seen
            for number, (item, seen) in enumerate(zip(listed, seen_items, strict=True))
        ]

    def _items(self, items: list[Any], place: _Place, depth: int) -> list[Any]:
        if not _all_texts(items):
            if _are_bytes(items) and _names_a_field(place.name):
                key = bytes(items).hex()
                clean = named(key, self._redact, place.name)
                return items if clean == key else [clean]
            return [
                self._item(item, place, before)
                if isinstance(item, str) and item
                else self.value(item, place, depth)
                for before, item in pairwise(["", *items])
            ]
        if len(items) == 2 and _letters(place.name) in _LOGINS:
            return [self._text(items[0], place), self._text(items[1], _Place("password"))]
        # Below the name of a secret nothing is an option, or the name of another.
        if _names_a_field(place.name):
            return [self._item(item, place) for item in items]
        if _letters(place.name) in _ARGUMENTS or any(map(_FLAG.match, items)):
            return self._words(items, "")
        if len(items) == 2 and _names_next(items[0], place.name):
            return [self._text(items[0], place), self._text(items[1], _Place(items[0]))]
        return [self._item(item, place, before) for before, item in pairwise(["", *items])]

    def _words(self, words: list[str], before: str) -> list[str]:
        """The words of a command line, each seen behind those before it."""
        redacted: list[str] = []
        for number, word in enumerate(words):
            last = words[number - 1] if number else ""
            if _FLAG.fullmatch(last) and not word.startswith("-"):
                clean = self._text(word, _Place(last))
            elif _NAMED_ITEM.match(word):
                clean = self._item(word, _Place())
            else:
                clean = word
            if clean == word:
                clean = self._after(word, f"{before[-_MAX_BEFORE:]} ".lstrip())
            redacted.append(clean)
            before = f"{before} {word}"
        return redacted

    def _item(self, item: str, place: _Place, before: Any = "") -> str:
        """One of many texts; `NAME=value` names its own, and so may the one before it."""
        if isinstance(before, str) and _names_one(before, item):
            clean = self._text(item, _Place(before))
            if clean != item:
                return clean
        pair = None if _is_kept_by_browsers(place.name) else _NAMED_ITEM.match(item)
        if pair is None or "\n" in item:
            return self._text(item, place)
        value = item[pair.end() :]
        clean = self._text(value, _Place(pair.group(1)))
        if clean == value:
            return self._text(item, place)
        return item[: pair.end()] + clean


# Names are few and met again and again: each is looked at once.
@lru_cache(maxsize=4096)
def _may_tell(name: str) -> bool:
    """Whether a value could be a secret for being called so."""
    return may_hold_secret(f'"{name}": "') or _names_a_field(name)


@lru_cache(maxsize=4096)
def _names_a_field(name: str) -> bool:
    from reverie.privacy.rules import names_a_field

    return names_a_field(_END_OF_NAME.sub("", name))


@lru_cache(maxsize=4096)
def _may_be_secret(key: str) -> bool:
    return may_hold_secret(key)


@lru_cache(maxsize=4096)
def _letters(key: str) -> str:
    return _NOT_LETTERS.sub("", key.lower())


@lru_cache(maxsize=4096)
def _is_kept_by_browsers(name: str) -> bool:
    return _KEPT_BY_BROWSERS.search(_letters(name)) is not None


class _Shape(NamedTuple):
    """What the keys of a map say together."""

    say_nothing: frozenset[str]
    may_be_secret: frozenset[str]
    names: tuple[str, ...]  # whose values may name what stands beside them
    asked: tuple[str, ...]  # whose values ask for it
    command: tuple[str, str] | None  # the keys of a program and of its arguments
    statements: tuple[str, ...]  # whose values may be SQL


@lru_cache(maxsize=1024)
def _shape(keys: tuple[str, ...]) -> _Shape:
    spelled = {_letters(key): key for key in keys}
    say_nothing = frozenset(key for key in keys if _SAYS_NOTHING.fullmatch(_letters(key)))
    program = next((spelled[one] for one in _PROGRAMS if one in spelled), None)
    arguments = next((spelled[one] for one in _ARGUMENTS if one in spelled), None)
    return _Shape(
        say_nothing,
        frozenset(key for key in keys if len(keys) > _MANY or _may_be_secret(key)),
        (
            *(spelled[one] for one in _NAMES if one in spelled),
            *(key for letters, key in spelled.items() if letters.endswith(("name", "key", "id"))),
        )
        if say_nothing
        else (),
        tuple(spelled[one] for one in _QUESTIONS if one in spelled),
        (program, arguments) if program is not None and arguments is not None else None,
        tuple(key for letters, key in spelled.items() if letters in _STATEMENTS),
    )


def _beside(items: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """The name that stands beside a value: `{"name": "DB_PASSWORD", "value": …}`."""
    values = (items[key] for key in keys)
    names = [one for one in values if isinstance(one, str) and len(one) <= _MAX_NAME]
    return next((one for one in names if _SECRETISH.search(one)), names[0] if names else "")


def _name_of(key: str, beside: str, above: str) -> str:
    """What a value is called whose key may only say that here it is."""
    return next(filter(_names_a_field, (beside, key)), beside or above or key)


@lru_cache(maxsize=1024)
def _asked_for(question: str) -> str:
    """What a question asks for: `Which root password` of `Which root password shall I use?`."""
    for goes_on in _GOES_ON.finditer(f"{question} "):
        if _names_a_field(_END_OF_NAME.sub("", question[: goes_on.start()])):
            return question[: goes_on.start()]
    return question


def _names_next(first: str, above: str) -> bool:
    """Whether the first of two texts is the name of the second."""
    return _VARIABLE.fullmatch(first) is not None and (
        not above or _SECRETISH.search(first) is not None or _names_a_field(first)
    )


def _names_one(before: str, item: str) -> bool:
    """Whether a text of a list is the name of the one behind it."""
    if len(before) > _MAX_NAME or not _JOINED.fullmatch(before) or not _names_a_field(before):
        return False
    from reverie.privacy.literals import is_readable

    alike = any(sort.fullmatch(before) and sort.fullmatch(item) for sort in _SORTS_OF_NAMES)
    return not (alike and is_readable(item))


def _is_name(item: Any) -> bool:
    """Whether a value is a name that tells what stands behind it."""
    return isinstance(item, str) and len(item) <= _MAX_NAME and _names_a_field(item)


def _is_answer(item: Any) -> bool:
    """A word, or several that make no sentence."""
    from reverie.privacy.passwords import are_groups, is_passphrase

    if not isinstance(item, str):
        return False
    return len(item.split()) == 1 or is_passphrase(item) or are_groups(item)


def _are_bytes(items: list[Any]) -> bool:
    return len(items) >= _BYTES and all(isinstance(n, int) and 0 <= n < 256 for n in items)


def _all_texts(items: Any) -> bool:
    if not isinstance(items, list):
        return False
    several = cast("list[Any]", items)
    return 0 < len(several) <= 1_000 and all(isinstance(item, str) for item in several)
