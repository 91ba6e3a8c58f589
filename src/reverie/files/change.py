"""A change to a file that belongs to somebody else: shown, agreed to, written, undone.

The exact bytes from before are kept in `$REVERIE_HOME/connections/`. If nobody touched the file
since, undoing restores them; otherwise only our own part is taken out again.
"""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from reverie.errors import InvalidInput, ReadOnly
from reverie.files import replace_file

_FOLDERS = "folders"  # in the folder of connections: which folders were made for them


@dataclass(frozen=True, slots=True)
class Change:
    """What a file is and what it would become; `None` is no file."""

    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def needed(self) -> bool:
        return self.before != self.after

    def diff(self) -> str:
        """The change as a unified diff."""
        import difflib

        old, new = _lines(self.before), _lines(self.after)
        name = str(self.path)
        return "".join(difflib.unified_diff(old, new, name, name, n=2))


class Connections:
    """Remembers what connected files looked like before."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "connections"

    def apply(self, name: str, change: Change) -> Path | None:
        """Write a change; returns the backup of what was there, if anything was."""
        self._keep(name, change.before)
        self._written(name, change)
        return self._file(name, "before") if change.before is not None else None

    def renew(self, name: str, change: Change, original: bytes | None) -> None:
        """Write a change of our own part; `original` is the file without it."""
        if not self.original(name, change.before)[0]:
            self._keep(name, original)
        self._written(name, change)

    def names(self) -> set[str]:
        """The names of all that is connected."""
        return {file.stem for file in self._folder.glob("*.after")}

    def places(self) -> dict[str, Path]:
        """Every connected file by its name, as far as it was written down."""
        return {
            file.stem: Path(file.read_text(encoding="utf-8", errors="surrogateescape"))
            for file in sorted(self._folder.glob("*.path"))
        }

    def _keep(self, name: str, before: bytes | None) -> None:
        if before is None:
            self._file(name, "before").unlink(missing_ok=True)
        else:
            replace_file(self._file(name, "before"), before)

    def _written(self, name: str, change: Change) -> None:
        place = change.path.parent
        made = [folder for folder in (place, *place.parents) if not folder.exists()]
        _write(change)
        if made:
            names = [*map(os.fsencode, made), *self._made()]
            replace_file(self._folder / _FOLDERS, b"\0".join(dict.fromkeys(names)))
        replace_file(self._file(name, "after"), _digest(change.after) + "\n")
        replace_file(self._file(name, "path"), os.fsencode(change.path))

    def _file(self, name: str, ending: str) -> Path:
        return self._folder / f"{name}.{ending}"

    def original(self, name: str, current: bytes | None) -> tuple[bool, bytes | None]:
        """(True, the bytes from before) when `current` is just what `apply` left."""
        try:
            left = self._file(name, "after").read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return False, None
        if left != _digest(current):
            return False, None
        backup = self._file(name, "before")
        return True, backup.read_bytes() if backup.exists() else None

    def undo(self, name: str, change: Change) -> None:
        """Write the undoing change and forget the connection."""
        _write(change)
        self.forget(name)

    def forget(self, name: str) -> None:
        """The file is none of ours any more, whatever is in it; nor is a folder made for it."""
        for ending in ("before", "after", "path"):
            self._file(name, ending).unlink(missing_ok=True)
        made = sorted(self._made(), key=len, reverse=True)
        if not self.names():
            (self._folder / _FOLDERS).unlink(missing_ok=True)
        for folder in (*made, os.fsencode(self._folder)):
            with suppress(OSError):  # somebody put something there
                os.rmdir(folder)

    def _made(self) -> list[bytes]:
        """The folders that were made for files of ours."""
        return [name for name in (read(self._folder / _FOLDERS) or b"").split(b"\0") if name]


def read(path: Path) -> bytes | None:
    """The bytes of a settings file, `None` when there is none.

    Raises:
        InvalidInput: it is not a regular file.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise InvalidInput(f"{path} is not a regular file")
        return path.read_bytes()
    except FileNotFoundError:
        return None


def decoded(path: Path, content: bytes) -> str:
    """Settings as text.

    Raises:
        InvalidInput: not UTF-8; such a file is left alone.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8, so it is left alone") from None


def _write(change: Change) -> None:
    # A settings file kept elsewhere and linked here stays a link.
    target = Path(os.path.realpath(change.path))
    try:
        if change.after is None:
            target.unlink(missing_ok=True)
            return
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600
        replace_file(target, change.after, mode=mode)
    except PermissionError:
        raise ReadOnly(f"{target} cannot be written") from None


def _digest(content: bytes | None) -> str:
    from hashlib import sha256  # brings OpenSSL, and servers only look names up here

    return "none" if content is None else sha256(content).hexdigest()


def _lines(content: bytes | None) -> list[str]:
    text = "" if content is None else content.decode("utf-8", "replace")
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines
