"""Changing one member of a JSON file and not one byte of anything else."""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from reverie.errors import InvalidInput

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class Member(NamedTuple):
    """One `"key": value` of an object, as places in the text."""

    key: str
    start: int
    value: int
    end: int


def with_member(text: str, path: Sequence[str], value: Any) -> str:
    """`text` with the member at `path` set; missing objects on the way are made.

    Raises:
        InvalidInput: not JSON, or something on the way is not an object.
    """
    place = _after_space(text, 0)
    for depth, key in enumerate(path):
        members = _members(text, place)
        member = next((m for m in reversed(members) if m.key == key), None)
        rest = path[depth + 1 :]
        if member is None:
            new: Any = value
            for name in reversed(rest):
                new = {name: new}
            return _inserted(text, place, members, key, new, depth + 1)
        if not rest:
            written = _written(value, _indent(text), depth + 1)
            return text[: member.value] + written + text[member.end :]
        place = member.value
    raise InvalidInput("a path needs at least one key")


def without_member(text: str, path: Sequence[str]) -> str:
    """`text` without the member at `path`; unchanged if it is not there."""
    place = _after_space(text, 0)
    for key in path[:-1]:
        # Of a key that is there twice, the last is the one that counts.
        member = next((m for m in reversed(_members(text, place)) if m.key == key), None)
        if member is None:
            return text
        place = member.value
    members = _members(text, place)
    number = next((i for i, m in enumerate(members) if m.key == path[-1]), None)
    if number is None:
        return text
    if number:
        after = text[: members[number - 1].end] + text[members[number].end :]
    elif len(members) > 1:
        after = text[: members[0].start] + text[members[1].start :]
    else:
        after = text[: place + 1] + text[text.index("}", members[0].end) :]
    return without_member(after, path)


def _members(text: str, place: int) -> list[Member]:
    """The members of the object that starts at `place`."""
    try:
        if text[place] != "{":
            raise ValueError("not an object")
        members: list[Member] = []
        at = _after_space(text, place + 1)
        while text[at] != "}":
            if members:
                if text[at] != ",":
                    raise ValueError("a comma is missing")
                at = _after_space(text, at + 1)
            key, end = _DECODER.raw_decode(text, at)
            colon = _after_space(text, end)
            if not isinstance(key, str) or text[colon] != ":":
                raise ValueError("a key is missing")
            value = _after_space(text, colon + 1)
            _, end = _DECODER.raw_decode(text, value)
            members.append(Member(key, at, value, end))
            at = _after_space(text, end)
    except (ValueError, IndexError, RecursionError) as error:
        raise InvalidInput(f"not a JSON object that can be edited: {error}") from None
    return members


def _inserted(
    text: str, place: int, members: list[Member], key: str, value: Any, depth: int
) -> str:
    indent = _indent(text)
    entry = f"{json.dumps(key)}: {_written(value, indent, depth)}"
    if indent is None:
        lead, tail = ("", "")
    else:
        lead, tail = "\n" + indent * depth, "\n" + indent * (depth - 1)
    if members:
        end = members[-1].end
        return f"{text[:end]},{lead}{entry}{text[end:]}"
    closing = text.index("}", place)
    return f"{text[: place + 1]}{lead}{entry}{tail}{text[closing:]}"


def _written(value: Any, indent: str | None, depth: int) -> str:
    if indent is None:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    lines = json.dumps(value, ensure_ascii=False, indent=indent).split("\n")
    return ("\n" + indent * depth).join(lines)


def _indent(text: str) -> str | None:
    """The file's own indentation; `None` when it is written in one line."""
    match = re.search(r'^\s*\{\s*?\n([ \t]+)"', text)
    if match:
        return match.group(1)
    return None if re.search(r'\{\s*"', text) else "  "


def _after_space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    assert match is not None
    return match.end()
