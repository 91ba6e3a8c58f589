"""A folder as a remote: on a stick, in a cloud drive, kept alike by Syncthing.

Files appear under their name only when they are whole, and nobody but their writer touches them. No
link is followed, so nothing outside of the folder is read or written.
"""

import json
import os
import secrets
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress

from reverie.db.points import reached
from reverie.errors import Refused, RemoteAway, Unavailable
from reverie.sync.pack import MAX_PACK_BYTES

MARKER = "reverie-sync.json"
FORMAT = 1
JOURNALS = "journals"
_MOST_FILES = 200_000
_DRAFT = ".tmp"  # how the name of a file ends that is not whole yet


class FolderRemote:
    """One folder that several homes see."""

    def __init__(self, folder: str, *, new: bool) -> None:
        self.folder = folder
        self._new = new  # nothing was exchanged through it yet: it may be made

    def begin(self) -> None:
        """Look whether it is there and fit for it; a new one is made.

        Raises:
            RemoteAway: it is not there, nor what marks it (a stick that is not plugged in).
            Unavailable: it cannot be read or written to.
            Refused: it holds something else.
        """
        marker = os.path.join(self.folder, MARKER)
        if os.path.lexists(marker):
            refuse_newer(_read(marker, 4096) or b"")
            return
        if not self._new:
            # Where a drive is not mounted there may be an empty folder, or none, on another disk.
            raise RemoteAway(
                f"{self.folder} is not there, or what marks it as a remote",
                hint=f"is it lost? `reverie sync --with {self.folder} --anew` makes it again",
            )
        try:
            self._make()
        except FileNotFoundError as error:
            raise RemoteAway(f"{self.folder} is not there: {error.strerror}") from None
        except OSError as error:
            raise Unavailable(f"{self.folder} cannot be made: {error.strerror}") from None

    def _make(self) -> None:
        with suppress(FileExistsError):
            os.mkdir(self.folder, 0o700)
        others = [name for name in os.listdir(self.folder) if name != JOURNALS]
        # A folder service may bring the journals before the marker, and leaves files of its own.
        strange = [name for name in others if not name.startswith(".")]
        if strange and not os.path.isdir(os.path.join(self.folder, JOURNALS)):
            raise Refused(
                f"{self.folder} holds something else ({strange[0]})",
                hint="name a folder of its own, as in FOLDER/reverie",
            )
        _write(self.folder, MARKER, json.dumps({"format": FORMAT}).encode())

    def listing(self) -> list[str]:
        """The paths of all files of journals, in order."""
        paths: list[str] = []
        for home in _folders(self.folder, JOURNALS):
            for store in _folders(self.folder, home):
                paths += _files(self.folder, store)
                if len(paths) > _MOST_FILES:
                    raise Refused(f"{self.folder} holds more than {_MOST_FILES} files")
        return sorted(paths)

    def read(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The bytes of files; what is gone, no file or too large is left out."""
        read = {path: _read(os.path.join(self.folder, path), MAX_PACK_BYTES) for path in paths}
        return {path: data for path, data in read.items() if data is not None}

    def publish(self, new: Mapping[str, bytes], gone: Iterable[str] = ()) -> None:
        """Put files there, each whole and on the disk; then take old ones of this home away.

        Raises:
            Unavailable: it cannot be written to.
        """
        gone = list(gone)
        try:
            for journal in {path.rsplit("/", 2)[0] for path in (*new, *gone)}:
                self._drop_drafts(journal)
            for path, data in new.items():
                _write(self.folder, path, data)
                reached("sync_pack")
            for path in gone:
                _unlink(os.path.join(self.folder, path))
        except OSError as error:
            raise Unavailable(f"{self.folder} cannot be written to: {error.strerror}") from None

    def _drop_drafts(self, journal: str) -> None:
        """Take away what an exchange of this home that was killed left half written.

        Nobody else does, and words in it may be redacted by now.
        """
        for store in _folders(self.folder, journal):
            for path in _files(self.folder, store):
                if path.endswith(_DRAFT):
                    _unlink(os.path.join(self.folder, path))


def refuse_newer(marker: bytes) -> None:
    """Nothing, if this program understands the remote.

    Raises:
        Refused: a newer program made it.
    """
    try:
        form = json.loads(marker or b"{}").get("format", FORMAT)
    except (ValueError, AttributeError):
        form = FORMAT  # half copied: it says nothing else
    if form != FORMAT:
        raise Refused("the remote was made by a newer Reverie", hint="upgrade this one")


def _folders(root: str, below: str) -> list[str]:
    try:
        with os.scandir(os.path.join(root, below)) as entries:
            return sorted(
                f"{below}/{entry.name}" for entry in entries if entry.is_dir(follow_symlinks=False)
            )
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise Unavailable(f"{root} cannot be read: {error.strerror}") from None


def _files(root: str, below: str) -> list[str]:
    try:
        with os.scandir(os.path.join(root, below)) as entries:
            return [
                f"{below}/{entry.name}" for entry in entries if entry.is_file(follow_symlinks=False)
            ]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Unavailable(f"{root} cannot be read: {error.strerror}") from None


def _read(file: str, most: int) -> bytes | None:
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as opened:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode) or about.st_size > most:
            return None
        try:
            return opened.read(most + 1)
        except OSError:
            return None


def _write(root: str, path: str, data: bytes) -> None:
    folder = root
    for part in path.split("/")[:-1]:
        folder = os.path.join(folder, part)
        if os.path.islink(folder):
            raise Refused(f"{folder} is a link", hint="nothing is written behind a link")
        # One at a time: a drive that was pulled meanwhile is not made anew.
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
    draft = os.path.join(folder, f".{secrets.token_hex(8)}{_DRAFT}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        reached("sync_draft")
        os.replace(draft, os.path.join(root, path))
    except BaseException:
        _unlink(draft)
        raise
    above = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(above)
    finally:
        os.close(above)


def _unlink(file: str) -> None:
    try:
        os.unlink(file)
    except FileNotFoundError:
        return
