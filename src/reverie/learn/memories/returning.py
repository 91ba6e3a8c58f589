"""Returning: what a session that was unlearned had superseded is right again, and comes back.

A memory was superseded by the turn its last version names, or by a memory that says something else
about the same. It comes back when that is gone and nothing else in its store stands against it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reverie.language.compare import relation
from reverie.learn.memories.learnings import Learnings
from reverie.store.library import ARCHIVE, Item, Library
from reverie.store.model import Actor, Author
from reverie.store.store import Store


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
