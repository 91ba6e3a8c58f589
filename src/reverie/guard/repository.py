"""Which repository git would obey in a directory, and whether that is the one of the session.

A repository's settings name programs that git starts on its own, and a folder is one by its files
alone: `HEAD`, `objects` and `refs` are enough, and anybody's working tree can hold them. So git
may run only where it surely finds the repository the session works in, or none at all. What looks
like another one, or like a broken one that git would pass over, is a refusal.
"""

import os
import re
from pathlib import Path

from reverie.errors import Refused

_HEAD = re.compile(rb"ref:\s*refs/|[0-9a-f]{40}")


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
        found = repository(reading)
        # Where there is none git only says so; a place that was asked for may get one in between.
        if found is None and target == ".":
            continue
        if found is None or found != repository(Path(os.path.realpath(home))):
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
    said = start.startswith(b"refs/") if head.is_symlink() else _HEAD.match(start) is not None
    return said and (git / "objects").is_dir() and (git / "refs").is_dir()
