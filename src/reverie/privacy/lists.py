"""What the items of a list say about each other: names before values, heads above rows, arguments.

["db.password", "blue"]                         the first names the second
[["user", "password"], ["svc", "blue"]]         the first row is the head of the others
["mysql", "-u", "svc", "-pblue"]                a command line in pieces
"""

import re
from collections.abc import Iterator
from typing import Any, cast

from reverie.privacy.neighbours import (
    SECRETISH,
    column_names,
    fetches,
    is_name,
    is_phrase,
    names_a_field,
    stands_out,
)

_BYTES = 16  # so many numbers in a row are a key
_NAME_OF_CALL = re.compile(r"[\w.:]+")
_LOGS_IN = re.compile(r"(?i)(?:^|[._:a-z])(?:log_?in|log_?on|sign_?in|authenticate)$")
_OPERATOR = re.compile(r"[=<>!~:]{1,3}|(?i:eq|equals|is|to|like|matches)")
_VARIABLE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
# Names as they are written in lists; beside one of the same sort there is no value.
_SORTS_OF_NAMES = (
    re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*"),
    re.compile(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*"),
)
_JOINED = re.compile(r"[A-Za-z0-9]+[_-][\w-]+|[A-Z][A-Z0-9]{5,}")


def with_names(items: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Each of a list with the one before it, or before the sign that joins them."""
    before: Any = ""
    for item in items:
        yield before, item
        if not (isinstance(item, str) and _OPERATOR.fullmatch(item)):
            before = item


def names_next(first: str, second: str, above: str) -> bool:
    """Whether the first of two texts is the name of the second."""
    if names_a_field(first) and stands_out(second):
        return True
    return _VARIABLE.fullmatch(first) is not None and (
        not above or SECRETISH.search(first) is not None or names_a_field(first)
    )


def names_one(before: str, item: str) -> bool:
    """Whether a text of a list is the name of the one behind it."""
    if not is_name(before):
        return False
    if not _JOINED.fullmatch(before):
        return stands_out(item) and (is_phrase(item) or any(map(str.isdigit, item)))
    from reverie.privacy.literals import is_readable

    alike = any(sort.fullmatch(before) and sort.fullmatch(item) for sort in _SORTS_OF_NAMES)
    return not (alike and is_readable(item))


def takes(program: str, number: int) -> bool:
    """Whether the last argument of a call is a password: `login(user, …)`, `setPassword(…)`."""
    if _LOGS_IN.search(program):
        return number == 1
    return _NAME_OF_CALL.fullmatch(program) is not None and (
        names_a_field(program) and not fetches(program)
    )


def head_of_rows(rows: list[Any]) -> tuple[str, ...]:
    """The names in the first of several rows of one length, as sheets hold them."""
    if len(rows) < 2 or not all(isinstance(row, list) for row in rows):
        return ()
    head = column_names(rows[0])
    # Of two texts the first may be the name of the second, in each row for itself.
    pairs = len(head) == 2 and names_a_field(head[0])
    return () if pairs or any(len(row) != len(head) for row in rows) else head


def is_cell(item: Any, column: str) -> bool:
    """Whether a column names what its cell holds."""
    return names_a_field(column) and (not isinstance(item, str) or stands_out(item))


def are_bytes(items: list[Any]) -> bool:
    return len(items) >= _BYTES and all(isinstance(n, int) and 0 <= n < 256 for n in items)


def all_texts(items: Any) -> bool:
    if not isinstance(items, list):
        return False
    several = cast("list[Any]", items)
    return 0 < len(several) <= 1_000 and all(isinstance(item, str) for item in several)
