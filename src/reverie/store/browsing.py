"""Browsing: the memories of many stores at once, the latest first, some at a time.

Which of them fit is decided on short rows; texts are read only of those that are shown.
"""

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from reverie.store import access
from reverie.store.context import Context
from reverie.store.library import ARCHIVE, INDEX, Item
from reverie.store.rows import MEMORY_COLUMNS, MEMORY_FROM, memory_of


class Shelf(NamedTuple):
    """Some memories, and how many fit in all."""

    items: list[Item]
    fitting: int


class Sought(NamedTuple):
    """Which memories are wanted; what is empty or None is not asked."""

    store: str = ""  # name
    trust: str = ""
    actor: str = ""  # the kind of who wrote it last
    since: str = ""  # written at that ISO time or later
    archived: bool = False
    ids: Collection[str] | None = None


def browse(context: Context, sought: Sought, first: int = 0, limit: int = 50) -> Shelf:
    """The memories that fit, from the `first` on, of every store the asker may see."""
    stores = {
        view.info.id: view.info.name
        for view in access.visible(context, context.database.query, archived=False)
        if sought.store in ("", view.info.name)
    }
    if not stores:
        return Shelf([], 0)
    where = [f"m.store_id IN ({', '.join('?' * len(stores))})"]
    values = list(stores)
    for condition, value in (
        ("m.trust = ?", sought.trust),
        ("v.actor_kind = ?", sought.actor),
        ("m.updated_at >= ?", sought.since),
    ):
        if value:
            where.append(condition)
            values.append(value)
    kept = "LIKE" if sought.archived else "NOT LIKE"
    where += [
        f"m.path {kept} '{ARCHIVE}%'",
        f"m.path LIKE '%.md' AND m.path <> '{INDEX}'",
        "m.path NOT LIKE '/daily/%' AND m.path NOT LIKE '/diary/%'",
    ]
    # Who wrote it stands in the version; its row is read only where that is asked for.
    table = MEMORY_FROM if sought.actor else "memories m"
    question = f"FROM {table} WHERE {' AND '.join(where)}"
    latest = "ORDER BY m.updated_at DESC, m.id"
    query = context.database.query
    if sought.ids is None:
        fitting = int(query(f"SELECT count(*) {question}", values)[0][0])
        page = [limit, first]
        rows = query(f"SELECT m.id {question} {latest} LIMIT ? OFFSET ?", [*values, *page])
        return Shelf(_read(context, stores, [row[0] for row in rows]), fitting)
    ids = [
        row[0] for row in query(f"SELECT m.id {question} {latest}", values) if row[0] in sought.ids
    ]
    return Shelf(_read(context, stores, ids[first : first + limit]), len(ids))


def _read(context: Context, stores: dict[str, str], ids: list[str]) -> list[Item]:
    if not ids:
        return []
    rows = context.database.query(
        f"SELECT {MEMORY_COLUMNS} FROM {MEMORY_FROM} WHERE m.id IN ({', '.join('?' * len(ids))})",
        ids,
    )
    memories = {memory.id: memory for memory in map(memory_of, rows)}
    # One that was deleted since is not there any more.
    return [
        Item(stores[memories[identity].store_id], memories[identity])
        for identity in ids
        if identity in memories
    ]


def begun_and_ended(context: Context, store: str = "") -> tuple[Counter[str], Counter[str]]:
    """How many memories began and how many were deleted on each day, of one store or of all."""
    stores = [
        view.info.id
        for view in access.visible(context, context.database.query, archived=False)
        if store in ("", view.info.name)
    ]
    counted: dict[str, Counter[str]] = {"created": Counter(), "deleted": Counter()}
    if stores:
        rows = context.database.query(
            "SELECT operation, substr(created_at, 1, 10), count(*) FROM versions"
            f" WHERE store_id IN ({', '.join('?' * len(stores))})"
            " AND operation IN ('created', 'deleted') AND (path IS NULL OR"
            f" path NOT LIKE '/daily/%' AND path NOT LIKE '/diary/%' AND path <> '{INDEX}')"
            " GROUP BY 1, 2",
            stores,
        )
        for operation, day, count in rows:
            counted[operation][day] = int(count)
    return counted["created"], counted["deleted"]
