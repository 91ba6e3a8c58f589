"""Where what a session is told lies prepared, for which place, and whether it may be handed over.

    $REVERIE_HOME/digests/<place>.json     one per root of a project; `elsewhere` for any other
    $REVERIE_HOME/remembered/<place>.json  what was learned there, until the person is told
    $REVERIE_HOME/paused                   until when nothing is handed over or learned
    $REVERIE_HOME/due                      a sentence for the person, when a dream is due

Every hook loads this, so it is plain strings and no imports but `os` and `zlib`.

What is told is sealed with the key of the home: somebody who writes into that folder tells nothing.
"""

import os
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.sealing import Sealer

ELSEWHERE = "elsewhere"
LONGEST = 9_000  # clients cut what is longer than 10,000 characters
SEALED = ("stamp", "text", "note", "handles")  # what the seal of a digest commits to, all strings
_SMALL = 4_096


def project_key(cwd: str) -> str:
    """The file name of the project `cwd` belongs to; worktrees share one."""
    root = root_of(cwd)
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in os.path.basename(root))
    return f"{name[:40] or 'root'}-{zlib.crc32(os.fsencode(root)):08x}"


def root_of(cwd: str) -> str:
    """The repository a folder lies in, else the folder; as `sessions.projects` finds it."""
    folder = place = os.path.realpath(cwd)
    while True:
        marker = os.path.join(place, ".git")
        if os.path.isdir(marker):
            return place
        if os.path.isfile(marker):
            return _root_behind(marker, place)
        above = os.path.dirname(place)
        if above == place:
            return folder
        place = above


def _root_behind(marker: str, place: str) -> str:
    """What a worktree is one of, if that knows of it; a `.git` file alone could claim anything."""
    gitdir = os.path.join(place, _read(marker).removeprefix("gitdir:").strip())
    common = _read(os.path.join(gitdir, "commondir")).strip()
    back = _read(os.path.join(gitdir, "gitdir")).strip()
    if not common or os.path.realpath(os.path.join(gitdir, back)) != marker:
        return place
    common = os.path.realpath(os.path.join(gitdir, common))
    if os.path.dirname(os.path.realpath(gitdir)) != os.path.join(common, "worktrees"):
        return place
    if os.path.basename(common) in (".git", ".bare"):
        return os.path.dirname(common)
    return place if f"{os.sep}modules{os.sep}" in common else common


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_SMALL).replace("\0", "")
    except OSError:
        return ""


def prepared(home: str, key: str) -> str:
    """The file with what is told at the place of that key."""
    return os.path.join(home, "digests", f"{key}.json")


def seal_of(sealer: "Sealer", key: str, content: "Mapping[str, object]") -> str:
    """The seal of what is told at the place of that key."""
    return sealer.seal("digest", key, *(str(content.get(name, "")) for name in SEALED))


def is_ours(home: str, key: str, content: "Mapping[str, object]") -> bool:
    """Whether what lies prepared for a place is what Reverie prepared."""
    from reverie.sealing import Sealer, key_of

    secret = key_of(home)
    return bool(secret) and content.get("seal") == seal_of(Sealer(lambda: secret), key, content)


def remembered(home: str, key: str) -> str:
    """The file with what was learned at the place of that key, and not told yet."""
    return os.path.join(home, "remembered", f"{key}.json")


def paused_until(home: str, now: float) -> float:
    """Until when nothing is handed over, in seconds since 1970; 0 if that is not so now.

    A pause without an end is infinite.
    """
    try:
        with open(os.path.join(home, "paused"), encoding="utf-8") as file:
            end = float(file.read(_SMALL).strip() or "inf")
    except (FileNotFoundError, NotADirectoryError):
        return 0.0
    except (OSError, ValueError):
        return float("inf")  # somebody wanted a pause; when it ends cannot be read
    return end if end > now else 0.0
