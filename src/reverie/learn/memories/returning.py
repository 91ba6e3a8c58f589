"""Returning: what a session that was unlearned had superseded is right again, and comes back.

A memory was superseded by the turn its last version names, or by a memory that says something else
about the same. It comes back when that is gone and nothing else in its store stands against it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reverie.documents.document import load
from reverie.language.compare import Relation, ends, is_ending, relation
from reverie.language.neighbours import Neighbours
from reverie.learn.statements.kinds import profile_slot
from reverie.store.library import ARCHIVE, Item, Library
from reverie.store.model import Actor, Author
from reverie.store.store import Store

# Learnings: what a store holds already, found by meaning.
NEAREST = 24  # learnings compared with a new one


@dataclass(frozen=True, slots=True)
class Related:
    """A learning that bears on a new one."""

    path: str
    lesson: str
    relation: Relation


class Learnings:
    """The lessons of one store by meaning: read once, kept current by whoever writes."""

    def __init__(self, store: Store, name: str) -> None:
        self._lessons: dict[str, str] = {}
        self._near = Neighbours()
        self._slots: dict[str, set[str]] = {}
        info = store.ensure_store(name)
        for memory in store.walk(info.id):
            if memory.path.count("/") == 1 and memory.path.endswith(".md"):
                self.add(memory.path, load(memory.content, path=memory.path).description)

    def add(self, path: str, lesson: str) -> None:
        """A memory was written at `path`."""
        self.discard(path)
        if lesson:
            self._lessons[path] = lesson
            self._near.add(path, lesson)
            if slot := profile_slot(lesson):
                self._slots.setdefault(slot, set()).add(path)

    def discard(self, path: str) -> None:
        """The memory at `path` is active no longer."""
        lesson = self._lessons.pop(path, None)
        if lesson is not None:
            self._near.discard(path)
            self._slots.get(profile_slot(lesson), set[str]()).discard(path)

    def related(self, lesson: str) -> list[Related]:
        """What says the same, or what a new lesson would replace; nearest first."""
        found: list[Related] = []
        slot = profile_slot(lesson)
        near = [str(key) for key in self._near.near(lesson, NEAREST)]
        for path in dict.fromkeys([*near, *sorted(self._slots.get(slot, ()))]):
            how = bearing(self._lessons[path], lesson)
            if how == "different" and slot and path in self._slots.get(slot, ()):
                how = "updates"
            if how != "different":
                found.append(Related(path, self._lessons[path], how))
        return found


def bearing(old: str, new: str) -> Relation:
    """How a new lesson bears on an old one: as any two relate, unless it says that it is over."""
    how = relation(old, new)
    if not is_ending(new) or (how == "same" and is_ending(old)):
        return how
    # "No need to do it any more" neither forbids it nor agrees with who does.
    return "updates" if ends(new, old) else "different"


@dataclass(frozen=True, slots=True)
class Gone:
    """A memory that was deleted because it rested on the unlearned session alone."""

    store: str
    name: str
    lesson: str


def bring_back(store: Store, session: str, gone: Sequence[Gone], reason: str) -> list[Item]:
    """Take out of the archive what was superseded by `session` alone; the latest word first."""
    back: list[Item] = []
    for name in [info.name for info in store.stores()]:
        waiting = list(_superseded(store, name, session, gone))
        waiting.sort(key=lambda item: (item.memory.valid_from or "", item.name), reverse=True)
        standing = Learnings(store, name) if waiting else None
        for item in waiting:
            lesson = item.document.description
            if standing is None or standing.related(lesson):
                continue
            by = Author(Actor("user"), reason, valid_to="")
            returned = Library(store, name).unarchive(item, by)
            standing.add(returned.memory.path, lesson)
            back.append(returned)
    return back


def _superseded(store: Store, name: str, session: str, gone: Sequence[Gone]) -> Iterator[Item]:
    """The archived memories of a store that may have been superseded by what is gone."""
    for item in (Item(name, memory) for memory in store.walk(name, ARCHIVE)):
        cause = store.version(item.memory.version_id).cause
        if cause.kind != "superseded":
            continue
        what = cause.subject
        if what.rpartition("#")[0] == session or any(_by(one, what, item) for one in gone):
            yield item


def _by(one: Gone, what: str, item: Item) -> bool:
    """Whether that memory superseded this one: by name, or because it spoke of the same."""
    if what in (one.name, f"{one.store}:{one.name}"):
        return True
    alike = relation(one.lesson, item.document.description)
    return one.store == item.store and alike != "different"
