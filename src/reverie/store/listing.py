"""Listing a store: by prefix, flat or folded to one level, in byte order, page by page.

A cursor says where its page ended and which question it belongs to, so that pages stay right while
others write, and a cursor used for another question is refused.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar
from zlib import crc32

from reverie.db.database import Row
from reverie.errors import InvalidInput
from reverie.sealing import Sealer
from reverie.store import access, paths
from reverie.store.context import Context
from reverie.store.model import Entry, Memory, Page, Prefix
from reverie.store.rows import MEMORY_COLUMNS, MEMORY_FROM, memory_of

MAX_LIMIT = 100
DEFAULT_LIMIT = 20
_BATCH = 200
_ENTRY = "m.id, m.path, m.content_sha256, m.size_bytes, m.version_id, m.version, m.created_at"
ENTRY_COLUMNS = f"{_ENTRY}, m.updated_at"

Listed = TypeVar("Listed", Memory, Entry)


def memories(
    context: Context,
    store: str,
    prefix: str = "/",
    depth: int | None = None,
    limit: int = DEFAULT_LIMIT,
    page: str | None = None,
) -> Page[Memory | Prefix]:
    """One page of the memories under `prefix`, which ends with a slash, in byte order of paths.

    Depth 0 or `None` lists every descendant; 1 lists direct children and folds deeper ones.
    """
    return _listed(context, _FULL, store, prefix, depth, limit, page)


def entries(
    context: Context,
    store: str,
    prefix: str = "/",
    depth: int | None = None,
    limit: int = DEFAULT_LIMIT,
    page: str | None = None,
) -> Page[Entry | Prefix]:
    """The same page without the texts, which are not read."""
    return _listed(context, _BASIC, store, prefix, depth, limit, page)


def _listed(
    context: Context,
    view: "_View[Listed]",
    store: str,
    prefix: str,
    depth: int | None,
    limit: int,
    page: str | None,
) -> Page[Listed | Prefix]:
    paths.checked_prefix(prefix, context.limits)
    if depth not in {None, 0, 1}:
        raise InvalidInput(f"depth is 0 or 1, not {depth}")
    check_limit(limit)
    info = access.readable(context, context.database.query, store).info
    store_id, seen = info.id, access.unhidden(context, info.name, "m.path")
    question = f"{store_id} {prefix} {depth or 0}"
    start = max(prefix, open_cursor(page, question)) if page else prefix
    walk = _folded if depth == 1 else _flat
    items: list[Listed | Prefix] = []
    for item in walk(context, view, _Part(store_id, prefix, seen), start, limit + 1):
        if len(items) == limit:
            return Page(tuple(items), cursor(_after(items[-1]), question))
        items.append(item)
    return Page(tuple(items))


def walk(context: Context, store: str, prefix: str = "/", *, deep: bool = True) -> Iterator[Memory]:
    """Every memory under `prefix`, in path order, read in batches; only there unless `deep`."""
    paths.checked_prefix(prefix, context.limits)
    info = access.readable(context, context.database.query, store).info
    part = _Part(info.id, prefix, access.unhidden(context, info.name, "m.path"))
    listed = (_flat if deep else _folded)(context, _FULL, part, prefix, _BATCH)
    yield from (item for item in listed if isinstance(item, Memory))


def manifest(context: Context, store: str) -> list[Entry]:
    """Path, hash and version of every memory, without the text."""
    query = context.database.query
    info = access.readable(context, query, store).info
    rows = query(
        f"SELECT {ENTRY_COLUMNS} FROM memories m"
        f" WHERE store_id = ?{access.unhidden(context, info.name, 'path')} ORDER BY path",
        (info.id,),
    )
    return [Entry(*row) for row in rows]


def check_limit(limit: int) -> None:
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is 1 to {MAX_LIMIT}, not {limit}")


def cursor(key: str, question: str) -> str:
    """The opaque name of what follows `key` in the answer to `question`."""
    data = json.dumps([key, _check(key, question)], ensure_ascii=False).encode()
    return "page_" + urlsafe_b64encode(data).decode().rstrip("=")


def open_cursor(page: str, question: str) -> str:
    """What `cursor` was given.

    Raises:
        InvalidInput: not a cursor of ours, or of another question.
    """
    try:
        body = page.removeprefix("page_")
        key, check = json.loads(urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (ValueError, TypeError):
        raise InvalidInput("that is not a page cursor") from None
    if not isinstance(key, str) or "\0" in key or check != _check(key, question):
        raise InvalidInput("this page cursor belongs to another listing")
    return key


def _check(key: str, question: str) -> int:
    return crc32(f"{question}\n{key}".encode("utf-8", "surrogatepass"))


class _Part(NamedTuple):
    """What lies under a prefix of one store, as far as whoever asks may see it."""

    store_id: str
    prefix: str
    seen: str  # a condition


class _View(NamedTuple, Generic[Listed]):
    """What is read of each memory; the path is where a listing stands."""

    columns: str
    source: str
    path: int
    made: Callable[[Row, Sealer | None], Listed]


def _entry(row: Row, _sealer: Sealer | None) -> Entry:
    return Entry(*row)


_FULL = _View(MEMORY_COLUMNS, MEMORY_FROM, 2, memory_of)
_BASIC = _View(ENTRY_COLUMNS, "memories m", 1, _entry)


def _rows(context: Context, view: _View[Listed], part: _Part, start: str, limit: int) -> list[Row]:
    _, end = paths.below(part.prefix)
    return context.database.query(
        f"SELECT {view.columns} FROM {view.source} WHERE m.store_id = ?"
        f" AND m.path >= ? AND m.path < ?{part.seen} ORDER BY m.path LIMIT ?",
        (part.store_id, start, end, limit),
    )


def _flat(
    context: Context, view: _View[Listed], part: _Part, start: str, batch: int
) -> Iterator[Listed]:
    while True:
        rows = _rows(context, view, part, start, batch)
        yield from (view.made(row, context.sealer) for row in rows)
        if len(rows) < batch:
            return
        start = rows[-1][view.path] + "\x01"


def _folded(
    context: Context, view: _View[Listed], part: _Part, start: str, batch: int
) -> Iterator[Listed | Prefix]:
    prefix = part.prefix
    while True:
        rows = _rows(context, view, part, start, batch)
        for row in rows:
            path = row[view.path]
            if path < start:
                continue
            name, slash, _ = path[len(prefix) :].partition("/")
            item = Prefix(prefix + name + "/") if slash else view.made(row, context.sealer)
            start = _after(item)
            yield item
        if len(rows) < batch:
            return


def _after(item: Memory | Entry | Prefix) -> str:
    """The first path that can follow an item: past everything a folded prefix covers."""
    return paths.below(item.path)[1] if isinstance(item, Prefix) else item.path + "\x01"
