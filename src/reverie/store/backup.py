"""Backups: one SQLite file made through the backup API, never by copying the file.

A backup of PostgreSQL is the same kind of file, so either can be restored into either. It is
verified before it gets its name, and verified again before anything is restored from it.
"""

import os
import tempfile
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from reverie.clock import iso
from reverie.db.backups import copied_to, copy_pages
from reverie.db.database import Database
from reverie.db.opening import open_database
from reverie.errors import Conflict, StoreDamaged, Unavailable
from reverie.store import access, chain, copying, keys
from reverie.store.context import Context
from reverie.store.seals import adopt, adopt_everything


def create(context: Context, file: str) -> int:
    """Write a backup to a new file; returns how many versions it holds.

    Raises:
        Conflict: the file exists.
        StoreDamaged: the chain does not add up, and no backup was made.
    """
    access.owner_only(context, "make backups")
    if os.path.lexists(file):
        raise Conflict(f"{file} exists", hint="choose another name; a backup never overwrites")
    with copied_to(context.database, file) as database:
        made = _context(context, database)
        if context.database.dialect != "sqlite":
            made.migrate()
            copying.copy_everything(context, made)
        return _proven(made)


def held_by(file: str) -> int:
    """How many versions a backup holds.

    Raises:
        Unavailable, StoreDamaged: it cannot be read.
    """
    database = open_database(f"sqlite:///{os.path.abspath(file)}", create=False, read_only=True)
    try:
        return int(database.query("SELECT coalesce(sum(sequence), 0) FROM stores")[0][0])
    finally:
        database.close()


class Restored(NamedTuple):
    """The file that keeps what was there before, if anything was; the names of the stores that
    another home made, which have the trust of an agent now."""

    kept: str | None
    disowned: tuple[str, ...] = ()


def restore(context: Context, file: str, *, replace: bool = False, mine: bool = False) -> Restored:
    """Bring a backup back.

    Stores that are not proven to be of this home arrive with less trust, unless it is `mine`; of
    a backup with no other stores nothing else arrives.

    Raises:
        Unavailable: there is no such file.
        StoreDamaged: the backup does not add up; nothing was changed.
        Conflict: the database holds something, and `replace` was not given.
    """
    access.owner_only(context, "restore backups")
    if not os.path.exists(file):
        raise Unavailable(f"there is no backup {file}")
    database = open_database(f"sqlite:///{os.path.abspath(file)}", create=False, read_only=True)
    kept: str | None = None
    try:
        saved = _context(context, database)
        _proven(saved._replace(sealer=context.sealer))
        if not copying.is_empty(context):
            if not replace:
                raise Conflict("the database is not empty", hint="--replace keeps a backup of it")
            kept = _keep(context, os.path.dirname(os.path.abspath(file)))
        others = [] if mine else _foreign(saved, context)
        if others:
            with _disowned(saved, context, others) as made:
                names = _names(made, others)
                _bring_in(made, context)
        else:
            names = ()
            _bring_in(saved, context)
            if mine:
                with context.database.atomic() as tx:
                    adopt_everything(tx, context.sealer)
    finally:
        database.close()
    if problems := chain.verify(context):
        raise StoreDamaged(f"the restored database is damaged: {problems[0].message}")
    return Restored(kept, names)


def _bring_in(saved: Context, context: Context) -> None:
    if context.database.dialect == "sqlite":
        with keys.kept(context):
            copy_pages(saved.database, context.database)
            # The backup that was restored stays.
            context.migrate(backup=False)
    else:
        _restore_rows(saved, context)


def _foreign(saved: Context, context: Context) -> list[str]:
    with saved.database.snapshot() as old, context.database.snapshot() as new:
        return copying.foreign(old, new, context)


def _names(made: Context, stores: Sequence[str]) -> tuple[str, ...]:
    rows = made.database.query("SELECT id, name FROM stores ORDER BY name")
    return tuple(name for store_id, name in rows if store_id in stores)


@contextmanager
def _disowned(saved: Context, context: Context, others: Sequence[str]) -> Generator[Context]:
    """The backup as it may come in: the other stores trusted less, and where there is none besides,
    the stores alone, for what waits for review there was never said here."""
    with ExitStack() as held:
        scratch = held.enter_context(tempfile.TemporaryDirectory(prefix="reverie-"))
        whole, stores = (
            context._replace(database=open_database(f"sqlite:///{scratch}/{name}.db"))
            for name in ("whole", "stores")
        )
        held.callback(whole.database.close)
        held.callback(stores.database.close)
        copy_pages(saved.database, whole.database)
        ours = {row[0] for row in whole.database.query("SELECT id FROM stores")} - set(others)
        (whole if ours else whole._replace(sealer=None)).migrate(backup=False)
        if ours:
            with whole.database.atomic() as tx:
                copying.disown(whole, tx, others)
                for store_id in others:
                    adopt(tx, whole.sealer, store_id)
            yield whole
        else:
            stores.migrate()
            copying.copy_stores(whole, stores)
            yield stores


def _keep(context: Context, folder: str) -> str:
    """Back up what is about to be replaced: beside the database, or in `folder`."""
    stamp = "".join(char for char in iso(context.clock()) if char.isalnum())
    url = context.database.url
    local = url.startswith("sqlite")
    base = url.removeprefix("sqlite:///") if local else os.path.join(folder, "postgresql")
    kept = f"{base}.before-restore-{stamp}"
    create(context, kept)
    return kept


def _restore_rows(saved: Context, context: Context) -> None:
    with context.database.atomic() as tx:
        for table in ("memory_words", "memory_pairs"):
            tx.execute(f"DELETE FROM {table}")
        for table in reversed(copying.moved_tables()):
            tx.execute(f"DELETE FROM {table}")
        copying.copy_everything(saved, context)


def _proven(context: Context) -> int:
    """The number of versions, after every hash was recomputed."""
    if damage := context.database.damage():
        raise StoreDamaged(f"the backup is damaged: {damage[0]}")
    if problems := chain.verify(context):
        raise StoreDamaged(f"the backup does not add up: {problems[0].message}")
    return int(context.database.query("SELECT count(*) FROM versions")[0][0])


def _context(like: Context, database: Database) -> Context:
    return Context(database, like.clock, like.limits, like.new_id, redact=like.redact)
