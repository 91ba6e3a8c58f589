"""`/v1/memory_stores/{id}/memory_versions`: the history of a store, and what is taken out of it."""

from reverie.errors import InvalidInput
from reverie.serve.http import wire
from reverie.serve.http.memories import FULL_LIMIT
from reverie.serve.http.routing import Call, Route
from reverie.serve.http.stores import check_limit, checked_id
from reverie.serve.http.wire import ListVersions, MemoryVersion, Page, Shown
from reverie.store.model import ActorFilter


def list_(call: Call, memory_store_id: str, query: ListVersions) -> Page[MemoryVersion]:
    """List versions, newest first."""
    store_id = checked_id(memory_store_id)
    check_limit(query.limit)
    if query.memory_id is not None and query.memory_id.startswith("/"):
        raise InvalidInput("memory_id is an id, not a path")
    full = query.view == "full"
    page = call.store.versions(
        store_id,
        query.memory_id,
        operation=query.operation,
        actors=_actors(query),
        since=query.created_at_gte,
        until=query.created_at_lte,
        limit=min(query.limit, FULL_LIMIT) if full else query.limit,
        page=query.page,
        content=full,
    )
    return Page([wire.version(version, query.view) for version in page.items], page.next_page)


def retrieve(
    call: Call, memory_store_id: str, memory_version_id: str, query: Shown
) -> MemoryVersion:
    """One version, also of a memory that is gone."""
    version = call.store.version(memory_version_id, store=checked_id(memory_store_id))
    return wire.version(version, query.view)


def redact(call: Call, memory_store_id: str, memory_version_id: str) -> MemoryVersion:
    """Take content, path, hash and size out of a version, for good."""
    by = call.author("redacted through the API")
    store_id = checked_id(memory_store_id)
    return wire.version(call.store.redact(memory_version_id, by, store=store_id), "full")


def _actors(query: ListVersions) -> list[ActorFilter]:
    """Every filter that is given has to fit; service accounts are none of ours."""
    filters: list[ActorFilter] = []
    if query.session_id is not None:
        filters.append(ActorFilter(("agent", "dream"), query.session_id))
    if query.api_key_id is not None:
        filters.append(ActorFilter(("key",), query.api_key_id))
    if query.service_account_id is not None:
        filters.append(ActorFilter((), query.service_account_id))
    return filters


_ALL = "/v1/memory_stores/{memory_store_id}/memory_versions"
_ONE = f"{_ALL}/{{memory_version_id}}"

ROUTES = (
    Route("GET", _ALL, "memory:read", list_),
    Route("GET", _ONE, "memory:read", retrieve),
    Route("POST", f"{_ONE}/redact", "memory:write", redact),
)
