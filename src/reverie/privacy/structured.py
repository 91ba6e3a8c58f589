"""Secrets in values that have names: the arguments of a tool, a line of a log, a JSON document.

A text is searched with what stands before it. What a value is called, or which option it follows,
is often all that tells a secret from a word, so each string is shown to the redactor in its place:

    {"password": "blue harbour"}     →  ␞"password": "blue harbour"␟
    ["mysql", "-u", "svc", "-pblue"] →  mysql -u svc -pblue

The two control characters say where a value really begins and ends; rules ending in `-field` in
`data/secrets.toml` know them.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

from reverie.privacy.called import (
    COMMANDS,
    OF_A_SESSION,
    Names,
    is_kept_by_browsers,
    is_named_above,
    is_odd_answer,
    may_tell,
    reaches,
    shape_of,
    singular,
)
from reverie.privacy.lists import (
    all_texts,
    are_bytes,
    head_of_rows,
    is_cell,
    names_next,
    names_one,
    takes,
    with_names,
)
from reverie.privacy.neighbours import (
    END_OF_NAME,
    MAX_NAME,
    columns_of_lists,
    letters,
    lists_of,
    named_before,
    names_a_field,
    stands_out,
)
from reverie.privacy.replaced import MARK, Taken, in_as_many_lines
from reverie.privacy.statements import columns_of

Redact = Callable[[str], str]
Leaf = Callable[[str, Redact], str]

BEGIN, END = "\x1e", "\x1f"

_MAX_DEPTH = 60
_MAX_BEFORE = 300  # characters of a command line that are looked back at

_ROSTERS = frozenset({"users", "accounts", "logins"})
_OF_A_USER = frozenset({"user", "username"})
_USER = re.compile(r"[\w.@+-]{1,60}:(?=[^\s:]*[A-Za-z][^\s:]*$)")
_LOGINS = frozenset({"auth", "basicauth", "httpauth", "credentials", "login", "userpass"})
_SEED = "[redacted:seed-phrase"
# Keys under which a text stands line by line: of a change, of a notebook, of a file.
_OF_LINES = frozenset(
    {
        "lines",
        "hunk",
        "hunks",
        "source",
        "content",
        "contents",
        "body",
        "text",
        "output",
        "stdout",
        "stderr",
        "diff",
        "patch",
    }
)
_COOKIE = re.compile(r"([^\s=;,\"']{1,100})=([^;]+)")
_NAMED_ITEM = re.compile(r"(--?[A-Za-z][\w.-]*|[A-Za-z_][\w.-]*)=(?=.)", re.DOTALL)
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")
_SEED_WORDS = range(12, 26)
_SEED_WORD = re.compile(r"[a-z]{3,10}")
_KEY_LINE = "PRIVATE KEY"
_SHORT_NAMES = "ExpressionAttributeNames"  # of DynamoDB


class _Place(NamedTuple):
    """What is known of a value from the outside."""

    name: str = ""
    is_secret: bool = False  # all of it is, as in a Secret of Kubernetes
    columns: tuple[str, ...] = ()  # what the cells of a row are called, below
    called: Mapping[str, str] = {}  # what was named before, by the keys it stands under
    under: str = ""  # the name of a secret, however far above
    subject: str = ""  # what a sentence is about, by what stands beside it


def redact_value(value: Any, redact: Redact, leaf: Leaf | None = None) -> Any:
    """A JSON value with its strings redacted, each knowing its name; keys are redacted too.

    `leaf` may treat a string further; it is given the way to redact it, or a part of it.
    """
    walk = _Walk(redact, leaf or _whole)
    return walk.taken.everywhere(walk.value(value, _Place(), 0))


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
    name = _shown(name)
    plain = text.translate(_UNBOUND) if BEGIN in text or END in text else text
    clean = in_place(plain, redact, f'{BEGIN}"{name}": "', f'"{END}')
    return text if clean == plain else clean


def _shown(name: str) -> str:
    """A name as the rules see it."""
    return END_OF_NAME.sub("", name[:MAX_NAME].translate(_UNQUOTED))


@lru_cache(maxsize=4096)
def _is_field(name: str) -> bool:
    """Whether a rule takes all of what has this name."""
    from reverie.privacy.rules import names_a_field

    return names_a_field(_shown(name))


_UNBOUND = {ord(BEGIN): " ", ord(END): " "}
_UNQUOTED = {**_UNBOUND, ord('"'): " ", ord("\\"): " ", ord("\n"): " "}


def _whole(text: str, redact: Redact) -> str:
    return redact(text)


class _Walk:
    def __init__(self, redact: Redact, leaf: Leaf) -> None:
        self._redact = redact
        self._leaf = leaf
        self.taken = Taken()

    def value(self, value: Any, place: _Place, depth: int) -> Any:
        if isinstance(value, str):
            clean = self._text(value, place) if value else value
            if clean is not value and clean != value:
                self.taken.note(value, clean)
            return clean
        if depth >= _MAX_DEPTH:
            return None
        if isinstance(value, Mapping):
            return self._mapping(cast("Mapping[str, Any]", value), place, depth + 1)
        if isinstance(value, (list, tuple)):
            return self._items(list(cast("Sequence[Any]", value)), place, depth + 1)
        if isinstance(value, int) and value > 99 and _is_field(place.name):
            # Only a password, a PIN or a card is ever a bare number; counts of tokens are many.
            clean = named(str(value), self._redact, place.name)
            return clean if "password-field" in clean or "card-field" in clean else value
        return value

    def _text(self, text: str, place: _Place) -> str:
        def redact(part: str) -> str:
            clean = self._redact(part)
            if place.subject:
                return in_place(clean, self._redact, f"{place.subject}: ")
            if "=" in part and is_kept_by_browsers(place.name):
                return _COOKIE.sub(self._cookie, clean)
            if letters(place.name) in _OF_A_USER and (user := _USER.match(part)):
                password = part[user.end() :]
                return user[0] + self._password(password) if is_odd_answer(password) else clean
            name = f"secret {place.name}" if place.is_secret else place.name
            if place.under and is_named_above(place.name, part):
                name = place.under
            if not may_tell(name):
                return clean
            # A mark for some words of a seed would hide that the others belong to it.
            whole = named(part, self._redact, name) if _SEED in clean else ""
            return whole if MARK.fullmatch(whole) else named(clean, self._redact, name)

        return self._leaf(text, redact)

    def _password(self, text: str) -> str:
        return named(text, self._redact, "password")

    def _cookie(self, pair: re.Match[str]) -> str:
        """One of the pairs in a header: `theme=dark; sid=…`."""
        name, value = pair.groups()
        if not OF_A_SESSION.search(name):
            return pair[0]
        return f"{name}={named(value, self._redact, f'{name} password')}"

    def _behind(self, word: str, before: str) -> str:
        """A word of a command line, in quotes if it has spaces, or as it stands."""

        def redact(part: str) -> str:
            clean = in_place(part, self._redact, before)
            if " " not in part or "'" in part:
                return clean
            quoted = in_place(part, self._redact, f"{before}'", "'")
            return min(clean, quoted, key=lambda shown: len(MARK.sub("", shown)))

        return self._leaf(word, redact)

    def _mapping(self, items: Mapping[str, Any], place: _Place, depth: int) -> dict[str, Any]:
        keys = tuple(items)
        shape = shape_of(keys)
        lists = lists_of(items)
        names = Names(items, shape, place.name, place.called, lists)
        columns = (columns_of_lists(items, lists) if lists else ()) or place.columns
        secret = place.is_secret or items.get("kind") == "Secret"
        redacted: dict[str, Any] = {}
        before: Any = ""
        for key, item in items.items():
            is_secret = secret and (place.is_secret or key in {"data", "stringData"})
            name = names.of(key, item, before)
            subject = names.told_of(key, item, name)
            under = reaches(name, key, place.under) or subject
            if under and key in shape.say_nothing and name in (key, place.name):
                name = under
            if place.under and len(items) == 1 and letters(key) == "key":
                under = name = place.under
            below = _Place(
                name, is_secret, columns, names.asked_of(key), under=under, subject=subject
            )
            before = item
            shown = self._redact(key) if key in shape.may_be_secret else key
            redacted[shown] = self.value(item, below, depth)
        if shape.statements:
            self._parameters(items, shape.statements, redacted, depth)
        if shape.command:
            # A program under one key and its arguments under another are one command line.
            program, arguments = shape.command
            if isinstance(items[program], str) and all_texts(items[arguments]):
                redacted[arguments] = self._words(items[arguments], str(items[program]))
        if shape.reads:
            self._piped(items, shape.reads, redacted)
        return redacted

    def _piped(
        self, items: Mapping[str, Any], keys: tuple[str, str], redacted: dict[str, Any]
    ) -> None:
        """What a program reads, as what would be piped into it."""
        program, given = (items[key] for key in keys)
        command = " ".join(program) if all_texts(program) else program
        if isinstance(command, str) and isinstance(given, str) and "'" not in given:
            redacted[keys[1]] = "\n".join(
                in_place(line, self._redact, "echo '", f"' | {command}") if line.strip() else line
                for line in str(redacted[keys[1]]).split("\n")
            )

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
        if len(items) == len(place.columns) and not all(isinstance(item, list) for item in items):
            # What a column does not name is still judged as one of a list.
            items = [
                self.value(item, _Place(name), depth) if is_cell(item, name) else item
                for item, name in zip(items, place.columns, strict=True)
            ]
            place = place._replace(columns=())
        if not all_texts(items):
            if columns := head_of_rows(items):
                place = place._replace(columns=columns)
            if are_bytes(items) and names_a_field(place.name):
                key = bytes(items).hex()
                clean = named(key, self._redact, place.name)
                return items if clean == key else [clean]
            return [
                self._item(item, place, before)
                if isinstance(item, str) and item
                else self.value(item, self._behind_map(place, item, before), depth)
                for before, item in with_names(items)
            ]
        if (whole := self._as_one(items, place)) is not None:
            return whole
        if len(items) > 1 and letters(place.name) in _OF_LINES:
            items = self._lines(items)
        if len(items) == 2 and letters(place.name) in _LOGINS:
            return [self._text(items[0], place), self._text(items[1], _Place("password"))]
        # Below the name of a secret nothing is an option, or the name of another.
        single = singular(place.name)
        if names_a_field(single):
            each = place._replace(name=single)
            return [self._item(item, each) for item in items]
        if letters(place.name) in COMMANDS or any(map(_FLAG.match, items)):
            return self._words(items, "")
        if len(items) == 2 and names_next(items[0], items[1], place.name):
            return [self._text(items[0], place), self._text(items[1], _Place(items[0]))]
        return [self._item(item, place, before) for before, item in with_names(items)]

    def _as_one(self, items: list[str], place: _Place) -> list[str] | None:
        """The words of a seed and the lines of a key, which only together are one."""
        if len(items) in _SEED_WORDS and all(map(_SEED_WORD.fullmatch, items)):
            words = " ".join(items)
            clean = self._redact(words)
            for name in (place.name, place.under):
                clean = named(words, self._redact, name) if name and clean == words else clean
            return [clean] if MARK.fullmatch(clean) else None
        if any(_KEY_LINE in item for item in items):
            lines = "\n".join(items)
            clean = self._redact(lines)
            return None if clean == lines else clean.split("\n")
        return None

    def _lines(self, items: list[str]) -> list[str]:
        """The lines of a text, which are judged as one."""
        between = "" if items[0].endswith("\n") else "\n"
        if any("\n" in item[:-1] for item in items):
            return items
        text = between.join(items)
        clean = self._redact(text)
        if clean == text:
            return items
        self.taken.note(text, clean)
        lines = in_as_many_lines(text, clean)
        return lines.split("\n") if between else lines.splitlines(keepends=True)

    def _behind_map(self, place: _Place, item: Any, before: Any) -> _Place:
        """The place of a map in a list: the one before may name it, or a question above both."""
        answers: Mapping[str, Any] = {}
        if isinstance(item, Mapping):
            answers = cast("Mapping[str, Any]", item)
        asked = {k: name for k, name in place.called.items() if is_odd_answer(answers.get(k))}
        return place._replace(called={**asked, **named_before(item, before)})

    def _words(self, words: list[str], before: str) -> list[str]:
        """The words of a command line, each seen behind those before it."""
        redacted: list[str] = []
        program = before
        for number, word in enumerate(words):
            last = words[number - 1] if number else ""
            clean = word
            if (_FLAG.fullmatch(last) and not word.startswith("-")) or names_one(last, word):
                clean = self._text(word, _Place(last))
            if clean == word and _NAMED_ITEM.match(word):
                clean = self._item(word, _Place())
            if clean == word and number == len(words) - 1 and takes(program, number):
                clean = self._text(word, _Place("password"))
            if clean == word:
                clean = self._behind(word, f"{before[-_MAX_BEFORE:]} ".lstrip())
            redacted.append(clean)
            before = f"{before} {word}"
        return redacted

    def _item(self, item: str, place: _Place, before: Any = "") -> str:
        """One of many texts; `NAME=value` names its own, and so may the one before it."""
        if isinstance(before, str) and names_one(before, item):
            clean = self._text(item, _Place(before))
            if clean != item:
                return clean
        user = _USER.match(item) if letters(place.name) in _ROSTERS else None
        if user and stands_out(item[user.end() :]):
            return user[0] + self._text(item[user.end() :], _Place("password"))
        pair = None if is_kept_by_browsers(place.name) else _NAMED_ITEM.match(item)
        if pair is None or "\n" in item:
            return self._text(item, place)
        value = item[pair.end() :]
        clean = self._text(value, _Place(pair.group(1)))
        if clean == value:
            return self._text(item, place)
        return item[: pair.end()] + clean


def _spelled_out(statement: Any, items: Mapping[str, Any]) -> Any:
    """A statement with the names that its `#short` ones stand for."""
    names = items.get(_SHORT_NAMES)
    if isinstance(statement, str) and isinstance(names, Mapping):
        for short, name in cast("Mapping[str, Any]", names).items():
            statement = statement.replace(short, str(name))
    return statement
