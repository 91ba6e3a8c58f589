"""The one `Store`: every surface (library, command line, MCP, HTTP) goes through it.

Stores are named by id or name, memories by id or path. A `Store` acts for the owner;
`acting_as(principal)` gives a view whose every call is checked against the attachments.
"""

import builtins
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from reverie.clock import Clock, system_clock
from reverie.config import Store as Limits
from reverie.db.database import Database
from reverie.db.opening import open_database
from reverie.errors import InvalidInput, ReverieError
from reverie.store import access as _access
from reverie.store import catalog, chain, listing, memories, versions
from reverie.store import search as searching
from reverie.store.context import Context, NewId, Redact, random_id, unchanged
from reverie.store.model import (
    Access,
    Actor,
    Attachment,
    Author,
    Entry,
    Hit,
    Made,
    Memory,
    Operation,
    Page,
    Prefix,
    Principal,
    Problem,
    StoreInfo,
    Version,
)
from reverie.store.rows import TABLES_WITH_TEXT
from reverie.store.seals import Sealer
from reverie.store.writing import Expected

if TYPE_CHECKING:
    from reverie.store.causes import Cause, Kind
    from reverie.store.copying import Copied


class Store:
    """Versioned trees of memories in one database, as one asker sees them."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @classmethod
    def open(
        cls,
        url: str,
        *,
        clock: Clock = system_clock,
        limits: Limits | None = None,
        new_id: NewId = random_id,
        create: bool = True,
        sealer: Sealer | None = None,
        redact: Redact = unchanged,
    ) -> "Store":
        """Open a database and bring it to the newest schema.

        Raises:
            ConfigError: not a database URL.
            Unavailable: no answer, no driver, or written by a newer Reverie.
            StoreDamaged: the file is not, or no longer, a database.
        """
        limits = limits or Limits()
        database = open_database(url, busy_timeout_ms=limits.busy_timeout_ms, create=create)
        context = Context(database, clock, limits, new_id, sealer=sealer, redact=redact)
        try:
            context.migrate()
        except ReverieError:
            database.close()
            raise
        return cls(context)

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._context.database.close()

    @property
    def database(self) -> Database:
        return self._context.database

    @property
    def context(self) -> Context:
        return self._context

    def acting_as(self, *principals: Principal) -> "Store":
        """This store as a project, an agent or a key sees it; of several the strictest decides."""
        if not principals:
            raise InvalidInput("acting as nobody would be acting as the owner")
        for principal in principals:
            _access.check_principal(principal)
        return Store(self._context.acting_as((*self._context.principals, *principals)))

    # Stores

    def create_store(
        self, name: str, description: str = "", metadata: Mapping[str, str] | None = None
    ) -> StoreInfo:
        """A new store; names need not be unique."""
        return catalog.create(self._context, name, description, metadata or {}, ensure=False)

    def ensure_store(self, name: str, description: str = "") -> StoreInfo:
        """The live store of that name, made if there is none."""
        return catalog.create(self._context, name, description, {}, ensure=True)

    def stores(self, archived: bool = False) -> builtins.list[StoreInfo]:
        """All stores the asker may see, newest first."""
        found = _access.visible(self._context, self.database.query, archived=archived)
        return [one.info for one in found]

    def sequences(self) -> dict[str, int]:
        """How many versions each store has had: moves with every change."""
        return dict(self.database.query("SELECT id, sequence FROM stores"))

    def paths(self) -> builtins.list[str]:
        """The paths of all memories of live stores, whoever may see them."""
        rows = self.database.query(
            "SELECT path FROM memories JOIN stores ON stores.id = memories.store_id"
            " WHERE stores.archived_at IS NULL"
        )
        return [path for (path,) in rows]

    def any_memory(self) -> bool:
        """Whether any store holds a memory."""
        return bool(self.database.query("SELECT 1 FROM memories LIMIT 1"))

    def heads(self) -> set[str]:
        """The ids of the versions that are in force."""
        return {head for (head,) in self.database.query("SELECT version_id FROM memories")}

    def find_store(self, ref: str) -> StoreInfo:
        """The store of that id or name; raises NotFound or Ambiguous."""
        return _access.readable(self._context, self.database.query, ref).info

    def resolve_store(self, ref: str) -> StoreInfo:
        """As `find_store`, also by a unique beginning of a name, and archived ones."""
        return catalog.resolve(self._context, ref)

    def update_store(
        self,
        ref: str,
        *,
        name: str | None = None,
        description: str | None = None,
        metadata: Mapping[str, str | None] | None = None,
    ) -> StoreInfo:
        """Change what is given; a metadata value of `None` removes its key."""
        return catalog.update(self._context, ref, name, description, metadata)

    def archive_store(self, ref: str) -> StoreInfo:
        """Close a store to changes, for good; reading, deleting and redacting stay allowed."""
        return catalog.archive(self._context, ref)

    def delete_store(self, ref: str) -> StoreInfo:
        """Remove a store with everything in it, history too; returns what it was.

        The rows are overwritten; words may stay in the full-text index until `scrub`.
        """
        return catalog.delete(self._context, ref)

    # Memories

    def get(self, store: str, memory: str) -> Memory:
        """The memory of that id or path; raises NotFound."""
        return memories.get(self._context, store, memory)

    def create(self, store: str, path: str, content: str, by: Author) -> Memory:
        """A new memory; raises PathTaken rather than overwrite."""
        return memories.create(self._context, store, path, content, by)

    def update(
        self,
        store: str,
        memory: str,
        *,
        content: str | None = None,
        path: str | None = None,
        if_sha256: str | None = None,
        if_version: int | None = None,
        by: Author,
    ) -> Memory:
        """Change content, path or both, if the memory still is what the writer saw.

        What already is as requested is returned as it is, precondition or not, so a lost answer
        may simply be retried. `if_sha256` passes again when the content came back (ABA);
        `if_version` does not.

        Raises:
            PreconditionFailed: somebody else was first.
            PathTaken: the new path overlaps another memory.
        """
        expected = Expected(if_sha256, if_version)
        return memories.update(self._context, store, memory, content, path, expected, by)

    def put(
        self, store: str, path: str, content: str, by: Author, if_sha256: str | None = None
    ) -> Memory:
        """Create the memory at `path`, or make it say `content`."""
        return memories.put(self._context, store, path, content, Expected(if_sha256), by)

    def delete(
        self,
        store: str,
        memory: str,
        *,
        if_sha256: str | None = None,
        if_version: int | None = None,
        by: Author,
    ) -> None:
        """Take a memory out; its history stays."""
        memories.delete(self._context, store, memory, Expected(if_sha256, if_version), by)

    def refuse_protected(self, memory: Memory) -> None:
        """Raise Refused if whoever asks may not change what a person said or pinned."""
        _access.refuse_protected(self._context, memory)

    def list(
        self,
        store: str,
        prefix: str = "/",
        depth: int | None = None,
        limit: int = listing.DEFAULT_LIMIT,
        page: str | None = None,
    ) -> Page[Memory | Prefix]:
        """One page of memories in byte order of their paths; depth 1 folds what lies deeper."""
        return listing.memories(self._context, store, prefix, depth, limit, page)

    def walk(self, store: str, prefix: str = "/") -> Iterator[Memory]:
        """Every memory, in path order."""
        return listing.walk(self._context, store, prefix)

    def manifest(self, store: str) -> builtins.list[Entry]:
        """Path, hash and version of every memory, without its text."""
        return listing.manifest(self._context, store)

    def search(
        self, query: str, stores: Sequence[str] | None = None, limit: int = 20
    ) -> builtins.list[Hit]:
        """The best memories for any query string, in the given stores or all live ones."""
        return searching.search(self._context, query, stores, limit)

    # History

    def versions(
        self,
        store: str,
        memory: str | None = None,
        *,
        operation: Operation | None = None,
        actor: Actor | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = listing.DEFAULT_LIMIT,
        page: str | None = None,
    ) -> Page[Version]:
        """Versions newest first; `memory` is an id, also of a deleted one, or a path."""
        return versions.history(
            self._context,
            store,
            memory,
            operation=operation,
            actor=actor,
            since=since,
            until=until,
            limit=limit,
            page=page,
        )

    def version(self, version_id: str) -> Version:
        """One version; raises NotFound."""
        return versions.get(self._context, version_id)

    def last_causes(self, store: str, sha256: str) -> "builtins.list[Cause]":
        """What last changed each memory that had this content in some version."""
        return versions.last_causes(self._context, store, sha256)

    def made_by(self, kind: "Kind") -> builtins.list[Made]:
        """The versions of that cause, of memories that are still there, oldest first."""
        return versions.made_by(self._context, kind)

    def restore(self, store: str, memory: str, version_id: str, by: Author) -> Memory:
        """Write an old version's content as the newest; brings a deleted memory back."""
        return memories.restore(self._context, store, memory, version_id, by)

    def redact(self, version_id: str, by: Author) -> Version:
        """Take the content out of a version and out of every byte of the database's files."""
        return versions.redact(self._context, version_id, by)

    def redact_history(self, store: str, memory_id: str, by: Author) -> int:
        """Redact all versions of a memory but its head; words stay in free pages until `scrub`."""
        return versions.redact_history(self._context, store, memory_id, by)

    def prune(self, store: str, before: str, by: Author) -> int:
        """Delete versions older than `before` (ISO) that no memory needs; how many went."""
        return versions.prune(self._context, store, before, by)

    # Access

    def attach(self, store: str, principal: Principal, access: Access) -> Attachment:
        """Let a project, agent or key use a store."""
        return _access.attach(self._context, store, principal, access)

    def detach(self, store: str, principal: Principal) -> None:
        """Take a store away from a project, agent or key."""
        _access.detach(self._context, store, principal)

    def attachments(
        self, store: str | None = None, principal: Principal | None = None
    ) -> builtins.list[Attachment]:
        """What is attached to whom."""
        return _access.attachments(self._context, store, principal)

    def introduce(self, project: str, names: tuple[str, ...]) -> None:
        """Attach the stores of these names to a project, each once; a detach is respected."""
        _access.introduce(self._context, project, names)

    # Proof

    def verify(self, store: str | None = None) -> builtins.list[Problem]:
        """Recompute every hash, link and head; empty when all adds up."""
        ref = self.find_store(store).id if store is not None else None
        if ref is None:
            _access.owner_only(self._context, "verify all stores")
        return chain.verify(self._context, ref)

    def scrub(self) -> None:
        """Overwrite what deleted text left in indexes, log and free pages; `redact` does it too.

        Raises:
            Busy: a reader kept old pages alive; repeat it.
        """
        _access.owner_only(self._context, "scrub the database")
        self.database.scrub(TABLES_WITH_TEXT)

    def backup(self, file: str) -> int:
        """Write everything to a new SQLite file; how many versions it holds."""
        from reverie.store import backup

        return backup.create(self._context, file)

    def restore_backup(self, file: str, *, replace: bool = False) -> str | None:
        """Bring a backup back; the file that keeps what was there before, if anything was."""
        from reverie.store import backup

        return backup.restore(self._context, file, replace=replace)

    def copy_to(self, target: "Store", stores: Sequence[str] | None = None) -> "Copied":
        """Copy stores to another database with ids, hashes and history; all if none are named."""
        from reverie.store import copying

        if stores is None and copying.is_empty(target.context):
            return copying.copy_everything(self._context, target.context)
        return copying.copy_stores(self._context, target.context, stores)
