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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

from reverie.privacy.keywords import may_hold_secret
from reverie.privacy.neighbours import (
    CONFIDENTIAL,
    END_OF_NAME,
    MAX_NAME,
    NO_SECRET,
    SAYS_NOTHING,
    SECRETISH,
    called_by,
    column_names,
    columns_of_lists,
    fetches,
    is_answer,
    is_name,
    is_phrase,
    letters,
    lists_of,
    may_name,
    named_before,
    names_a_field,
    stands_out,
)
from reverie.privacy.statements import columns_of

Redact = Callable[[str], str]
Leaf = Callable[[str, Redact], str]

BEGIN, END = "\x1e", "\x1f"

_MAX_DEPTH = 60
_MAX_BEFORE = 300  # characters of a command line that are looked back at
_MAX_JSON = 200_000
_MANY = 20  # keys of a map that is hardly met twice

_NAMES = (
    "name key variable header field option parameter param label k selector element locator target"
    " placeholder property prop attribute setting column id path filepath ref"
).split()
# A map with such a name holds nothing else.
_OF_SECRETS = frozenset({
    "secrets", "secret", "passwords", "credentials", "creds", "passphrases", "usersecrets",
    "securevalues", "secretvalues", "secretenv", "securejsondata", "password", "passphrase",
})  # fmt: skip
# What a map with such a name holds is one of them, by whatever name.
_OF_KEYS = re.compile(r"(?:api|access|auth|refresh|private|secret)?(?:keys|tokens)")
_PROGRAMS = ("command", "cmd", "program", "executable", "file", "bin", "method", "function", "fn")
_ARGUMENTS = ("args", "argv", "arguments", "parameters", "params")
_COMMANDS = frozenset({*_PROGRAMS, *_ARGUMENTS, "exec", "entrypoint", "run", "shell"})
_ROSTERS = frozenset({"users", "accounts", "logins"})
_USER = re.compile(r"[\w.@+-]{1,60}:(?=[^\s:]*[A-Za-z][^\s:]*$)")
_NAME_OF_CALL = re.compile(r"[\w.:]+")
_LOGS_IN = re.compile(r"(?i)(?:^|[._:a-z])(?:log_?in|log_?on|sign_?in|authenticate)$")
_LOGINS = frozenset({"auth", "basicauth", "httpauth", "credentials", "login", "userpass"})
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
_NUMBERED = re.compile(r"(?:arg|argument|param|p|a|v|x|value|item)?_?\d{1,2}")
_NAMED_ITEM = re.compile(r"(--?[A-Za-z][\w.-]*|[A-Za-z_][\w.-]*)=(?=.)", re.DOTALL)
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")
_OPERATOR = re.compile(r"[=<>!~:]{1,3}|(?i:eq|equals|is|to|like|matches)")
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
_STATEMENTS = frozenset({
    "sql", "query", "statement", "text", "stmt", "command", "q", "updateexpression",
})  # fmt: skip
_SHORT_NAMES = "ExpressionAttributeNames"  # of DynamoDB


class _Place(NamedTuple):
    """What is known of a value from the outside."""

    name: str = ""
    is_secret: bool = False  # all of it is, as in a Secret of Kubernetes
    columns: tuple[str, ...] = ()  # what the cells of a row are called, below
    called: Mapping[str, str] = {}  # what was named before, by the keys it stands under


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
    name = END_OF_NAME.sub("", name[:MAX_NAME].translate(_UNQUOTED))
    plain = text.translate(_UNBOUND) if BEGIN in text or END in text else text
    clean = in_place(plain, redact, f'{BEGIN}"{name}": "', f'"{END}')
    return text if clean == plain else clean


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

    def _behind(self, word: str, before: str) -> str:
        """A word of a command line, in quotes if it has spaces, or as it stands."""

        def redact(part: str) -> str:
            clean = in_place(part, self._redact, before)
            if " " not in part or "'" in part:
                return clean
            quoted = in_place(part, self._redact, f"{before}'", "'")
            return min(clean, quoted, key=lambda shown: len(_MARKED.sub("", shown)))

        return self._leaf(word, redact)

    def _mapping(self, items: Mapping[str, Any], place: _Place, depth: int) -> dict[str, Any]:
        keys = tuple(items)
        shape = _shape(keys) if len(keys) <= _MANY else _shape.__wrapped__(keys)
        lists = lists_of(items)
        names = _Names(items, shape, place, lists)
        columns = (columns_of_lists(items, lists) if lists else ()) or place.columns
        secret = place.is_secret or items.get("kind") == "Secret"
        redacted: dict[str, Any] = {}
        before: Any = ""
        for key, item in items.items():
            is_secret = secret and (place.is_secret or key in {"data", "stringData"})
            below = _Place(names.of(key, item, before), is_secret, columns)
            before = item
            shown = self._redact(key) if key in shape.may_be_secret else key
            redacted[shown] = self.value(item, below, depth)
        if shape.statements:
            self._parameters(items, shape.statements, redacted, depth)
        if shape.command:
            # A program under one key and its arguments under another are one command line.
            program, arguments = shape.command
            if isinstance(items[program], str) and _all_texts(items[arguments]):
                redacted[arguments] = self._words(items[arguments], str(items[program]))
        if shape.reads:
            self._piped(items, shape.reads, redacted)
        return redacted

    def _piped(
        self, items: Mapping[str, Any], keys: tuple[str, str], redacted: dict[str, Any]
    ) -> None:
        """What a program reads, as what would be piped into it."""
        program, given = (items[key] for key in keys)
        command = " ".join(program) if _all_texts(program) else program
        if isinstance(command, str) and isinstance(given, str) and "'" not in given:
            text = str(redacted[keys[1]]).rstrip("\n")
            redacted[keys[1]] = in_place(text, self._redact, "echo '", f"' | {command}")

    def _parameters(
        self,
        items: Mapping[str, Any],
        statements: tuple[str, ...],
        redacted: dict[str, Any],
        depth: int,
    ) -> None:
        """The values of a statement's parameters, each called like its column."""
        texts = (_spelled_out(items[key], items) for key in statements)
        columns = next((c for t in texts if isinstance(t, str) and (c := columns_of(t))), None)
        if columns is None or not any(map(names_a_field, columns.values())):
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
        if len(items) == len(place.columns):
            return [
                self.value(item, _Place(name if _is_cell(item, name) else place.name), depth)
                for item, name in zip(items, place.columns, strict=True)
            ]
        if not _all_texts(items):
            if columns := _head_of_rows(items):
                place = place._replace(columns=columns)
            if _are_bytes(items) and names_a_field(place.name):
                key = bytes(items).hex()
                clean = named(key, self._redact, place.name)
                return items if clean == key else [clean]
            return [
                self._item(item, place, before)
                if isinstance(item, str) and item
                else self.value(item, place._replace(called=named_before(item, before)), depth)
                for before, item in _with_names(items)
            ]
        if len(items) == 2 and letters(place.name) in _LOGINS:
            return [self._text(items[0], place), self._text(items[1], _Place("password"))]
        # Below the name of a secret nothing is an option, or the name of another.
        if names_a_field(place.name):
            return [self._item(item, place) for item in items]
        if letters(place.name) in _COMMANDS or any(map(_FLAG.match, items)):
            return self._words(items, "")
        if len(items) == 2 and _names_next(items[0], items[1], place.name):
            return [self._text(items[0], place), self._text(items[1], _Place(items[0]))]
        return [self._item(item, place, before) for before, item in _with_names(items)]

    def _words(self, words: list[str], before: str) -> list[str]:
        """The words of a command line, each seen behind those before it."""
        redacted: list[str] = []
        program = before
        for number, word in enumerate(words):
            last = words[number - 1] if number else ""
            clean = word
            if (_FLAG.fullmatch(last) and not word.startswith("-")) or _names_one(last, word):
                clean = self._text(word, _Place(last))
            if clean == word and _NAMED_ITEM.match(word):
                clean = self._item(word, _Place())
            if clean == word and number == len(words) - 1 and _takes(program, number):
                clean = self._text(word, _Place("password"))
            if clean == word:
                clean = self._behind(word, f"{before[-_MAX_BEFORE:]} ".lstrip())
            redacted.append(clean)
            before = f"{before} {word}"
        return redacted

    def _item(self, item: str, place: _Place, before: Any = "") -> str:
        """One of many texts; `NAME=value` names its own, and so may the one before it."""
        if isinstance(before, str) and _names_one(before, item):
            clean = self._text(item, _Place(before))
            if clean != item:
                return clean
        user = _USER.match(item) if letters(place.name) in _ROSTERS else None
        if user and stands_out(item[user.end() :]):
            return user[0] + self._text(item[user.end() :], _Place("password"))
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
    return may_hold_secret(f'"{name}": "') or names_a_field(name)


@lru_cache(maxsize=4096)
def _may_be_secret(key: str) -> bool:
    return may_hold_secret(key)


@lru_cache(maxsize=4096)
def _is_kept_by_browsers(name: str) -> bool:
    return _KEPT_BY_BROWSERS.search(letters(name)) is not None


def _is_plain(key: str) -> bool:
    asks = key.endswith("?") or letters(key) in _ANSWERS
    return not asks and _NUMBERED.fullmatch(key) is None


class _Shape(NamedTuple):
    """What the keys of a map say together."""

    say_nothing: frozenset[str]
    may_be_secret: frozenset[str]
    may_name: tuple[str, ...]  # whatever stands beside them
    numbered: frozenset[str]  # as the arguments of a call are
    confidential: tuple[str, ...]  # which say that nobody may see the value
    plain: frozenset[str]  # which say themselves what they hold
    names: tuple[str, ...]  # whose values may name what stands beside them
    asked: tuple[str, ...]  # whose values ask for it
    command: tuple[str, str] | None  # the keys of a program and of its arguments
    reads: tuple[str, str] | None  # the keys of a program and of what it reads
    statements: tuple[str, ...]  # whose values may be SQL


@lru_cache(maxsize=1024)
def _shape(keys: tuple[str, ...]) -> _Shape:
    spelled = {letters(key): key for key in keys}
    say_nothing = frozenset(key for key in keys if SAYS_NOTHING.fullmatch(letters(key)))
    program = next((spelled[one] for one in _PROGRAMS if one in spelled), None)
    arguments = next((spelled[one] for one in _ARGUMENTS if one in spelled), None)
    given = next((spelled[one] for one in ("stdin", "input") if one in spelled), None)
    return _Shape(
        say_nothing,
        frozenset(key for key in keys if len(keys) > _MANY or _may_be_secret(key)),
        tuple(filter(may_name, keys)),
        frozenset(filter(_NUMBERED.fullmatch, keys)),
        tuple(filter(CONFIDENTIAL.search, keys)),
        frozenset(key for key in keys if key not in say_nothing and _is_plain(key)),
        (
            *(spelled[one] for one in _NAMES if one in spelled),
            *(key for spelling, key in spelled.items() if spelling.endswith(("name", "key", "id"))),
        )
        if say_nothing
        else (),
        tuple(spelled[one] for one in _QUESTIONS if one in spelled),
        (program, arguments) if program is not None and arguments is not None else None,
        (program, given) if program is not None and given is not None else None,
        tuple(key for spelling, key in spelled.items() if spelling in _STATEMENTS),
    )


def _spelled_out(statement: Any, items: Mapping[str, Any]) -> Any:
    """A statement with the names that its `#short` ones stand for."""
    names = items.get(_SHORT_NAMES)
    if isinstance(statement, str) and isinstance(names, Mapping):
        for short, name in cast("Mapping[str, Any]", names).items():
            statement = statement.replace(short, str(name))
    return statement


class _Names:
    """What the values of one map are called."""

    def __init__(
        self,
        items: Mapping[str, Any],
        shape: _Shape,
        place: _Place,
        lists: Mapping[str, list[Any]],
    ) -> None:
        self._items, self._shape, self._above = items, shape, place.name
        self._beside = _beside(items, shape.names)
        self._called = {**called_by(items, shape.may_name, lists), **place.called}
        self._confidential = any(items[key] is True for key in shape.confidential)
        above = letters(place.name)
        self._of_secrets = above in _OF_SECRETS
        self._of_keys = _OF_KEYS.fullmatch(above) is not None
        self._of_sessions = _is_kept_by_browsers(place.name)
        self._plain = not (self._of_secrets or self._of_keys or self._of_sessions or self._called)

    def of(self, key: str, item: Any, before: Any) -> str:
        """The name of the value of `key`, behind the value `before`."""
        if self._plain and key in self._shape.plain:
            return key
        name = self._told(key, item, before)
        if self._of_secrets and not NO_SECRET.search(key):
            return f"{key} password"
        if self._of_keys and isinstance(item, str) and not NO_SECRET.search(key):
            return f"{key} {self._above}".rstrip("s")
        if self._of_sessions and _OF_A_SESSION.search(name):
            return f"{name} password"
        return name

    def _told(self, key: str, item: Any, before: Any) -> str:
        """By what stands beside it, or what asks for it."""
        if key in self._called and not names_a_field(key):
            return self._called[key]
        if key in self._shape.numbered and is_name(before):
            return str(before)
        if self._shape.asked and letters(key) in _ANSWERS and is_answer(item):
            return _asked_for(_beside(self._items, self._shape.asked)) or key
        if key.endswith("?") and is_answer(item):
            return _asked_for(key)
        if key not in self._shape.say_nothing:
            return key
        beside = "" if SAYS_NOTHING.fullmatch(letters(self._beside)) else self._beside
        # What a file is called tells of the one value in it, and of no more.
        if "/" in beside and not (names_a_field(beside) and is_answer(item)):
            beside = "" if isinstance(item, str) else beside
        name = _name_of(key, beside, self._above)
        return f"{name} password" if self._confidential and isinstance(item, str) else name


def _beside(items: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """The name that stands beside a value: `{"name": "DB_PASSWORD", "value": …}`."""
    values = (items[key] for key in keys)
    names = [one for one in values if isinstance(one, str) and len(one) <= MAX_NAME]
    return next((one for one in names if SECRETISH.search(one)), names[0] if names else "")


def _name_of(key: str, beside: str, above: str) -> str:
    """What a value is called whose key may only say that here it is."""
    return next(filter(names_a_field, (beside, key)), beside or above or key)


@lru_cache(maxsize=1024)
def _asked_for(question: str) -> str:
    """What a question asks for: `Which root password` of `Which root password shall I use?`."""
    for goes_on in _GOES_ON.finditer(f"{question} "):
        if names_a_field(END_OF_NAME.sub("", question[: goes_on.start()])):
            return question[: goes_on.start()]
    return question


def _with_names(items: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Each of a list with the one before it, or before the sign that joins them."""
    before: Any = ""
    for item in items:
        yield before, item
        if not (isinstance(item, str) and _OPERATOR.fullmatch(item)):
            before = item


def _names_next(first: str, second: str, above: str) -> bool:
    """Whether the first of two texts is the name of the second."""
    if names_a_field(first) and stands_out(second):
        return True
    return _VARIABLE.fullmatch(first) is not None and (
        not above or SECRETISH.search(first) is not None or names_a_field(first)
    )


def _names_one(before: str, item: str) -> bool:
    """Whether a text of a list is the name of the one behind it."""
    if not is_name(before):
        return False
    if not _JOINED.fullmatch(before):
        return stands_out(item) and (is_phrase(item) or any(map(str.isdigit, item)))
    from reverie.privacy.literals import is_readable

    alike = any(sort.fullmatch(before) and sort.fullmatch(item) for sort in _SORTS_OF_NAMES)
    return not (alike and is_readable(item))


def _takes(program: str, number: int) -> bool:
    """Whether the last argument of a call is a password: `login(user, …)`, `setPassword(…)`."""
    if _LOGS_IN.search(program):
        return number == 1
    return _NAME_OF_CALL.fullmatch(program) is not None and (
        names_a_field(program) and not fetches(program)
    )


def _head_of_rows(rows: list[Any]) -> tuple[str, ...]:
    """The names in the first of several rows of one length, as sheets hold them."""
    if len(rows) < 2 or not all(isinstance(row, list) for row in rows):
        return ()
    head = column_names(rows[0])
    # Of two texts the first may be the name of the second, in each row for itself.
    pairs = len(head) == 2 and names_a_field(head[0])
    return () if pairs or any(len(row) != len(head) for row in rows) else head


def _is_cell(item: Any, column: str) -> bool:
    """Whether a column names what its cell holds."""
    return names_a_field(column) and (not isinstance(item, str) or stands_out(item))


def _are_bytes(items: list[Any]) -> bool:
    return len(items) >= _BYTES and all(isinstance(n, int) and 0 <= n < 256 for n in items)


def _all_texts(items: Any) -> bool:
    if not isinstance(items, list):
        return False
    several = cast("list[Any]", items)
    return 0 < len(several) <= 1_000 and all(isinstance(item, str) for item in several)
