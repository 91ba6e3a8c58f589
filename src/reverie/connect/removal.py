"""Taking Reverie off a machine: every entry, block, mount and run, and last the home itself.

Nothing is removed that Reverie did not make: of the home only the files it knows, and the folder
when that leaves it empty.
"""

import shlex
import shutil
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from reverie.config import user_home
from reverie.connect import plugin, schedule
from reverie.connect.clients import CLIENTS, Client, disconnecting
from reverie.connect.hint_files import HINT_FILES
from reverie.connect.hook_files import HOOK_FILES
from reverie.errors import ReverieError
from reverie.files.change import Change, Connections
from reverie.memory import Memory
from reverie.operations import stores
from reverie.operations.starts import instructing
from reverie.privacy import KEY_FILE, SEAL_FILE
from reverie.store.high_water import FILE

# What lies in a home; names that databases and half-written files add something to.
OURS = (
    *("memory.db*", "index.db*", "config.toml", "projects.json*", "processed.jsonl*"),
    *("audit.jsonl*", "receipts.jsonl*", "hooks.json*", "hooks.log*", "start.json", "due"),
    *("followed.json", "log-roots.json", "copies"),
    *("paused", "allowed", "reminded", "connections", "digests", "remembered", "spool", "kept"),
    *("mirrored", "unsaved"),
    *("engine", "hosted", "backups", FILE, KEY_FILE, SEAL_FILE),
)


class Step(NamedTuple):
    """One thing that goes."""

    what: str
    where: str
    remove: Callable[[], None]


def steps(memory: Memory) -> list[Step]:
    """All that can be taken away, the home last."""
    # A block may stand in a file that an entry made.
    removals = [*_blocks(memory), *_entries(memory), *_runs(memory), *_mounts(memory)]
    return [*removals, *_home(memory)]


def staying(memory: Memory) -> list[str]:
    """What a person should know stays."""
    sentences: list[str] = []
    if memory.config.database_url:
        sentences.append("the database that holds the memories stays; only its owner can drop it")
    if memory.config.index_database:
        sentences.append("the database that holds the index stays; only its owner can drop it")
    if _is_somebodys(memory):
        sentences.append(f"{memory.config.home} is not Reverie's alone: its files stay")
    sentences.append("what you accepted into files of your projects stays: it is yours")
    return sentences


def left_in_home(memory: Memory) -> list[Path]:
    """What lies in the home and is not ours."""
    home = memory.config.home
    return sorted(home.iterdir()) if home.is_dir() else []


def _entries(memory: Memory) -> Iterator[Step]:
    env, connections = memory.config.environ, Connections(memory.config.home)
    for which in (*CLIENTS.values(), *HOOK_FILES.values(), *HINT_FILES.values()):
        change = disconnecting(which, env, connections)
        if change.needed:
            yield Step(f"the entry of {which.name}", str(change.path), _undoing(memory, which))
    if plugin.installed(env):
        planned = plugin.commands(undo=True)
        line = "; ".join(shlex.join(command) for command in planned)
        yield Step("the plugin", line, lambda: plugin.run(planned, env))


def _undoing(memory: Memory, which: Client) -> Callable[[], None]:
    def undo() -> None:
        # Another step may have changed the same file.
        connections = Connections(memory.config.home)
        connections.undo(which.name, disconnecting(which, memory.config.environ, connections))

    return undo


def _blocks(memory: Memory) -> Iterator[Step]:
    for name, path in instructing.blocks(memory).items():

        def remove(name: str = name, path: Path = path) -> None:
            change: Change = instructing.taking_out(memory, name, path)
            instructing.take_out(memory, name, change)

        yield Step("a block of lines", str(path), remove)


def _runs(memory: Memory) -> Iterator[Step]:
    for kind in schedule.KINDS:
        try:
            plan = schedule.removing(kind, memory.config.environ)
        except ReverieError:
            continue  # this machine has no such thing
        if plan.needed:
            where = ", ".join(str(path) for path, _ in plan.files) or "crontab"
            yield Step("regular runs", where, lambda plan=plan: schedule.carry_out(plan))


def _mounts(memory: Memory) -> Iterator[Step]:
    for name, mount in stores.mounts(memory) if memory.exists else ():
        folder = mount.folder
        yield Step(
            f"the files of store {name}",
            folder,
            lambda folder=folder: _unmounted(memory, folder),
        )


def _unmounted(memory: Memory, folder: str) -> None:
    stores.unmount(memory, folder, delete=True)


def _home(memory: Memory) -> Iterator[Step]:
    home = memory.config.home
    if not home.is_dir() or _is_somebodys(memory):
        return

    def remove() -> None:
        memory.close()
        for path in sorted(home.iterdir()):
            if not any(fnmatchcase(path.name, pattern) for pattern in OURS):
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        if not any(home.iterdir()):
            home.rmdir()

    yield Step("memories, sessions and settings", str(home), remove)


def _is_somebodys(memory: Memory) -> bool:
    """Whether the home is a folder with a life of its own: the user's, or a repository."""
    home = memory.config.home.resolve()
    users = user_home(memory.config.environ).resolve()
    return home in (users, *users.parents) or (home / ".git").exists()
