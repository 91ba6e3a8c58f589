"""`/v1/sessions`: sessions that the server holds, so that dreams have something to read.

No agent runs here: a session keeps the events that clients send, or a transcript they bring.
"""

from typing import Any, Literal, cast

import msgspec

from reverie.errors import InvalidInput
from reverie.hosting import events, reading, sessions
from reverie.hosting.guests import Window
from reverie.hosting.sessions import HostedSession
from reverie.serve.http.dreams import guest_of
from reverie.serve.http.routing import Call, Route, Upload
from reverie.serve.http.stores import checked_id
from reverie.serve.http.wire import Page

Order = Literal["asc", "desc"]
Status = Literal["rescheduling", "running", "idle", "terminated"]


class StoreResource(msgspec.Struct):
    """A memory store of a session, as it was when it was attached."""

    type: Literal["memory_store"]
    memory_store_id: str
    access: Literal["read_write", "read_only"] | None = None
    instructions: str | None = None
    name: str | None = None
    description: str | None = None
    mount_path: str | None = None


class Identity(msgspec.Struct):
    """As whom an agent runs."""

    type: str = "service_account"


class AgentModel(msgspec.Struct):
    """The model of an agent, if the client named one."""

    id: str
    speed: Literal["standard"] = "standard"


class SessionAgent(msgspec.Struct, tag_field="type", tag="agent"):
    """The agent of a session, as far as the client named it."""

    id: str
    version: int
    name: str
    model: AgentModel
    description: str | None = None
    system: str | None = None
    tools: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    mcp_servers: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    skills: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    multiagent: None = None
    execution_identity: Identity = msgspec.field(default_factory=Identity)


class Session(msgspec.Struct, tag_field="type", tag="session"):
    """A session without its events."""

    id: str
    agent: SessionAgent
    environment_id: str
    status: Status
    title: str | None
    metadata: dict[str, str]
    resources: list[StoreResource]
    created_at: str
    updated_at: str
    archived_at: str | None
    vault_ids: list[str] = msgspec.field(default_factory=list[str])
    outcome_evaluations: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    stats: dict[str, float] = msgspec.field(default_factory=dict[str, float])
    usage: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    budget: None = None
    deployment_id: None = None


class DeletedSession(msgspec.Struct, tag_field="type", tag="session_deleted"):
    """What is left of a session."""

    id: str


class CreateSession(msgspec.Struct):
    """A new session; `agent` is a name, or an object with an `id`."""

    agent: str | dict[str, Any]
    environment_id: str
    title: str | None = None
    metadata: dict[str, str] | None = None
    resources: list[dict[str, Any]] | None = None
    initial_events: list[dict[str, Any]] | None = None


class UpdateSession(msgspec.Struct):
    """What shall change; what is absent stays."""

    title: str | msgspec.UnsetType | None = msgspec.UNSET
    metadata: dict[str, str | None] | None = None


class ListSessions(msgspec.Struct):
    """Which sessions, and how many at once."""

    agent_id: str | None = None
    memory_store_id: str | None = None
    statuses: list[Status] = msgspec.field(default_factory=list[Status])
    created_at_gt: str | None = msgspec.field(default=None, name="created_at[gt]")
    created_at_gte: str | None = msgspec.field(default=None, name="created_at[gte]")
    created_at_lt: str | None = msgspec.field(default=None, name="created_at[lt]")
    created_at_lte: str | None = msgspec.field(default=None, name="created_at[lte]")
    include_archived: bool = False
    order: Order = "desc"
    limit: int = 20
    page: str | None = None


class ListEvents(msgspec.Struct):
    """Which events, and how many at once."""

    types: list[str] = msgspec.field(default_factory=list[str])
    created_at_gt: str | None = msgspec.field(default=None, name="created_at[gt]")
    created_at_gte: str | None = msgspec.field(default=None, name="created_at[gte]")
    created_at_lt: str | None = msgspec.field(default=None, name="created_at[lt]")
    created_at_lte: str | None = msgspec.field(default=None, name="created_at[lte]")
    order: Order = "asc"
    limit: int = 20
    page: str | None = None


class SendEvents(msgspec.Struct):
    """Events to be added, in order."""

    events: list[dict[str, Any]]


class SentEvents(msgspec.Struct):
    """The events that were added."""

    data: list[dict[str, Any]]


class Imported(msgspec.Struct):
    """The sessions that a transcript held."""

    data: list[Session]


class ImportTranscript(msgspec.Struct):
    """What the transcript is called, which may tell its format, and the stores it belongs to."""

    filename: str = "transcript.jsonl"
    memory_store_ids: list[str] = msgspec.field(default_factory=list[str])


def create(call: Call, body: CreateSession) -> Session:
    """Make a session, with memory stores attached to it."""
    agent = {"id": body.agent} if isinstance(body.agent, str) else body.agent
    if not isinstance(agent.get("id"), str):
        raise InvalidInput("`agent` has an `id`")
    attached = body.resources or []
    if any(resource.get("type") != "memory_store" for resource in attached):
        raise InvalidInput("only memory stores can be attached to a session here")
    stores = [msgspec.convert(resource, StoreResource) for resource in attached]
    made = reading.created(
        call.home,
        guest_of(call),
        agent={name: value for name, value in agent.items() if name != events.KEPT},
        environment_id=body.environment_id,
        title=body.title,
        metadata=body.metadata,
        attached=[msgspec.structs.asdict(store) for store in stores],
        initial=body.initial_events or (),
    )
    return told(made)


def list_(call: Call, query: ListSessions) -> Page[Session]:
    """List sessions by when they were made."""
    if query.statuses and "idle" not in query.statuses:
        return Page([])  # no agent runs here: all of them are idle
    wanted = sessions.Wanted(query.memory_store_id, query.agent_id, query.include_archived)
    page = sessions.page(call.home.database, guest_of(call), wanted, _window(query))
    return Page([told(session) for session in page.items], page.next_page)


def retrieve(call: Call, session_id: str) -> Session:
    """One session."""
    return told(_found(call, session_id))


def update(call: Call, session_id: str, body: UpdateSession) -> Session:
    """Change the title or metadata of a session."""
    session = _found(call, session_id)
    merged = {**session.metadata, **(body.metadata or {})}
    metadata = {key: value for key, value in merged.items() if value is not None}
    title = session.title if body.title is msgspec.UNSET else body.title
    return told(reading.changed(call.home, session, title, metadata))


def archive(call: Call, session_id: str) -> Session:
    """Close a session to events, for good."""
    return told(reading.archived(call.home, _found(call, session_id)))


def delete(call: Call, session_id: str) -> DeletedSession:
    """Delete a session with its events, for good."""
    reading.deleted(call.home, guest_of(call), session_id)
    return DeletedSession(session_id)


def list_events(call: Call, session_id: str, query: ListEvents) -> Page[dict[str, Any]]:
    """List the events of a session in order."""
    _found(call, session_id)
    page = sessions.events(call.home.database, session_id, query.types, _window(query))
    return Page([dict(event.body) for event in page.items], page.next_page)


def send_events(call: Call, session_id: str, body: SendEvents) -> SentEvents:
    """Add events to a session."""
    return SentEvents(reading.send(call.home, guest_of(call), session_id, body.events))


def import_(call: Call, query: ImportTranscript, body: Upload) -> Imported:
    """Bring a transcript of any agent that is known here, as its log is."""
    stores = [checked_id(identity) for identity in query.memory_store_ids]
    hosted = reading.imported(call.home, guest_of(call), body, query.filename, stores)
    return Imported([told(session) for session in hosted])


def _found(call: Call, session_id: str) -> HostedSession:
    return sessions.find(call.home.database, session_id, guest_of(call))


def _window(query: ListSessions | ListEvents) -> Window:
    limits = (
        (">", query.created_at_gt),
        (">=", query.created_at_gte),
        ("<", query.created_at_lt),
        ("<=", query.created_at_lte),
    )
    bounds = tuple((sign, at) for sign, at in limits if at is not None)
    return Window(query.limit, query.page, query.order == "desc", bounds)


def told(session: HostedSession) -> Session:
    """A session as clients know it."""
    agent = session.agent
    model = agent.get("model")
    name = cast("dict[str, Any]", model).get("id") if isinstance(model, dict) else model
    version = agent.get("version")
    return Session(
        id=session.id,
        agent=SessionAgent(
            id=agent["id"],
            version=version if isinstance(version, int) else 1,
            name=str(agent.get("name") or agent["id"]),
            model=AgentModel(str(name or "unknown")),
        ),
        environment_id=session.environment_id,
        status="idle",
        title=session.title,
        metadata=dict(session.metadata),
        resources=[
            msgspec.convert(dict(resource), StoreResource) for resource in session.resources
        ],
        created_at=session.created_at,
        updated_at=session.updated_at,
        archived_at=session.archived_at,
    )


_ALL = "/v1/sessions"
_ONE = "/v1/sessions/{session_id}"

ROUTES = (
    Route("POST", _ALL, "memory:write", create),
    Route("GET", _ALL, "memory:read", list_),
    Route("GET", _ONE, "memory:read", retrieve),
    Route("POST", _ONE, "memory:write", update),
    Route("DELETE", _ONE, "memory:write", delete),
    Route("POST", f"{_ONE}/archive", "memory:write", archive),
    Route("GET", f"{_ONE}/events", "memory:read", list_events),
    Route("POST", f"{_ONE}/events", "memory:write", send_events),
    Route("POST", "/v1/reverie/sessions/import", "memory:write", import_),
)
