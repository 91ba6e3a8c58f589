"""The history of a store: reading it, redacting a version, pruning what is too old."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reverie.clock import iso, parse_iso
from reverie.db.database import Transaction
from reverie.errors import InvalidInput, NotFound
from reverie.store import access, listing
from reverie.store.context import Context, Execute
from reverie.store.model import ActorFilter, Author, Made, Operation, Page, Version
from reverie.store.rows import TABLES_WITH_TEXT, VERSION_COLUMNS, version_of

if TYPE_CHECKING:
    from reverie.store.causes import Cause, Kind

DEFAULT_LIMIT = 100
MAX_LIMIT = 1_000


def get(context: Context, version_id: str, *, store: str | None = None) -> Version:
    """One version; of that store (by id), if one is named.

    Raises:
        NotFound: there is none, or none the asker may see.
    """
    return _get(context, context.database.query, version_id, store)


def history(
    context: Context,
    store: str,
    memory: str | None = None,
    *,
    operation: Operation | None = None,
    actors: Sequence[ActorFilter] = (),
    since: str | None = None,
    until: str | None = None,
    limit: int = DEFAULT_LIMIT,
    page: str | None = None,
    content: bool = True,
) -> Page[Version]:
    """Versions newest first; `memory` is an id (also of a deleted one) or a path.

    Every one of the `actors` has to fit. Without `content` the texts are not read.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is 1 to {MAX_LIMIT}, not {limit}")
    query = context.database.query
    info = access.readable(context, query, store).info
    store_id = info.id
    where: list[str] = ["store_id = ?" + access.unhidden(context, info.name, "path")]
    values: list[object] = [store_id]
    if memory is not None:
        where.append("memory_id = ?")
        values.append(_memory_id(query, store_id, memory))
    for clause, value in (
        ("operation = ?", operation),
        ("created_at >= ?", iso(parse_iso(since)) if since else None),
        ("created_at <= ?", iso(parse_iso(until)) if until else None),
    ):
        if value is not None:
            where.append(clause)
            values.append(value)
    for actor in actors:
        # A list of none is no SQL for PostgreSQL.
        where.append(f"actor_kind IN (NULL{', ?' * len(actor.kinds)})")
        values += actor.kinds
        if actor.id is not None:
            where.append("actor_id = ?")
            values.append(actor.id)
    question = repr((store_id, memory, operation, tuple(actors), since, until))
    if page:
        where.append("sequence < ?")
        values.append(_sequence(listing.open_cursor(page, question)))
    # The same order for one memory, by the index that holds only its versions.
    order = "sequence" if memory is None else "number"
    columns = VERSION_COLUMNS if content else VERSION_COLUMNS.replace(" content,", " NULL,")
    rows = query(
        f"SELECT {columns} FROM versions WHERE {' AND '.join(where)} ORDER BY {order} DESC LIMIT ?",
        (*values, limit + 1),
    )
    listed = tuple(version_of(row) for row in rows[:limit])
    more = len(rows) > limit
    return Page(listed, listing.cursor(str(listed[-1].sequence), question) if more else None)


def last_causes(context: Context, store: str, sha256: str) -> "list[Cause]":
    """What last changed each memory that had this content in some version."""
    from reverie.store.causes import cause_of

    store_id = access.readable(context, context.database.query, store).info.id
    rows = context.database.query(
        "SELECT (SELECT l.reason FROM versions l WHERE l.memory_id = v.memory_id"
        " ORDER BY l.number DESC LIMIT 1) FROM versions v"
        " WHERE v.store_id = ? AND v.content_sha256 = ? ORDER BY v.sequence",
        (store_id, sha256),
    )
    return [cause_of(str(reason)) for (reason,) in rows]


def made_by(context: Context, kind: "Kind") -> list[Made]:
    """The versions of that cause, of memories that are still there, oldest first."""
    from reverie.store.causes import BEGINS, cause_of

    access.owner_only(context, "look at all stores")
    begins = BEGINS[kind]
    rows = context.database.query(
        "SELECT v.reason, v.store_id, v.memory_id, v.id, (SELECT b.id FROM versions b"
        " WHERE b.memory_id = v.memory_id AND b.number = v.number - 1) FROM versions v"
        " JOIN memories m ON m.id = v.memory_id WHERE substr(v.reason, 1, ?) = ?"
        " ORDER BY v.created_at, v.store_id, v.sequence",
        (len(begins), begins),
    )
    all_made = [Made(cause_of(reason), *rest) for reason, *rest in rows]
    return [made for made in all_made if made.cause.kind == kind]


def redact(context: Context, version_id: str, by: Author, *, store: str | None = None) -> Version:
    """Take content, path, hash and size out of a version, for good, and scrub what is left.

    Repeating it changes nothing in the history, and scrubs again.

    Raises:
        InvalidInput: a live memory says it: as its head, or because a sync made that of it.
        Busy: redacted, but a reader still held the old pages: repeat it.
    """

    def work(tx: Transaction) -> None:
        version = _get(context, tx.execute, version_id, store)
        access.writable(context, tx, version.store_id, archived=True)
        access.owner_only(context, "redact a version", "redact")
        for (path,) in _told_by(tx, version):
            raise InvalidInput(
                f"{version_id} is the current version of {path}",
                hint="write a newer version or delete the memory first",
            )
        _blank(context, tx, by, "id = ?", version_id)

    context.database.run(work)
    context.database.scrub(TABLES_WITH_TEXT)
    return get(context, version_id)


def _told_by(tx: Transaction, version: Version) -> list[tuple[str]]:
    """Paths of live memories that say what a version says, as their head or by a sync.

    A sync makes a head of it word for word, or merges it into one, or keeps it beside as a memory
    of its own that follows it.
    """
    return tx.execute(
        "SELECT m.path FROM memories m JOIN versions v ON v.id = m.version_id"
        " WHERE m.store_id = ? AND (v.id = ? OR (m.id = ? AND v.actor_kind = 'filesystem'"
        " AND v.actor_id = 'sync' AND v.content_sha256 = ?)"
        " OR (v.parents LIKE ? AND (v.origin = 'merged' OR v.number = 1)))",
        (
            version.store_id, version.id, version.memory_id, version.content_sha256,
            f'%"{version.id}"%',
        ),
    )  # fmt: skip


def redact_history(context: Context, store: str, memory_id: str, by: Author) -> int:
    """Redact every version of a memory but its head, live or deleted; how many were not yet.

    For many memories at once: what is left of the words in free pages stays until `scrub`.
    """

    def work(tx: Transaction) -> int:
        store_id = access.writable(context, tx, store, archived=True).info.id
        access.owner_only(context, "redact a history")
        return _blank(
            context, tx, by,
            "store_id = ? AND memory_id = ?"
            " AND id NOT IN (SELECT version_id FROM memories WHERE store_id = ? AND id = ?)",
            store_id, memory_id, store_id, memory_id,
        )  # fmt: skip

    return context.database.run(work)


def _blank(context: Context, tx: Transaction, by: Author, where: str, *values: str) -> int:
    gone = tx.execute(
        "UPDATE versions SET path = NULL, content = NULL, content_sha256 = NULL,"
        " size_bytes = NULL, salt = NULL, redacted_at = ?, redacted_kind = ?, redacted_id = ?"
        f" WHERE redacted_at IS NULL AND {where} RETURNING 1",
        (context.now(), by.actor.kind, by.actor.id, *values),
    )
    return len(gone)


def prune(context: Context, store: str, before: str, by: Author) -> int:
    """Delete versions older than `before` that are nobody's head; leaves a checkpoint.

    Versions are kept for ever unless this is called. Returns how many went.
    """
    cut = iso(parse_iso(before))

    def work(tx: Transaction) -> int:
        store_id = access.writable(context, tx, store, archived=True).info.id
        access.owner_only(context, "prune a history")
        rows = tx.execute(
            "SELECT sequence, commitment FROM versions WHERE store_id = ? AND created_at < ?"
            " ORDER BY sequence DESC LIMIT 1",
            (store_id, cut),
        )
        if not rows:
            return 0
        gone = tx.execute(
            "DELETE FROM versions WHERE store_id = ? AND sequence <= ?"
            " AND id NOT IN (SELECT version_id FROM memories WHERE store_id = ?) RETURNING 1",
            (store_id, rows[0][0], store_id),
        )
        if gone:
            tx.execute(
                "INSERT INTO checkpoints (store_id, sequence, commitment, pruned, created_at,"
                " reason) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (store_id, sequence)"
                " DO UPDATE SET pruned = checkpoints.pruned + excluded.pruned",
                (store_id, *rows[0], len(gone), context.now(), by.reason),
            )
        return len(gone)

    return context.database.run(work)


def _get(context: Context, execute: Execute, version_id: str, store: str | None) -> Version:
    rows: Sequence[tuple[object, ...]] = ()
    if "\0" not in version_id:
        rows = execute(f"SELECT {VERSION_COLUMNS} FROM versions WHERE id = ?", (version_id,))
    missing = NotFound(f"there is no version {version_id!r}")
    if not rows:
        raise missing
    version = version_of(rows[0])
    if store not in {None, version.store_id}:
        raise missing
    try:
        view = access.readable(context, execute, version.store_id)
    except NotFound:
        raise missing from None
    if access.hides(context, view.info.name, version.path or ""):
        raise missing
    return version


def _memory_id(execute: Execute, store_id: str, memory: str) -> str:
    """The id a path stands for: the live memory there, else the last one that was."""
    if "\0" in memory:
        raise NotFound(f"no memory was ever at {memory!r}")
    if not memory.startswith("/"):
        return memory
    rows = execute(
        "SELECT id FROM memories WHERE store_id = ? AND path = ?", (store_id, memory)
    ) or execute(
        "SELECT memory_id FROM versions WHERE store_id = ? AND path = ?"
        " ORDER BY sequence DESC LIMIT 1",
        (store_id, memory),
    )
    if not rows:
        raise NotFound(f"no memory was ever at {memory!r}")
    return str(rows[0][0])


def _sequence(key: str) -> int:
    if not (key.isascii() and key.isdecimal() and len(key) < 19):
        raise InvalidInput("that is not a page cursor")
    return int(key)
