"""Copies: which logs and backups that lie in the home were put there by Reverie itself.

A log in the home is believed like the one it was copied from, so anybody who could put a file there
could speak for the person. `copies` in the home has a line for each file that Reverie made: its
name and a seal over name, size and time. What has none, or another, is somebody else's.
"""

import json
import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from reverie.files import replace_file
from reverie.sealing import Sealer

FILE = "copies"
_KIND = "copy"
_MANY = 1_000  # lines that may be out of date before the file is written anew


class Copies:
    """The files of one home that are its own."""

    def __init__(self, home: Path, sealer: Sealer) -> None:
        self._home = home.resolve()
        self._sealer = sealer

    @property
    def exists(self) -> bool:
        """Whether any file was ever noted."""
        return self._file.exists()

    def note(self, files: Iterable[Path]) -> None:
        """Files that were just made are ours, as they are now."""
        made = {name: self._seal(name, place) for name, place in self._named(files)}
        if self._outdated > _MANY:
            lines = "".join(map(_line, sorted({**self._seals, **made}.items())))
            replace_file(self._file, lines)
        elif made:
            descriptor = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with open(descriptor, "wb") as out:
                # Behind a line that a crash cut, another begins.
                out.write(("\n" + "".join(map(_line, sorted(made.items())))).encode())
        self._seals.update(made)

    def hold(self, file: Path) -> bool:
        """Whether a file is one that Reverie made, as it made it."""
        return any(
            self._seals.get(name, "") == self._seal(name, place)
            for name, place in self._named([file])
        )

    @property
    def _file(self) -> Path:
        return self._home / FILE

    @cached_property
    def _lines(self) -> list[tuple[str, str]]:
        """Name and seal of each; a line that a crash cut says nothing."""
        entries: list[tuple[str, str]] = []
        try:
            text = self._file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return entries
        for line in text.splitlines():
            try:
                name, seal = json.loads(line)
            except ValueError:
                continue
            entries.append((str(name), str(seal)))
        return entries

    @cached_property
    def _seals(self) -> dict[str, str]:
        return dict(self._lines)

    @property
    def _outdated(self) -> int:
        return len(self._lines) - len(self._seals)

    def _named(self, files: Iterable[Path]) -> Iterator[tuple[str, Path]]:
        for file in files:
            place = file.resolve()
            if place.is_relative_to(self._home) and place.is_file():
                yield place.relative_to(self._home).as_posix(), place

    def _seal(self, name: str, place: Path) -> str:
        status = place.stat()
        return self._sealer.seal(_KIND, name, status.st_size, status.st_mtime_ns)


def _line(noted: tuple[str, str]) -> str:
    return json.dumps(noted) + "\n"


def files_below(*folders: Path) -> Iterator[Path]:
    """Every file in some folders, and in those below them."""
    for folder in folders:
        for place, _, names in os.walk(folder):
            yield from (Path(place, name) for name in names)
