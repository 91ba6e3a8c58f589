"""Copying stores from one database to another with their ids, hashes and whole history.

The copy is one transaction on the receiving side, and its chain is verified before it is
committed: it arrives whole and proven, or not at all.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reverie.db.database import Row, Transaction
from reverie.db.migrations import full_text_tables, tables
from reverie.db.points import reached
from reverie.documents.document import load, without_claims
from reverie.errors import Conflict, InvalidInput, StoreDamaged
from reverie.store import access, catalog, chain, keys, listing, memories, versions
from reverie.store.context import Context, Execute
from reverie.store.model import Actor, Author, StoreInfo
from reverie.store.rows import MEMORY_COLUMNS, MEMORY_FROM, memory_of, pair_memories
from reverie.store.seals import END, adopt, adopt_everything, unproven
from reverie.store.search import forget_store, learn
from reverie.store.writing import Expected, lock, lower, modify

ARRIVAL = Actor("filesystem", "import")  # whose versions make a store fit to be here
# In this order, so that what is referred to is there first.
STORE_TABLES = ("versions", "memories", "attachments", "checkpoints")
# Which column names the store, and in which order rows are written out.
_KEYS = {
    "stores": ("id", "id"),
    "versions": ("store_id", "sequence"),
    "memories": ("store_id", "id"),
    "attachments": ("store_id", "kind, principal"),
    "checkpoints": ("store_id", "sequence"),
}


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy did: stores written, and those that were already there, unchanged."""

    stores: tuple[StoreInfo, ...]
    already: tuple[StoreInfo, ...]
    # Of those written, what another home made: with the trust of an agent, attached to nothing.
    disowned: tuple[StoreInfo, ...] = ()


def copy_stores(
    source: Context, target: Context, refs: Sequence[str] | None = None, *, mine: bool = False
) -> Copied:
    """Copy the named stores, or all of them, archived ones too.

    What is not proven to be of the target's home arrives with less trust, unless it is `mine`. One
    that is there with the beginning of its history gets the rest of it.

    Raises:
        Conflict: a store of that id is there with another history, or another one of its name.
        StoreDamaged: the source's chain does not add up.
    """
    access.owner_only(source, "copy stores")
    access.owner_only(target, "copy stores")
    query = source.database.query
    if refs is None:
        chosen = [view.info.id for view in access.visible(source, query, archived=True)]
    else:
        chosen = [access.readable(source, query, ref).info.id for ref in refs]
    done: list[StoreInfo] = []
    already: list[StoreInfo] = []
    disowned: list[StoreInfo] = []
    with source.database.snapshot() as old, target.database.atomic() as new:
        new.lock("stores")
        for store_id in sorted(set(chosen)):
            view = access.readable(source, old.execute, store_id)
            begun = _common(old, new, store_id)
            if begun is None and _same_store(new, view):
                already.append(view.info)
                continue
            if forged := unproven(old, target.sealer, store_id, frozenset({"wrong"})):
                raise StoreDamaged(f"nothing was copied: {store_id}: {forged[0].message}")
            proven = mine or not foreign(old, new, target, [store_id])
            if begun is None:
                _copy_store(old, new, store_id)
            else:
                _forward_store(old, new, store_id, begun)
            reached("mid_copy")
            if not proven:
                # One that was here before keeps the attachments it has here.
                disown(target, new, [store_id], detached=begun is None)
                disowned.append(view.info)
            adopt(new, target.sealer, store_id)
            _prove(target, store_id)
            done.append(view.info)
    return Copied(tuple(done), tuple(already), tuple(disowned))


def foreign(
    old: Transaction, new: Transaction, target: Context, stores: Sequence[str] | None = None
) -> list[str]:
    """The stores of `old`, or of these, that the target's home cannot know for its own.

    Its own carry its seal, or are from before there were seals and their whole history is there
    already. What carries another's seal is another's, though it came before. Without a key nothing
    can be told apart.
    """
    sealer = target.sealer
    if sealer is None:
        return []
    unknown: list[str] = []
    seal = "seal" if "seal" in old.columns("stores") else "NULL"
    for store_id, *end, store_seal in old.execute(
        f"SELECT id, sequence, commitment, {seal} FROM stores ORDER BY id"
    ):
        verdict = sealer.judge(store_seal, END.name, store_id, *end)
        unsealed = verdict == "missing" and _holds(new.execute, (store_id, *end))
        if (stores is None or store_id in stores) and verdict != "valid" and not unsealed:
            unknown.append(store_id)
    return unknown


def disown(
    context: Context, tx: Transaction, stores: Sequence[str], *, detached: bool = True
) -> None:
    """Take away what only this person could have given: trust, pins and attachments."""
    by = Author(ARRIVAL, "from somebody else", "agent")
    for store_id in stores:
        if detached:
            access.detach_all(tx, store_id)
        # With the trust that it claims, which is what is taken away.
        for memory in list(listing.walk(context._replace(sealer=None), store_id, "/")):
            state = lock(context, tx, store_id, archived=True)
            if load(memory.content, path=memory.path).pinned:
                text = without_claims(memory.content, "agent", path=memory.path)
                modify(context, tx, state, memory, text, None, Expected(), by)
            else:
                lower(context, tx, state, memory, by)


def adopt_here(context: Context, ref: str, *, mine: bool) -> StoreInfo:
    """Make a store this home's, whoever sealed it: with an agent's trust, unless it is `mine`.

    Raises:
        StoreDamaged: its chain does not add up.
    """
    access.owner_only(context, "adopt stores")
    with context.database.atomic() as tx:
        info = access.writable(context, tx, ref, archived=True).info
        if not mine:
            disown(context, tx, [info.id])
        adopt(tx, context.sealer, info.id)
        _prove(context, info.id)
    return info


def arrived(source: Context, target: Context) -> tuple[StoreInfo, ...]:
    """The stores whose whole history the target holds, and perhaps more."""
    return tuple(
        view.info
        for view in access.visible(source, source.database.query, archived=True)
        if _holds(target.database.query, (view.info.id, view.info.versions, view.commitment))
    )


def _holds(execute: Execute, end: tuple[str, int, str]) -> bool:
    """Whether the history that ends so is there, and perhaps more."""
    return any(
        execute(f"SELECT 1 FROM {place} = ? AND sequence = ? AND commitment = ?", end)
        for place in ("versions WHERE store_id", "stores WHERE id")
    )


def take_secrets_out(context: Context, store_id: str) -> int:
    """Redact what a store from elsewhere holds, as part of its arrival; in how many memories.

    What the chain commits to cannot be changed any more: a memory gets a newer version without the
    secret, and the older ones are redacted.

    Raises:
        InvalidInput: a name, a path or a reason holds one.
    """
    info = access.readable(context, context.database.query, store_id).info
    leaking: set[str] = set()
    rows = context.database.query(
        "SELECT memory_id, path, content, reason, actor_id FROM versions WHERE store_id = ?",
        (store_id,),
    )
    for memory_id, path, content, *texts in rows:
        if any(context.redact(text) != text for text in (info.name, path or "", *texts)):
            raise InvalidInput(
                f"the store {context.redact(info.name)!r} holds a secret in a name, path or reason",
                hint="`reverie import DIR --from markdown` takes its memories alone",
            )
        if content and context.redact(content) != content:
            leaking.add(memory_id)
    by = Author(ARRIVAL, "a secret was taken out")
    for memory in [
        memory for memory in listing.walk(context, store_id, "/") if memory.id in leaking
    ]:
        clean = by._replace(trust=memory.trust)
        memories.update(context, store_id, memory.id, content=memory.content, by=clean)
    for memory_id in sorted(leaking):
        versions.redact_history(context, store_id, memory_id, by)
    if context.redact(info.description) != info.description:
        catalog.update(context, store_id, description=info.description)
    return len(leaking)


def copy_everything(source: Context, target: Context) -> Copied:
    """Copy every table of an empty target: stores and all that belongs to them.

    Whoever calls has made sure whose they are: they are sealed as this home's own.

    Raises:
        Conflict: the target holds something already.
    """
    access.owner_only(source, "copy the database")
    with source.database.snapshot() as old, target.database.atomic() as new:
        new.lock("stores")
        for table in moved_tables():
            if new.execute(f"SELECT 1 FROM {table} LIMIT 1"):
                raise Conflict(
                    f"{_place(target)} is not empty", hint="copy single stores with --store"
                )
        for table in moved_tables():
            _insert(new, table, *_rows(old, table, ""))
            reached("mid_copy")
        _rebuild_words(new)
        adopt_everything(new, target.sealer)
        _prove(target, None)
    infos = [view.info for view in access.visible(target, target.database.query, archived=True)]
    return Copied(tuple(infos), ())


def is_empty(context: Context) -> bool:
    """Whether no table holds anything yet."""
    return not any(
        context.database.query(f"SELECT 1 FROM {table} LIMIT 1") for table in moved_tables()
    )


def moved_tables() -> list[str]:
    """The tables that are part of a copy; who may come in belongs to a place, not to its content.

    A key that was revoked would count again, and another home's keys would count here.
    """
    return [table for table in tables() if table != keys.TABLE]


def _same_store(new: Transaction, view: access.Found) -> bool:
    if not new.execute("SELECT 1 FROM stores WHERE id = ?", (view.info.id,)):
        taken = "SELECT 1 FROM stores WHERE name = ? AND archived_at IS NULL"
        if view.info.archived_at is None and new.execute(taken, (view.info.name,)):
            raise Conflict(
                f"another store is named {view.info.name} there",
                hint="`reverie export DIR` here, then `reverie import DIR --from markdown` there,"
                " brings its memories without their history",
            )
        return False
    if not _holds(new.execute, (view.info.id, view.info.versions, view.commitment)):
        raise Conflict(
            f"the store {view.info.name} is already there, with another history",
            hint="`reverie import DIR --from markdown` brings the memories of an export alone",
        )
    return True


def _common(old: Transaction, new: Transaction, store_id: str) -> int | None:
    """Up to where a store that is there has the same history, if the rest is only in the source.

    What its own arrival added (less trust, a secret taken out) is made again, and does not count.
    """
    commitments = dict(
        old.execute("SELECT sequence, commitment FROM versions WHERE store_id = ?", (store_id,))
    )
    ours = new.execute(
        "SELECT sequence, commitment, actor_kind, actor_id FROM versions WHERE store_id = ?"
        " ORDER BY sequence DESC",
        (store_id,),
    )
    for sequence, commitment, *actor in ours:
        if commitments.get(sequence) == commitment:
            return sequence if max(commitments) > sequence else None
        if Actor(*actor) != ARRIVAL:
            return None
    return None


def _forward_store(old: Transaction, new: Transaction, store_id: str, begun: int) -> None:
    """Write the history of a store from `begun` on anew; attachments and mounts stay."""
    forget_store(new, store_id)
    new.execute("DELETE FROM memories WHERE store_id = ?", (store_id,))
    for table in ("versions", "checkpoints"):
        after = ("store_id = ? AND sequence > ?", (store_id, begun))
        new.execute(f"DELETE FROM {table} WHERE {after[0]}", after[1])
        _insert(new, table, *_rows(old, table, *after))
    _insert(new, "memories", *_rows(old, "memories", "store_id = ?", (store_id,)))
    (end,) = old.execute(
        "SELECT memories, sequence, commitment, seal, updated_at FROM stores WHERE id = ?",
        (store_id,),
    )
    new.execute(
        "UPDATE stores SET memories = ?, sequence = ?, commitment = ?, seal = ?, updated_at = ?"
        " WHERE id = ?",
        (*end, store_id),
    )
    _learn_store(new, store_id)


def _copy_store(old: Transaction, new: Transaction, store_id: str) -> None:
    _insert(new, "stores", *_rows(old, "stores", "id = ?", (store_id,)))
    for table in STORE_TABLES:
        _insert(new, table, *_rows(old, table, "store_id = ?", (store_id,)))
    _learn_store(new, store_id)


def _learn_store(new: Transaction, store_id: str) -> None:
    heads = new.execute(
        f"SELECT {MEMORY_COLUMNS} FROM {MEMORY_FROM} WHERE m.store_id = ? ORDER BY m.path",
        (store_id,),
    )
    for row in heads:
        learn(new, memory_of(row))


def rows_of(old: Transaction, table: str, store_id: str) -> tuple[list[str], Iterable[Row]]:
    """The rows of one store in one of `stores` and `STORE_TABLES`, in an order that stays."""
    key, order = _KEYS[table]
    return _rows(old, table, f"{key} = ? ORDER BY {order}", (store_id,))


def _rows(
    old: Transaction, table: str, where: str, values: Sequence[object] = ()
) -> tuple[list[str], Iterable[Row]]:
    # The row number of a memory is the receiving database's own.
    columns = [name for name in old.columns(table) if (table, name) != ("memories", "seq")]
    clause = f" WHERE {where}" if where else ""
    return columns, old.stream(f"SELECT {', '.join(columns)} FROM {table}{clause}", values)


def _insert(new: Transaction, table: str, columns: list[str], rows: Iterable[Row]) -> None:
    marks = ", ".join("?" for _ in columns)
    sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"
    for row in rows:
        new.execute(sql, row)


def _rebuild_words(new: Transaction) -> None:
    if new.dialect == "sqlite":
        for table in full_text_tables():
            new.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")
        pair_memories(new)
        return
    for row in new.execute(f"SELECT {MEMORY_COLUMNS} FROM {MEMORY_FROM} ORDER BY m.seq"):
        learn(new, memory_of(row))
    # Numbers copied as they were leave the sequences behind at their start.
    for table, column in new.execute(
        "SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND is_identity = 'YES' ORDER BY 1"
    ):
        new.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'),"
            f" (SELECT coalesce(max({column}), 0) + 1 FROM {table}), false)"
        )


def _prove(target: Context, store_id: str | None) -> None:
    if problems := chain.verify(target, store_id):
        first = problems[0]
        raise StoreDamaged(
            f"nothing was copied: {first.subject} {first.message}",
            hint="`reverie doctor` on the source shows all of it",
        )


def _place(context: Context) -> str:
    """The database for messages; a URL may hold a password."""
    return "the SQLite file" if context.database.dialect == "sqlite" else "the PostgreSQL database"
