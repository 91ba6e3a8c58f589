"""Texts that are JSON: each value is redacted with its name, the rest stays as it is written.

What a walk over the document takes out is taken out of the text at the same place: both have the
same strings and numbers in the same order, so no two readers of a record see different secrets.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

_LONGEST = 4_000_000
_WRITTEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?')
_EDGES = ("{}", "[]")
# Where a document may begin inside of a text, and how often one is looked for that is none.
_BEGINS = re.compile(r"[\[{]\s{0,200}(?=[\[{\"])")
_MOST_TRIED = 40

Walk = Callable[[Any], Any]


def inside_json(text: str, walk: Walk) -> str:
    """A text that is JSON, or has lines that are: `walk` gives a document without its secrets."""
    if text[:1] + text.rstrip()[-1:] not in _EDGES or len(text) > _LONGEST:
        return text
    try:
        document = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        if "\n" not in text:
            return text
        return "".join(_line(line, walk) for line in text.splitlines(keepends=True))
    clean = walk(document)
    return text if clean == document else _respelled(text, document, clean)


def within_text(text: str, walk: Walk) -> str:
    """The same for documents that stand in a sentence, or between the fences of a note."""
    pieces: list[str] = []
    at = looked = tried = 0
    while begin := _BEGINS.search(text, looked):
        start = begin.start()
        try:
            document, stop = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            tried += 1
            if tried >= _MOST_TRIED:
                break
            looked = start + 1
            continue
        clean = walk(document)
        if clean != document:
            pieces += (text[at:start], _respelled(text[start:stop], document, clean))
            at = stop
        looked = stop
    return "".join((*pieces, text[at:])) if pieces else text


def _line(line: str, walk: Walk) -> str:
    """One line of several: it is a document of its own, or none."""
    body = line.rstrip()
    if body[:1] + body[-1:] not in _EDGES:
        return line
    try:
        document = json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return line
    clean = walk(document)
    return line if clean == document else _respelled(body, document, clean) + line[len(body) :]


def _respelled(text: str, document: Any, clean: Any) -> str:
    """`text` with what became another string; written anew where the document has another form."""
    before, after = list(_leaves(document)), list(_leaves(clean))
    written = list(_WRITTEN.finditer(text))
    if not len(before) == len(after) == len(written):
        return json.dumps(clean, ensure_ascii=text.isascii())
    pieces: list[str] = []
    at = 0
    for place, old, new in zip(written, before, after, strict=True):
        if new != old:
            pieces += (text[at : place.start()], json.dumps(new, ensure_ascii=text.isascii()))
            at = place.end()
    return "".join((*pieces, text[at:]))


def _leaves(value: Any) -> Iterator[str | int | float]:
    """The strings and numbers of a document as they are written, keys among them."""
    if isinstance(value, Mapping):
        for key, item in cast("Mapping[str, Any]", value).items():
            yield key
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _leaves(item)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield value


def _no_number(_: str) -> None:
    """`NaN` and its like are equal to nothing, themselves included."""


_DECODER = json.JSONDecoder(parse_constant=_no_number)
