"""Homes that earlier versions left, unpacked wherever a test wants them.

A home names places: the mounted folder, the logs, the machine. It was made in `PLACE` on `MACHINE`;
unpacking puts the new names into text files and into those columns that hold names of places, and
brings what is remembered about files (inode, times) to the files as they lie now. Nothing else is
touched: what was said, kept and hashed stays as the old version wrote it.
"""

import gzip
import hashlib
import json
import os
import socket
import sqlite3
import tarfile
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLACE = "/tmp/made-by-reverie"
MACHINE = "machine-of-the-fixture"
VERSION = "0.1.0"
PACKED = Path(__file__).parent / VERSION

# The agents whose logs have kept copies, and where they keep them below the user's HOME.
AGENTS = {"claude-code": ".claude", "codex": ".codex"}

# Every column that names a place; the recipe sees to it that there is no other.
TRUTH_COLUMNS = (("mounts", "folder"), ("leases", "name"), ("proposal_changes", "applied"))
INDEX_COLUMNS = (("files", "path"), ("files", "relative"), ("sessions", "path"))

# What is not text: databases, compressed logs.
_BINARY = {".db", ".zst"}

Execute = Callable[[str, tuple[Any, ...]], Iterable[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class Home:
    """An unpacked home, and what the version that made it said about it."""

    home: Path  # REVERIE_HOME
    user: Path  # HOME: the agents' logs and settings
    mount: Path  # the folder that shows a store
    expected: dict[str, Any]
    database_url: str | None = None


def sqlite_home(folder: Path) -> Home:
    """The home with its stores in SQLite, below a new or empty `folder`."""
    return _unpacked(folder)


def postgres_home(folder: Path, url: str) -> Home:
    """The home whose stores are in PostgreSQL; `url` leads to an empty schema, which is filled."""
    import psycopg

    home = _unpacked(folder, url)
    dump = gzip.decompress((PACKED / "postgres.sql.gz").read_bytes())
    with psycopg.connect(url) as connection:
        connection.execute(dump)

        def execute(sql: str, values: tuple[Any, ...]) -> Iterable[tuple[Any, ...]]:
            cursor = connection.execute(sql.replace("?", "%s").encode(), values)
            return cursor.fetchall() if cursor.description else ()

        _move_rows(execute, TRUTH_COLUMNS, _moves(str(folder.resolve())))
        move_machine(execute, MACHINE, socket.gethostname())
        _restamp_mounts(execute)
    return home


def _move(folder: Path) -> None:
    """Make what lies in `folder` and speaks of `PLACE` speak of `folder`."""
    moves = _moves(str(folder))
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.suffix not in _BINARY:
            _move_text(path, moves)
    home = folder / "user/.reverie"
    for agent, place in AGENTS.items():
        kept = home / "kept" / agent / _kept_name(PLACE, place)
        if kept.is_dir():
            kept.rename(kept.parent / _kept_name(str(folder), place))
    for name, columns in (("memory.db", TRUTH_COLUMNS), ("index.db", INDEX_COLUMNS)):
        if (home / name).exists():
            with rows_of(home / name) as execute:
                _move_rows(execute, columns, moves)


def _move_rows(
    execute: Execute, columns: Iterable[tuple[str, str]], moves: list[tuple[str, str]]
) -> None:
    """The same for a database: values of the columns that name places, nothing else."""
    for table, column in columns:
        for before, after in moves:
            execute(f"UPDATE {table} SET {column} = replace({column}, ?, ?)", (before, after))


def move_machine(execute: Execute, old: str, new: str) -> None:
    """The machine whose folders are mounted and whose process held a lease."""
    execute("UPDATE mounts SET host = ? WHERE host = ?", (new, old))
    execute("UPDATE leases SET name = replace(name, ?, ?)", (f"learn {old}:", f"learn {new}:"))


@contextmanager
def rows_of(database: Path) -> Generator[Execute]:
    """One transaction on an SQLite file."""
    connection = sqlite3.connect(database)
    try:
        with connection:
            yield connection.execute
    finally:
        connection.close()


def _unpacked(folder: Path, url: str | None = None) -> Home:
    place = folder.resolve()
    place.mkdir(parents=True, exist_ok=True)
    archive = "sqlite.tar.gz" if url is None else "postgres-home.tar.gz"
    with tarfile.open(PACKED / archive) as packed:
        packed.extractall(place, filter="tar")
    _move(place)
    home = place / "user/.reverie"
    if url is None:
        with rows_of(home / "memory.db") as execute:
            move_machine(execute, MACHINE, socket.gethostname())
            _restamp_mounts(execute)
    with rows_of(home / "index.db") as execute:
        _restamp_logs(execute)
    expected = json.loads((PACKED / "expected.json").read_text(encoding="utf-8"))
    return Home(home, place / "user", place / "user/memory", expected, url)


def _moves(new: str) -> list[tuple[str, str]]:
    """What is to be replaced by what: the place, and the names of folders that follow from it."""
    kept = [
        (f"{agent}/{_kept_name(PLACE, folder)}/", f"{agent}/{_kept_name(new, folder)}/")
        for agent, folder in AGENTS.items()
    ]
    return [(f"{PLACE}/", f"{new}/"), *kept]


def _kept_name(place: str, agent_folder: str) -> str:
    """The folder of kept copies is named by a hash of where the logs lay."""
    return hashlib.sha256(f"{place}/user/{agent_folder}/".encode()).hexdigest()[:8]


def _move_text(path: Path, moves: list[tuple[str, str]]) -> None:
    before = after = path.read_bytes()
    for old, new in moves:
        after = after.replace(old.encode(), new.encode())
    if after != before:
        times = path.stat()
        path.write_bytes(after)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _restamp_mounts(execute: Execute) -> None:
    """What a mount remembers of its files, as of the files that are there now."""
    shown = execute(
        "SELECT m.folder, f.mount_id, f.file FROM mounted_files f"
        " JOIN mounts m ON m.id = f.mount_id",
        (),
    )
    for folder, mount, file in list(shown):
        found = os.stat(os.path.join(folder, file))
        stamp = (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        execute(
            "UPDATE mounted_files SET inode = ?, size = ?, mtime_ns = ?, ctime_ns = ?"
            " WHERE mount_id = ? AND file = ?",
            (*stamp, mount, file),
        )


def _restamp_logs(execute: Execute) -> None:
    """What the index remembers of the logs that are still there."""
    for (path,) in list(execute("SELECT path FROM files", ())):
        if os.path.exists(path):
            found = os.stat(path)
            execute(
                "UPDATE files SET inode = ?, mtime_ns = ? WHERE path = ?",
                (found.st_ino, found.st_mtime_ns, path),
            )
