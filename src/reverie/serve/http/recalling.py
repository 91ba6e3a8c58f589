"""`/v1/reverie/…`: what the stores of a key say to words or a question, and why.

Memories alone: whoever shares a store has not agreed to share the sessions behind it.
"""

from typing import Annotated, Any, Literal

import msgspec

from reverie import forms
from reverie.operations import reach, recalling
from reverie.recall.recall import Request
from reverie.serve.http import wire
from reverie.serve.http.memories import checked_memory
from reverie.serve.http.routing import Call, Route
from reverie.serve.http.stores import check_limit, checked_id
from reverie.serve.http.wire import Limit, Memory
from reverie.store.library import Item

Budget = Annotated[int, msgspec.Meta(ge=1, le=100_000)]


class Search(msgspec.Struct):
    """Words that memories shall hold; in all stores of the key, or some."""

    query: str
    memory_store_ids: list[str] | None = None
    limit: Limit = 20


class Hit(msgspec.Struct):
    """A memory that was found, with the words around; scores compare within one answer."""

    memory: Memory
    snippet: str
    score: float


class Hits(msgspec.Struct):
    """What was found, the best first."""

    data: list[Hit]


class Recall(msgspec.Struct):
    """A question, or none; what is told has at most so many characters."""

    query: str = ""
    memory_store_ids: list[str] | None = None
    budget_chars: Budget | None = None
    types: list[Literal["user", "feedback", "project", "reference"]] | None = None
    since: str | None = None
    rules: bool = True


def search(call: Call, body: Search) -> Hits:
    """Find memories by their words."""
    check_limit(body.limit)
    stores = body.memory_store_ids
    chosen = None if stores is None else [checked_id(identity) for identity in stores]
    hits = call.store.search(body.query, chosen, limit=body.limit)
    return Hits([Hit(wire.memory(hit.memory, "basic"), hit.snippet, hit.score) for hit in hits])


def recall(call: Call, body: Recall) -> dict[str, Any]:
    """Standing rules, then what a question finds, as an agent would be told it."""
    asked = Request(
        query=body.query,
        stores=tuple(checked_id(identity) for identity in body.memory_store_ids or ()),
        budget=body.budget_chars,
        types=tuple(body.types or ()),
        since=reach.day_of(body.since or ""),
        rules=body.rules,
    )
    view = call.view
    return forms.recall(recalling.recall(view, asked), view.here.slug)


def why(call: Call, memory_store_id: str, memory_id: str) -> dict[str, Any]:
    """What a memory rests on, as far as the key may see it, and every change to it."""
    view = call.view
    info = view.store.find_store(checked_id(memory_store_id))
    memory = view.store.get(info.id, checked_memory(memory_id))
    return forms.grounds(reach.grounds_of(view, Item(info.name, memory)))


ROUTES = (
    Route("POST", "/v1/reverie/search", "memory:read", search, reads=True),
    Route("POST", "/v1/reverie/recall", "memory:read", recall, reads=True),
    Route(
        "GET",
        "/v1/reverie/memory_stores/{memory_store_id}/memories/{memory_id}/why",
        "memory:read",
        why,
    ),
)
