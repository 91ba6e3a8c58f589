"""Finding logs: the agents' default places, their environment overrides, and any given folder.

Logs are only ever opened for reading. Links that lead out of a folder, FIFOs, devices and folders
named like logs are not followed or opened; each is reported with its reason.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reverie.errors import NotFound, Unavailable
from reverie.files import walk
from reverie.sessions.readers.agents import READERS, reader_for
from reverie.sessions.readers.base import Reader

_SUFFIXES = (".jsonl", ".jsonl.zst", ".json", ".md", ".txt", ".db", ".vscdb")
# Where agents put notes, what tools gave back and copies of files: what lies in there is no log of
# theirs, whatever it is named.
_OUTPUTS = frozenset(
    {"memory", "agent-memory", "tool-results", "tool-outputs", "tool_outputs", "file-history"}
)


@dataclass(frozen=True, slots=True)
class LogFile:
    """One session's log: a file, or one part of a file that holds several sessions."""

    path: Path
    agent: str
    size: int
    inode: int
    mtime_ns: int
    relative: str  # to the folder it was found under, with "/"
    part: str = ""
    vouched: bool = True  # surely the person's own; else anybody may have put it there
    owner: str = ""  # somebody else whose session it is: their words are not the person's


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something named like a log that was not read."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a search for logs came back with."""

    logs: list[LogFile]
    skipped: list[Skipped]


def search(
    env: Mapping[str, str], extra_roots: Iterable[Path] = (), ours: Iterable[Path] = ()
) -> Found:
    """All logs in the agents' default places and in further folders, each once; what was not.

    Args:
        ours: Folders of copies that Reverie made: all in them is a log, whatever lies where.
    """
    discovery = Found([], [])
    for reader in READERS:
        for root in reader.roots(env):
            if root.is_dir():
                base = root.resolve()
                for path in reader.candidates(base):
                    _take(path, base, discovery, reader.agent)
    for root, layouts in [
        *((root, True) for root in extra_roots),
        *((root, False) for root in ours),
    ]:
        if not root.is_dir():
            # A disk that is not plugged in must not keep all the others from being read.
            discovery.skipped.append(Skipped(root, "there is no such folder now"))
            continue
        more = logs_in(root, layouts=layouts)
        discovery.logs.extend(more.logs)
        discovery.skipped.extend(more.skipped)
    once = {(log.inode, log.path, log.part): log for log in reversed(discovery.logs)}
    return Found(list(reversed(once.values())), discovery.skipped)


def logs_under(folder: Path) -> list[LogFile]:
    """The logs below any folder, the agent recognised by content.

    Raises:
        NotFound: there is no such folder.
    """
    return logs_in(folder).logs


def logs_in(folder: Path, *, layouts: bool = True) -> Found:
    """As `logs_under`, with what was skipped and why.

    Args:
        layouts: Below an agent's own folder (`.claude`) only what lies where it puts its logs:
            plugins, skills and worktrees in there are of others.
    """
    if not folder.is_dir():
        raise NotFound(f"no folder {folder}")
    root = folder.resolve()
    discovery = Found([], [])
    for path, agent in _named_like_logs(root, discovery.skipped, layouts):
        _take(path, root, discovery, agent)
    return discovery


def lies_in_place(log: Path, env: Mapping[str, str], extra_roots: Iterable[Path] = ()) -> bool:
    """Whether a log is really where its agent puts logs, or below a folder that the user named.

    Links are followed first: where a path leads counts, not where it begins.

    Raises:
        Unavailable: the file cannot be read.
    """
    path = log.resolve()
    if any(path.is_relative_to(root.resolve()) for root in extra_roots):
        return True
    reader = reader_for(path)
    return reader is not None and any(
        candidate.name == path.name and candidate.resolve() == path
        for root in reader.roots(env)
        for candidate in reader.candidates(root.resolve())
    )


def _take(path: Path, root: Path, discovery: Found, agent: str = "") -> None:
    """Add a file to what was found, as a log or with the reason why not; in an agent's own folder
    only a log of that agent."""
    reason, status = _acceptable(path, root)
    if status is None:
        if reason:
            discovery.skipped.append(Skipped(path, reason))
        return
    try:
        reader = reader_for(path)
        parts = reader.parts(path) if reader else None
    except (Unavailable, OSError) as error:
        discovery.skipped.append(Skipped(path, str(error)))
        return
    if reader is None or agent not in ("", reader.agent):
        if path.name.endswith((".jsonl", ".jsonl.zst")) and status.st_size:
            discovery.skipped.append(Skipped(path, f"written by no {agent or 'agent known here'}"))
        return
    relative = path.relative_to(root).as_posix()
    if parts is None:
        place = (status.st_size, status.st_ino, status.st_mtime_ns)
        discovery.logs.append(LogFile(path, reader.agent, *place, relative))
        return
    discovery.logs.extend(
        LogFile(path, reader.agent, part.size, status.st_ino, part.mtime_ns, relative, part.name)
        for part in parts
    )


def _named_like_logs(
    root: Path, skipped: list[Skipped], layouts: bool
) -> Iterator[tuple[Path, str]]:
    """What is named like a log below a folder, in path order, and the agent whose place it is, ""
    for any; links to folders are not followed."""
    for folder, names, files in walk(root, _report(skipped)):
        if layouts and (reader := _owner(Path(folder))):
            names.clear()
            yield from ((path, reader.agent) for path in reader.candidates(Path(folder)))
            continue
        if not _holds_projects(Path(folder)):
            names[:] = (name for name in names if name not in _OUTPUTS)
        names.sort()
        skipped.extend(
            Skipped(Path(folder, name), "a folder named like a log")
            for name in names
            if name.endswith(_SUFFIXES)
        )
        yield from ((Path(folder, name), "") for name in sorted(files) if name.endswith(_SUFFIXES))


def _owner(folder: Path) -> Reader | None:
    """The agent whose own folder this is, by the end of its path: `.claude`, `.pi/agent`."""
    return next(
        (reader for end, reader in _own_folders() if folder.parts[-len(end) :] == end), None
    )


@cache
def _own_folders() -> list[tuple[tuple[str, ...], Reader]]:
    home = {"HOME": "/"}
    return [
        (root.parts[1:], reader)
        for reader in READERS
        for root in reader.roots(home)
        if len(root.parts) > 1
    ]


def _holds_projects(folder: Path) -> bool:
    """Whether each folder in here is a project's, whatever its name, by an agent's layout.

    One of them may be called `projects` again.
    """
    above = folder.parent.name
    return (folder.name == "projects" and above != "projects") or (
        folder.name == "tmp" and above == ".gemini"
    )


def _report(skipped: list[Skipped]) -> Callable[[OSError], None]:
    def note(error: OSError) -> None:
        skipped.append(Skipped(Path(error.filename or ""), error.strerror or "cannot be listed"))

    return note


def _acceptable(path: Path, root: Path) -> tuple[str, os.stat_result | None]:
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            target = path.resolve(strict=True)
            if not target.is_relative_to(root):
                return "a link that leads out of the folder", None
            # Inside the folder the target is met under its own name.
            return "a link to another log here", None
    except FileNotFoundError:
        return ("a link that leads nowhere" if path.is_symlink() else ""), None
    except (OSError, RuntimeError):
        return "a link that leads nowhere", None
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file", None
    return "", status
