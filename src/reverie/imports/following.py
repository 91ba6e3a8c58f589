"""Following a source: a memory made from a note goes with it, until a person changes it here.

Every version says which source made it, so the note of a memory is known however the memory is
called by now. What the agent edits becomes the next version, what it deletes goes to the archive,
and what it writes again comes back. Where a person edited, moved or forgot the memory, theirs
stands, and it is said.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from reverie.documents.document import load
from reverie.errors import ReverieError
from reverie.imports.base import Found, Piece, Skipped
from reverie.imports.run import Imported, Redact, Written, begun, checked, write
from reverie.sessions.forgotten import Forgotten, Said
from reverie.store import roads
from reverie.store.causes import Cause
from reverie.store.library import ARCHIVE, Item, Library
from reverie.store.model import Actor, Author, Memory, Version
from reverie.store.store import Store
from reverie.trust import lowest

# Who keeps notes in a folder of its own, where no session is named.
AGENT = Actor("agent")
_LATER = 100  # versions looked at


def follow(store: Store, contents: Found, what: str, redact: Redact) -> Imported:
    """Bring the memories made from a source up to date with it, all or none.

    A source that holds nothing any more was wiped or is not there: nothing is taken from that.
    """
    result = begun(store, contents, redact)
    with store.database.atomic():
        steps = _Steps(store, what, redact, result, Forgotten(store.database))
        known = steps.known()
        # What an agent emptied says nothing: that is as good as deleted.
        pieces = list(_told_apart(piece for piece in contents.pieces if piece.text.strip()))
        for piece in pieces:
            try:
                steps.take(piece, known.get(piece.source))
            except ReverieError as error:
                result.skipped.append(Skipped(redact(piece.source), error.message))
        there = {piece.source for piece in pieces} | {
            skipped.source for skipped in contents.skipped
        }
        for source in sorted(known.keys() - there) if pieces else ():
            if source.partition(", ")[0] not in contents.unread:
                steps.let_go(source, known[source])
    return result


@dataclass(frozen=True, slots=True)
class _Steps:
    """One look at one source."""

    store: Store
    what: str
    redact: Redact
    result: Imported
    forgotten: Forgotten

    def known(self) -> dict[str, Memory]:
        """The memories that notes of this source have become, by note."""
        return {
            made.cause.subject: self.store.get(made.store_id, made.memory_id)
            for made in self.store.made_by("imported")
            if made.cause.what == self.what
        }

    def take(self, piece: Piece, memory: Memory | None) -> None:
        if memory is None:
            if not self._forgotten(piece):
                write(self.store, piece, self.what, self.redact, AGENT, self.result)
            return
        text, by = checked(piece, self.what, self.redact, AGENT, self.result)
        taken, later = self._since(memory)
        left = bool(later) and later[0].cause.kind == "gone"
        if text == taken and not left:
            self.result.already += 1
        elif any(map(_is_a_persons, later)):
            why = "a person changed it here, which stands"
            self.result.kept.append(Skipped(piece.source, why))
        else:
            self._write_over(piece, memory, text, by)

    def let_go(self, source: str, memory: Memory) -> None:
        """A note that is gone: its memory goes to the archive, unless it is more than the note."""
        if memory.path.startswith(ARCHIVE):
            return
        version = self.store.version(memory.version_id)
        if version.cause.kind != "imported":
            why = "its agent deleted it; it was changed here since and stays"
            self.result.kept.append(Skipped(source, why))
            return
        cause = Cause("gone", source, self.what)
        item = Item(self._name(memory), memory)
        gone = Library(self.store).archive(item, Author(AGENT, cause.reason, memory.trust))
        self.result.gone.append(Written(item.store, gone.memory.path, source, "archived"))

    def _write_over(self, piece: Piece, memory: Memory, text: str, by: Author) -> None:
        by = by._replace(trust=lowest(by.trust, memory.trust))
        item, change = Item(self._name(memory), memory), "updated"
        if item.archived:
            item, change = Library(self.store).unarchive(item, by), "returned"
        head = item.memory
        if text != head.content:
            head = roads.change(self.store, head, text, by, roads.IMPORTED)
        self.result.written.append(Written(item.store, head.path, piece.source, change))

    def _since(self, memory: Memory) -> tuple[str | None, list[Version]]:
        """The text last taken from the note, and the versions since then, newest first."""
        later: list[Version] = []
        for version in self.store.versions(memory.store_id, memory.id, limit=_LATER).items:
            if version.cause.kind == "imported":
                return version.content, later
            later.append(version)
        return None, later

    def _name(self, memory: Memory) -> str:
        return self.store.find_store(memory.store_id).name

    def _forgotten(self, piece: Piece) -> bool:
        document = load(piece.text, path=piece.path)
        words = Said(piece.source, piece.store, (document.description, document.body))
        if not self.forgotten.holds(words):
            return False
        self.result.kept.append(Skipped(self.redact(piece.source), "a person had it forgotten"))
        return True


def _told_apart(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces, each with a source of its own: two notes may have one title."""
    seen: Counter[str] = Counter()
    for piece in pieces:
        seen[piece.source] += 1
        count = seen[piece.source]
        yield piece if count == 1 else replace(piece, source=f"{piece.source} ({count})")


def _is_a_persons(version: Version) -> bool:
    """Whether it may stand for a person's wish: what agents added, and age, does not."""
    kind = version.cause.kind
    if kind in ("gone", "decayed", "pruned"):
        return False
    return version.actor.kind != "agent" or version.trust == "user" or kind == "superseded"
