"""Vouching: which logs are surely the person's own, and which anybody may have put there.

A log is believed by its place. The places of the agents below the account's own home are known
without any variable; others count as far as the one who names them does: a person may name any
folder, but what lies in a work tree is of whoever committed it, unpacked it or let a program write
it there, and an agent's shell names nothing. A file that others own, or may write, is nobody's.
"""

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from reverie.db.database import Database
from reverie.errors import Refused
from reverie.files import replace_file
from reverie.guard.repository import repository, whole_index
from reverie.sessions.awaiting import fact, put_fact
from reverie.sessions.logfiles import forget, known_file, name_of
from reverie.sessions.logs.discover import LogFile
from reverie.sessions.readers.agents import READERS, by_agent

# Facts of the index: where a person's agents log, and which logs were in doubt.
_ROOTS = "log roots"
ROOTS_FILE = "log-roots.json"  # in the home, which may have no index yet
_DOUBTED = "doubted "
_LONGEST_NAME = 0xFFF
_ROOT = 0  # may write any file


class Places(NamedTuple):
    """Where a person's logs are known to lie."""

    environ: Mapping[str, str]  # of the account, without what a shell may have set
    known: tuple[tuple[str, str], ...]  # agents and roots that a person learned from before
    ours: tuple[Path, ...]  # copies that Reverie made
    named: tuple[Path, ...]  # by the user's own settings file

    def logs(self) -> set[Path]:
        """All files that lie where an agent of this person puts its logs."""
        roots = [(reader, root) for reader in READERS for root in reader.roots(self.environ)]
        roots += [(by_agent(agent), Path(root)) for agent, root in self.known]
        tracked = Tracked()
        return {
            path
            for reader, root in roots
            # A link leads to whoever writes what it leads to.
            if root.is_dir() and not (_is_linked(root) and tracked.within(root.resolve() / "_"))
            for path in reader.candidates(root.resolve())
        }

    def hold(self, path: Path) -> bool:
        return any(path.is_relative_to(root.resolve()) for root in (*self.ours, *self.named))


def vouched(
    logs: Iterable[LogFile], places: Callable[[], Places], *, only_known: bool
) -> Iterator[LogFile]:
    """The logs, each with whether it is the person's own for sure.

    Args:
        only_known: Whoever asks can name no place: this is an agent's shell.
    """
    known = cache(places)
    own_logs = cache(lambda: known().logs())
    tracked = Tracked()
    for log in logs:
        # Where a link leads counts, not where it begins.
        path = log.path.resolve()
        inside = tracked.within(path)
        outside = not (only_known or inside)
        sure = outside or (known().hold(log.path) and not tracked(log.path))
        in_place = log.path in own_logs() and not (inside and path != log.path)
        ours = (sure or in_place) and _is_only_ours(path)
        yield log if ours else replace(log, vouched=False)


def _is_linked(root: Path) -> bool:
    return any(part.is_symlink() for part in (root, *root.parents))


def _me() -> int:
    return os.getuid()


def _is_only_ours(file: Path) -> bool:
    """Whether nobody else of this machine may have written a file."""
    try:
        status = file.stat()
    except OSError:
        return False
    if status.st_uid not in (_ROOT, _me()) or status.st_mode & stat.S_IWOTH:
        return False
    return not status.st_mode & stat.S_IWGRP or _is_of_one(status.st_gid)


@cache
def _is_of_one(group: int) -> bool:
    """Whether a group is the one that many systems give each person for themselves."""
    import grp
    import pwd

    try:
        person, known = pwd.getpwuid(_me()), grp.getgrgid(group)
    except KeyError:
        return False
    return (
        group == person.pw_gid
        and not set(known.gr_mem) - {person.pw_name}
        and (known.gr_name == person.pw_name)
    )


class Tracked:
    """Which files are a git repository's own; one is looked at once, however many files it has."""

    def __init__(self) -> None:
        self._repository = cache(repository)
        self._index = cache(whole_index)

    def within(self, file: Path) -> bool:
        """Whether a file lies in a repository; what cannot be told is taken for one."""
        try:
            return self._repository(file.parent) is not None
        except (Refused, OSError):
            return True

    def __call__(self, file: Path) -> bool:
        """Whether git tracks a file; what cannot be told is taken for tracked."""
        try:
            folder = self._repository(file.parent)
            if folder is None:
                return False
            index = self._index(folder)
        except (Refused, OSError):
            return True
        return index is None or _has_entry(index, os.fsencode(file.relative_to(folder).as_posix()))


def _has_entry(index: bytes, name: bytes) -> bool:
    """Whether an index of git has a file; the length of a name stands before it."""
    size = min(len(name), _LONGEST_NAME)
    at = index.find(name + b"\0")
    while at >= 0:
        # In some entries there are two more bytes between them.
        if any(int.from_bytes(index[b : b + 2]) & _LONGEST_NAME == size for b in (at - 2, at - 4)):
            return True
        at = index.find(name + b"\0", at + 1)
    return False


def remain_doubted(database: Database, logs: Iterable[LogFile]) -> list[LogFile]:
    """The logs, in doubt also those that were when they were first read: what names them now does
    not say who wrote them."""
    names = {name.removeprefix(_DOUBTED) for name in _facts(database)}
    return [
        replace(log, vouched=False) if log.vouched and name_of(log) in names else log
        for log in logs
    ]


def note_doubted(database: Database, logs: Iterable[LogFile]) -> None:
    """Remember which logs were read in doubt; the caller owns the transaction."""
    for log in logs:
        put_fact(database, _DOUBTED + name_of(log), "")


def believe(database: Database, logs: Iterable[LogFile]) -> list[str]:
    """A person says that these are theirs: those that were in doubt are read anew.

    Returns the sessions in them; the caller owns the transaction.
    """
    doubted = set(_facts(database))
    sessions: list[str] = []
    for log in logs:
        if (name := _DOUBTED + name_of(log)) in doubted:
            known = known_file(database, name_of(log))
            sessions.extend([known.session] if known else [])
            database.query("DELETE FROM facts WHERE name = ?", (name,))
            forget(database, name_of(log))
    return sessions


def _facts(database: Database) -> list[str]:
    rows = database.query(
        "SELECT name FROM facts WHERE substr(name, 1, ?) = ?", (len(_DOUBTED), _DOUBTED)
    )
    return [name for (name,) in rows]


def known_roots(database: Database) -> tuple[tuple[str, str], ...]:
    """The agents and their folders that a person, or a script of theirs, learned from."""
    return tuple((agent, root) for agent, root in json.loads(fact(database, _ROOTS) or "[]"))


def written_roots(home: Path) -> tuple[tuple[str, str], ...]:
    """The folders of agents that a person named by connecting one."""
    try:
        return tuple(map(tuple, json.loads((home / ROOTS_FILE).read_text(encoding="utf-8"))))
    except FileNotFoundError:
        return ()


def write_roots(home: Path, roots: Iterable[tuple[str, str]]) -> None:
    """Remember them where there may be no index yet."""
    both = sorted({*written_roots(home), *roots})
    replace_file(home / ROOTS_FILE, json.dumps(both))


def note_roots(database: Database, environ: Mapping[str, str]) -> None:
    """Remember where this person's agents keep their logs; the caller owns the transaction.

    A variable that points into a repository may be that of its settings.
    """
    tracked = Tracked()
    roots = {
        (agent, root) for agent, root in roots_in(environ) if not tracked.within(Path(root, "_"))
    }
    known = set(known_roots(database)) | roots
    put_fact(database, _ROOTS, json.dumps(sorted(known)))


def roots_in(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """The folders of agents that there are in an environment."""
    return [
        (reader.agent, str(root.resolve()))
        for reader in READERS
        for root in reader.roots(environ)
        if root.is_dir()
    ]
