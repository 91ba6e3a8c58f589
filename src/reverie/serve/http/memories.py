"""`/v1/memory_stores/{id}/memories`: memories, by their ids, inside their store."""

from reverie.errors import NotFound
from reverie.operations.serving import acting
from reverie.serve.http import wire
from reverie.serve.http.routing import Call, Route
from reverie.serve.http.stores import check_limit, checked_id
from reverie.serve.http.wire import (
    CreateMemory,
    DeletedMemory,
    DeleteMemory,
    ListMemories,
    Memory,
    MemoryPrefix,
    Page,
    Shown,
    ShownBriefly,
    UpdateMemory,
)

FULL_LIMIT = 20  # a page of contents has no more, whatever is asked


def create(call: Call, memory_store_id: str, query: ShownBriefly, body: CreateMemory) -> Memory:
    """Make a memory; one that is there is never written over."""
    store_id = checked_id(memory_store_id)
    acting.refuse_claims(body.content, body.path)
    by = call.author("created through the API")
    return wire.memory(call.store.create(store_id, body.path, body.content, by), query.view)


def list_(call: Call, memory_store_id: str, query: ListMemories) -> Page[Memory | MemoryPrefix]:
    """List memories in order of their paths."""
    store_id = checked_id(memory_store_id)
    check_limit(query.limit)
    full = query.view == "full"
    listing = call.store.list if full else call.store.entries
    limit = min(query.limit, FULL_LIMIT) if full else query.limit
    page = listing(store_id, query.path_prefix, query.depth, limit, query.page)
    return Page([wire.listed(item, store_id) for item in page.items], page.next_page)


def retrieve(call: Call, memory_store_id: str, memory_id: str, query: Shown) -> Memory:
    """One memory."""
    head = call.store.get(checked_id(memory_store_id), checked_memory(memory_id))
    return wire.memory(head, query.view)


def update(
    call: Call, memory_store_id: str, memory_id: str, query: ShownBriefly, body: UpdateMemory
) -> Memory:
    """Change content, path or both of a memory, if it still is what the writer saw."""
    if body.content is not None:
        acting.refuse_claims(body.content, body.path or "")
    head = call.store.update(
        checked_id(memory_store_id),
        checked_memory(memory_id),
        content=body.content,
        path=body.path,
        if_sha256=body.precondition.content_sha256 if body.precondition else None,
        by=call.author("changed through the API"),
    )
    return wire.memory(head, query.view)


def delete(call: Call, memory_store_id: str, memory_id: str, query: DeleteMemory) -> DeletedMemory:
    """Delete a memory; its versions stay."""
    call.store.delete(
        checked_id(memory_store_id),
        checked_memory(memory_id),
        if_sha256=query.expected_content_sha256,
        by=call.author("deleted through the API"),
    )
    return DeletedMemory(memory_id)


def checked_memory(memory_id: str) -> str:
    """A memory by its id; its path is no way in.

    Raises:
        NotFound: it is no id.
    """
    if not memory_id.startswith("mem_"):
        raise NotFound("there is no such memory")
    return memory_id


_ALL = "/v1/memory_stores/{memory_store_id}/memories"
_ONE = f"{_ALL}/{{memory_id}}"

ROUTES = (
    Route("POST", _ALL, "memory:write", create, together=True),
    Route("GET", _ALL, "memory:read", list_),
    Route("GET", _ONE, "memory:read", retrieve),
    Route("POST", _ONE, "memory:write", update, together=True),
    Route("DELETE", _ONE, "memory:write", delete, together=True),
)
