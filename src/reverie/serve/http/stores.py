"""`/v1/memory_stores`: stores, made, listed, changed, archived, deleted."""

from reverie.errors import InvalidInput, NotFound
from reverie.operations.serving import acting
from reverie.serve.http import wire
from reverie.serve.http.routing import Call, Route
from reverie.serve.http.wire import (
    CreateStore,
    DeletedMemoryStore,
    ListStores,
    MemoryStore,
    Page,
    UpdateStore,
)

MAX_LIMIT = 100


def checked_id(memory_store_id: str) -> str:
    """A store by its id; its name is nobody's way in.

    Raises:
        NotFound: it is no id.
    """
    if not memory_store_id.startswith("memstore_"):
        raise NotFound("there is no such memory store")
    return memory_store_id


def check_limit(limit: int) -> None:
    """Raises InvalidInput for pages of no or too many items."""
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is 1 to {MAX_LIMIT}, not {limit}")


def create(call: Call, body: CreateStore) -> MemoryStore:
    """Make an empty memory store."""
    return wire.store(call.store.create_store(body.name, body.description or "", body.metadata))


def list_(call: Call, query: ListStores) -> Page[MemoryStore]:
    """List memory stores, newest first."""
    check_limit(query.limit)
    page = call.store.page_of_stores(
        archived=query.include_archived,
        since=query.created_at_gte,
        until=query.created_at_lte,
        limit=query.limit,
        page=query.page,
    )
    return Page([wire.store(info) for info in page.items], page.next_page)


def retrieve(call: Call, memory_store_id: str) -> MemoryStore:
    """One memory store."""
    return wire.store(call.store.find_store(checked_id(memory_store_id)))


def update(call: Call, memory_store_id: str, body: UpdateStore) -> MemoryStore:
    """Change name, description or metadata of a memory store."""
    changed = call.store.update_store(
        checked_id(memory_store_id),
        name=body.name,
        description=body.description,
        metadata=body.metadata,
    )
    return wire.store(changed)


def archive(call: Call, memory_store_id: str) -> MemoryStore:
    """Close a memory store to changes, for good."""
    return wire.store(call.store.archive_store(checked_id(memory_store_id)))


def delete(call: Call, memory_store_id: str) -> DeletedMemoryStore:
    """Delete a memory store with its memories and versions, for good."""
    acting.delete_store(call.home, call.key, checked_id(memory_store_id))
    return DeletedMemoryStore(memory_store_id)


_ALL = "/v1/memory_stores"
_ONE = "/v1/memory_stores/{memory_store_id}"

ROUTES = (
    Route("POST", _ALL, "memory:write", create),
    Route("GET", _ALL, "memory:read", list_),
    Route("GET", _ONE, "memory:read", retrieve),
    Route("POST", _ONE, "memory:write", update),
    Route("DELETE", _ONE, "admin", delete),
    Route("POST", f"{_ONE}/archive", "admin", archive),
)
