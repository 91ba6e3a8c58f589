"""Memory paths: checked once, then used exactly as checked.

The rules are those of the hosted service: `/`-rooted, 1 to 20 segments, no empty, `.` or `..`
segment, no control or format character, no line or paragraph separator, NFC, at most 1,024 bytes.
Nothing is normalised or stripped: a path is either good as it stands or refused. Backslashes,
drive letters and percent signs are ordinary characters here; turning a path into a file name is
the exporter's work.
"""

import unicodedata
from collections.abc import Iterator
from itertools import count

from reverie.errors import InvalidPath
from reverie.settings import Store as Limits

# The hosted service's own client keeps its marker file under this name and skips such a memory.
RESERVED = "/.anthropic-memory-store"

_FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def checked(path: str, limits: Limits) -> str:
    """`path` itself, if it may name a memory.

    Raises:
        InvalidPath: says which rule is broken, with the path made printable.
    """
    if not path.startswith("/"):
        raise _refusal(path, "must start with /")
    if _length(path) > limits.max_path_bytes:
        raise _refusal(path, f"is longer than {limits.max_path_bytes} bytes")
    segments = path[1:].split("/")
    if len(segments) > limits.max_path_segments:
        raise _refusal(path, f"has more than {limits.max_path_segments} segments")
    _check_segments(path, segments)
    if path == RESERVED:
        raise _refusal(path, "is reserved")
    return path


def checked_prefix(prefix: str, limits: Limits) -> str:
    """`prefix` itself, if it may be listed: `/`, or a path with a slash at its end."""
    if not (prefix.startswith("/") and prefix.endswith("/")):
        raise _refusal(prefix, "is no prefix: it must start and end with /")
    if _length(prefix) > limits.max_path_bytes + 1:
        raise _refusal(prefix, f"is longer than {limits.max_path_bytes} bytes")
    if prefix != "/":
        _check_segments(prefix, prefix[1:-1].split("/"))
    return prefix


def ancestors(path: str) -> list[str]:
    """The paths above `path`, nearest last: `/a/b/c` → `/a`, `/a/b`."""
    cuts = [i for i, char in enumerate(path) if char == "/" and i > 0]
    return [path[:cut] for cut in cuts]


def below(prefix: str) -> tuple[str, str]:
    """The half-open range of paths under `prefix`: `/a/` → from `/a/` up to, not with, `/a0`."""
    return prefix, prefix[:-1] + chr(ord("/") + 1)


def numbered(name: str, ending: str = "") -> Iterator[str]:
    """`name`, `name-2`, `name-3` and so on, each with `ending`: the first that is free is taken."""
    yield f"{name}{ending}"
    for number in count(2):
        yield f"{name}-{number}{ending}"


def _check_segments(path: str, segments: list[str]) -> None:
    if "" in segments:
        raise _refusal(path, "has an empty segment")
    if "." in segments or ".." in segments:
        raise _refusal(path, "has a . or .. segment")
    if path.isascii() and path.isprintable():
        return
    for char in path:
        if unicodedata.category(char) in _FORBIDDEN:
            raise _refusal(path, f"holds U+{ord(char):04X}, a control or format character")
    if not unicodedata.is_normalized("NFC", path):
        raise _refusal(path, "is not in Unicode normalisation form C")


def _length(path: str) -> int:
    return len(path.encode("utf-8", "surrogatepass"))


def _refusal(path: str, why: str) -> InvalidPath:
    shown = ascii(path) if len(path) <= 80 else ascii(path[:77]) + "…"
    return InvalidPath(f"the path {shown} {why}", hint="a memory path looks like /folder/name.md")
