"""Repairing a home: what is damaged is set aside, a backup takes its place, the rest is learned.

Nothing is deleted. The newest backup that adds up is brought back if it holds more than what is
there, the index is rebuilt if it cannot be read, and every session is learned again, which changes
nothing where it is known.
"""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from reverie.errors import ReverieError, StoreDamaged, Unavailable
from reverie.home import Home
from reverie.learn.memories import queue, quotes
from reverie.operations import keeping, learning
from reverie.operations.copies import backups
from reverie.operations.keeping import unheard
from reverie.sessions.awaiting import await_all


@dataclass(frozen=True, slots=True)
class State:
    """What is wrong with the memories, and how much they hold."""

    problems: tuple[str, ...] = ()
    unusable: bool = False  # it cannot stay where it is
    versions: int = -1


@dataclass(frozen=True, slots=True)
class Repaired:
    """What was done."""

    problems: tuple[str, ...]
    moved: tuple[str, ...] = ()  # where what was damaged lies now
    backup: str = ""  # which was brought back
    learned: int = 0  # sessions


def examined(home: Home) -> State:
    """Look at the database of the memories, as closely as `doctor` does."""
    if not home.exists:
        return State(("there are no memories",) if home.config.has_index else ())
    try:
        damage = tuple(home.database.damage())
        wrong = tuple(f"{problem.subject} {problem.message}" for problem in home.store.verify())
        versions = sum(home.store.sequences().values())
        missing = tuple(home.high_water.missing())
        forged = tuple(
            f"{identity} was not written by Reverie"
            for identity in (*queue.unreadable(home.database), *quotes.unreadable(home.database))
        )
    except StoreDamaged as error:
        return State((error.message,), unusable=True)
    return State((*damage, *wrong, *missing, *forged), bool(damage or wrong), versions)


def repair(
    home: Home,
    *,
    waiting: learning.Waiting | None = unheard,
    tell: Callable[[str], None] = unheard,
) -> Repaired:
    """Make a home usable again; `tell` hears what is done.

    Raises:
        Unavailable: the memories live on a server, which has its own backups.
    """
    state = examined(home)
    if state.problems and home.config.database_url:
        raise Unavailable(f"the server's database is damaged: {state.problems[0]}")
    moved, backup = _mended(home, state, tell) if state.problems else ((), "")
    from reverie.operations.projects import set_index_aside_if_damaged

    if aside := set_index_aside_if_damaged(home):
        tell(f"the index is damaged and lies in {aside} now")
        moved = (*moved, aside)
    if not state.problems and not moved:
        return Repaired(())
    with home.index.atomic() as database:
        await_all(database)
    report = learning.learn(home, waiting=waiting)
    return Repaired(state.problems, moved, backup, len(report.learned))


def _mended(home: Home, state: State, tell: Callable[[str], None]) -> tuple[tuple[str, ...], str]:
    moved = _set_aside(home) if state.unusable else ()
    for file in moved:
        tell(f"what is damaged lies in {file} now")
    restored = ""
    for backup in backups(home):
        with _unpacked(backup) as file:
            try:
                if home.store.held_by(file) <= (-1 if moved else state.versions):
                    continue
                # From before there were seals, it was here when the others got theirs.
                ours = home.copies.hold(Path(backup))
                done = home.store.restore_backup(file, replace=True, mine=ours)
            except ReverieError as error:
                tell(f"{backup} cannot be brought back: {error.message}")
                continue
        tell(f"{backup} is brought back, every hash checked")
        if done.disowned:
            names = ", ".join(done.disowned)
            tell(
                f"not sealed by this home, and trusted as an agent's: {names};"
                f" `reverie backup restore {backup} --replace --mine` if it is yours"
            )
        restored = backup
        break
    queue.drop_unreadable(home.database)
    quotes.drop_unreadable(home.database)
    with keeping.in_step(home):
        home.high_water.reset()
    return moved, restored


def _set_aside(home: Home) -> tuple[str, ...]:
    """Move a damaged database away, with its side files; it is never deleted."""
    home.close()
    stamp = home.clock().strftime("%Y%m%dT%H%M%S")
    moved: list[str] = []
    for suffix in ("", "-wal", "-shm"):
        file = Path(f"{home.config.memory_db}{suffix}")
        if file.exists():
            moved.append(f"{file}.damaged-{stamp}")
            file.rename(moved[-1])
    return tuple(moved[:1])


@contextmanager
def _unpacked(backup: str) -> Generator[str]:
    """A backup as a database file."""
    if not backup.endswith(".zst"):
        yield backup
        return
    from reverie.db.backups import unpack

    file = f"{backup.removesuffix('.zst')}.{os.getpid()}.unpacked"
    try:
        unpack(backup, file)
        yield file
    finally:
        Path(file).unlink(missing_ok=True)
