"""What lies where a program would run, and would make it do more than the line says."""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from reverie.errors import Refused
from reverie.guard.repository import repository, whole_index

_MAX_BYTES = 65_536
# What older and newer Pythons have; what begins with an underscore may be of any of them.
_OF_OTHERS = {
    *("sre_compile", "sre_parse", "sre_constants", "copy_reg", "imp", "distutils", "asyncore"),
    *("annotationlib", "compression"),
}
# Nothing that is imported by the modules that may be run; projects have folders of these names.
_NEVER_IMPORTED = {"test", "idlelib", "lib2to3", "turtledemo"}


class Folder:
    """What the names where a line runs could be taken for; nobody knows the `place` after a `cd`.

    What is said of the repository holds after one too: git may run only in that of `home`.
    """

    def __init__(self, place: Path | None, home: Path, memory_dir: Path) -> None:
        self._place = Path(os.path.realpath(place)) if place is not None else None
        self._home = Path(os.path.realpath(home))
        self._memory = Path(os.path.realpath(memory_dir))

    @cached_property
    def has_dashes(self) -> bool:
        """Whether `*` could give an option; into its memory the model may be writing meanwhile."""
        if self._place is None or self._place.is_relative_to(self._memory):
            return True
        return any(entry.startswith("-") for entry in os.listdir(self._place))

    @cached_property
    def top(self) -> str | None:
        """What `git rev-parse --show-toplevel` says."""
        root = repository(self._home)
        return str(root) if root is not None else None

    @cached_property
    def tracks_devices(self) -> bool:
        """Whether `git ls-files` could say `/dev/tcp/…`, which is a connection to bash."""
        index = whole_index(self._home)
        return index is None or re.search(rb"dev/(?:tcp|udp)/", index) is not None


NOWHERE = Folder(None, Path(os.devnull), Path(os.devnull))


def check_obeyed(name: str, place: Path, files: Mapping[str, str | None], user: Path) -> None:
    """Refuse `name` in `place` if a folder on the way up holds a file that says what it does.

    `files` are such files, with what each of their lines may look like; None if nothing is known to
    be harmless there. What lies in `user`, the user's own folder, is the user's.

    Raises:
        Refused: there is one.
        OSError: one cannot be read.
    """
    users_folder = Path(os.path.realpath(user))
    for reading in _readings(place):
        for folder in (reading, *reading.parents):
            if folder == users_folder:
                continue
            for file, harmless in files.items():
                path = folder / file
                if os.path.lexists(path) and not _is_harmless(path, harmless):
                    raise Refused(f"`{name}` goes by {path}, which could name a program or place")


def check_nothing_to_import(place: Path) -> None:
    """Refuse `python -m` in `place` if a module of the standard library would be found there.

    Raises:
        Refused: there is one; `python -I -m` would not look.
        OSError: the folder cannot be read.
    """
    imported = sys.stdlib_module_names - _NEVER_IMPORTED | _OF_OTHERS
    for reading in _readings(place):
        for entry in os.listdir(reading):
            module = entry.partition(".")[0]
            if module in imported or (module.startswith("_") and not module.startswith("__")):
                raise Refused(f"python would run {reading / entry}; use `python -I -m`")


def _is_harmless(file: Path, line: str | None) -> bool:
    if line is None or not file.is_file() or file.stat().st_size > _MAX_BYTES:
        return False
    rows = file.read_text(encoding="utf-8").splitlines()
    return all(re.fullmatch(line, row.strip()) for row in rows)


def _readings(place: Path) -> Iterator[Path]:
    """A shell tidies `..` away before it follows links, other programs after."""
    yield Path(os.path.realpath(place))
    yield Path(os.path.realpath(os.path.normpath(place)))
