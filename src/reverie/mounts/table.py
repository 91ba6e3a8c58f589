"""Mounts: which folder shows which store, and what both last agreed on, file by file."""

import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from reverie.db.database import Database
from reverie.errors import Conflict, NotFound, Refused
from reverie.mounts.worktree import Stamp
from reverie.store.heads import heads
from reverie.store.model import ACCESSES, Access
from reverie.store.store import Store

_FILE = "memory_id path version content_sha256 inode size mtime_ns ctime_ns missing_at".split()
INDEX_ROW = ""  # the memory id of MEMORY.md, which is derived and no memory


class Mount(NamedTuple):
    """One folder that shows one store."""

    id: str
    store_id: str
    folder: str
    access: Access
    sequence: int
    created_at: str


class Shown(NamedTuple):
    """One file as folder and store last agreed on it.

    `path` is the memory's; for the index it is the hash it had before.
    """

    file: str
    memory_id: str
    path: str
    version: int
    content_sha256: str
    stamp: Stamp
    missing_at: str | None = None


def add(store: Store, ref: str, folder: str, access: Access) -> Mount:
    """Remember a new mount; nothing is written to the folder yet.

    Raises:
        Conflict: the folder, one above or one below it shows a store already.
        Refused: the folder holds files, or a part of its path is a link.
    """
    if access not in ACCESSES:
        raise Refused(f"{access!r} is not one of {', '.join(ACCESSES)}")
    info = store.find_store(ref)
    place = _place(folder)
    context = store.context
    if context.redact(place) != place:
        raise Refused("the path of the folder holds a secret, and would be kept")
    made = Mount(context.id("mount"), info.id, place, access, -1, context.now())
    with store.database.atomic() as tx:
        for other in mounts(store):
            if _overlap(place, other.folder):
                raise Conflict(
                    f"{other.folder} shows a store already", hint="`reverie unmount` it first"
                )
        tx.execute(
            "INSERT INTO mounts (id, store_id, host, folder, access, sequence, created_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (made.id, made.store_id, host(store.database), *made[2:]),
        )
    return made


def mounts(store: Store, store_id: str | None = None) -> list[Mount]:
    """The mounts of this machine, by folder."""
    where, values = (" AND store_id = ?", (store_id,)) if store_id else ("", ())
    rows = store.database.query(
        "SELECT id, store_id, folder, access, sequence, created_at FROM mounts"
        f" WHERE host = ?{where} ORDER BY folder",
        (host(store.database), *values),
    )
    return [Mount(*row) for row in rows]


def find(store: Store, folder: str) -> Mount:
    """The mount of a folder, or of a folder above it."""
    place = os.path.realpath(folder)
    for mount in mounts(store):
        if place == mount.folder or place.startswith(mount.folder + "/"):
            return mount
    raise NotFound(f"{folder} shows no store", hint="`reverie mount` without arguments lists them")


def remove(store: Store, mount: Mount) -> None:
    """Forget a mount; the files stay where they are."""
    with store.database.atomic() as tx:
        tx.execute("DELETE FROM mounted_files WHERE mount_id = ?", (mount.id,))
        tx.execute("DELETE FROM mounts WHERE id = ?", (mount.id,))


def shown(database: Database, mount: Mount) -> dict[str, Shown]:
    """What the folder last showed, by file."""
    rows = database.query(
        f"SELECT file, {', '.join(_FILE)} FROM mounted_files WHERE mount_id = ? ORDER BY file",
        (mount.id,),
    )
    return {row[0]: Shown(*row[0:5], stamp=Stamp(*row[5:9]), missing_at=row[9]) for row in rows}


def as_shown(database: Database, mount: Mount, files: Mapping[str, Stamp]) -> bool:
    """Are these files, by their stamps alone, exactly those the folder last showed?"""
    # Plain rows: on the way of every command, and values of their own would double its time.
    rows = database.query(
        "SELECT file, inode, size, mtime_ns, ctime_ns FROM mounted_files WHERE mount_id = ?",
        (mount.id,),
    )
    return len(rows) == len(files) and all(files.get(row[0]) == row[1:] for row in rows)


def look_anew(database: Database, store_id: str) -> None:
    """The history of a store was written anew: the next sync compares every file."""
    with database.atomic() as tx:
        tx.execute("UPDATE mounts SET sequence = -1 WHERE store_id = ?", (store_id,))


def record(
    database: Database,
    mount: Mount,
    rows: Iterable[Shown],
    gone: Iterable[str] = (),
    sequence: int | None = None,
) -> None:
    """Write down what the folder shows now, and up to where it shows all of the store."""
    with database.atomic() as tx:
        for file in gone:
            tx.execute(
                "DELETE FROM mounted_files WHERE mount_id = ? AND file = ?", (mount.id, file)
            )
        for row in rows:
            tx.execute(
                f"INSERT INTO mounted_files (mount_id, file, {', '.join(_FILE)})"
                f" VALUES ({', '.join('?' * (len(_FILE) + 2))}) ON CONFLICT (mount_id, file)"
                f" DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _FILE)}",
                (mount.id, *row[:5], *row.stamp, row.missing_at),
            )
        if sequence is not None:
            tx.execute("UPDATE mounts SET sequence = ? WHERE id = ?", (sequence, mount.id))


def sequence_of(database: Database, store_id: str) -> int:
    """How many versions the store has: it moves with every change of a memory."""
    return heads(database, [store_id])[0].sequence


def host(database: Database) -> str:
    """Whose folders these are: an SQLite file stays on one machine, a server serves many."""
    return "" if database.dialect == "sqlite" else os.uname().nodename


def _place(folder: str) -> str:
    """The absolute folder, with the links above it resolved; it must be new or empty."""
    absolute = os.path.abspath(folder)
    if os.path.islink(absolute):
        raise Refused(f"{folder} is a symbolic link", hint="name the folder itself")
    place = os.path.join(os.path.realpath(os.path.dirname(absolute)), os.path.basename(absolute))
    if not os.path.basename(place):
        raise Refused("the root of the file system cannot be a mount")
    try:
        names = os.listdir(place)
    except FileNotFoundError:
        names = []
    except NotADirectoryError:
        raise Refused(f"{folder} is a file") from None
    if names:
        raise Refused(
            f"{folder} is not empty", hint="mount into a new folder; `reverie import` takes files"
        )
    return place


def _overlap(first: str, second: str) -> bool:
    path, other = first + "/", second + "/"
    return path.startswith(other) or other.startswith(path)
