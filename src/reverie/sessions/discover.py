"""Finding logs: the agents' default places, their environment overrides, and any given folder.

Logs are only ever opened for reading. Links that lead out of a folder, FIFOs, devices and folders
named like logs are not followed or opened; each is reported with its reason.
"""

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from reverie.errors import NotFound, Unavailable
from reverie.sessions.readers import READERS, reader_for

_SUFFIXES = (".jsonl", ".jsonl.zst", ".json", ".md", ".db", ".vscdb")


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


def discover(env: Mapping[str, str], extra_roots: Iterable[Path] = ()) -> list[LogFile]:
    """All logs in the agents' default places and in further folders, each once."""
    return search(env, extra_roots).logs


def search(env: Mapping[str, str], extra_roots: Iterable[Path] = ()) -> Found:
    """As `discover`, with what was skipped and why."""
    roots = [root for reader in READERS for root in reader.roots(env)]
    logs: dict[tuple[int, int, str], LogFile] = {}
    skipped: list[Skipped] = []
    for root in dict.fromkeys([*roots, *extra_roots]):
        if not root.is_dir():
            continue
        found = logs_in(root)
        skipped.extend(found.skipped)
        for log in found.logs:
            logs.setdefault((os.stat(log.path).st_dev, log.inode, log.part), log)
    return Found(list(logs.values()), skipped)


def logs_under(folder: Path) -> list[LogFile]:
    """The logs below any folder, the agent recognised by content.

    Raises:
        NotFound: there is no such folder.
    """
    return logs_in(folder).logs


def logs_in(folder: Path) -> Found:
    """As `logs_under`, with what was skipped and why."""
    if not folder.is_dir():
        raise NotFound(f"no folder {folder}")
    root = folder.resolve()
    logs: list[LogFile] = []
    skipped: list[Skipped] = []
    for path, status in _walk(root, skipped):
        try:
            reader = reader_for(path)
        except Unavailable as error:
            skipped.append(Skipped(path, error.message))
            continue
        if reader is None:
            if path.name.endswith((".jsonl", ".jsonl.zst")) and status.st_size:
                skipped.append(Skipped(path, "written by no agent known here"))
            continue
        relative = path.relative_to(root).as_posix()
        place = (status.st_size, status.st_ino, status.st_mtime_ns)
        parts = reader.parts(path)
        if parts is None:
            logs.append(LogFile(path, reader.agent, *place, relative))
        else:
            logs.extend(
                LogFile(path, reader.agent, size, status.st_ino, changed, relative, name)
                for name, size, changed in parts
            )
    return Found(logs, skipped)


def _walk(root: Path, skipped: list[Skipped]) -> Iterable[tuple[Path, os.stat_result]]:
    """Regular files named like logs, in path order."""
    for folder, names, files in os.walk(root, onerror=_report(skipped)):
        names.sort()
        skipped.extend(
            Skipped(Path(folder, name), "a folder named like a log")
            for name in names
            if name.endswith(_SUFFIXES)
        )
        for name in sorted(files):
            if not name.endswith(_SUFFIXES):
                continue
            path = Path(folder, name)
            reason, status = _acceptable(path, root)
            if status is None:
                skipped.append(Skipped(path, reason))
            else:
                yield path, status


def _report(skipped: list[Skipped]):
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
    except (OSError, RuntimeError):
        return "a link that leads nowhere", None
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file", None
    return "", status
