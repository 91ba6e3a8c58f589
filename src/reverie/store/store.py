"""The one `Store`: every surface (library, command line, MCP, HTTP) goes through it.

Stores are named by id or name, memories by id or path. A `Store` acts for the owner;
`acting_as(principal)` gives a view whose every call is checked against the attachments.
"""

import builtins
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from reverie.clock import Clock, system_clock
from reverie.db.database import Database
from reverie.db.opening import open_database
from reverie.errors import InvalidInput, ReverieError
from reverie.sealing import Sealer
from reverie.settings import Store as Limits
from reverie.store import access, catalog, chain, listing, memories, search
from reverie.store import versions as history
from reverie.store.context import Context, NewId, Redact, random_id, unchanged
from reverie.store.model import Principal, Problem, StoreInfo
from reverie.store.rows import TABLES_WITH_TEXT

if TYPE_CHECKING:
    from reverie.store.backup import Restored
    from reverie.store.copying import Copied

Params = ParamSpec("Params")
Result = TypeVar("Result")


def _deed(
    function: Callable[Concatenate[Context, Params], Result],
) -> "Callable[Concatenate[Store, Params], Result]":
    """What a module of this package does in a context, as a method."""

    @wraps(function)
    def method(store: "Store", /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        return function(store.context, *args, **kwargs)

    return method


class Store:
    """Versioned trees of memories in one database, as one asker sees them."""

    def __init__(self, context: Context) -> None:
        self.context = context

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
        database.sealer = sealer
        context = Context(database, clock, limits, new_id, sealer=sealer, redact=redact)
        try:
            context.migrate()
        except ReverieError:
            database.close()
            raise
        return cls(context)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.database.close()

    @property
    def database(self) -> Database:
        return self.context.database

    def acting_as(self, *principals: Principal) -> "Store":
        """This store as a project, an agent or a key sees it; of several the strictest decides."""
        if not principals:
            raise InvalidInput("acting as nobody would be acting as the owner")
        for principal in principals:
            access.check_principal(principal)
        return Store(self.context.acting_as((*self.context.principals, *principals)))

    # Stores

    create_store = _deed(catalog.create)
    resolve_store = _deed(catalog.resolve)
    update_store = _deed(catalog.update)
    archive_store = _deed(catalog.archive)
    delete_store = _deed(catalog.delete)
    page_of_stores = _deed(catalog.page_of)

    def ensure_store(self, name: str, description: str = "") -> StoreInfo:
        """The live store of that name, made if there is none."""
        return catalog.create(self.context, name, description, ensure=True)

    def stores(self, archived: bool = False) -> builtins.list[StoreInfo]:
        """All stores the asker may see, newest first."""
        views = access.visible(self.context, self.database.query, archived=archived)
        return [view.info for view in views]

    def find_store(self, ref: str) -> StoreInfo:
        """The store of that id or name; raises NotFound or Ambiguous."""
        return access.readable(self.context, self.database.query, ref).info

    def sequences(self) -> dict[str, int]:
        """How many versions each store has had: moves with every change."""
        return dict(self.database.query("SELECT id, sequence FROM stores"))

    # Memories

    get = _deed(memories.get)
    create = _deed(memories.create)
    update = _deed(memories.update)
    put = _deed(memories.put)
    delete = _deed(memories.delete)
    restore = _deed(memories.restore)
    refuse_protected = _deed(access.refuse_protected)
    refuse_read_only = _deed(access.refuse_read_only)
    list = _deed(listing.memories)
    entries = _deed(listing.entries)
    walk = _deed(listing.walk)
    manifest = _deed(listing.manifest)
    search = _deed(search.search)

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

    # History

    versions = _deed(history.history)
    version = _deed(history.get)
    last_causes = _deed(history.last_causes)
    made_by = _deed(history.made_by)
    redact = _deed(history.redact)
    redact_history = _deed(history.redact_history)
    prune = _deed(history.prune)

    # Access

    attach = _deed(access.attach)
    detach = _deed(access.detach)
    attachments = _deed(access.attachments)
    introduce = _deed(access.introduce)

    # Proof

    def verify(self, store: str | None = None) -> builtins.list[Problem]:
        """Recompute every hash, link and head; empty when all adds up."""
        ref = self.find_store(store).id if store is not None else None
        if ref is None:
            access.owner_only(self.context, "verify all stores")
        return chain.verify(self.context, ref)

    def strangers(self) -> builtins.list[StoreInfo]:
        """The stores with anything that another home sealed, though none shares the database."""
        from reverie.store.seals import strangers

        with self.database.snapshot() as tx:
            return [self.find_store(identity) for identity in strangers(tx, self.context.sealer)]

    def adopt(self, store: str, *, mine: bool = False) -> StoreInfo:
        """Make a store of another home this one's: with an agent's trust, unless it is `mine`."""
        from reverie.store import copying

        return copying.adopt_here(self.context, store, mine=mine)

    def scrub(self) -> None:
        """Overwrite what deleted text left in indexes, log and free pages; `redact` does it too.

        Raises:
            Busy: a reader kept old pages alive; repeat it.
        """
        access.owner_only(self.context, "scrub the database")
        self.database.scrub(TABLES_WITH_TEXT)

    def backup(self, file: str) -> int:
        """Write everything to a new SQLite file; how many versions it holds."""
        from reverie.store import backup

        return backup.create(self.context, file)

    def held_by(self, file: str) -> int:
        """How many versions a backup holds."""
        from reverie.store import backup

        return backup.held_by(file)

    def restore_backup(self, file: str, *, replace: bool = False, mine: bool = False) -> "Restored":
        """Bring a backup back; what another home made with less trust, unless it is `mine`."""
        from reverie.store import backup

        return backup.restore(self.context, file, replace=replace, mine=mine)

    def copy_to(
        self, target: "Store", stores: Sequence[str] | None = None, *, mine: bool = False
    ) -> "Copied":
        """Copy stores to another database with ids, hashes and history; all if none are named.

        What another home made arrives with less trust, unless it is `mine`.
        """
        from reverie.store import copying

        old, new = self.context, target.context
        if stores is None and copying.is_empty(new):
            with old.database.snapshot() as there, new.database.snapshot() as here:
                known = mine or not copying.foreign(there, here, new)
            if known:
                return copying.copy_everything(old, new)
        return copying.copy_stores(old, new, stores, mine=mine)
