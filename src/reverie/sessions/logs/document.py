"""Messages out of a log that is one JSON document, whatever happened to the file.

Such logs are written anew each time. A whole one is taken apart without building all of it in
memory; from a damaged one each message that is still whole is saved.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import msgspec

from reverie.sessions.logs.lines import DamageCount, open_log
from reverie.sessions.logs.salvage import clean, reason_of

# A document above this is left alone and counted: it has to be held in memory.
MAX_DOCUMENT = 256 * 1024 * 1024

Table = dict[str, Any]
# a value of the list → whether it is a whole message
Whole = Callable[[Table], bool]

_OPENING = re.compile(r'\{\s*"')
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_BOM = b"\xef\xbb\xbf"
_BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
# What failed tries may cost, in characters; see salvage.py.
_TRIES_PER_CHARACTER = 64
_TRIES_AT_LEAST = 1_000_000


def messages_of(
    path: Path,
    lists: tuple[str, ...],
    whole: Whole,
    begin: Callable[[Table], None],
    damage: DamageCount,
) -> Iterator[tuple[int, Table]]:
    """`(index, message)` of the list in a document: its member named in `lists`, or itself.

    `begin` gets the document's other members before the first message.

    Raises:
        Unavailable: the file cannot be read.
    """
    with open_log(path) as stream:
        data = stream.read(MAX_DOCUMENT + 1)
    if len(data) > MAX_DOCUMENT:
        damage.add("too long", len(data))
        return
    data = data.removeprefix(_BOM).strip(b" \t\r\n\0")
    if not data:
        return
    try:
        fields, members = _apart(data, lists)
    except _BROKEN:
        damage.add(reason_of(data), 0)
        damage.torn = True
        yield from _salvaged(data, whole, begin)
        return
    begin(fields)
    for index, member in enumerate(members):
        try:
            value = msgspec.json.decode(member)
        except _BROKEN:
            damage.add("not UTF-8", len(bytes(member)))
            continue
        if isinstance(value, dict) and whole(cast("Table", value)):
            yield index, cast("Table", value)
        else:
            damage.add("not a record", len(bytes(member)))


def _apart(data: bytes, lists: tuple[str, ...]) -> tuple[Table, list[msgspec.Raw]]:
    """The members of a document besides its list, and the list's members still encoded."""
    if data[:1] == b"[":
        return {}, msgspec.json.decode(data, type=list[msgspec.Raw])
    outer = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    fields: Table = {}
    members: list[msgspec.Raw] = []
    has_list = False
    for name, raw in outer.items():
        if name in lists and not has_list and bytes(raw)[:1] == b"[":
            members = msgspec.json.decode(raw, type=list[msgspec.Raw])
            has_list = True
        else:
            fields[name] = msgspec.json.decode(raw)
    return fields, members


def _salvaged(data: bytes, whole: Whole, begin: Callable[[Table], None]) -> Iterator[Any]:
    """The messages that are whole in a damaged document, numbered as they are met."""
    text = data.decode("utf-8", "surrogateescape")
    decoder = json.JSONDecoder()
    budget = _TRIES_PER_CHARACTER * len(text) + _TRIES_AT_LEAST
    begin(_outer_strings(text))
    index = 0
    opening = _OPENING.search(text)
    while opening and budget > 0:
        start = opening.start()
        try:
            value, stop = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            # Not the length of the try: the error itself counts the lines up to its place.
            budget -= error.pos + 1
            opening = _OPENING.search(text, start + 1)
            continue
        except (RecursionError, ValueError):
            return
        if whole(value) and not _NOT_UTF8.search(text, start, stop):
            yield index, clean(value)
            index += 1
        opening = _OPENING.search(text, stop)


def _outer_strings(text: str) -> Table:
    """The members with plain text that stand before the first list or object of a document."""
    inner = re.search(r"[\[{]", text[1:])
    outer = text[: inner.start() + 1] if inner else text
    pairs = re.findall(r'"([^"\\]+)"\s*:\s*"([^"\\]*)"', outer)
    return {key: value for key, value in pairs if not _NOT_UTF8.search(key + value)}
