"""Stores as a folder that anybody can read, and back with the same ids, hashes and history.

    reverie-export.json           what this is, and which stores it holds
    stores/NAME/memories/…        every memory as a file, for people and other tools
    stores/NAME/history.jsonl     every row that makes up the store, for us

Coming back in, the rows go into a database of their own first; from there they are copied like any
other store: proven by their chain, or refused as a whole. The files are only compared: what was
edited in them since is named and not taken over.
"""

import json
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

from reverie.errors import InvalidInput, Refused, StoreDamaged
from reverie.files import walk
from reverie.mounts import table as mounts
from reverie.mounts.names import Names, encoded
from reverie.mounts.worktree import Changed, Worktree
from reverie.store import access
from reverie.store.chain import content_hash
from reverie.store.copying import (
    STORE_TABLES,
    Copied,
    arrived,
    copy_stores,
    disown,
    rows_of,
    take_secrets_out,
)
from reverie.store.store import Store

MANIFEST = "reverie-export.json"
FORMAT = 1
_HISTORY = "history.jsonl"
_EXPORT = "export"  # the kind of its seal
_TABLES = ("stores", *STORE_TABLES)
_MOST_BYTES = 1 << 31
_ADDED = {"seal", "description_seal", "parents", "origin"}  # that earlier exports lack
_FOLDER = re.compile(r"stores/(?!\.{1,2}$)[^/\\\0]+")


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    stores: tuple[str, ...]
    memories: int
    versions: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came back, and which files no longer say what the history says."""

    copied: Copied
    edited: tuple[str, ...]
    # Made by this home, proved by its seal; what others made arrives with less trust, unattached.
    proven: bool


def is_export(folder: Path) -> bool:
    return (folder / MANIFEST).is_file()


def export(store: Store, folder: Path, refs: Sequence[str] | None = None) -> Exported:
    """Write the named stores, or all, into a new or empty folder; same stores, same bytes.

    Raises:
        Refused: the folder holds something, or lies behind a link.
    """
    context = store.context
    access.owner_only(context, "export stores")
    place = os.path.join(os.path.realpath(folder.parent), folder.name)
    names = Names()
    listed: list[dict[str, str]] = []
    memories = versions = 0
    with Worktree(place) as tree:
        if os.listdir(place):
            raise Refused(f"{folder} is not empty", hint="export into a new folder")
        with context.database.snapshot() as old:
            infos = [store.find_store(ref) for ref in refs] if refs else store.stores(archived=True)
            for info in sorted({info.id: info for info in infos}.values(), key=lambda i: i.id):
                below = names.file_of(f"/stores/{info.name.replace('/', '%2F') or info.id}")
                if any(earlier["folder"] == below for earlier in listed):
                    below = f"stores/{encoded(info.id)}"
                lines: list[str] = []
                for table in _TABLES:
                    columns, rows = rows_of(old, table, info.id)
                    for row in rows:
                        values = dict(zip(columns, row, strict=True))
                        lines.append(json.dumps([table, values], ensure_ascii=True))
                history = "\n".join(lines) + "\n"
                tree.create(f"{below}/{_HISTORY}", history.encode())
                entry = {"id": info.id, "name": info.name, "folder": below}
                listed.append(entry | {"sha256": content_hash(history)})
                files = Names()
                for memory in store.walk(info.id):
                    file = f"{below}/memories/{files.file_of(memory.path)}"
                    tree.create(file, memory.content.encode())
                    memories += 1
                versions += info.versions
        about: dict[str, Any] = {"format": FORMAT, "stores": listed}
        if context.sealer is not None:
            about["seal"] = context.sealer.seal(_EXPORT, _digest(listed))
        tree.create(MANIFEST, (json.dumps(about, indent=2) + "\n").encode())
        tree.flush()
    return Exported(tuple(entry["name"] for entry in listed), memories, versions)


def load(store: Store, folder: Path, *, dry_run: bool = False) -> Loaded:
    """Bring an export back with ids, hashes and history.

    One that does not carry the seal of this home is somebody else's: its memories keep their
    history and get a version with the trust of an agent, and nothing of it is attached.

    Raises:
        InvalidInput: not an export, one of a newer version, or one with a secret in a name.
        StoreDamaged: its history does not add up.
        Conflict: a store of that id is there with another history, or another one of its name.
    """
    place = os.path.join(os.path.realpath(folder.parent), folder.name)
    with (
        Worktree(place) as tree,
        tempfile.TemporaryDirectory(prefix="reverie-") as scratch,
        Store.open(f"sqlite:///{scratch}/import.db", clock=store.context.clock) as between,
    ):
        listed, seal = _manifest(tree)
        for entry in listed:
            _insert(tree, between, entry)
        proven = _is_proven(store, listed, seal)
        present = arrived(between.context, store.context)
        known = {info.id for info in present}
        fresh = [info.id for info in between.stores(archived=True) if info.id not in known]
        if not proven:
            with between.database.atomic() as tx:
                for store_id in fresh:
                    access.detach_all(tx, store_id)
        edited = [file for entry in listed for file in _edited(tree, between, entry)]
        if dry_run:
            if problems := between.verify():
                raise StoreDamaged(f"{problems[0].subject} {problems[0].message}")
            return Loaded(Copied(tuple(between.stores(archived=True)), ()), tuple(edited), proven)
        with store.database.atomic() as tx:
            copied = copy_stores(between.context, store.context, fresh, mine=True)
            if not proven:
                disown(store.context, tx, [info.id for info in copied.stores], detached=False)
            cleaned = sum(take_secrets_out(store.context, info.id) for info in copied.stores)
            for info in copied.stores:
                mounts.look_anew(store.database, info.id)
        if cleaned:
            store.scrub()
    return Loaded(Copied(copied.stores, present), tuple(edited), proven)


class Exhibit(NamedTuple):
    """A memory of an export, as the file that people read."""

    store: str  # the name of its store
    path: str
    file: Path


def exhibits(folder: Path) -> Iterator[Exhibit]:
    """The memories of an export as files, of each store in turn.

    Raises:
        InvalidInput: not an export, or one of a newer version.
    """
    with Worktree(os.path.join(os.path.realpath(folder.parent), folder.name)) as tree:
        listed, _ = _manifest(tree)
    for entry in listed:
        below, names = folder / entry["folder"] / "memories", Names()
        for place, folders, files in walk(below):
            folders.sort()
            for name in sorted(files):
                file = Path(place) / name
                yield Exhibit(
                    entry["name"], names.path_of(file.relative_to(below).as_posix()), file
                )


def _is_proven(store: Store, listed: list[dict[str, str]], seal: str | None) -> bool:
    sealer = store.context.sealer
    if sealer is None:
        return False
    return sealer.judge(seal, _EXPORT, _digest(listed)) == "valid"


def _digest(listed: list[dict[str, str]]) -> str:
    """Of what an export holds: which stores, and the whole history of each."""
    kept = sorted((entry["id"], entry["name"], entry.get("sha256", "")) for entry in listed)
    return content_hash(json.dumps(kept, ensure_ascii=True))


def _manifest(tree: Worktree) -> tuple[list[dict[str, str]], str | None]:
    parsed = _json(_text(tree, MANIFEST), MANIFEST)
    about = cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}
    if about.get("format") != FORMAT:
        raise InvalidInput(
            "this is not an export this version of Reverie can read", hint="upgrade Reverie"
        )
    stores: Any = about.get("stores")
    if not isinstance(stores, list):
        raise InvalidInput(f"{MANIFEST} lists no stores")
    listed: list[dict[str, str]] = []
    for value in cast("list[Any]", stores):
        entry = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        if not all(isinstance(entry.get(key), str) for key in ("id", "name", "folder")):
            raise InvalidInput(f"{MANIFEST} describes a store without id, name and folder")
        if not _FOLDER.fullmatch(entry["folder"]):
            raise InvalidInput(f"{MANIFEST} names {entry['folder']!r}: no folder of a store")
        listed.append(cast("dict[str, str]", entry))
    seal: Any = about.get("seal")
    return listed, seal if isinstance(seal, str) else None


def _insert(tree: Worktree, between: Store, entry: dict[str, str]) -> None:
    file = f"{entry['folder']}/{_HISTORY}"
    text = _text(tree, file)
    with between.database.atomic() as tx:
        allowed = {table: set(tx.columns(table)) - {"seq"} for table in _TABLES}
        for number, (table, values) in enumerate(_rows(text, file), 1):
            if table not in allowed or set(values) | _ADDED != allowed[table] | _ADDED:
                raise InvalidInput(f"line {number} of {file} is not a row of a store")
            owner = values["id"] if table == "stores" else values["store_id"]
            if owner != entry["id"]:
                raise InvalidInput(f"line {number} of {file} belongs to another store")
            marks = ", ".join("?" for _ in values)
            tx.execute(
                f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})",
                tuple(values.values()),
            )
    # Exports of version 0.1.0 name no hash.
    if entry.get("sha256", content_hash(text)) != content_hash(text):
        raise StoreDamaged(f"{file} was changed after it was exported")


def _rows(text: str, file: str) -> Iterator[tuple[str, dict[str, str | int | None]]]:
    for line in text.splitlines():
        row = _json(line, file)
        if not (isinstance(row, list) and len(cast("list[Any]", row)) == 2):
            raise InvalidInput(f"{file} is damaged: a line is not a row")
        table, values = cast("tuple[Any, Any]", row)
        if not isinstance(table, str) or not isinstance(values, dict):
            raise InvalidInput(f"{file} is damaged: a line is not a row")
        yield table, cast("dict[str, str | int | None]", values)


def _edited(tree: Worktree, between: Store, entry: dict[str, str]) -> Iterator[str]:
    names = Names()
    for memory in between.walk(entry["id"]):
        file = f"{entry['folder']}/memories/{names.file_of(memory.path)}"
        try:
            same = tree.read(file, _MOST_BYTES)[1] == memory.content.encode()
        except (OSError, Changed):
            same = False
        if not same:
            yield file


def _text(tree: Worktree, file: str) -> str:
    try:
        return tree.read(file, _MOST_BYTES)[1].decode()
    except (OSError, Changed, UnicodeDecodeError):
        raise InvalidInput(f"the export has no readable {file}") from None


def _json(text: str, file: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput(f"{file} is damaged: not JSON") from None
