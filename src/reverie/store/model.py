"""The values every surface sees: stores, memories, versions, who did it and who may.

Named tuples, not dataclasses: ten times cheaper to define, which every cold start pays, and cheaper
to make.
"""

from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar

from reverie.trust import Trust

if TYPE_CHECKING:
    from reverie.store.causes import Cause

ActorKind = Literal["user", "agent", "key", "dream", "filesystem"]
PrincipalKind = Literal["project", "agent", "key"]
Access = Literal["read_only", "read_write"]
Operation = Literal["created", "modified", "deleted"]

ACTOR_KINDS: tuple[ActorKind, ...] = ("user", "agent", "key", "dream", "filesystem")
PRINCIPAL_KINDS: tuple[PrincipalKind, ...] = ("project", "agent", "key")
ACCESSES: tuple[Access, ...] = ("read_only", "read_write")

Item = TypeVar("Item", covariant=True)


class Actor(NamedTuple):
    """Who made a version: a person, an agent session, an API key, a dream or the file system."""

    kind: ActorKind
    id: str = ""


class ActorFilter(NamedTuple):
    """Versions by any of these kinds of actors; of one of them, if it has an id."""

    kinds: tuple[ActorKind, ...]
    id: str | None = None


class Author(NamedTuple):
    """An actor with the reason, the trust of the words, and when they hold.

    `valid_from` and `valid_to` left at `None` keep what the memory has; `""` clears it.
    """

    actor: Actor
    reason: str = ""
    trust: Trust = "user"
    valid_from: str | None = None
    valid_to: str | None = None


class Principal(NamedTuple):
    """Who a store can be attached to."""

    kind: PrincipalKind
    id: str


class Attachment(NamedTuple):
    """One store attached to one principal."""

    store_id: str
    principal: Principal
    access: Access
    created_at: str
    instructions: str = ""  # what the principal is told about the store


class StoreInfo(NamedTuple):
    """A store without its memories; `updated_at` does not move on memory writes."""

    id: str
    name: str
    description: str
    metadata: dict[str, str]
    created_at: str
    updated_at: str
    archived_at: str | None
    memories: int = 0
    versions: int = 0
    by_key: bool = False  # name or description are those of a server's key, not of a person


class StoreName(NamedTuple):
    """A store by name and id, as a project sees it."""

    name: str
    id: str


class Memory(NamedTuple):
    """The head of one memory; `version` counts its changes from 1, the id survives renames."""

    id: str
    store_id: str
    path: str
    content: str
    content_sha256: str
    size_bytes: int
    version_id: str
    version: int
    created_at: str
    updated_at: str
    trust: Trust
    valid_from: str | None
    valid_to: str | None


class Entry(NamedTuple):
    """What a working tree or a listing needs to know of a memory, without its text."""

    id: str
    path: str
    content_sha256: str
    size_bytes: int
    version_id: str
    version: int
    created_at: str
    updated_at: str


class Prefix(NamedTuple):
    """Memories deeper than the listed level, folded into one line; `path` ends with a slash."""

    path: str


class Version(NamedTuple):
    """One immutable, attributed change. Path, content, hash and size are gone once redacted."""

    id: str
    store_id: str
    memory_id: str
    sequence: int
    number: int
    operation: Operation
    path: str | None
    content: str | None
    content_sha256: str | None
    size_bytes: int | None
    actor: Actor
    reason: str
    trust: Trust
    valid_from: str | None
    valid_to: str | None
    created_at: str
    redacted_at: str | None
    redacted_by: Actor | None

    @property
    def cause(self) -> "Cause":
        """What kind of deed made it; the reason is its sentence."""
        from reverie.store.causes import cause_of

        return cause_of(self.reason)


class Made(NamedTuple):
    """A version of a memory that is still there, by what made it."""

    cause: "Cause"
    store_id: str
    memory_id: str
    version_id: str
    before: str | None  # the version before it


class Hit(NamedTuple):
    """One memory found; a higher score is better, and only comparable within one answer."""

    memory: Memory
    score: float
    snippet: str


class Page(NamedTuple, Generic[Item]):
    """Some items and the cursor of what follows, `None` at the end."""

    items: tuple[Item, ...]
    next_page: str | None = None


class Problem(NamedTuple):
    """Something `verify` found that does not add up."""

    store_id: str
    subject: str
    message: str
