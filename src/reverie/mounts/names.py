"""Memory paths as file names that every file system takes, and back.

A segment keeps its name where it can. Characters, endings and device names that Windows refuses,
and names that other programs obey, are written `%XX`; so is a percent sign that would read as such.
A segment too long for a file system is cut and ends in `~` and part of its hash, and so is one that
differs from its neighbour only in case or Unicode form: on a disk that ignores case the second
would overwrite the first. Which path a cut name stands for is remembered by whoever wrote it.
"""

import re
import unicodedata
from collections.abc import Iterable

from reverie.files import is_obeyed

MAX_SEGMENT_BYTES = 200  # file systems allow 255; temporary names need some of it

_REFUSED = re.compile(r'[\\:*?"<>|]|[. ]$|%(?=[0-9A-Fa-f]{2})')
_ESCAPE = re.compile(r"((?:%[0-9A-F]{2})+)")
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$")


def encoded(segment: str) -> str:
    """One segment of a path as a file name."""
    name = _REFUSED.sub(lambda match: f"%{ord(match[0]):02X}", segment)
    if _DEVICES.match(name) or is_obeyed(name):
        name = f"%{ord(name[0]):02X}{name[1:]}"
    return name if len(name.encode()) <= MAX_SEGMENT_BYTES else marked(name, segment)


def decoded(name: str) -> str:
    """The segment a file name stands for; a name we would not have written stands for itself."""
    try:
        segment = _ESCAPE.sub(lambda match: bytes.fromhex(match[0].replace("%", "")).decode(), name)
        return segment if encoded(segment) == name else name
    except UnicodeError:
        return name


def marked(name: str, segment: str) -> str:
    """`name`, cut to fit and told apart by the hash of its segment; the ending stays."""
    from hashlib import sha256

    stem, dot, ending = name.rpartition(".")
    if not dot or not stem or len(ending.encode()) > 16:
        stem, dot, ending = name, "", ""
    tail = f"~{sha256(segment.encode()).hexdigest()[:12]}{dot}{ending}"
    room = MAX_SEGMENT_BYTES - len(tail.encode())
    return stem.encode()[:room].decode(errors="ignore") + tail


def folded(name: str) -> str:
    """What a disk that ignores case and Unicode form takes `name` for."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


class Names:
    """The file of every path of one tree; no two meet, not even where case is ignored."""

    def __init__(self, known: Iterable[tuple[str, str]] = ()) -> None:
        """`known` are (path, file) pairs that already have their names, folders too."""
        self._files: dict[str, str] = {"": ""}
        self._paths: dict[str, str] = {"": ""}
        self._taken: dict[tuple[str, str], str] = {}
        for path, file in known:
            self.add(path, file)

    def add(self, path: str, file: str) -> None:
        """Remember that `path` is kept under `file`, and its folders under theirs."""
        places = path.split("/")[1:]
        names = file.split("/")
        if len(places) != len(names):
            return
        for depth in range(1, len(names) + 1):
            self._put("/" + "/".join(places[:depth]), "/".join(names[:depth]))

    def file_of(self, path: str) -> str:
        """The file name of a path, relative to the root of the tree; chosen now if it is new."""
        at = ""
        for segment in path.split("/")[1:]:
            here = f"{at}/{segment}"
            if here not in self._files:
                folder = self._files[at]
                name = encoded(segment)
                if (folder, folded(name)) in self._taken:
                    name = marked(name, segment)
                self._put(here, f"{folder}/{name}" if folder else name)
            at = here
        return self._files[path]

    def path_of(self, file: str) -> str:
        """The path a file on disk stands for."""
        at = ""
        for name in file.split("/"):
            at = f"{at}/{name}" if at else name
            if at not in self._paths:
                above = at.rpartition("/")[0]
                self._paths[at] = f"{self._paths[above]}/{decoded(name)}"
        return self._paths[file]

    def forget(self, path: str) -> None:
        """The path is free again."""
        file = self._files.pop(path, None)
        if file is not None:
            folder, _, name = file.rpartition("/")
            self._paths.pop(file, None)
            self._taken.pop((folder, folded(name)), None)

    def _put(self, path: str, file: str) -> None:
        folder, _, name = file.rpartition("/")
        self._files.setdefault(path, file)
        self._paths[file] = path
        self._taken.setdefault((folder, folded(name)), path)
