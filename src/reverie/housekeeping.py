"""Housekeeping: memories by name, stores, sessions and projects, and how things stand.

A part of the front door: `Memory` inherits it, and is split for its length alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.home import Home

if TYPE_CHECKING:
    from datetime import date

    from reverie.imports.run import Imported, Undone
    from reverie.imports.write_back import WrittenBack
    from reverie.mounts.sync import Report
    from reverie.mounts.table import Mount
    from reverie.mounts.transfer import Exported, Loaded
    from reverie.operations.checking import Check, Finding
    from reverie.operations.editing import Settle
    from reverie.operations.figures import Costs, Engine, Helped
    from reverie.operations.history import Difference
    from reverie.operations.keeping import Tell
    from reverie.operations.learning import Waiting
    from reverie.operations.memories import Reasons, Renamed, Use
    from reverie.operations.projects import Merged, ProjectView, Reindexed, Worked
    from reverie.operations.sessions import Dropped, KeptLogs, PendingDay, Stretch, Transcript
    from reverie.operations.status import Status
    from reverie.operations.stores import Mounted, Unmounted
    from reverie.operations.transfer import Made, Page, Took
    from reverie.sessions.index import IndexReport, Progress
    from reverie.sessions.query import SessionRow, TurnHit
    from reverie.sessions.registry import Project
    from reverie.store.copying import Copied
    from reverie.store.library import Item
    from reverie.store.model import StoreInfo, Version


class Housekeeping(Home):
    """What is done with what is there already."""

    # --- memories, by name --------------------------------------------------------------------

    def memories(
        self,
        *,
        types: Sequence[str] = (),
        kinds: Sequence[str] = (),
        scope: str | None = None,
        store: str | None = None,
        everywhere: bool = False,
        pinned: bool = False,
        archived: bool = False,
    ) -> "list[Item]":
        """The memories of the project and the shared ones, of one store, or of every store."""
        from reverie.operations import memories

        return memories.memories(
            self,
            types=types,
            kinds=kinds,
            scope=scope,
            store=store,
            everywhere=everywhere,
            pinned=pinned,
            archived=archived,
        )

    def memories_elsewhere(self) -> int:
        """How many memories the stores hold that are not looked into from here."""
        from reverie.operations import memories

        return memories.elsewhere(self)

    def outdated(self, items: "Sequence[Item]") -> dict[str, tuple[str, ...]]:
        """Memory id → what it names that changed or is gone, for the project's own of `items`."""
        from reverie.operations import memories

        return memories.outdated(self, items)

    def why(self, name: str) -> "Reasons":
        """Where a memory comes from: the words it rests on, its versions, when it was recalled."""
        from reverie.operations import memories

        return memories.why(self, name)

    def judge(self, name: str, use: "Use") -> "Item":
        """Count in a memory that it was helpful or harmful: recall ranks by it."""
        from reverie.operations import memories

        return memories.judge(self, name, use)

    def edit(
        self, item: "Item", text: str, *, why: str = "", settle: "Settle | None" = None
    ) -> "Item":
        """Keep `text` as what `item` says; a change made meanwhile is merged, never overwritten."""
        from reverie.operations import editing

        return editing.edit(self, item, text, why=why, settle=settle or editing.as_merged)

    def rename(self, name: str, new_name: str) -> "Renamed":
        """Give a memory another name; its history stays with it."""
        from reverie.operations import memories

        return memories.rename(self, name, new_name)

    def forget(self, name: str, why: str = "") -> "Item":
        """Move a memory to the archive; `restore` brings it back."""
        from reverie.operations import memories

        return memories.forget(self, name, why)

    def pin(self, name: str, why: str = "") -> "Item":
        """Protect a memory from decay and list it first."""
        from reverie.operations import memories

        return memories.pin(self, name, why)

    def unpin(self, name: str, why: str = "") -> "Item":
        """Let a memory age again."""
        from reverie.operations import memories

        return memories.unpin(self, name, why)

    def versions(self, name: str | None = None, limit: int = 50) -> "list[Version]":
        """Versions of a memory or a store, newest first; else of the project's and `global`."""
        from reverie.operations import history

        return history.versions(self, name, limit)

    def compare(self, name: str, old: str | None = None, new: str | None = None) -> "Difference":
        """What changed between two versions of a memory; without any, the last change."""
        from reverie.operations import history

        return history.compare(self, name, old, new)

    def restore(self, name: str, version: str | None = None, why: str = "") -> "Item":
        """Bring an old version back as the newest, or a memory out of the archive."""
        from reverie.operations import history

        return history.restore(self, name, version, why)

    def find_version(self, reference: str) -> "Version":
        """A version by its id, or by NAME@NUMBER."""
        from reverie.operations import history

        return history.find_version(self, reference)

    def redact_version(self, reference: str, why: str = "") -> "Version":
        """Take the text out of one old version, for good."""
        from reverie.operations import history

        return history.redact_version(self, reference, why)

    # --- stores -------------------------------------------------------------------------------

    def create_store(
        self, name: str, description: str = "", metadata: Mapping[str, str] | None = None
    ) -> "StoreInfo":
        """Make a new, empty store."""
        from reverie.operations import stores

        return stores.create_store(self, name, description, metadata)

    def delete_store(self, ref: str) -> "StoreInfo":
        """Delete a store with all its memories and history, for good."""
        from reverie.operations import stores

        return stores.delete_store(self, ref)

    def copy_stores(self, source: str, target: str, names: Sequence[str] = ()) -> "Copied":
        """Copy stores between databases (URL, file, or `here`) with ids, hashes and history."""
        from reverie.operations import stores

        return stores.copy_stores(self, source, target, names)

    def back_up(self, file: str) -> int:
        """Write a verified backup of all stores to a new file; how many versions it holds."""
        from reverie.operations import stores

        return stores.back_up(self, file)

    def restore_backup(self, file: str, *, replace: bool = False) -> str | None:
        """Bring a backup back; where what was there before is, if anything was."""
        from reverie.operations import stores

        return stores.restore_backup(self, file, replace=replace)

    def mount(self, store: str, folder: str, *, read_only: bool = False) -> "Mounted":
        """Show a store as the files of a folder, which must be new or empty."""
        from reverie.operations import stores

        return stores.mount(self, store, folder, read_only=read_only)

    def mounts(self) -> "list[tuple[str, Mount]]":
        """The folders that show a store, each with the name of the store."""
        from reverie.operations import stores

        return stores.mounts(self)

    def sync_mounts(
        self, folder: str | None = None, *, mine: bool = False, tell: "Tell | None" = None
    ) -> "list[Report]":
        """Bring one mounted folder, or all, and their stores together."""
        from reverie.operations import stores
        from reverie.operations.keeping import unheard

        return stores.sync_mounts(self, folder, mine=mine, tell=tell or unheard)

    def unmount(
        self, folder: str, *, delete: bool = False, tell: "Tell | None" = None
    ) -> "Unmounted":
        """End a mount after one last sync; the files stay unless they shall go."""
        from reverie.operations import stores
        from reverie.operations.keeping import unheard

        return stores.unmount(self, folder, delete=delete, tell=tell or unheard)

    def import_memories(
        self,
        source: str | Path | None = None,
        *,
        kind: str | None = None,
        store: str | None = None,
        dry_run: bool = False,
        made: "Made | None" = None,
        took: "Took | None" = None,
    ) -> "list[Imported] | Loaded":
        """Take over the memories at `source`, or without one those of Claude Code."""
        from reverie.operations import transfer

        return transfer.import_memories(
            self,
            source,
            kind=kind,
            store=store,
            dry_run=dry_run,
            made=made or transfer.unmade,
            took=took or transfer.untold,
        )

    def undo_import(self, source: str | Path | None = None) -> "Undone":
        """Take the last import back, of one source or of any."""
        from reverie.operations import transfer

        return transfer.undo_import(self, source)

    def export(self, target: str | Path, stores: Sequence[str] = ()) -> "Exported":
        """Write stores with their history to a new folder or `.tar.gz` archive."""
        from reverie.operations import transfer

        return transfer.export(self, Path(target), stores)

    def export_to_claude_code(self, folder: str | Path, scope: str | None = None) -> "WrittenBack":
        """Add what is missing to Claude Code's memory folder; change nothing there."""
        from reverie.operations import transfer

        return transfer.export_to_claude_code(self, Path(folder), scope)

    def long_term(self, scope: str | None = None) -> "Page":
        """The long-term memory of a scope as one Markdown page."""
        from reverie.operations import transfer

        return transfer.long_term(self, scope)

    # --- sessions -----------------------------------------------------------------------------

    def read(
        self, logs: str | Path | None = None, *, progress: "Progress | None" = None
    ) -> "IndexReport":
        """Bring the index up to date; what is unchanged is not opened, and nothing is learned."""
        from reverie.operations import learning

        folder = None if logs is None else Path(logs)
        return learning.read(self, folder, progress=progress or learning.unseen)

    def sessions(
        self,
        *,
        agent: str | None = None,
        project: str | None = None,
        since: str | None = None,
        until: str | None = None,
        subagents: bool = False,
    ) -> "list[SessionRow]":
        """Sessions, the newest first; `since` is inclusive, `until` exclusive, both ISO."""
        from reverie.operations import sessions

        return sessions.sessions(
            self, agent=agent, project=project, since=since, until=until, subagents=subagents
        )

    def transcript(
        self, session: str, *, human: bool = False, line: int = 0, limit: int | None = None
    ) -> "Transcript":
        """One session by its id or the beginning of it, from a line of its log on."""
        from reverie.operations import sessions

        return sessions.transcript(self, session, human=human, line=line, limit=limit)

    def trajectory(self, session: str, logs: Path | None = None) -> dict[str, Any]:
        """A session out of its log as an ATIF trajectory, whole but redacted."""
        from reverie.operations import sessions

        return sessions.trajectory(self, session, logs)

    def search_turns(
        self,
        words: str,
        *,
        agent: str | None = None,
        project: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = 20,
    ) -> "list[TurnHit]":
        """Turns that hold all words, best first."""
        from reverie.operations import sessions

        return sessions.search(
            self, words, agent=agent, project=project, since=since, until=until, limit=limit
        )

    def pending(self, project: str | None = None) -> "list[PendingDay]":
        """The days with sessions that were not processed yet (UTC)."""
        from reverie.operations import sessions

        return sessions.pending(self, project)

    def extract(
        self, day: "date | None" = None, *, everything: bool = False, project: str | None = None
    ) -> "list[Stretch]":
        """What was said on a day, or on all pending days; with `everything` on processed ones."""
        from reverie.operations import sessions

        return sessions.extract(self, day, everything=everything, project=project)

    def mark_extracted(self, stretches: "Iterable[Stretch]") -> int:
        """Mark what was extracted as processed; how many were not before."""
        from reverie.operations import sessions

        return sessions.mark_extracted(self, stretches)

    def keep_logs(
        self,
        logs: Path | None = None,
        *,
        everything: bool = False,
        older_than: int | None = None,
        dry_run: bool = False,
        progress: "Progress | None" = None,
    ) -> "KeptLogs":
        """Copy logs, redacted and compressed, before the agent deletes them."""
        from reverie.operations import learning, sessions

        return sessions.keep_logs(
            self,
            logs,
            everything=everything,
            older_than=older_than,
            dry_run=dry_run,
            progress=progress or learning.unseen,
        )

    def drop(self, targets: "Sequence[date | str]" = (), *, processed: bool = False) -> "Dropped":
        """Mark days or sessions as processed and delete their kept copies."""
        from reverie.operations import sessions

        return sessions.drop(self, targets, processed=processed)

    def worked(self) -> "list[Worked]":
        """Every project with a session, and when somebody worked in it."""
        from reverie.operations import projects

        return projects.worked(self)

    def show_project(self, project: str, days: int = 7) -> "ProjectView":
        """One project by path, name or slug, and its last worked days."""
        from reverie.operations import projects

        return projects.show_project(self, project, days)

    def rename_project(self, project: str, name: str) -> "Project":
        """Show a project under another name; its slug and its memories stay."""
        from reverie.operations import projects

        return projects.rename_project(self, project, name)

    def agree_to_project(
        self, folder: str | None = None, waiting: "Waiting | None" = None
    ) -> "Project":
        """A folder is the project its remote names: a second clone, a checkout that was moved."""
        from reverie.operations import learning, projects

        where = folder or self.folder
        return projects.agree_to_project(self, where, waiting or learning.unheard)

    def merge_projects(self, project: str, into: str, waiting: "Waiting | None" = None) -> "Merged":
        """Make a project part of another, with its sessions and all it was taught."""
        from reverie.operations import learning, projects

        return projects.merge_projects(self, project, into, waiting or learning.unheard)

    def reindex(
        self,
        logs: Path | None = None,
        *,
        waiting: "Waiting | None" = None,
        progress: "Progress | None" = None,
        set_aside: Callable[[str], None] | None = None,
    ) -> "Reindexed":
        """Read every log and kept copy again and rebuild the index from them."""
        from reverie.operations import learning, projects

        return projects.reindex(
            self,
            logs,
            waiting=waiting or learning.unheard,
            progress=progress or learning.unseen,
            set_aside=set_aside or learning.unheard,
        )

    # --- the state of things ------------------------------------------------------------------

    def status(self, connected: Sequence[str] = ()) -> "Status":
        """What is known, what is pending, what to do next; `connected` names agents that ask."""
        from reverie.operations import status

        return status.status(self, connected)

    def check(self, more: "Sequence[Check]" = (), tell: "Tell | None" = None) -> "list[Finding]":
        """Check databases, files and logs, and what the caller knows `more` of."""
        from reverie.operations import checking
        from reverie.operations.keeping import unheard

        return checking.check(self, more, tell or unheard)

    def helped(
        self, *, project: str | None = None, agent: str | None = None, since: str = ""
    ) -> "Helped":
        """Corrections per 100 turns, repeated ones, and what was recalled before them."""
        from reverie.operations import figures

        return figures.helped(self, project=project, agent=agent, since=since)

    def engines(self) -> "list[Engine]":
        """Who can do the thinking, whether it is there, and what it costs."""
        from reverie.operations import figures

        return figures.engines(self)

    def costs(self, since: str = "") -> "Costs":
        """The receipts of runs that cost money, since a moment (ISO), and what is left."""
        from reverie.operations import figures

        return figures.costs(self, since)
