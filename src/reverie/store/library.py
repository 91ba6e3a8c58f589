"""Memories by name, over the stores one asker works with.

A project sees its own store and `global`; the memories of another project never come in
(requirement D6). Names are file names without `.md`, unique prefixes of them, `STORE:NAME` for one
store, a path, or an id. Dailies, diaries and the derived index are files too, but no memories.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from reverie.documents.vocabulary import GLOBAL
from reverie.errors import Ambiguous, InvalidInput, NotFound, PathTaken
from reverie.store.paths import numbered
from reverie.store.store import Store

# Documents, index and views are imported where they are used: looking one memory up by its name
# needs none of them, and `reverie show` starts cold.
if TYPE_CHECKING:
    from reverie.documents.document import Document
    from reverie.documents.index_file import Limits
    from reverie.store.model import Author, Entry, Memory

ARCHIVE = "/archive/"
INDEX = "/MEMORY.md"
_NOT_MEMORIES = ("/daily/", "/diary/")
_TRIES = 100


class Item:
    """One memory: where it is, its head, and what it says (read on first use)."""

    __slots__ = ("_document", "memory", "store")

    def __init__(self, store: str, memory: "Memory") -> None:
        self.store = store  # its name
        self.memory = memory
        self._document: Document | None = None

    @property
    def document(self) -> "Document":
        """The content as a document; one that does not parse is bare and says its problem."""
        if self._document is None:
            from reverie.documents.document import load

            self._document = load(self.memory.content, path=self.memory.path)
        return self._document

    @property
    def name(self) -> str:
        return stem(self.memory.path)

    @property
    def archived(self) -> bool:
        return self.memory.path.startswith(ARCHIVE)


class Library:
    """The memories of a project and the shared ones; without a project, the shared ones only."""

    def __init__(self, store: Store, project: str | None = None) -> None:
        self.store = store
        self.project = project

    @property
    def scopes(self) -> tuple[str, ...]:
        """The stores looked into, nearest first."""
        nearest = (self.project,) if self.project and self.project != GLOBAL else ()
        return (*nearest, GLOBAL)

    def documents(
        self,
        store: str | None = None,
        *,
        types: Sequence[str] = (),
        kinds: Sequence[str] = (),
        trusts: Sequence[str] = (),
        scope: str | None = None,
        pinned: bool | None = None,
        archived: bool = False,
        everywhere: bool = False,
    ) -> list[Item]:
        """Memories in path order, one store after the other; of one `store`, or of `everywhere`."""

        def wanted(item: Item) -> bool:
            document = item.document
            return (
                item.archived == archived
                and (not types or document.type in types)
                and (not kinds or document.kind in kinds)
                and (not trusts or item.memory.trust in trusts)
                and (scope is None or (document.scope or item.store) == scope)
                and (pinned is None or document.pinned == pinned)
            )

        names = (store,) if store is not None else self._existing()
        if everywhere:
            names = sorted(self._live())
        return [item for name in names for item in self._items(name) if wanted(item)]

    def find(self, reference: str) -> Item:
        """The memory of that name, unique prefix, `STORE:NAME`, path or id.

        Raises:
            NotFound: says what comes near, and which other store has one of that name.
            Ambiguous: lists what fits.
            InvalidInput: the name is empty; the only memory there is must not answer to that.
        """
        names, name = self._split(reference)
        if not name.strip():
            raise InvalidInput("a memory has a name")
        if name.startswith("mem_"):
            for store in names:
                try:
                    return Item(store, self.store.get(store, name))
                except NotFound:
                    continue
        exact = [item for store in names if (item := self._exact(store, name)) is not None]
        if len(exact) == 1:
            return exact[0]
        if exact:
            raise _ambiguous(reference, [f"{item.store}:{item.name}" for item in exact])
        return self._by_prefix(reference, names, name)

    def rewrite(self, item: Item, document: "Document", by: "Author") -> Item:
        """Write a changed document, if nobody changed the memory since `item` was read.

        Raises:
            PreconditionFailed: somebody did.
        """
        memory = self.store.update(
            item.memory.store_id,
            item.memory.id,
            content=document.validate().text(),
            if_sha256=item.memory.content_sha256,
            by=by,
        )
        return Item(item.store, memory)

    def rename(self, item: Item, name: str, by: "Author") -> Item:
        """Give a memory another name; its id and history stay."""
        if not name.strip():
            raise InvalidInput("a memory has a name")
        folder = item.memory.path.rpartition("/")[0]
        from dataclasses import replace

        document = item.document if item.document.problem else replace(item.document, name=name)
        memory = self.store.update(
            item.memory.store_id,
            item.memory.id,
            content=document.text(),
            path=f"{folder}/{name}.md",
            if_sha256=item.memory.content_sha256,
            by=_unraised(item, by),
        )
        return Item(item.store, memory)

    def archive(self, item: Item, by: "Author") -> Item:
        """Move a memory to the archive of the day; nothing is deleted."""
        from reverie.clock import iso

        day = iso(self.store.context.clock())[:10]
        return self._moved(item, lambda name: f"{ARCHIVE}{day}/{name}.md", by)

    def unarchive(self, item: Item, by: "Author") -> Item:
        """Bring a memory back from the archive; an end that is past is taken back, too."""
        from dataclasses import replace

        from reverie.clock import iso

        over = item.document.over_at
        if over and over <= iso(self.store.context.clock()):
            item = self.rewrite(item, replace(item.document, expires=""), _unraised(item, by))
        return self._moved(item, lambda name: f"/{name}.md", by)

    def pin(self, item: Item, reason: str, by: "Author") -> Item:
        """Protect a memory from decay and put it first; the reason is kept in it."""
        from dataclasses import replace

        pinned = replace(item.document, pinned=True, pin_reason=reason)
        return self.rewrite(item, pinned, _unraised(item, by))

    def unpin(self, item: Item, by: "Author") -> Item:
        from dataclasses import replace

        loose = replace(item.document, pinned=False, pin_reason="")
        return self.rewrite(item, loose, _unraised(item, by))

    def index_markdown(self, store: str, limits: "Limits | None" = None) -> str:
        """The `MEMORY.md` of one store."""
        from reverie.documents.index_file import Limits, Listed, index_markdown

        items = self.documents(store)
        return self._told(store) + index_markdown(
            (Listed(item.memory.path.lstrip("/"), item.document) for item in items),
            limits or Limits(),
        )

    def _told(self, store: str) -> str:
        """What a person said about a store, and to whom about its use; for the top of its index."""
        from reverie.inert import inert

        info = self.store.find_store(store)
        notes = [("", "" if info.by_key else info.description)] + [
            (
                f"For {attachment.principal.kind} {attachment.principal.id}: ",
                attachment.instructions,
            )
            for attachment in self.store.attachments(info.id)
        ]
        lines = [whom + inert(" ".join(words.split())) for whom, words in notes if words.strip()]
        return "".join(f"{line}\n\n" for line in lines)

    def linking_to(self, name: str) -> list[Item]:
        """Memories that link to `[[name]]`."""
        from reverie.documents.bodies import links

        return [item for item in self.documents() if name in links(item.document.body)]

    # Names

    def _split(self, reference: str) -> tuple[tuple[str, ...], str]:
        prefix, colon, rest = reference.partition(":")
        if colon and rest and prefix in self._live():
            return (prefix,), rest
        return self._existing(), reference

    def _exact(self, store: str, name: str) -> Item | None:
        path = name if name.startswith("/") else f"/{name.removesuffix('.md')}.md"
        try:
            return Item(store, self.store.get(store, path))
        except NotFound:
            return None

    def _by_prefix(self, reference: str, names: Iterable[str], name: str) -> Item:
        known: dict[str, Entry] = {}
        for store in names:
            for entry in self._entries(store):
                known[f"{store}:{stem(entry.path)}"] = entry
        folded = name.lower()
        live = {key: entry for key, entry in known.items() if not _archived(entry)}
        for group in (live, known):
            fitting = [key for key in group if key.partition(":")[2].lower() == folded] or [
                key for key in group if key.partition(":")[2].lower().startswith(folded)
            ]
            if len(fitting) == 1:
                return self._fetch(fitting[0].partition(":")[0], group[fitting[0]])
            if fitting:
                raise _ambiguous(reference, fitting)
        raise self._not_found(reference, name, known)

    def _not_found(self, reference: str, name: str, known: dict[str, "Entry"]) -> NotFound:
        elsewhere = [
            f"{store}:{name}"
            for store in self._live()
            if store not in self.scopes and self._exact(store, name) is not None
        ]
        near = _near(name, {key.partition(":")[2] for key in known})
        hint = None
        if elsewhere:
            hint = f"another store has one: {', '.join(elsewhere)}"
        elif near:
            hint = f"did you mean {' or '.join(near)}?"
        elif self._live():
            hint = "`reverie memories` lists those of here"
        return NotFound(f"there is no memory {reference!r}", hint=hint)

    # Reading

    def _live(self) -> list[str]:
        return [info.name for info in self.store.stores()]

    def _existing(self) -> tuple[str, ...]:
        live = set(self._live())
        return tuple(name for name in self.scopes if name in live)

    def _entries(self, store: str) -> list["Entry"]:
        return [entry for entry in self.store.manifest(store) if is_memory(entry.path)]

    def _fetch(self, store: str, entry: "Entry") -> Item:
        return Item(store, self.store.get(store, entry.id))

    def _items(self, store: str) -> Iterator[Item]:
        for memory in self.store.walk(store):
            if is_memory(memory.path):
                yield Item(store, memory)

    def _moved(self, item: Item, place: Callable[[str], str], by: "Author") -> Item:
        for name in islice(numbered(item.name), _TRIES - 1):
            try:
                memory = self.store.update(
                    item.memory.store_id,
                    item.memory.id,
                    path=place(name),
                    if_sha256=item.memory.content_sha256,
                    by=_unraised(item, by),
                )
            except PathTaken:
                continue
            return Item(item.store, memory)
        raise PathTaken(f"there are {_TRIES} memories named {item.name} there already")


def stem(path: str) -> str:
    """`/archive/2026-11-15/run-lint.md` → `run-lint`."""
    return path.rsplit("/", 1)[-1].removesuffix(".md")


def is_memory(path: str) -> bool:
    """Is this file a memory, rather than a daily, a diary, the index or something else?"""
    return path.endswith(".md") and path != INDEX and not path.startswith(_NOT_MEMORIES)


def _archived(entry: "Entry") -> bool:
    return entry.path.startswith(ARCHIVE)


def _unraised(item: Item, by: "Author") -> "Author":
    """Pinning, moving and renaming say nothing about the words: their trust stays as it was."""
    return by._replace(trust=item.memory.trust)


def _near(name: str, known: set[str]) -> list[str]:
    """Up to three names that look alike: whole, at their beginning, or in one of their words."""
    from difflib import SequenceMatcher

    def likeness(candidate: str) -> float:
        parts = (candidate, candidate[: len(name) + 1], *candidate.split("-"))
        return max(SequenceMatcher(None, name.lower(), part.lower()).ratio() for part in parts)

    scored = sorted((-likeness(candidate), candidate) for candidate in known)
    return [candidate for score, candidate in scored[:3] if score <= -0.6]


def _ambiguous(reference: str, fitting: list[str]) -> Ambiguous:
    shown = ", ".join(sorted(fitting)[:8])
    return Ambiguous(f"{reference!r} fits {len(fitting)} memories: {shown}")
