"""What can be saved from a damaged line.

The common damage is a record cut short with the next one right behind it, or two records without
a newline between. A record stands either at the start of the line or is followed by the end of the
line or by another `{`; an object nested in a broken record is followed by the rest of that record.
At the start of a line such an object is given as well, for whoever doubts it: what was before it
may be lost (`goes_on`). A record with bytes that are not UTF-8 is given up: the words in it, and
the marks that say whose words they are, cannot be trusted.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

R = TypeVar("R")

# a value found in a damaged line → record, or None when it does not look like a whole one
Adopt = Callable[[dict[str, Any]], R | None]

# What failed tries may cost, in characters, so that a hostile line costs little. Real damage
# fails once for each object it is inside of.
_TRIES_OF_A_LINE = 64
_TRIES_AT_LEAST = 1_000_000
_INSIDE = frozenset(",]}:")
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_SPACE = " \t\r\n\0"


def salvage(text: str, adopt: Adopt[R]) -> Iterator[tuple[int, int, R]]:
    """The whole records in a damaged line as `(start, stop, record)` in characters.

    `text` is decoded with `surrogateescape`, so that `size_of` gives exact byte offsets.
    """
    decoder = json.JSONDecoder()
    budget = _TRIES_OF_A_LINE * len(text) + _TRIES_AT_LEAST
    first = len(text) - len(text.lstrip(_SPACE))
    start = text.find('{"')
    while start >= 0 and budget > 0:
        try:
            value, stop = decoder.raw_decode(text, start)
            alone = start == first or not goes_on(text, stop)
            whole = alone and not _NOT_UTF8.search(text, start, stop)
            record = adopt(clean(value)) if whole else None
        except RecursionError:
            return
        except json.JSONDecodeError as error:
            # Not the length of the try: the error itself counts the lines up to its place.
            budget -= error.pos + 1
            start = text.find('{"', start + 1)
            continue
        except ValueError:  # a number with more digits than Python converts
            return
        if record is not None:
            yield start, stop, record
        start = text.find('{"', stop)


def goes_on(text: str, stop: int) -> bool:
    """Whether what follows a value is the rest of something around it, and no other record."""
    return text[stop : stop + 64].lstrip(_SPACE)[:1] in _INSIDE


def clean(value: Any) -> Any:
    """The same value with lone surrogates replaced: they cannot be stored or printed."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [clean(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in cast("dict[Any, Any]", value).items()}
    return value


def size_of(text: str) -> int:
    """The length in bytes of a text decoded with `surrogateescape`."""
    return len(text.encode("utf-8", "surrogateescape"))


def reason_of(data: bytes) -> str:
    """Why a line could not be read as it is, in two or three words."""
    if b"\0" in data:
        return "NUL bytes"
    try:
        json.loads(data.decode())
    except UnicodeDecodeError:
        return "not UTF-8"
    except RecursionError:
        return "nested too deep"
    except json.JSONDecodeError:
        return "not JSON"
    except ValueError:
        return "number too long"
    return "not a record"
