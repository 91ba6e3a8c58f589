"""One project as the person or agent working in it sees it; databases are opened on first use."""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reverie.clock import Clock, system_clock
from reverie.config import Config
from reverie.errors import NotFound, ReadOnly, ReverieError

if TYPE_CHECKING:
    from reverie.db.database import Database
    from reverie.recall.ledger import Asker, Ledger
    from reverie.recall.recall import Recall, Request
    from reverie.recall.terms import TermCounts
    from reverie.sessions.projects import ProjectId
    from reverie.sessions.registry import Projects
    from reverie.store.store import Store

GLOBAL = "global"


class StoreName(NamedTuple):
    """A store of this project."""

    name: str
    id: str


# No rule for secrets fits plain words and small numbers, and loading the rules takes longer than
# a whole recall; anything else goes through them.
_TELLING = re.compile(r"[^\W\d_]{25}|\d{5}|\d[^\W\d_]|[^\W\d_]\d|_|[^\w \t\n.,?!'()/-]")


class Workspace:
    """What recall, the MCP server and hooks work with.

    With `agent` every access is made as the project (and that agent), checked by the store;
    without, as the owner, who may look into any store.
    """

    def __init__(
        self,
        config: Config,
        *,
        cwd: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        clock: Clock = system_clock,
    ) -> None:
        self.config = config
        self.clock = clock
        self._cwd = os.getcwd() if cwd is None else cwd
        self._named = project
        self._agent = agent

    def close(self) -> None:
        """Close the databases that were opened."""
        opened = vars(self)
        if "index" in opened:
            self.index.close()
        if "database" in opened:
            self.database.close()

    @cached_property
    def home(self) -> Path:
        self.config.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.config.home

    @cached_property
    def projects(self) -> "Projects":
        from reverie.sessions.registry import Projects

        return Projects.open(self.config.home / "projects.json")

    @cached_property
    def project(self) -> "ProjectId":
        """The named project, else the one of the working directory."""
        from reverie.sessions.projects import ProjectId

        if self._named is not None:
            found = self.projects.find(self._named)
            here = self.projects.at(self._cwd)
            inside = here is not None and here.slug == found.slug
            return ProjectId(found.slug, here.root if here and inside else "")
        return self.projects.at(self._cwd) or self.projects.identify(self._cwd)

    @property
    def known(self) -> bool:
        """Whether the project was named, or a session ran or something was kept in it."""
        from reverie.sessions.registry import Projects

        # Read afresh: the one in memory may have been told of this directory only now.
        saved = Projects.open(self.config.home / "projects.json")
        return self._named is not None or saved.at(self._cwd) is not None

    @cached_property
    def index(self) -> "Database":
        from reverie.sessions.schema import open_tables

        _ = self.home
        return open_tables(
            self.config.index_url,
            clock=self.clock,
            first=lambda: self.config.has_memories and self.database,
        )

    @property
    def sessions_read(self) -> bool:
        """Whether the index holds a session."""
        return bool(self.index.query("SELECT 1 FROM sessions LIMIT 1"))

    @cached_property
    def database(self) -> "Database":
        """The truth, at its newest schema. A recall reads it without the rest of the store."""
        from reverie.db.migrations import migrate
        from reverie.db.opening import open_database

        _ = self.home
        timeout = self.config.settings.store.busy_timeout_ms
        database = open_database(self.config.truth, busy_timeout_ms=timeout)
        try:
            migrate(database, self.clock)
        except ReverieError:
            database.close()
            raise
        return database

    @cached_property
    def owner(self) -> "Store":
        """The store with the owner's rights."""
        from reverie.store.context import Context
        from reverie.store.store import Store

        return Store(Context(self.database, self.clock, self.config.settings.store))

    @cached_property
    def store(self) -> "Store":
        """The store as whoever asks may use it."""
        if self._agent is None:
            return self.owner
        from reverie.store.model import Principal

        principals = [Principal("project", self.project.slug)]
        if self._agent:
            principals.append(Principal("agent", self._agent))
        self._introduce()
        return self.owner.acting_as(*principals)

    def _introduce(self) -> None:
        """Attach the project's own store and `global` once; a later detach is respected."""
        from reverie.store.model import Principal

        slug = self.project.slug
        known = {
            row[0]
            for row in self.database.query(
                "SELECT store_id FROM introductions WHERE project = ?", (slug,)
            )
        }
        for info in self.owner.stores():
            if info.name in (slug, GLOBAL) and info.id not in known:
                attached = self.owner.attachments(info.id, Principal("project", slug))
                with self.database.atomic() as tx:
                    tx.execute(
                        "INSERT INTO introductions (project, store_id) VALUES (?, ?)"
                        " ON CONFLICT (project, store_id) DO NOTHING",
                        (slug, info.id),
                    )
                    if not attached:
                        self.owner.attach(info.id, Principal("project", slug), "read_write")

    def stores(self) -> list[StoreName]:
        """The stores of this project: its own, `global`, and what is attached to it; by name."""
        if self._agent is not None:
            self._introduce()
            found = [StoreName(info.name, info.id) for info in self.store.stores()]
            return sorted(found)
        slug = self.project.slug
        rows = self.database.query(
            "SELECT name, id FROM stores WHERE archived_at IS NULL AND (name IN (?, ?)"
            " OR id IN (SELECT store_id FROM attachments WHERE kind = 'project' AND principal = ?))"
            " ORDER BY name, id",
            (slug, GLOBAL, slug),
        )
        return [StoreName(*row) for row in rows]

    def find_store(self, name: str) -> StoreName:
        """One of `stores()` by its name; others do not exist here."""
        for info in self.stores():
            if info.name == name:
                return info
        raise NotFound(f"there is no store {name!r} in this project")

    def make_store(self, name: str) -> StoreName:
        """The project's own store or `global`, made on the first write."""
        try:
            return self.find_store(name)
        except NotFound:
            if name not in (self.project.slug, GLOBAL) or any(
                info.name == name for info in self.owner.stores()
            ):
                raise
        self._remember_project()
        self.owner.ensure_store(name)
        return self.find_store(name)

    def _remember_project(self) -> None:
        """A project that gets its first memory keeps its slug; saved under the index's lock."""
        from reverie.sessions.schema import note_write

        with self.index.atomic() as tx:
            tx.lock("index")
            self.projects.refresh()
            if self._named is None:
                self.projects.identify(self._cwd)
            self.projects.save()
            note_write(tx)

    @cached_property
    def redact(self) -> Callable[[str], str]:
        """Takes secrets out; plain words pass without loading the rules."""

        def careful(text: str) -> str:
            return self._redactor(text) if _TELLING.search(text) else text

        return careful

    @cached_property
    def _redactor(self) -> Callable[[str], str]:
        from reverie.privacy import redactor_for

        return redactor_for(self.home, self.config.settings.privacy).redact

    @cached_property
    def _counts(self) -> "TermCounts":
        from reverie.recall.terms import TermCounts

        return TermCounts()

    @cached_property
    def ledger(self) -> "Ledger":
        from reverie.recall.ledger import Ledger

        audit = self.home / "audit.jsonl"
        return Ledger(self.database, audit, self.clock, self.redact)

    def look_at_mounts(self) -> None:
        """Take over what was edited in folders that show a store; one query when there are none.

        What it could not take over is said by the next command a person runs.
        """
        if self.database.query("SELECT 1 FROM mounts LIMIT 1"):
            from reverie.mounts.sync import sync_mounts

            sync_mounts(self.owner, redact=self.redact)

    def recall(self, request: "Request", asker: "Asker") -> "Recall":
        """Answer a request within this project, and enter it in the ledger."""
        from reverie.recall.recall import Sources, recall

        self.look_at_mounts()
        scoped = request._replace(
            project=self.project.slug,
            root=self.project.root if os.path.isdir(self.project.root) else "",
            stores=tuple(info.id for info in self.stores()),
        )
        settings = self.config.settings
        sources = Sources(self.database, self.index, settings, self.clock, self._counts)
        result = recall(scoped, sources)
        # On a read-only disk an answer that cannot be entered is still an answer.
        with suppress(ReadOnly):
            self.ledger.record(scoped, result, asker)
        return result
