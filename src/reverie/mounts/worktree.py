"""A folder of plain files, read and written so that neither links nor races lead outside of it.

Every folder is opened from the root down without following links, and every file by its name in an
open folder: a parent that is swapped for a link between two steps makes the step fail. A file is
written under another name, brought to the disk, and put in place in one step; where the system can
exchange two names (Linux, macOS), what stood there is looked at again afterwards, so an edit made
at that very moment is found and handed back instead of being overwritten.
"""

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from typing import NamedTuple

from reverie.db.locks import try_lock
from reverie.errors import Busy, Refused, TooLarge

MARKER = ".reverie-mount"
_PART = ".reverie-part-"  # being written: worth nothing after a crash
_SWAP = ".reverie-swap-"  # may hold somebody's edit: looked at after a crash
_MAX_DEPTH = 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_INODE = (1 << 63) - 1  # what both databases can hold
_EDITORS = ("~", ".swp", ".swx", ".tmp", ".bak", ".orig")


# Exchanging two names of one folder in one step, where the operating system can.
_RENAME_EXCHANGE = 2  # Linux: RENAME_EXCHANGE; macOS: RENAME_SWAP has the same value


def swap_names(folder: int, first: str, second: str) -> bool:
    """Exchange two files of an open folder; false when system or file system cannot."""
    rename = _rename()
    if rename is None:
        return False
    done = rename(folder, os.fsencode(first), folder, os.fsencode(second), _RENAME_EXCHANGE)
    return done == 0


@cache
def _rename() -> "Callable[[int, bytes, int, bytes, int], int] | None":
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    try:
        rename = getattr(ctypes.CDLL(None, use_errno=True), name)
    except (OSError, AttributeError):
        return None
    rename.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    rename.restype = ctypes.c_int
    return rename


class Stamp(NamedTuple):
    """What changes when a file is written."""

    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class Left(NamedTuple):
    """Something in the folder that is not synced, and why; its name may hold any byte."""

    file: str
    why: str


class Scan(NamedTuple):
    """One look at the folder: files with their stamps, what is left alone, what a crash left."""

    files: dict[str, Stamp]
    left: list[Left]
    swaps: list[str]


class Changed(Exception):
    """The file is not what it was at the scan; the next sync looks again."""


class Worktree:
    """An open folder. Use it in a `with` block; `locked` keeps other syncs of it out."""

    def __init__(self, folder: str, *, mode: int = 0o600) -> None:
        """Open `folder` (absolute, no link in it); what is missing of it is made.

        Raises:
            Refused: a part of the path is a link or not a folder.
        """
        self.folder = folder
        self.mode = mode
        self._root = open_folder(folder)
        self._dirty: set[str] = set()
        self._replaced: list[
            str
        ] = []  # files that hold what was replaced, until it is written down
        self._count = 0

    def __enter__(self) -> "Worktree":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._root)

    def lock(self, attempts: int = 500) -> None:
        """Keep other syncs of this folder out until it is closed; a kill frees it.

        Raises:
            Busy: another one did not end in time.
        """
        import time

        for _ in range(attempts):
            if try_lock(self._root):
                return
            time.sleep(0.01)
        raise Busy(f"another sync of {self.folder} is running")

    def marker(self) -> str:
        """What the marker file says; empty when there is none."""
        try:
            return self.read(MARKER, 1_000)[1].decode("utf-8", "replace")
        except (OSError, Changed, TooLarge):
            return ""

    def write_marker(self, text: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(MARKER, dir_fd=self._root)
        self._link_new(self._root, self._part(self._root, text.encode()), MARKER)

    def scan(self) -> Scan:
        """Every file below the root; hidden ones and editors' leftovers are not looked at."""
        scan = Scan({}, [], [])
        waiting = [""]
        while waiting:
            prefix = waiting.pop()
            try:
                with self._opened(prefix) as folder:
                    self._scan_folder(folder, prefix, scan, waiting)
            except OSError as error:
                scan.left.append(Left(prefix, _why(error)))
        return scan

    def _scan_folder(self, folder: int, prefix: str, scan: Scan, waiting: list[str]) -> None:
        files, regular = scan.files, stat.S_IFREG
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name[0] == "." or name.endswith(_EDITORS):
                    if name.startswith(_SWAP):
                        scan.swaps.append(prefix + name)
                    elif name.startswith(_PART):
                        os.unlink(name, dir_fd=folder)
                    continue
                state = entry.stat(follow_symlinks=False)
                if stat.S_IFMT(state.st_mode) == regular:
                    files[prefix + name] = Stamp(
                        state.st_ino & _INODE, state.st_size, state.st_mtime_ns, state.st_ctime_ns
                    )
                elif not entry.is_dir(follow_symlinks=False):
                    scan.left.append(Left(prefix + name, _kind(state.st_mode)))
                elif prefix.count("/") + 1 >= _MAX_DEPTH:
                    scan.left.append(Left(prefix + name, "nested too deep"))
                else:
                    waiting.append(f"{prefix}{name}/")

    def read(self, file: str, limit: int) -> tuple[Stamp, bytes]:
        """The content with the stamp it had while it was read.

        Raises:
            TooLarge: more than `limit` bytes.
            Changed: it is no plain file any more, or somebody kept writing.
        """
        with self._parent(file) as (folder, name):
            for _ in range(5):
                handle = os.open(name, _READ, dir_fd=folder)
                try:
                    before = os.fstat(handle)
                    if not stat.S_ISREG(before.st_mode):
                        raise Changed(file)
                    if before.st_size > limit:
                        raise TooLarge(f"{before.st_size} bytes; the limit is {limit}")
                    data = _read_all(handle, limit + 1)
                    after = os.fstat(handle)
                finally:
                    os.close(handle)
                if stamp_of(before) == stamp_of(after) and len(data) == after.st_size:
                    return stamp_of(after), data
        raise Changed(file)

    def create(self, file: str, data: bytes) -> Stamp:
        """A new file; raises Changed when there is something of that name."""
        with self._parent(file, make=True) as (folder, name):
            self._link_new(folder, self._part(folder, data), name)
            self._dirty.add(file.rpartition("/")[0])
            return _stamp_at(folder, name)

    def replace(self, file: str, data: bytes, seen_sha256: str) -> tuple[Stamp, str | None]:
        """Put `data` in place of a file whose content was seen.

        The second value names a file that holds what really stood there, when that was something
        else: somebody wrote at this very moment. It is kept until `drop`. What was seen is kept
        until `forget_replaced`: after a crash, its name tells that the file was shown (`shown_by`)
        and what had been seen there (`holds_what_was_seen`).
        """
        with self._parent(file) as (folder, name):
            self._check_regular(folder, name)
            part = self._part(folder, data)
            tag = f"{_hash(name.encode())[:16]}-{_hash(data)}-{seen_sha256[:16]}-"
            swap = _SWAP + tag + part.removeprefix(_PART)
            os.rename(part, swap, src_dir_fd=folder, dst_dir_fd=folder)
            self._dirty.add(file.rpartition("/")[0])
            if not swap_names(folder, swap, name):
                os.rename(swap, name, src_dir_fd=folder, dst_dir_fd=folder)
                return _stamp_at(folder, name), None
            stamp = _stamp_at(folder, name)
            prefix, slash, _ = file.rpartition("/")
            if not _holds(folder, swap, seen_sha256):
                return stamp, prefix + slash + swap
            self._replaced.append(prefix + slash + swap)
            return stamp, None

    def forget_replaced(self) -> None:
        """What stood in replaced files is not needed any more: it is written down what they say."""
        for file in self._replaced:
            with suppress(Changed, OSError):
                self.drop(file)
        self._replaced.clear()

    def remove(self, file: str, seen_sha256: str) -> str | None:
        """Take a file away; as in `replace`, an unseen content is kept and named."""
        with self._parent(file) as (folder, name):
            self._check_regular(folder, name)
            swap = f"{_SWAP}0-0-{seen_sha256[:16]}-{self._unique()}"
            os.rename(name, swap, src_dir_fd=folder, dst_dir_fd=folder)
            self._dirty.add(file.rpartition("/")[0])
            if not _holds(folder, swap, seen_sha256):
                prefix, slash, _ = file.rpartition("/")
                return prefix + slash + swap
            os.unlink(swap, dir_fd=folder)
        self._remove_empty_folders(file)
        return None

    def drop(self, file: str) -> None:
        """Delete what `replace` or `remove` had kept."""
        with self._parent(file) as (folder, name), suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)

    def flush(self) -> None:
        """Bring the names of all written files to the disk."""
        for prefix in sorted(self._dirty):
            with suppress(OSError), self._opened(f"{prefix}/" if prefix else "") as folder:
                os.fsync(folder)
        self._dirty.clear()

    def _part(self, folder: int, data: bytes) -> str:
        part = _PART + self._unique()
        handle = os.open(part, _NEW, 0o600, dir_fd=folder)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
            os.fchmod(handle, self.mode)  # whatever the umask
            os.fsync(handle)
        except BaseException:
            os.unlink(part, dir_fd=folder)
            raise
        finally:
            os.close(handle)
        return part

    def _link_new(self, folder: int, part: str, name: str) -> None:
        try:
            os.link(part, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            raise Changed(name) from None
        finally:
            os.unlink(part, dir_fd=folder)

    def _unique(self) -> str:
        self._count += 1
        return f"{os.getpid()}-{self._count}-{os.urandom(6).hex()}"

    def _check_regular(self, folder: int, name: str) -> None:
        try:
            mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        except FileNotFoundError:
            raise Changed(name) from None
        if not stat.S_ISREG(mode):
            raise Changed(name)

    def _remove_empty_folders(self, file: str) -> None:
        above = file.rpartition("/")[0]
        while above:
            try:
                with self._parent(above) as (folder, name):
                    os.rmdir(name, dir_fd=folder)
            except (OSError, Changed):
                return
            above = above.rpartition("/")[0]

    @contextmanager
    def _opened(self, prefix: str, *, make: bool = False) -> Generator[int]:
        """The folder `a/b/` by name from the root down; no link is followed."""
        here = os.dup(self._root)
        try:
            for name in prefix.split("/")[:-1]:
                below = _open_below(here, name, make=make)
                os.close(here)
                here = below
            yield here
        finally:
            os.close(here)

    @contextmanager
    def _parent(self, file: str, *, make: bool = False) -> Generator[tuple[int, str]]:
        prefix, slash, name = file.rpartition("/")
        try:
            with self._opened(prefix + slash, make=make) as folder:
                yield folder, name
        except (NotADirectoryError, FileNotFoundError):
            raise Changed(file) from None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise Changed(file) from None
            raise


def shown_by(swap: str, file: str) -> str:
    """The hash of what a file was replaced by, if `swap` holds what had stood there; else ""."""
    prefix, _, name = swap.rpartition("/")
    above, _, base = file.rpartition("/")
    parts = name.removeprefix(_SWAP).split("-")
    fits = len(parts) > 2 and prefix == above and parts[0] == _hash(base.encode())[:16]
    return parts[1] if fits else ""


def holds_what_was_seen(swap: str, sha256: str) -> bool:
    """Whether a text of that hash is what had been seen, and taken care of, before `swap` was."""
    parts = swap.rpartition("/")[2].removeprefix(_SWAP).split("-")
    return len(parts) > 3 and parts[2] == sha256[:16]


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()


def _holds(folder: int, name: str, seen_sha256: str) -> bool:
    handle = os.open(name, _READ, dir_fd=folder)
    try:
        return _hash(_read_all(handle, 1 << 30)) == seen_sha256
    finally:
        os.close(handle)


def open_folder(folder: str) -> int:
    """A descriptor of an absolute folder, made (0700) where missing; links are refused."""
    here = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in folder.strip("/").split("/"):
            if name in ("", ".", ".."):
                raise Refused(f"{folder} is not a folder that can be mounted")
            below = _open_below(here, name, make=True)
            os.close(here)
            here = below
    except OSError as error:
        os.close(here)
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise Refused(f"{folder} is, or lies behind, a link or a file") from None
        raise Refused(f"{folder} cannot be opened: {error.strerror}") from None
    except BaseException:
        os.close(here)
        raise
    return here


def stamp_of(state: os.stat_result) -> Stamp:
    return Stamp(state.st_ino & _INODE, state.st_size, state.st_mtime_ns, state.st_ctime_ns)


def _open_below(folder: int, name: str, *, make: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
        with suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=folder)
        return os.open(name, _FOLDER, dir_fd=folder)


def _stamp_at(folder: int, name: str) -> Stamp:
    try:
        return stamp_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        # Gone again already: a stamp that fits nothing makes the next sync look.
        return Stamp(0, 0, 0, 0)


def _read_all(handle: int, limit: int) -> bytes:
    pieces: list[bytes] = []
    while limit > 0 and (piece := os.read(handle, min(limit, 1 << 20))):
        pieces.append(piece)
        limit -= len(piece)
    return b"".join(pieces)


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    return "a pipe, socket or device"


def _why(error: OSError) -> str:
    return (error.strerror or "cannot be read").lower()
