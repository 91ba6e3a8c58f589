"""What can be saved from a damaged line.

The common damage is a record cut short with the next one right behind it, or two records without
a newline between. A record stands either at the start of the line or is followed by the end of the
line or by another `{`; an object nested in a broken record is followed by the rest of that record.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

R = TypeVar("R")

# a value found in a damaged line → record, or None when it does not look like a whole one
Adopt = Callable[[dict[str, Any]], R | None]

# Failed tries may look at so many times the length of the line, so that a hostile one costs
# little; each try after real damage ends where the damage is.
_PATIENCE = 16
_INSIDE = frozenset(",]}:")
_SPACE = " \t\r\n\0"


def salvage(text: str, adopt: Adopt[R]) -> Iterator[tuple[int, int, R]]:
    """The whole records in a damaged line as `(start, stop, record)` in characters.

    `text` is decoded with `surrogateescape`, so that `size_of` gives exact byte offsets.
    """
    decoder = json.JSONDecoder()
    budget = _PATIENCE * len(text) + 100_000
    start = text.find('{"')
    while start >= 0 and budget > 0:
        try:
            value, stop = decoder.raw_decode(text, start)
            record = adopt(clean(value)) if _stands_alone(text, start, stop) else None
        except RecursionError:
            return
        except json.JSONDecodeError as error:
            budget -= error.pos - start + 1
            start = text.find('{"', start + 1)
            continue
        except ValueError:  # a number with more digits than Python converts
            return
        if record is not None:
            yield start, stop, record
        start = text.find('{"', stop)


def _stands_alone(text: str, start: int, stop: int) -> bool:
    if not text[:start].strip(_SPACE):
        return True
    following = text[stop : stop + 64].lstrip(_SPACE)[:1]
    return following not in _INSIDE


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
