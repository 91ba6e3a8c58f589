"""`/v1/dreams`: dreams over a memory store and sessions, asked for, watched, canceled, archived."""

from typing import Literal

import msgspec

from reverie.errors import InvalidInput, Refused
from reverie.hosting import dreams, jobs
from reverie.hosting.guests import Guest, Window
from reverie.serve.http.routing import Call, Route
from reverie.serve.http.stores import checked_id
from reverie.serve.http.wire import Page


class MemoryStoreInput(msgspec.Struct, tag_field="type", tag="memory_store"):
    """The store that is dreamt about, or that holds the result."""

    memory_store_id: str


class SessionsInput(msgspec.Struct, tag_field="type", tag="sessions"):
    """The sessions that are read."""

    session_ids: list[str]


class CreateNew(msgspec.Struct, tag_field="type", tag="create_new"):
    """The result is a new store that begins as a copy."""


class UpdateExisting(msgspec.Struct, tag_field="type", tag="update_existing"):
    """The result is written into the store itself."""

    memory_store_id: str


class Model(msgspec.Struct):
    """What dreams: the settings say which engine that is."""

    id: str
    speed: Literal["standard", "fast"] | None = None


class DreamModel(msgspec.Struct):
    """What dreams."""

    id: str
    speed: Literal["standard"] = "standard"


class DreamError(msgspec.Struct):
    """Why a dream failed."""

    type: str
    message: str


class DreamUsage(msgspec.Struct):
    """Tokens that a dream took."""

    input_tokens: int
    output_tokens: int
    cache_creation_input_tokens: int
    cache_read_input_tokens: int


class Dream(msgspec.Struct, tag_field="type", tag="dream"):
    """One dream, and what became of it."""

    id: str
    status: jobs.Status
    inputs: list[MemoryStoreInput | SessionsInput]
    outputs: list[MemoryStoreInput]
    output_behavior: CreateNew | UpdateExisting
    model: DreamModel
    instructions: str | None
    session_id: str | None
    created_at: str
    ended_at: str | None
    archived_at: str | None
    error: DreamError | None
    usage: DreamUsage


class CreateDream(msgspec.Struct):
    """A dream to be dreamt: over one store, and 1 to 100 sessions."""

    inputs: list[MemoryStoreInput | SessionsInput]
    model: str | Model
    instructions: str | None = None
    output_behavior: CreateNew | UpdateExisting | None = None


class ListDreams(msgspec.Struct):
    """Which dreams, and how many at once."""

    created_at_gt: str | None = msgspec.field(default=None, name="created_at[gt]")
    created_at_lt: str | None = msgspec.field(default=None, name="created_at[lt]")
    statuses: list[str] = msgspec.field(default_factory=list[str])
    include_archived: bool = False
    limit: int = 20
    page: str | None = None


def create(call: Call, body: CreateDream) -> Dream:
    """Have a dream dreamt; a worker takes it up."""
    stores = [source for source in body.inputs if isinstance(source, MemoryStoreInput)]
    read = [source for source in body.inputs if isinstance(source, SessionsInput)]
    if len(stores) != 1 or len(read) != 1:
        raise InvalidInput("`inputs` has one memory_store and one sessions")
    model = body.model if isinstance(body.model, Model) else Model(body.model)
    if model.speed == "fast":
        raise InvalidInput("only the speed standard is there")
    target = body.output_behavior
    if isinstance(target, UpdateExisting):
        if target.memory_store_id != stores[0].memory_store_id:
            raise InvalidInput("a dream updates the store that it is about, and no other")
        if "memory:write" not in call.key.scopes:
            raise Refused("this key has not the scope memory:write")
    job = dreams.ask(
        call.home,
        guest_of(call),
        store=checked_id(stores[0].memory_store_id),
        session_ids=read[0].session_ids,
        model=model.id,
        instructions=body.instructions,
        in_place=isinstance(target, UpdateExisting),
    )
    return told(job)


def list_(call: Call, query: ListDreams) -> Page[Dream]:
    """List dreams, newest first."""
    limits = ((">", query.created_at_gt), ("<", query.created_at_lt))
    window = Window(
        query.limit, query.page, bounds=tuple((sign, at) for sign, at in limits if at is not None)
    )
    page = jobs.page(
        call.home.database,
        guest_of(call),
        window,
        statuses=query.statuses,
        archived=query.include_archived,
    )
    return Page([told(job) for job in page.items], page.next_page)


def retrieve(call: Call, dream_id: str) -> Dream:
    """One dream."""
    return told(jobs.find(call.home.database, dream_id, guest_of(call)))


def cancel(call: Call, dream_id: str) -> Dream:
    """Stop a dream that is not over."""
    return told(dreams.cancel(call.home, guest_of(call), dream_id))


def archive(call: Call, dream_id: str) -> Dream:
    """Put a dream away that is over."""
    jobs.find(call.home.database, dream_id, guest_of(call))
    return told(jobs.archive(call.home.database, dream_id, call.home.now))


def guest_of(call: Call) -> Guest:
    return Guest(call.key.id, call.store)


def told(job: jobs.Job) -> Dream:
    """A job as clients know it."""
    about = MemoryStoreInput(job.store)
    return Dream(
        id=job.id,
        status=job.status,
        inputs=[about, SessionsInput(list(job.sessions))],
        outputs=[MemoryStoreInput(job.output)] if job.output else [],
        output_behavior=UpdateExisting(job.store) if job.in_place else CreateNew(),
        model=DreamModel(job.model),
        instructions=job.instructions,
        session_id=job.session,
        created_at=job.created_at,
        ended_at=job.ended_at,
        archived_at=job.archived_at,
        error=DreamError(job.error, job.message or "") if job.error else None,
        usage=DreamUsage(*job.usage),
    )


_ALL = "/v1/dreams"
_ONE = "/v1/dreams/{dream_id}"

ROUTES = (
    Route("POST", _ALL, "dream:run", create),
    Route("GET", _ALL, "dream:run", list_),
    Route("GET", _ONE, "dream:run", retrieve),
    Route("POST", f"{_ONE}/cancel", "dream:run", cancel),
    Route("POST", f"{_ONE}/archive", "dream:run", archive),
)
