"""Which project a directory belongs to, without running anything that lies in it.

A project is the root of its git common directory (worktrees are one project), then its remote URL
(renames and other machines are one project), else the directory itself. Only small text files of
git are read (`.git`, `commondir`, `gitdir`, `config`); git is never executed, and an agent's
folder name is never decoded: the `cwd` in the log is what counts. A worktree that is gone belongs
to what its path names (`layouts`).
"""

import ntpath
import os
import posixpath
import re
import stat
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from reverie.sessions.layouts import is_common, layout_of

_MAX_GIT_FILE = 65_536
_MAX_SLUG = 48

# Hosts that treat the path of a repository without regard to case.
_CASELESS_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org"})
_DEFAULT_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}

_SCP = re.compile(r"^(?:[^@/\s]+@)?([A-Za-z0-9][A-Za-z0-9.-]+):(?!//)(.+)$")
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")
_SECTION = re.compile(r'^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_SETTING = re.compile(r"^\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*?)\s*$")
_TREE = ("core", "worktree")


class ProjectId(NamedTuple):
    """What names a project: a stable, path-safe slug, and the places it was found by."""

    slug: str
    root: str
    remote: str = ""


class Place(NamedTuple):
    """What the file system says about a directory, before any project is known."""

    root: str  # root of the repository, or the directory itself
    remote: str = ""  # normalised; "" when there is none. What the folder says, not what is proved
    git: bool = False
    exists: bool = True  # the root, not the directory below it
    name: str = ""  # of the repository, where a path that is gone says only that


def identify(cwd: str, remote: str = "", user_home: str = "") -> ProjectId:
    """The project of `cwd`, from the file system and the remote the log names.

    Two projects whose names are equal get the same slug here; `registry.Projects.identify` tells
    them apart and remembers roots that have since been renamed or deleted.
    """
    place = locate(cwd, user_home)
    known = place.remote or normalise_remote(remote)
    return ProjectId(slug_of(base_name(known or place.root)), place.root, known)


def locate(cwd: str, user_home: str = "") -> Place:
    """Find the repository that holds `cwd`, even if `cwd` itself is gone.

    A repository in the `user_home` holds none of the folders that once lay there.
    """
    directory = _clean(cwd)
    if not directory or not os.path.isabs(directory):
        # A path of another operating system, or none: it is a name and nothing more.
        return _gone(directory, "")
    if not os.path.isdir(directory):
        return _gone(directory, os.path.realpath(user_home) if user_home else "")
    for folder in _ancestors(directory):
        if repository := _repository(folder):
            return Place(repository.root, _remote_in(repository.git), git=True)
    return Place(os.path.realpath(directory))


def _gone(directory: str, user_home: str) -> Place:
    """What a directory was part of: the repository around it that is still there, else its path."""
    layout = layout_of(directory, user_home)
    for folder in _ancestors(layout.above if layout else directory):
        if is_common(folder, user_home):
            # A repository of dotfiles in the home does not own every folder that once lay there.
            break
        if repository := _repository(folder):
            return Place(repository.root, _remote_in(repository.git), git=True)
    if layout is None:
        return Place(directory, exists=False)
    return Place(layout.root, git=not layout.name, exists=False, name=layout.name)


def normalise_remote(url: str) -> str:
    """`host/path` of a git URL: no scheme, credentials, port or `.git`; "" if it is none.

    `git@host:o/app.git`, `ssh://git@host:22/o/app` and `https://token@host/o/app/` are one.
    """
    text = url.strip()
    if not text or len(text) > 2048 or not text.isprintable():
        return ""
    if text.startswith("file://"):
        text = text.removeprefix("file://")
    if text.startswith(("/", "./", "../", "~")) or _DRIVE.match(text):
        # A path means something on this machine only; it still ties worktrees of one bare clone.
        return _without_suffix(text.replace("\\", "/"))
    if "://" in text:
        return _from_url(text)
    if match := _SCP.match(text):
        return _joined(match[1], match[2])
    return ""


def slug_of(name: str) -> str:
    """A path-safe name: lower-case ASCII letters, digits, `-`, `_`, `.`; never empty or hidden."""
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9._-]+", "-", folded.lower()).strip("-._")
    slug = re.sub(r"\.{2,}", ".", slug)[:_MAX_SLUG].rstrip("-._")
    return slug or f"project-{short_hash(name)}"


def short_hash(text: str) -> str:
    """Six hex digits that tell two projects of one name apart."""
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]


def base_name(path: str) -> str:
    """The last component of a POSIX or Windows path or a normalised remote."""
    flavour = ntpath if _DRIVE.match(path) or path.startswith("\\\\") else posixpath
    trimmed = path.rstrip("/\\")
    name = flavour.basename(trimmed) or trimmed
    return name.removesuffix(".git") or name


def _clean(cwd: str) -> str:
    if "\0" in cwd:
        return cwd.replace("\0", "")
    return os.path.normpath(cwd) if cwd.startswith("/") else cwd.rstrip("/\\")


def _ancestors(directory: str) -> list[str]:
    if not os.path.isabs(directory):
        return []
    folders = [os.path.realpath(directory)]
    while (above := os.path.dirname(folders[-1])) != folders[-1]:
        folders.append(above)
    return folders


class _Repository(NamedTuple):
    """A folder that git would take for a working tree."""

    root: str  # what the folder is part of, as far as that can be proved
    git: str  # the directory with its settings


def _repository(folder: str) -> _Repository | None:
    """What a `.git` directory or file in `folder` makes of it.

    Whoever made the folder wrote its `.git`, so nothing in there can make it part of something
    else: that must be said by the other side, which points back. Else it is its own root.
    """
    marker = os.path.join(folder, ".git")
    try:
        mode = os.lstat(marker).st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISLNK(mode) or stat.S_ISDIR(mode):
        is_one = os.path.isfile(os.path.join(marker, "HEAD"))
        return _Repository(folder, marker) if is_one else None
    pointer = _read_small(marker)
    if not pointer.startswith("gitdir:") or "\0" in pointer:
        return None
    named = os.path.join(folder, pointer.removeprefix("gitdir:").strip())
    gitdir = os.path.realpath(named)
    common = _read_small(os.path.join(gitdir, "commondir")).strip()
    if common:
        return _worktree(folder, gitdir, os.path.realpath(os.path.join(gitdir, common)))
    if not os.path.isfile(os.path.join(gitdir, "HEAD")):
        return None
    # A submodule, or a repository kept elsewhere: its settings name this working tree.
    tree = next((text for part, key, text in _settings(gitdir) if (part, key) == _TREE), "")
    known = tree and os.path.realpath(os.path.join(gitdir, tree)) == folder
    return _Repository(_root_of(gitdir, folder) if known else folder, gitdir)


def _worktree(folder: str, gitdir: str, common: str) -> _Repository | None:
    """A worktree is one the repository itself keeps a folder for, which points back."""
    if "\0" in common or os.path.dirname(gitdir) != os.path.join(common, "worktrees"):
        return None
    back = _read_small(os.path.join(gitdir, "gitdir")).strip()
    if not back or os.path.realpath(os.path.join(gitdir, back)) != os.path.join(folder, ".git"):
        return None
    return _Repository(_root_of(common, folder), common)


def _root_of(common: str, folder: str) -> str:
    name = os.path.basename(common)
    if name in {".git", ".bare"}:
        return os.path.dirname(common)
    # A bare repository is its own root; a submodule's git directory lies inside the outer one.
    return folder if f"{os.sep}modules{os.sep}" in common else common


def _settings(git: str) -> Iterator[tuple[str, str, str]]:
    """Section (with its name), key and value of every line of a repository's settings."""
    section = ""
    for line in _read_small(os.path.join(git, "config")).splitlines():
        if match := _SECTION.match(line):
            section = match[1].lower() + (f" {match[2]}" if match[2] else "")
        elif match := _SETTING.match(line):
            yield section, match[1].lower(), match[2].strip('"')


def _remote_in(git: str) -> str:
    """The URL of `origin`, else of the first remote by name."""
    urls: dict[str, str] = {}
    for section, key, value in _settings(git):
        if key == "url" and section.startswith("remote "):
            urls.setdefault(section.removeprefix("remote "), value)
    chosen = urls.get("origin") or next((urls[key] for key in sorted(urls)), "")
    return normalise_remote(chosen)


def _read_small(path: str) -> str:
    """A small regular file as text; "" if it is missing, special, huge or unreadable."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return ""
        with open(path, "rb") as file:
            return file.read(_MAX_GIT_FILE).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def _from_url(text: str) -> str:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    if port is not None and parts.scheme in {"http", "https"}:
        host += "" if port == _DEFAULT_PORTS[parts.scheme] else f":{port}"
    return _joined(host, parts.path)


def _joined(host: str, path: str) -> str:
    host = host.lower()
    path = _without_suffix(path.strip("/"))
    if not host or not any(char.isalnum() for char in path):
        return ""
    return f"{host}/{path.lower() if host in _CASELESS_HOSTS else path}"


def _without_suffix(path: str) -> str:
    return path.rstrip("/").removesuffix(".git").rstrip("/")
