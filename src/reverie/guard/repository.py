"""Which repository git would obey in a directory, and whether that is the one of the session.

A repository's settings name programs that git starts on its own, and a folder is one by its files
alone: `HEAD`, `objects` and `refs` are enough, and anybody's working tree can hold them. So git
may run only where it surely finds the repository the session works in, or none at all. What looks
like another one, or like a broken one that git would pass over, is a refusal.

A submodule is another repository too, and some commands look into it from outside. It counts as
one when the index says so.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from reverie.errors import Refused

_HEAD = re.compile(rb"ref:\s*refs/|[0-9a-f]{40}")
_FILES = {0o100000, 0o120000}
_SUBMODULE = 0o160000


def check_place(cwd: Path, target: str, home: Path, memory_dir: Path) -> None:
    """Refuse git in `target` (seen from `cwd`) unless it obeys the repository of `home` there.

    Raises:
        Refused: it is another repository, or the model could have written its settings.
    """
    place = cwd / target
    # A shell tidies `..` away before it follows links, git after: both must lead to one place.
    readings = {Path(os.path.realpath(place)), Path(os.path.realpath(os.path.normpath(place)))}
    memory = Path(os.path.realpath(memory_dir))
    for reading in readings:
        if reading.is_relative_to(memory):
            raise Refused("git obeys settings files, and these could have been written here")
        obeyed = repository(reading)
        # Where there is none git only says so; a place that was asked for may get one in between.
        if obeyed is None and target == ".":
            continue
        if obeyed is None or obeyed != repository(Path(os.path.realpath(home))):
            raise Refused(f"{target} is not in the repository at hand, and git obeys its settings")


def repository(directory: Path) -> Path | None:
    """The folder whose `.git` git would use in `directory`, a path without links.

    Raises:
        Refused: a folder on the way could be a repository that is not kept in a `.git`.
    """
    for folder in (directory, *directory.parents):
        dot_git = folder / ".git"
        if os.path.lexists(dot_git):
            if not dot_git.is_file() and not _is_whole(dot_git):
                raise Refused(f"{dot_git} is no whole repository, so git could find another")
            return folder
        # Git asks for more than a HEAD, but a link, `commondir` and the like can stand for it.
        if os.path.lexists(folder / "HEAD"):
            raise Refused(f"git could take {folder} itself for a repository, with its settings")
    return None


def _is_whole(git: Path) -> bool:
    """Whether git accepts the directory; what it does not accept it passes over."""
    head = git / "HEAD"
    try:
        start = os.fsencode(os.readlink(head)) if head.is_symlink() else head.read_bytes()[:256]
    except OSError:
        return False
    is_head = start.startswith(b"refs/") if head.is_symlink() else _HEAD.match(start) is not None
    return is_head and (git / "objects").is_dir() and (git / "refs").is_dir()


def check_no_submodule(home: Path) -> None:
    """Refuse the repository of `home` if git would find a submodule in it.

    Raises:
        Refused: there is one, or the index is not understood.
        OSError: the index cannot be read.
    """
    folder = repository(Path(os.path.realpath(home)))
    if folder is None:
        return
    try:
        index = (_git_directory(folder) / "index").read_bytes()
    except FileNotFoundError:
        return
    try:
        kinds = {mode & 0o170000 for mode in _modes(index)}
    except (IndexError, ValueError):
        raise Refused("the index of the repository is broken") from None
    if _SUBMODULE in kinds:
        raise Refused(
            "git obeys the settings of the submodules here; `git status` and `git diff` need"
            " --ignore-submodules=all as the first word, `git grep` --no-recurse-submodules"
        )
    if not kinds <= _FILES:
        raise Refused("the index of the repository is not understood")


def whole_index(home: Path) -> bytes | None:
    """The index of the repository of `home`, empty if there is none yet.

    None if a name might not stand in it as it is: from version 4 on it is only what differs from
    the name before, and a split index keeps names elsewhere.

    Raises:
        OSError: the index cannot be read.
    """
    folder = repository(home)
    try:
        index = (_git_directory(folder) / "index").read_bytes() if folder is not None else b""
    except FileNotFoundError:
        return b""
    known = index[:8] in {b"", b"DIRC\0\0\0\2", b"DIRC\0\0\0\3"} and b"link" not in index
    return index if known else None


def _git_directory(folder: Path) -> Path:
    dot_git = folder / ".git"
    if dot_git.is_dir():
        return dot_git
    named = re.fullmatch(rb"gitdir: (.+?)[\r\n]*", dot_git.read_bytes(), re.DOTALL)
    if named is None:
        raise Refused(f"{dot_git} is not understood")
    return folder / os.fsdecode(named[1])


def _modes(index: bytes) -> Iterator[int]:
    """The mode of every entry; the whole file must be explained (gitformat-index(5))."""
    version, count = int.from_bytes(index[4:8]), int.from_bytes(index[8:12])
    if index[:4] != b"DIRC" or version not in {2, 3, 4}:
        raise Refused("the index of the repository is of an unknown version")
    digest = _digest_size(index)
    at = 12
    for _ in range(count):
        yield int.from_bytes(index[at + 24 : at + 28])
        flags = at + 40 + digest
        name = flags + (4 if index[flags] & 0x40 else 2)
        if version == 4:
            # A number in front says how much of the name before is kept.
            while index[name] & 0x80:
                name += 1
            at = index.index(0, name + 1) + 1
        else:
            at += (index.index(0, name) - at + 8) & ~7
    end = len(index) - digest
    while at < end:
        # A small letter marks what changes the meaning of the entries: split and sparse indexes.
        if not index[at : at + 1].isupper():
            raise Refused("entries of the index are kept elsewhere")
        at += 8 + int.from_bytes(index[at + 4 : at + 8])
    if at != end:
        raise Refused("the index of the repository is not understood")


def _digest_size(index: bytes) -> int:
    """How long the names of objects are, which the index says by its own checksum alone."""
    for size, digest in ((32, hashlib.sha256), (20, hashlib.sha1)):
        # Git may be set to leave the checksum out (index.skipHash).
        if index[-size:] in (digest(index[:-size]).digest(), bytes(size)):
            return size
    raise Refused("the index of the repository is broken")
