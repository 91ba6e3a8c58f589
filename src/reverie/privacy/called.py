"""What the values of a map are called: by their key, by what stands beside it, or further up.

{"name": "DB_PASSWORD", "value": "blue"}                 its name stands beside it
{"description": "database password", "value": "blue"}    what it is, in words
{"passphrase": {"staging": {"current": "blue"}}}         its name stands further up
{"type": "SecureString", "value": "blue"}                its type says that nobody may see it
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast

from reverie.data import pairs, patterns, word_sets
from reverie.privacy.keywords import may_hold_secret
from reverie.privacy.neighbours import (
    CONFIDENTIAL,
    END_OF_NAME,
    MAX_NAME,
    NO_SECRET,
    SAYS_NOTHING,
    SECRETISH,
    called_by,
    end_of_path,
    fetches,
    is_answer,
    is_drawn,
    is_name,
    is_phrase,
    letters,
    may_name,
    names_a_field,
    stands_out,
)

_RE = patterns("judgement.txt", "called")
_WORDS = word_sets("judgement.txt", "called-words")

_MANY = 20  # keys of a map that is hardly met twice
_FEW, _COUPLE = 3, 2
_MOST_WORDS = 9  # of what describes a value in words

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
# Statements of SQL, and the values of their parameters.
_STATEMENTS = frozenset({
    "sql", "query", "statement", "text", "stmt", "command", "q", "updateexpression",
})  # fmt: skip
# What a browser keeps for a site: under such names nothing else than a login.
_KEPT_BY_BROWSERS = re.compile(
    r"cookies?$|^cookies?(?:jar|store|header)$|^(?:local|session)storage$"
)
OF_A_SESSION = re.compile(
    r"(?i)sess|sid\b|auth|token|jwt|remember|[cx]srf|login|secret|key|pass|credential|ticket|saml|sso"
)
# The name of such a thing: the key tells of which sort it is.
_TOLD_BY_KEY = re.compile(r"(?i)(secret|token|password|passphrase|credential)[_-]?name$")
# `assword:` is what a script waits for, so that it need not know the case of the first letter.
_CUT_NAME = re.compile(r"(?i)^\W*(?=assword|assphrase)")
_SEVERAL = re.compile(
    r"(?:[_. -]?(?:lists?|arrays?|sets?|items|entries|values)|(?<=[a-z])(?:List|Array|Set)|s)$"
)
_NUMBERED = re.compile(r"(?:arg|argument|param|p|a|v|x|value|item)?_?\d{1,2}")

COMMANDS = frozenset({*_PROGRAMS, *_ARGUMENTS, "exec", "entrypoint", "run", "shell"})


# Names are few and met again and again: each is looked at once.
@lru_cache(maxsize=4096)
def may_tell(name: str) -> bool:
    """Whether a value could be a secret for being called so.

    What joins a name and its value says nothing: who knows both has been shown the value alone.
    """
    return may_hold_secret(f'"{name}"') or names_a_field(name)


@lru_cache(maxsize=4096)
def _may_be_secret(key: str) -> bool:
    return may_hold_secret(key)


@lru_cache(maxsize=4096)
def is_kept_by_browsers(name: str) -> bool:
    return _KEPT_BY_BROWSERS.search(letters(name)) is not None


def _is_plain(key: str) -> bool:
    asks = key.endswith("?") or letters(key) in _WORDS.answers
    return not asks and _NUMBERED.fullmatch(key) is None


class Shape(NamedTuple):
    """What the keys of a map say together."""

    say_nothing: frozenset[str]
    may_be_secret: frozenset[str]
    may_name: tuple[str, ...]  # whatever stands beside them
    numbered: frozenset[str]  # as the arguments of a call are
    confidential: tuple[str, ...]  # which say that nobody may see the value
    types: tuple[str, ...]  # whose values may say the same
    plain: frozenset[str]  # which say themselves what they hold
    names: tuple[str, ...]  # whose values may name what stands beside them
    describing: tuple[str, ...]  # whose values may tell it in words, or ask for it
    answering: frozenset[str]  # which hold what was asked for
    command: tuple[str, str] | None  # the keys of a program and of its arguments
    reads: tuple[str, str] | None  # the keys of a program and of what it reads
    statements: tuple[str, ...]  # whose values may be SQL
    replaced: tuple[tuple[str, str], ...]  # the keys of what is replaced and of what by
    paths: tuple[str, ...]  # whose values may be the file that the others are written into


def shape_of(keys: tuple[str, ...]) -> Shape:
    """The same for maps with the same keys; those with many are hardly met twice."""
    return _shape(keys) if len(keys) <= _MANY else _shape.__wrapped__(keys)


@lru_cache(maxsize=1024)
def _shape(keys: tuple[str, ...]) -> Shape:
    spelled = {letters(key): key for key in keys}
    say_nothing = frozenset(key for key in keys if SAYS_NOTHING.fullmatch(letters(key)))
    program = next((spelled[spelling] for spelling in _PROGRAMS if spelling in spelled), None)
    arguments = next((spelled[spelling] for spelling in _ARGUMENTS if spelling in spelled), None)
    given = next(
        (spelled[spelling] for spelling in ("stdin", "input") if spelling in spelled), None
    )
    return Shape(
        say_nothing,
        frozenset(key for key in keys if len(keys) > _MANY or _may_be_secret(key)),
        tuple(filter(may_name, keys)),
        frozenset(filter(_NUMBERED.fullmatch, keys)),
        tuple(filter(CONFIDENTIAL.search, keys)),
        tuple(key for spelling, key in spelled.items() if spelling in _WORDS.types),
        frozenset(key for key in keys if key not in say_nothing and _is_plain(key)),
        (
            *(spelled[spelling] for spelling in _NAMES if spelling in spelled),
            *(key for spelling, key in spelled.items() if spelling.endswith(("name", "key", "id"))),
        )
        if say_nothing
        else (),
        tuple(key for spelling, key in spelled.items() if spelling in _WORDS.describing),
        frozenset(key for key in keys if letters(key) in _WORDS.answers),
        (program, arguments) if program is not None and arguments is not None else None,
        (program, given) if program is not None and given is not None else None,
        tuple(key for spelling, key in spelled.items() if spelling in _STATEMENTS),
        tuple(
            (spelled[old], spelled[new]) for old, new in _replaced() if {old, new} <= spelled.keys()
        ),
        tuple(key for spelling, key in spelled.items() if spelling in _WORDS.paths),
    )


@cache
def _replaced() -> list[tuple[str, str]]:
    return pairs("judgement.txt", "called.replaced")


class Names:
    """What the values of one map are called."""

    def __init__(
        self,
        items: Mapping[str, Any],
        shape: Shape,
        above: str,
        called: Mapping[str, str],
        lists: Mapping[str, list[Any]],
    ) -> None:
        self._items, self._shape, self._above = items, shape, above
        self._beside = _beside(items, shape.names)
        self._called = {**_named_within(items, shape), **called_by(items, shape.may_name, lists)}
        self._called.update(_put_in(items, shape))
        self._called.update(called)
        self._confidential = _is_confidential(items, shape)
        spelled = letters(above)
        self._of_secrets = spelled in _OF_SECRETS
        self._of_keys = _OF_KEYS.fullmatch(spelled) is not None
        self._of_sessions = is_kept_by_browsers(above)
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
        if self._of_sessions and OF_A_SESSION.search(name):
            return f"{name} password"
        return name

    def _told(self, key: str, item: Any, before: Any) -> str:
        """By what stands beside it, or what asks for it."""
        if key in self._called and not names_a_field(key):
            return self._called[key]
        if key in self._shape.numbered and is_name(before):
            return str(before)
        if key in self._shape.answering and is_answer(item):
            return self._described(key) or key
        if key.endswith("?") and is_answer(item):
            return told_in(key) or key
        if key not in self._shape.say_nothing:
            return key
        beside = "" if SAYS_NOTHING.fullmatch(letters(self._beside)) else self._beside
        # What a file is called tells of the one value in it, and of no more.
        if "/" in beside and not (names_a_field(beside) and is_answer(item)):
            beside = "" if isinstance(item, str) else beside
        if not names_a_field(key) and not names_a_field(beside) and _may_be_given(item):
            beside = self._described(key) or beside
        name = next(filter(names_a_field, (beside, key)), beside or self._above or key)
        return f"{name} password" if self._confidential and isinstance(item, str) else name

    def told_of(self, key: str, item: Any, name: str) -> str:
        """What a sentence, or a map, under a key that says nothing is told to be about."""
        if key not in self._shape.say_nothing and letters(key) not in _WORDS.holding:
            return ""
        if names_a_field(name) or not isinstance(item, (str, Mapping)) or _may_be_given(item):
            return ""
        return self._described(key)

    def asked_of(self, key: str) -> dict[str, str]:
        """What each of several answers to a question is called, by the key it stands under."""
        if letters(key) not in _WORDS.choices:
            return {}
        name = self._described(key)
        return dict.fromkeys(_WORDS.chosen, name) if name else {}

    def _described(self, key: str) -> str:
        """What is told in words beside a value that nothing else names."""
        descriptions = (self._items[other] for other in self._shape.describing if other != key)
        return next(
            (name for text in descriptions if isinstance(text, str) and (name := told_in(text))), ""
        )


def _put_in(items: Mapping[str, Any], shape: Shape) -> dict[str, str]:
    """What an edit puts in the place of a mark, and the lines of a key that go into its file."""
    named: dict[str, str] = {}
    if shape.replaced and any(_is_short(items[old]) for old, _ in shape.replaced):
        from reverie.privacy.filled import filled_by

        named = {
            new: name for old, new in shape.replaced if (name := filled_by(items[old], items[new]))
        }
    if any(_RE.key_file.search(items[key]) for key in shape.paths if isinstance(items[key], str)):
        named |= {
            key: "private key"
            for key, item in items.items()
            if isinstance(item, str) and _RE.key_body.fullmatch(item)
        }
    return named


def _is_short(item: Any) -> bool:
    return isinstance(item, str) and len(item) <= MAX_NAME and SECRETISH.search(item) is not None


def _beside(items: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """The name that stands beside a value: `{"name": "DB_PASSWORD", "value": …}`."""
    names = [
        f"{text} {sort[1]}" if (sort := _TOLD_BY_KEY.match(key)) else end_of_path(text)
        for key in keys
        if isinstance(text := items[key], str) and len(text) <= MAX_NAME and not is_drawn(text)
    ]
    return next((name for name in names if SECRETISH.search(name)), names[0] if names else "")


def _named_within(items: Mapping[str, Any], shape: Shape) -> dict[str, str]:
    """The same for a name with a map of its own: `{"key": {"name": …}, "value": …}`."""
    for key, item in items.items():
        texts = cast("Mapping[str, Any]", item).values() if isinstance(item, Mapping) else ()
        if not 0 < len(texts) <= _FEW:
            continue
        name = next((text for text in texts if is_name(text) and not stands_out(text)), "")
        if name:
            alone = len(items) == _COUPLE
            return {
                other: name
                for other, value in items.items()
                if other in shape.say_nothing or (alone and other != key and _stands_out(value))
            }
    return {}


def _stands_out(value: Any) -> bool:
    """The same of anything: only texts do."""
    return isinstance(value, str) and stands_out(value)


def _is_confidential(items: Mapping[str, Any], shape: Shape) -> bool:
    """Whether a map says that nobody may see the value it holds."""
    if any(items[key] is True for key in shape.confidential):
        return True
    types = (items[key] for key in shape.types)
    return any(isinstance(kind, str) and _RE.secure.fullmatch(kind) is not None for kind in types)


def reaches(name: str, key: str, above: str) -> str:
    """The name of a secret that what lies below a key stands under, however deep."""
    if names_a_field(name) and (name == key or not stands_out(name)):
        return singular(name)
    return "" if NO_SECRET.search(key) else above


def singular(name: str) -> str:
    """What each of several is called: the items of `tokens`, and of `token_list`, are a token."""
    single = _SEVERAL.sub("", name)
    return single if single != name and names_a_field(single) else name


@lru_cache(maxsize=4096)
def is_named_above(name: str, value: str) -> bool:
    """Whether a value whose own name tells nothing is called by what stands further up.

    Beside a secret stand other things too: a key that says something names it, unless no word of
    a language and no name of code looks like the value.
    """
    from reverie.privacy.literals import is_readable

    if names_a_field(name):
        return False
    spelled = letters(name)
    if SAYS_NOTHING.fullmatch(spelled) or not spelled:
        return True
    if NO_SECRET.search(name) or not stands_out(value):
        return False
    return is_phrase(value) or any(map(str.isdigit, value)) or not is_readable(value)


def is_odd_answer(item: Any) -> bool:
    """One word, and none of a language: what stands for itself in a list of answers."""
    from reverie.privacy.literals import is_readable

    return isinstance(item, str) and stands_out(item) and not is_readable(item)


def _may_be_given(item: Any) -> bool:
    """No sentence: what is described in words stands beside much else."""
    return isinstance(item, str) and (is_answer(item) or len(item.split()) <= _FEW)


@lru_cache(maxsize=4096)
def told_in(text: str) -> str:
    """The name in what is told of a value: `Which root password` of `Which root password is it`."""
    text = _CUT_NAME.sub("p", text)
    if len(text) > MAX_NAME or not SECRETISH.search(text) or _RE.complains.search(text):
        return ""
    if len(text.split()) > _MOST_WORDS:
        return ""
    if inside := _RE.quoted.search(text):
        text = inside[1]
    for goes_on in _RE.goes_on.finditer(f"{text} "):
        name = END_OF_NAME.sub("", text[: goes_on.start()])
        if name and names_a_field(name) and not fetches(name):
            return name
    return ""
