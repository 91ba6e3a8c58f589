"""Stores: made, copied between databases, shown as folders."""

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reverie.errors import Conflict, InvalidInput, NotFound
from reverie.home import Home
from reverie.operations.keeping import Tell, expire, starts_prepared, unheard

if TYPE_CHECKING:
    from reverie.mounts.sync import Report
    from reverie.mounts.table import Mount
    from reverie.sealing import Sealer
    from reverie.store.backup import Restored
    from reverie.store.copying import Copied
    from reverie.store.model import Access, StoreInfo
    from reverie.store.store import Store

HERE = "here"


class Mounted(NamedTuple):
    """A folder that shows a store, and the sync that filled it."""

    store: "StoreInfo"
    mount: "Mount"
    report: "Report"


class Unmounted(NamedTuple):
    """A folder that shows no store any more, and how many of its files were deleted."""

    folder: str
    deleted: int


def create_store(
    home: Home, name: str, description: str = "", metadata: Mapping[str, str] | None = None
) -> "StoreInfo":
    """Make a new, empty store.

    Raises:
        InvalidInput, Conflict: it cannot have that name.
    """
    refuse_name(home, name)
    return home.store.create_store(name, description, metadata)


def refuse_name(home: Home, name: str) -> None:
    """Nothing, if a new store can have that name.

    Raises:
        InvalidInput: it is no name, or has a colon, which names a memory in a store.
        Conflict: there is one of that name.
    """
    from reverie.store.catalog import check_name

    if ":" in name:
        raise InvalidInput("a store's name has no colon", hint="STORE:NAME names a memory in it")
    check_name(home.store.context, name)
    if any(info.name == name for info in home.store.stores()):
        raise Conflict(f"there is a store {name!r} already", hint="choose another name")


def adopt_store(home: Home, ref: str, *, mine: bool = False) -> "StoreInfo":
    """Make a store that another home sealed this one's; with less trust unless it is `mine`."""
    with starts_prepared(home):
        return home.store.adopt(home.store.resolve_store(ref).id, mine=mine)


def delete_store(home: Home, ref: str) -> "StoreInfo":
    """Delete a store with all its memories and history, from every byte of the database."""
    gone = home.store.delete_store(ref)
    home.store.scrub()
    return gone


def copy_stores(
    home: Home, source: str, target: str, names: Sequence[str] = (), *, mine: bool = False
) -> "Copied":
    """Copy stores between databases with ids, hashes and history.

    `source` and `target` are a database URL, the path of an SQLite file, or `here`. What is not
    proven to be of this home arrives with less trust, unless it is `mine`.

    Raises:
        InvalidInput: both are the same database.
        NotFound: the folder of the target, or a store, is not there.
    """
    if _url(home, source) == _url(home, target):
        raise InvalidInput("source and target are the same database")
    if target != HERE and "://" not in target:
        must_have_a_folder(home, target)
    with ExitStack() as opened:
        # Another home's database gets no seal of ours by being opened.
        sealer = home.context.sealer
        old_sealer = sealer if source == HERE else None
        old = opened.enter_context(_opened(home, source, old_sealer, create=False))
        new = opened.enter_context(_opened(home, target, sealer, create=True))
        chosen = [old.resolve_store(name).id for name in names] or None
        return old.copy_to(new, chosen, mine=mine or source == HERE)


def must_have_a_folder(home: Home, file: str) -> None:
    """A slip of the pen in a path must not make folders.

    Raises:
        NotFound: the folder the file would lie in is not there.
    """
    folder = os.path.dirname(_absolute(home, file))
    if not os.path.isdir(folder):
        raise NotFound(f"there is no folder {folder}")


def back_up(home: Home, file: str) -> int:
    """Write a verified backup to a new file, while everything stays in use; how many versions.

    Raises:
        NotFound: the folder of the file is not there.
    """
    must_have_a_folder(home, file)
    return home.store.backup(_absolute(home, file))


def restore_backup(
    home: Home, file: str, *, replace: bool = False, mine: bool = False
) -> "Restored":
    """Bring a backup back, after checking every hash; with less trust unless it is `mine`."""
    path = _absolute(home, file)
    ours = mine or home.copies.hold(Path(path))
    done = home.store.restore_backup(path, replace=replace, mine=ours)
    if home.config.database_url is None:
        home.high_water.reset()
    return done


def mount(home: Home, ref: str, folder: str, *, read_only: bool = False) -> Mounted:
    """Show a store as the files of a folder, which must be new or empty.

    Raises:
        Conflict: the folder, one above or one below it shows a store already.
        Refused: the folder holds files, or a part of its path is a link.
    """
    from reverie.mounts import table
    from reverie.mounts.sync import sync

    info = home.store.resolve_store(ref)
    access: Access = "read_only" if read_only else "read_write"
    made = table.add(home.store, info.id, folder, access)
    report = sync(home.store, made, redact=home.redact)
    return Mounted(info, made, report)


def mounts(home: Home) -> "list[tuple[str, Mount]]":
    """The folders of this machine that show a store, with the name of the store."""
    from reverie.mounts import table

    names = {info.id: info.name for info in home.store.stores(archived=True)}
    return [(names[mounted.store_id], mounted) for mounted in table.mounts(home.store)]


def sync_mounts(
    home: Home, folder: str | None = None, *, mine: bool = False, tell: Tell = unheard
) -> "list[Report]":
    """Bring one mounted folder, or all, and their stores together, at the word of whoever asks.

    With `mine` what was edited there, now or before, is in the name of whoever asks, not of the
    disk.

    Raises:
        NotFound: the folder shows no store.
    """
    from reverie.mounts import table
    from reverie.mounts.attribution import claim
    from reverie.mounts.sync import sync

    store = home.store
    chosen = [table.find(store, folder)] if folder is not None else table.mounts(store)
    reports: list[Report] = []
    with starts_prepared(home):
        for mounted in chosen:
            by = home.asker.author(f"edited in {mounted.folder}") if mine else None
            asked_by = "person" if home.asker.trust == "user" else "agent"
            report = sync(store, mounted, redact=home.redact, by=by, asked_by=asked_by)
            if by is not None and by.trust == "user":
                report.claimed = claim(store, mounted, by)
                # What a file says of its trust follows.
                report.shown += sync(store, mounted, redact=home.redact).shown
            # After what was edited came in: that may put an end off, or be over itself.
            if expire(home):
                report.shown += sync(store, mounted, redact=home.redact).shown
            reports.append(report)
            tell(report)
    return reports


def is_editable(home: Home, folder: str) -> bool:
    """Whether a folder shows a store, and what is changed in it counts.

    Raises:
        NotFound: the folder shows no store.
    """
    from reverie.mounts import table

    return table.find(home.store, folder).access == "read_write"


def unmount(home: Home, folder: str, *, delete: bool = False, tell: Tell = unheard) -> Unmounted:
    """End a mount after one last sync. The files stay, unless all that are stored shall go.

    Raises:
        NotFound: the folder shows no store.
    """
    from reverie.mounts import table
    from reverie.mounts.sync import clear, sync

    mounted = table.find(home.store, folder)
    with starts_prepared(home):
        tell(sync(home.store, mounted, redact=home.redact))
    gone = clear(home.store, mounted) if delete else 0
    table.remove(home.store, mounted)
    return Unmounted(mounted.folder, gone)


def _url(home: Home, database: str) -> str:
    if database == HERE:
        return home.config.truth
    return database if "://" in database else f"sqlite:///{_absolute(home, database)}"


def _absolute(home: Home, file: str) -> str:
    return os.path.normpath(os.path.join(home.folder, file))


@contextmanager
def _opened(
    home: Home, database: str, sealer: "Sealer | None", *, create: bool
) -> "Generator[Store]":
    from reverie.store.store import Store

    url, limits = _url(home, database), home.settings.store
    with Store.open(
        url,
        clock=home.clock,
        limits=limits,
        create=create,
        redact=home.redact,
        sealer=sealer,
    ) as store:
        yield store
