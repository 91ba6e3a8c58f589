"""Archives: written so that the same stores give the same bytes, read as if sent by an enemy."""

import gzip
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from reverie.errors import InvalidInput, Refused
from reverie.mounts.worktree import Changed, Worktree

ENDINGS = (".tar.gz", ".tgz")
MOST_FILES = 250_000
MOST_BYTES = 1 << 32
MOST_FILE_BYTES = 1 << 29
_CHUNK = 1 << 20
_RATIO = 200  # text packs 3 to 20 times; far above that it is made to fill a disk
_RATIO_FROM = 64 << 20
_LONGEST = 4_096
_DEEPEST = 64


def is_archive(place: Path) -> bool:
    return place.name.endswith(ENDINGS)


def pack(folder: Path, archive: Path) -> None:
    """Write a folder as a new archive: sorted, without owners or times, 0600.

    Raises:
        Refused: there is a file of that name.
    """
    try:
        handle = os.open(
            archive, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
    except FileExistsError:
        raise Refused(f"{archive} is there already", hint="choose another name") from None
    except OSError as error:
        raise Refused(f"{archive} cannot be written: {error.strerror}") from None
    with (
        os.fdopen(handle, "wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for file in sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()):
            entry = tarfile.TarInfo(file.relative_to(folder).as_posix())
            entry.size, entry.mode = file.stat().st_size, 0o600
            with file.open("rb") as stream:
                tar.addfile(entry, stream)
    fsync(archive)


def unpack(archive: Path, folder: Path) -> None:
    """Write the files of an archive into an empty folder; anything odd refuses the whole of it.

    Raises:
        Refused: a member that leads elsewhere, is no plain file, or is too much.
        InvalidInput: not an archive, or cut short.
    """
    try:
        with gzip.open(archive, "rb") as packed, Worktree(os.path.realpath(folder)) as tree:
            # As a stream: every byte of it passes the counter, those of headers too.
            stream = cast("IO[bytes]", _Counted(packed, archive.stat().st_size))
            tar = tarfile.open(fileobj=stream, mode="r|")  # noqa: SIM115  (closed with `packed`)
            for entry in _members(tar):
                content = tar.extractfile(entry)
                if content is not None:
                    tree.create(entry.name, content.read(entry.size))
            tree.flush()
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, OSError) as error:
        raise InvalidInput(f"{archive.name} is not a readable archive: {error}") from None
    except Changed as error:
        raise Refused(f"{archive.name} holds {str(error)!a} twice") from None


class _Counted:
    """A stream that ends in a refusal when it goes on for too long."""

    def __init__(self, stream: gzip.GzipFile, packed: int) -> None:
        self._stream = stream
        self._packed = max(packed, 1)
        self._read = 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size if 0 <= size < _CHUNK else _CHUNK)
        self._read += len(data)
        if self._read > MOST_BYTES:
            raise Refused("the archive holds too much", hint="unpack it yourself and look at it")
        if self._read > _RATIO_FROM and self._read > _RATIO * self._packed:
            raise Refused("the archive unpacks to far more than it should: a bomb")
        return data


def _members(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for number, entry in enumerate(tar):
        if number >= MOST_FILES or entry.size > MOST_FILE_BYTES:
            raise Refused("the archive holds too much", hint="unpack it yourself and look at it")
        name = entry.name
        parts = name.rstrip("/").split("/")
        if (
            name.startswith("/")
            or "\\" in name
            or "\0" in name
            or len(name) > _LONGEST
            or len(parts) > _DEEPEST
            or any(part in ("", ".", "..") for part in parts)
        ):
            raise Refused(f"the archive holds a file that leads elsewhere: {name!a}")
        if entry.isdir():
            continue
        if not entry.isreg():
            raise Refused(f"the archive holds a link or a device: {name!a}")
        yield entry


def fsync(file: Path) -> None:
    """Bring a written file to the disk."""
    handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
