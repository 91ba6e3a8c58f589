"""The journal: what this home has written that a remote does not have yet."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from reverie.db.database import Transaction
from reverie.documents.vocabulary import GLOBAL
from reverie.sessions.forgotten import rows_of
from reverie.store.access import readable
from reverie.store.arrivals import MERGED, Change, changed_after, whereabouts
from reverie.store.chain import content_hash
from reverie.store.context import Context
from reverie.store.library import INDEX
from reverie.sync import links
from reverie.sync.arrival import redactions_known
from reverie.sync.facts import kept
from reverie.sync.forgetting import lifted_deeds
from reverie.sync.links import Link
from reverie.sync.pack import Body, Described, Forgetting, Redaction

_PACK_CHANGES = 1_000
_PACK_CHARS = 4_000_000
# Written over the sessions of one machine, and again by every other over its own.
_OF_ONE_HOME = ("/daily/", "/diary/")


@dataclass(slots=True)
class Outgoing:
    """What goes out for one store, and what is noted when it is there."""

    store_id: str
    key: str
    name: str
    home: str
    author: str
    sequence: int  # up to which the store is in the journal then
    before: int
    changes: list[Change] = field(default_factory=list[Change])
    redactions: list[Redaction] = field(default_factory=list[Redaction])
    forgotten: list[Forgetting] = field(default_factory=list[Forgetting])
    lifted: list[str] = field(default_factory=list[str])
    described: Described | None = None

    @property
    def versions(self) -> int:
        return len(self.changes)

    @property
    def changes_anything(self) -> bool:
        """Whether there is something to send or at least to note."""
        return self.says_anything or self.sequence != self.before

    @property
    def says_anything(self) -> bool:
        more = self.redactions or self.forgotten or self.lifted or self.described
        return bool(self.changes or more)

    def bodies(self) -> Iterator[Callable[[str], Body]]:
        """The bodies of its packs, each for the name of the one before it."""
        if not self.says_anything:
            return
        groups = list(_groups(self.changes)) or [[]]
        for number, group in enumerate(groups):
            last = number == len(groups) - 1

            def body(previous: str, group: list[Change] = group, last: bool = last) -> Body:
                return Body(
                    home=self.home,
                    store=self.key,
                    name=self.name,
                    author=self.author,
                    previous=previous,
                    changes=tuple(group),
                    redactions=tuple(self.redactions) if last else (),
                    forgotten=tuple(self.forgotten) if last else (),
                    lifted=tuple(self.lifted) if last else (),
                    described=self.described if last else None,
                )

            yield body

    def note(self, tx: Transaction, link: Link) -> None:
        links.set_mark(tx, link, self.store_id, self.sequence)
        links.note_told(tx, link, "redaction", [redaction.version for redaction in self.redactions])
        links.note_told(tx, link, "deed", [forgetting.deed for forgetting in self.forgotten])
        links.note_told(tx, link, "lifted", self.lifted)
        note_described(tx, link, self.store_id, self.described)


def _groups(changes: list[Change]) -> Iterator[list[Change]]:
    group: list[Change] = []
    size = 0
    for change in changes:
        length = len(change.content or "")
        if group and (len(group) >= _PACK_CHANGES or size + length > _PACK_CHARS):
            yield group
            group, size = [], 0
        group.append(change)
        size += length
    if group:
        yield group


class Journal:
    """What this home would write to one remote."""

    def __init__(self, context: Context, link: Link, home: str) -> None:
        self._context = context
        self._database = context.database
        self._link = link
        self._home = home

    def outgoing(
        self, store_id: str, key: str, name: str, *, again: bool, everything: bool
    ) -> Outgoing:
        """What is new in a store since the last time; all of it if it is written `again`.

        What came from this remote is not sent back to it, unless `everything` there was lost.
        """
        with self._database.snapshot() as tx:
            before = links.mark(tx, self._link, store_id)
            mark = 0 if again else before
            sequence, memories = changed_after(tx, store_id, mark)
            out = Outgoing(store_id, key, name, self._home, self._link.author, sequence, before)
            out.changes = self._changes(tx, memories, mark, everything=everything)
            out.redactions = self._redactions(tx, store_id, again=again)
            if not self._link.team:
                self._add_forgotten(tx, out, name, again=again)
                out.described = self._described(tx, store_id, again=again)
        return out

    def holds_redacted(self, store_id: str) -> bool:
        """Whether packs of this home may hold the words of what was redacted since.

        Also of what is not noted as sent: it was, if this home was killed before the note.
        """
        with self._database.snapshot() as tx:
            noted = links.told(tx, self._link, "redaction")
            new = redactions_known(tx).keys() - noted
            relayed = links.relays(tx, self._link)
            return any(
                place.store_id == store_id
                and place.origin != MERGED
                and (relayed or not place.origin.startswith(self._link.id))
                for place in whereabouts(tx.execute, new)
            )

    def _changes(
        self, tx: Transaction, memories: list[str], mark: int, *, everything: bool
    ) -> list[Change]:
        hidden = self._is_private if self._link.team else is_of_one_home
        fresh = [
            version
            for versions in kept(tx.execute, memories, hidden).values()
            for version in versions
            if version.sequence > mark
            and version.origin != MERGED
            and (everything or not version.origin.startswith(self._link.id))
            and not hidden(version.change)
        ]
        return [version.change for version in sorted(fresh, key=lambda version: version.sequence)]

    def _is_private(self, change: Change) -> bool:
        """What is about a person, or for all their projects, is no team's."""
        from reverie.documents.document import load

        if is_of_one_home(change):
            return True
        if change.content is None:
            return False
        document = load(change.content, path=change.path or "")
        return document.type == "user" or document.scope == GLOBAL

    def _redactions(self, tx: Transaction, store_id: str, *, again: bool) -> list[Redaction]:
        noted: set[str] = set() if again else links.told(tx, self._link, "redaction")
        known = redactions_known(tx)
        return [
            known[place.id]
            for place in whereabouts(tx.execute, known.keys() - noted)
            if place.store_id == store_id
        ]

    def _add_forgotten(self, tx: Transaction, out: Outgoing, name: str, *, again: bool) -> None:
        """What a person had forgotten in this project, or everywhere, and what they took back."""
        noted: set[str] = set() if again else links.told(tx, self._link, "deed")
        project = "" if name == GLOBAL else name
        deeds: dict[str, Forgetting] = {}
        for deed, kind, value, until in rows_of(tx, project):
            if deed not in noted:
                so_far = deeds.get(deed, Forgetting(deed, not project, until, ()))
                deeds[deed] = so_far._replace(rows=(*so_far.rows, (kind, value)))
        out.forgotten = list(deeds.values())
        # A deed that was taken back no longer says where it held: every store tells of it.
        gone: set[str] = set() if again else links.told(tx, self._link, "lifted")
        out.lifted = [deed for deed in lifted_deeds(tx) if deed not in gone]

    def _described(self, tx: Transaction, store_id: str, *, again: bool) -> Described | None:
        """What the person says about a store, unless the remote has it."""
        info = readable(self._context, tx.execute, store_id).info
        described = Described("" if info.by_key else info.description, info.updated_at)
        known: set[str] = set() if again else links.told(tx, self._link, "described")
        return described if described.words and _mark(store_id, described) not in known else None


def note_described(tx: Transaction, link: Link, store_id: str, described: Described | None) -> None:
    """The remote has this description of a store."""
    links.note_told(tx, link, "described", [_mark(store_id, described)] if described else [])


def _mark(store_id: str, described: Described) -> str:
    return f"{store_id} {described.at} {content_hash(described.words)}"


def is_of_one_home(change: Change) -> bool:
    """What each machine writes for itself: days, diaries and the index of a store."""
    return change.path is not None and (
        change.path.startswith(_OF_ONE_HOME) or change.path == INDEX
    )
