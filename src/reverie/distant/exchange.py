"""Bringing a store elsewhere and its copy here together.

Each memory has a base: what both sides last agreed on. A side that still has it takes what the
other has; where both moved, texts are merged by lines, or the server's keeps its place and the
other is kept beside it, here alone. Every write there compares first, and the base is written down
last: after a kill at any moment the next exchange finds out what was done.

What comes from a server has the trust of an agent. What a person said or pinned here stays as it
is, whatever the server says; its text goes there without what it claims of itself.
"""

from dataclasses import dataclass, field

from reverie.db.points import reached
from reverie.distant import table
from reverie.distant.server import DistantStore, There
from reverie.distant.table import Link, Pair
from reverie.documents.document import without_claims
from reverie.errors import (
    Conflict,
    InvalidInput,
    NotFound,
    PathTaken,
    PreconditionFailed,
    Refused,
)
from reverie.mounts.merge import merge
from reverie.mounts.reconcile import keep_beside
from reverie.store import roads
from reverie.store.access import protected
from reverie.store.heads import said_after, text_with_hash
from reverie.store.model import Actor, Author, Entry, Memory
from reverie.store.store import Store

CONFLICT = ".conflict-"  # in the path of what was kept beside; it stays here
_ROUNDS = 3  # looks at both sides, while others write


@dataclass(slots=True)
class Exchange:
    """What one exchange did, by paths."""

    store: str  # its name here
    pulled: list[str] = field(default_factory=list[str])
    pushed: list[str] = field(default_factory=list[str])
    beside: list[str] = field(default_factory=list[str])
    left: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])  # and why

    @property
    def changed(self) -> bool:
        return bool(self.pulled or self.pushed or self.beside)


def exchange(store: Store, link: Link, remote: DistantStore) -> Exchange:
    """Bring both sides together.

    Raises:
        RemoteAway: the server does not answer, or not to this key.
        NotFound: the store is not there any more, or not for this key.
    """
    report = Exchange(store.find_store(link.store_id).name)
    for _ in range(_ROUNDS):
        if not _Round(store, link, remote, report).run():
            break
    return report


class _Round:
    """One look at both sides; says whether a further one is due."""

    def __init__(self, store: Store, link: Link, remote: DistantStore, report: Exchange) -> None:
        self._store = store
        self._link = link
        self._remote = remote
        self._report = report
        self._again = False
        host = link.url.partition("://")[2]
        self._by = Author(Actor("agent", host), f"from {host}", "agent")

    def run(self) -> bool:
        self._report.left.clear()
        there = {memory.id: memory for memory in self._remote.listed()}
        here = {entry.id: entry for entry in self._store.manifest(self._link.store_id)}
        known = table.pairs(self._store.database, self._link.store_id)
        for pair in known:
            self._settle(pair, there.get(pair.remote_id), here.get(pair.memory_id))
        paired = {pair.remote_id for pair in known}
        for memory in there.values():
            if memory.id not in paired:
                self._arrive(memory)
        paired_here = {
            pair.memory_id for pair in table.pairs(self._store.database, self._link.store_id)
        }
        for entry in self._store.manifest(self._link.store_id):
            if entry.id not in paired_here and CONFLICT not in entry.path:
                self._leave(entry)
        return self._again

    @property
    def _writes(self) -> bool:
        return self._link.access == "read_write"

    def _settle(self, pair: Pair, there: There | None, here: Entry | None) -> None:
        moved_here = here is not None and (here.path, here.content_sha256) != pair[4:]
        if there is None:
            self._gone_there(pair, here, moved_here)
            return
        moved_there = there[1:] != pair[2:4]
        if here is None:
            self._gone_here(pair, there, moved_there)
        elif moved_here and moved_there:
            self._both(pair, there, here)
        elif moved_there:
            self._pull(there, here)
        elif moved_here and self._writes:
            self._push(pair)

    def _gone_there(self, pair: Pair, here: Entry | None, moved_here: bool) -> None:
        if here is None:
            self._part(pair)
        elif moved_here and self._writes:
            self._part(pair)
            self._leave(here)  # the edit is newer than the deletion
        elif pair.sha_there:
            memory = self._store.get(self._link.store_id, here.id)
            if protected(memory):
                self._agree(pair._replace(sha_there=""))
                return
            self._store.delete(
                memory.store_id, memory.id, if_sha256=here.content_sha256, by=self._by
            )
            self._part(pair)
            self._report.pulled.append(here.path)

    def _gone_here(self, pair: Pair, there: There, moved_there: bool) -> None:
        if self._writes and not moved_there:
            try:
                self._remote.delete(there)
            except PreconditionFailed:
                self._again = True
                return
            except (Refused, InvalidInput) as error:
                self._left(there.path, error)
            else:
                self._part(pair)
                self._report.pushed.append(pair.path_there)
                return
        self._part(pair)
        self._arrive(there)

    def _arrive(self, there: There) -> None:
        """A memory that is new here takes its place; whatever was there is kept beside."""
        try:
            seen, text = self._remote.content(there.id)
        except NotFound:
            self._again = True
            return
        target = self._link.store_id
        try:
            road = roads.MOUNTED
            memory = roads.enter(self._store, target, seen.path, text, self._by, road).here
        except PathTaken as taken:
            other = self._store.get(target, taken.conflicting_memory_id)
            if other.path != seen.path:
                self._report.left.append((seen.path, f"{other.path} is in its way"))
                return
            if self._was_here(other, seen, ""):
                return
            memory = self._replaced(other, text)
        self._agreed(seen, memory)
        self._report.pulled.append(seen.path)

    def _replaced(self, other: Memory, text: str) -> Memory:
        """The memory at a path after a stranger's text came for it."""
        if text in (other.content, _sent(other)):
            return other
        if protected(other):
            self._keep(other, text, self._by)
            return other
        self._keep(other, other.content, self._by._replace(trust=other.trust))
        return roads.change(self._store, other, text, self._by, roads.MOUNTED)

    def _pull(self, there: There, here: Entry) -> None:
        try:
            seen, text = self._remote.content(there.id)
        except NotFound:
            self._again = True
            return
        head = self._store.get(self._link.store_id, here.id)
        if protected(head):
            self._keep(head, text, self._by)
        else:
            try:
                path = seen.path if seen.path != head.path else None
                head = roads.change(self._store, head, text, self._by, roads.MOUNTED, path=path)
            except PreconditionFailed:
                self._again = True
                return
            except PathTaken as taken:
                self._report.left.append((seen.path, f"{taken.conflicting_path} is in its way"))
                return
        self._agreed(seen, head)
        self._report.pulled.append(seen.path)

    def _push(self, pair: Pair) -> None:
        head = self._store.get(self._link.store_id, pair.memory_id)
        text = _sent(head) if head.content_sha256 != pair.sha_here else None
        base = There(pair.remote_id, pair.path_there, pair.sha_there)
        try:
            seen = self._remote.update(base, head.path, text)
        except (PreconditionFailed, NotFound):
            self._again = True
            return
        except (Conflict, Refused, InvalidInput) as error:
            self._left(head.path, error)
            return
        reached("distant_pushed")
        self._agreed(seen, head)
        self._report.pushed.append(head.path)

    def _both(self, pair: Pair, there: There, here: Entry) -> None:
        """Both sides moved on: merged by lines, or the one here is kept beside."""
        try:
            seen, text = self._remote.content(there.id)
        except NotFound:
            self._again = True
            return
        head = self._store.get(self._link.store_id, here.id)
        if _sent(head) == text and head.path == seen.path:
            self._agreed(seen, head)
            return
        if self._was_here(head, seen, pair.sha_here):
            return
        start = text_with_hash(self._store.database, head.id, pair.sha_here)
        merged = merge(start, head.content, text) if start is not None else None
        if protected(head) or not self._writes or merged is None or not merged.clean:
            self._apart(seen, head, text)
            return
        by = self._by._replace(trust=head.trust, reason="merged with the server's")
        try:
            head = roads.change(self._store, head, merged.text, by, roads.MOUNTED)
        except PreconditionFailed:
            self._again = True
            return
        # As if it had been agreed on what the server has, and changed here since.
        self._push(pair._replace(path_there=seen.path, sha_there=seen.sha256))

    def _apart(self, seen: There, head: Memory, text: str) -> None:
        if protected(head):
            self._keep(head, text, self._by)
        else:
            self._keep(head, head.content, self._by._replace(trust=head.trust))
            try:
                head = roads.change(self._store, head, text, self._by, roads.MOUNTED)
            except PreconditionFailed:
                self._again = True
                return
        self._agreed(seen, head)
        self._report.pulled.append(seen.path)

    def _leave(self, entry: Entry) -> None:
        """A memory that is new there."""
        if not self._writes:
            return
        head = self._store.get(self._link.store_id, entry.id)
        try:
            seen = self._remote.create(head.path, _sent(head))
        except Conflict as error:
            # Somebody put one there since the list was read.
            self._again = True
            self._left(head.path, error)
            return
        except (Refused, InvalidInput) as error:
            self._left(head.path, error)
            return
        reached("distant_pushed")
        self._agreed(seen, head)
        self._report.pushed.append(head.path)

    def _was_here(self, head: Memory, seen: There, base: str) -> bool:
        """Is the server's text one that was sent from here, by an exchange that died before it
        noted that? Then what was changed here since goes there in the next round."""
        if not self._writes or not said_after(self._store.database, head.id, seen.sha256, base):
            return False
        self._agree(Pair(seen.id, head.id, *seen[1:], seen.path, seen.sha256))
        self._again = True
        return True

    def _keep(self, head: Memory, text: str, by: Author) -> None:
        self._report.beside.append(keep_beside(self._store, head, text, by).beside)

    def _left(self, path: str, error: Conflict | Refused | InvalidInput) -> None:
        self._report.left.append((path, error.message))

    def _agreed(self, there: There, here: Memory) -> None:
        self._agree(Pair(there.id, here.id, *there[1:], here.path, here.content_sha256))

    def _agree(self, pair: Pair) -> None:
        with self._store.database.atomic() as tx:
            table.agree(tx, self._link.store_id, pair)

    def _part(self, pair: Pair) -> None:
        with self._store.database.atomic() as tx:
            table.part(tx, self._link.store_id, pair.remote_id)


def _sent(head: Memory) -> str:
    """A text as the server takes it: without what only a person says, who is not there."""
    return without_claims(head.content, "agent", path=head.path)
