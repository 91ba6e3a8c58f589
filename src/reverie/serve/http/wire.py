"""The forms of the wire: what is sent and answered, field by field, and how our values become them.

Types stand in for the contract (strict clients refuse a missing or mistyped field); rules about
lengths and paths are the store's.
"""

from typing import Annotated, Generic, Literal, TypeVar

import msgspec

from reverie.store import model

View = Literal["basic", "full"]
Operation = model.Operation

# Told in the OpenAPI document; what counts are the limits in the settings of the store.
Path = Annotated[
    str, msgspec.Meta(extra_json_schema={"pattern": "^(/[^/]+){1,20}$", "maxLength": 1024})
]
Name = Annotated[str, msgspec.Meta(extra_json_schema={"minLength": 1, "maxLength": 255})]
Description = Annotated[str, msgspec.Meta(extra_json_schema={"maxLength": 1024})]
Sha256 = Annotated[str, msgspec.Meta(extra_json_schema={"pattern": "^[0-9a-f]{64}$"})]
Limit = Annotated[int, msgspec.Meta(extra_json_schema={"minimum": 1, "maximum": 100})]

Item = TypeVar("Item")


class Page(msgspec.Struct, Generic[Item]):
    """Some items, and the cursor of what follows."""

    data: list[Item]
    next_page: str | None = None


# Stores


class MemoryStore(msgspec.Struct, tag_field="type", tag="memory_store"):
    """A store without its memories."""

    id: str
    name: str
    description: str
    metadata: dict[str, str]
    created_at: str
    updated_at: str
    archived_at: str | None


class DeletedMemoryStore(msgspec.Struct, tag_field="type", tag="memory_store_deleted"):
    """What is left of a store."""

    id: str


class CreateStore(msgspec.Struct):
    """A new store."""

    name: Name
    description: Description | None = None
    metadata: dict[str, str] | None = None


class UpdateStore(msgspec.Struct):
    """What shall change; what is absent or null stays."""

    name: Name | None = None
    description: Description | None = None
    metadata: dict[str, str | None] | None = None


class ListStores(msgspec.Struct):
    """Which stores, and how many at once."""

    created_at_gte: str | None = msgspec.field(default=None, name="created_at[gte]")
    created_at_lte: str | None = msgspec.field(default=None, name="created_at[lte]")
    include_archived: bool = False
    limit: Limit = 20
    page: str | None = None


# Memories


class Memory(msgspec.Struct, tag_field="type", tag="memory"):
    """The head of a memory; its content only where `view` is full."""

    id: str
    memory_store_id: str
    memory_version_id: str
    path: str
    content: str | None
    content_sha256: str
    content_size_bytes: int
    created_at: str
    updated_at: str


class MemoryPrefix(msgspec.Struct, tag_field="type", tag="memory_prefix"):
    """Memories below a level, folded into one line."""

    path: str


class DeletedMemory(msgspec.Struct, tag_field="type", tag="memory_deleted"):
    """What is left of a memory, but for its versions."""

    id: str


class Precondition(msgspec.Struct, tag_field="type", tag="content_sha256"):
    """The content that the writer had seen, by its hash."""

    content_sha256: Sha256


class CreateMemory(msgspec.Struct):
    """A new memory."""

    path: Path
    content: str


class UpdateMemory(msgspec.Struct):
    """A new content, a new path, or both; what is absent or null stays."""

    content: str | None = None
    path: Path | None = None
    precondition: Precondition | None = None


class Shown(msgspec.Struct):
    """With its content."""

    view: View = "full"


class ShownBriefly(msgspec.Struct):
    """Without its content."""

    view: View = "basic"


class ListMemories(msgspec.Struct):
    """Which memories, folded or not, and how many at once."""

    path_prefix: str = "/"
    depth: int = 0
    limit: Limit = 20
    page: str | None = None
    view: View = "basic"


class DeleteMemory(msgspec.Struct):
    """The content that the writer had seen."""

    expected_content_sha256: Sha256 | None = None


# Versions


class SessionActor(msgspec.Struct, tag_field="type", tag="session_actor"):
    """An agent's session, or a dream's."""

    session_id: str


class ApiActor(msgspec.Struct, tag_field="type", tag="api_actor"):
    """The holder of a key."""

    api_key_id: str


class UserActor(msgspec.Struct, tag_field="type", tag="user_actor"):
    """A person."""

    user_id: str


Actor = SessionActor | ApiActor | UserActor


class MemoryVersion(msgspec.Struct, tag_field="type", tag="memory_version"):
    """One change of a memory."""

    id: str
    memory_id: str
    memory_store_id: str
    operation: Operation
    created_at: str
    created_by: Actor | None
    path: str | None
    content: str | None
    content_sha256: str | None
    content_size_bytes: int | None
    redacted_at: str | None
    redacted_by: Actor | None


class ListVersions(msgspec.Struct):
    """Which versions, and how many at once."""

    memory_id: str | None = None
    operation: Operation | None = None
    session_id: str | None = None
    api_key_id: str | None = None
    service_account_id: str | None = None
    created_at_gte: str | None = msgspec.field(default=None, name="created_at[gte]")
    created_at_lte: str | None = msgspec.field(default=None, name="created_at[lte]")
    limit: Limit = 20
    page: str | None = None
    view: View = "basic"


def store(info: model.StoreInfo) -> MemoryStore:
    return MemoryStore(*info[:7])


def memory(head: model.Memory, view: View) -> Memory:
    return Memory(
        head.id,
        head.store_id,
        head.version_id,
        head.path,
        head.content if view == "full" else None,
        head.content_sha256,
        head.size_bytes,
        head.created_at,
        head.updated_at,
    )


def listed(item: model.Memory | model.Entry | model.Prefix, store_id: str) -> Memory | MemoryPrefix:
    """One line of a listing."""
    if isinstance(item, model.Prefix):
        return MemoryPrefix(item.path)
    if isinstance(item, model.Memory):
        return memory(item, "full")
    return Memory(
        item.id,
        store_id,
        item.version_id,
        item.path,
        None,
        item.content_sha256,
        item.size_bytes,
        item.created_at,
        item.updated_at,
    )


def version(revision: model.Version, view: View) -> MemoryVersion:
    return MemoryVersion(
        revision.id,
        revision.memory_id,
        revision.store_id,
        revision.operation,
        revision.created_at,
        actor(revision.actor),
        revision.path,
        revision.content if view == "full" else None,
        revision.content_sha256,
        revision.size_bytes,
        revision.redacted_at,
        actor(revision.redacted_by) if revision.redacted_by else None,
    )


def actor(who: model.Actor) -> Actor | None:
    """An actor as clients know them; the file system, and who has no name, are none."""
    if not who.id:
        return None
    match who.kind:
        case "key":
            return ApiActor(who.id)
        case "agent" | "dream":
            return SessionActor(who.id)
        case "user":
            return UserActor(who.id)
        case "filesystem":
            return None
