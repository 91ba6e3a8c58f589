"""What the values of a map or a list say about each other.

    {"property": "db.password", "propertyValue": "blue"}               a name and its value
    {"columns": ["user", "password"], "rows": [["svc", "blue"]]}       a table in pieces
    {"command": "docker login --password-stdin", "stdin": "blue"}      what a program reads

Which keys they stand under differs in every tool. So the value that names a secret is looked for,
and then the one that nothing else accounts for.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from reverie.data import word_sets

MAX_NAME = 100

_WORDS = word_sets("judgement.txt", "called-words")

# Keys that only say "here is it": what it is called stands one level up, or beside it.
SAYS_NOTHING = re.compile(
    r"\w{0,20}value|values|default|contents?|data|text|string|plain|plaintext|raw|current|\w{0,12}val|v|body"
    r"|secretstring|literal|str|s|payload|properties|attributes|instances|result|computed|example|kind"
    r"|old|new|before|after|previous"
    r"|wert|valor|valeur|valore|waarde"
)
SECRETISH = re.compile(
    r"(?i)pass|pwd|secret|token|key|cred|auth|pin|otp|psk|pw|wort|senha|clave|cookie|sess|seed|salt"
    r"|pepper|mnemonic|phrase|code|puk|cv[vc]|jwt|bearer|dsn|card|pat|geheim|schluess|[^\x00-\x7f]"
)
_NO_NAME = re.compile(
    r"(?:pattern|query|q|search|regex|grep|glob|(?:old|new)string|message|msg|description|summary|error"
    r"|reason|comment|subject|activeform|status|text|contents?|body|file|cwd|url|uri|href|id|time\w*"
    r"|date|version|branch|model)$"
)
# Beside a secret stand who it belongs to and where it lies.
NO_SECRET = re.compile(
    r"(?i)(?:user(?:_?name)?|login|e?mail|host|url|uri|port|type|kind|id|name|region|scheme|file|path|"
    r"source|store|provider|version|description|enabled|ref|arn|scopes?|expir\w*|\w*at|"
    r"format|title|pattern|(?:\b|_)(?:min|max)\w*|\w*length|required|label|placeholder|hint|help|message|error|"
    r"key|\w*policy|rules?|hash\w*|algorithm|status|count)$"
)
_NO_HEAD = re.compile(r"required|enum|tags|keywords|order\w*|sort\w*|optional|missing|depends\w*")
# Says of a value that nobody may see it.
CONFIDENTIAL = re.compile(
    r"(?i)(?:is_?)?(?:sensitive|no_?echo|masked|secret|secured?|encrypted|confidential|obfuscated|write_?only|concealed)$"
)
# What is about the thing that was named beside it.
_HOLDING = frozenset("arguments params args item entry element node record object spec".split())
_FETCHES = re.compile(
    r"(?i)(?:^|[.:/_])(?:get|read|list|reset|forgot|delete|remove|revoke|has|check|find)"
)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_SCHEME = re.compile(r"(?i)^(?:bearer|basic|token) ")
_CHANGED = ({"old", "new"}, {"before", "after"}, {"from", "to"}, {"previous", "current"})
_MOST_COLUMNS = 60
_FEWEST = 4  # characters of what stands out
_LONGEST_ANSWER = 400
_WORDS_OF_NAME = 4
_WORDS_OF_PHRASE = 4


def called_by(
    items: Mapping[str, Any], may_name: tuple[str, ...], lists: Mapping[str, list[Any]]
) -> dict[str, str]:
    """The keys of values that another value of this map names, under a key that may."""
    if len(items) < 2:
        return {}
    naming = [key for key in may_name if is_name(items[key]) and not stands_out(items[key])]
    name = end_of_path(items[naming[0]]) if naming else _last_of_names(lists)
    if not name:
        return {}
    texts = _texts(items)
    left = [
        key
        for key, item in texts.items()
        if key not in naming and not NO_SECRET.search(key) and stands_out(item)
    ]
    holding = [
        key
        for key, item in items.items()
        if (key in left or (naming and isinstance(item, (list, Mapping)))) and _holds(key)
    ]
    return dict.fromkeys(holding or _nearest(left, tuple(items), naming), name)


def _texts(items: Mapping[str, Any]) -> dict[str, str]:
    return {key: item for key, item in items.items() if isinstance(item, str) and item}


def _holds(key: str) -> bool:
    spelled = letters(key)
    return SAYS_NOTHING.fullmatch(spelled) is not None or spelled in _HOLDING


def named_before(item: Any, before: Any) -> dict[str, str]:
    """The same for two maps of a list, of which the first holds nothing but the name."""
    if not isinstance(item, Mapping) or not isinstance(before, Mapping):
        return {}
    texts, named = (
        _texts(cast("Mapping[str, Any]", item)),
        _texts(cast("Mapping[str, Any]", before)),
    )
    for key, name in named.items():
        if not is_name(name):
            continue
        alone = len(texts) == len(named) == 1 and key not in texts
        holds = next(iter(texts)) if alone else key if SAYS_NOTHING.fullmatch(letters(key)) else ""
        return {holds: name} if stands_out(texts.get(holds, "")) else {}
    return {}


def _nearest(left: list[str], keys: tuple[str, ...], naming: list[str]) -> list[str]:
    """The first of what is left on each side of the name; and both of what was changed."""
    spelled = {letters(key) for key in left}
    if spelled in _CHANGED:
        return left
    if not naming:
        return left[:2]
    at = keys.index(naming[0])
    before = [key for key in left if keys.index(key) < at]
    return [*before[-1:], *[key for key in left if keys.index(key) > at][:1]]


def may_name(key: str) -> bool:
    """Whether what stands under a key may be the name of something beside it."""
    return _NO_NAME.search(letters(key)) is None


def is_name(item: Any) -> bool:
    """Whether a value is a name that tells what stands beside or behind it."""
    return isinstance(item, str) and len(item) <= MAX_NAME and _names_secret(item)


@lru_cache(maxsize=8192)
def _names_secret(item: str) -> bool:
    if not SECRETISH.search(item):
        return False
    name = end_of_path(item)
    return len(item.split()) <= _WORDS_OF_NAME and names_a_field(name) and not fetches(item)


def end_of_path(path: str) -> str:
    """The name of a file, and the last folder above it that holds nothing but secrets; whatever
    else it lies in tells nothing of it."""
    *folders, name = path.split("/")
    if not folders or not name:
        return path
    held = next((folder for folder in reversed(folders) if folder.lower() in _WORDS.folders), "")
    name = f"/{name}"
    return f"{name} secret" if held and not names_a_field(name) else name


def fetches(name: str) -> bool:
    """`getPassword`: what is called so is told to look for a secret, and is given none."""
    return _FETCHES.search(name) is not None


def _last_of_names(lists: Mapping[str, list[Any]]) -> str:
    """The last of the names that lead to a value: `["spec", "db", "password"]`."""
    for path in lists.values():
        last: Any = path
        while isinstance(last, list) and last:
            last = cast("Any", last[-1])
        if isinstance(last, str) and is_name(last):
            return last
    return ""


def columns_of_lists(items: Mapping[str, Any], lists: Mapping[str, list[Any]]) -> tuple[str, ...]:
    """The names of columns, where a list of them stands beside the rows."""
    for key, listed in lists.items():
        if not _NO_HEAD.fullmatch(letters(key)) and (names := column_names(listed)):
            return names
    if lists and isinstance(schema := items.get("schema"), Mapping):
        inner = cast("Mapping[str, Any]", schema)
        return columns_of_lists({}, lists_of(inner))
    return ()


def lists_of(items: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The values that are lists."""
    return {key: item for key, item in items.items() if isinstance(item, list)}


def column_names(items: Sequence[Any]) -> tuple[str, ...]:
    """The names of a head, one of which names secrets; nothing if this is none."""
    if not 1 < len(items) <= _MOST_COLUMNS:
        return ()
    names = [_name_of_column(item) for item in items]
    if not all(names) or not any(SECRETISH.search(name) and names_a_field(name) for name in names):
        return ()
    return tuple(names)


def _name_of_column(item: Any) -> str:
    if isinstance(item, Mapping):
        column = cast("Mapping[str, Any]", item)
        item = next((column[key] for key in ("name", "field", "key", "id") if key in column), "")
    if not isinstance(item, str) or len(item) > MAX_NAME or not item[:1].isalpha():
        return ""
    return "" if any(sign in item for sign in "=/\n") or stands_out(item) else item


@lru_cache(maxsize=4096)
def stands_out(value: str) -> bool:
    """No word or sentence, name of a secret, address, path or number of something."""
    from reverie.privacy.literals import is_common, is_path
    from reverie.privacy.passwords import is_weak
    from reverie.privacy.places import refers

    value = _SCHEME.sub("", value.strip())
    if len(value) < _FEWEST or not any(map(str.isalnum, value)) or not is_answer(value):
        return False
    phrase = is_phrase(value)
    if is_common(value) and not phrase:
        return False
    if is_path(value) or is_weak(value) or refers(value):
        return False
    named = names_a_field(value) and not phrase and not any(map(str.isdigit, value))
    return _ADDRESS.fullmatch(value) is None and not named


def is_phrase(value: str) -> bool:
    """Words that somebody joined to keep them in mind."""
    from reverie.privacy.literals import JOINTS

    return len(JOINTS.split(value)) >= _WORDS_OF_PHRASE


def is_answer(item: Any) -> bool:
    """A word, or several that make no sentence."""
    from reverie.privacy.passwords import are_groups, is_passphrase

    if not isinstance(item, str) or len(item) > _LONGEST_ANSWER:
        return False
    return len(item.split()) == 1 or is_passphrase(item) or are_groups(item)


@lru_cache(maxsize=4096)
def letters(key: str) -> str:
    """A key without its case and its joints."""
    return _NOT_LETTERS.sub("", key.lower())


@lru_cache(maxsize=4096)
def names_a_field(name: str) -> bool:
    """Whether what is called so is a secret."""
    from reverie.privacy.rules import names_a_field

    return not is_drawn(name) and names_a_field(END_OF_NAME.sub("", name))


@lru_cache(maxsize=4096)
def is_drawn(name: str) -> bool:
    """An identifier that chance wrote, whatever it ends in: it names nothing."""
    from reverie.privacy.literals import is_readable

    drawn = _IDENTIFIER.fullmatch(name)
    return drawn is not None and not is_readable(drawn[1])


_NOT_LETTERS = re.compile(r"[^a-z]")
_IDENTIFIER = re.compile(r"(?:[A-Za-z]{1,12}[_-]){0,2}(?=[A-Za-z]*\d)([A-Za-z0-9]{16,})")
# What a form has for it, or a file, says nothing more about what it is called.
END_OF_NAME = re.compile(
    r"(?i)(?:[\])>'*:?\s]+$|(?<=\w)[ _-]?(?:field|input|text[ _-]?(?:box|field)|box)$"
    r"|(?<=\w)\.(?:txt|secret|conf)$)+"
)
