"""Learnings: what a store holds already, found by meaning."""

from dataclasses import dataclass

from reverie.documents.document import load
from reverie.language.compare import Neighbours, Relation, relation
from reverie.learn.statements.kinds import profile_slot
from reverie.store.store import Store

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
            how = relation(self._lessons[path], lesson)
            if how == "different" and slot and path in self._slots.get(slot, ()):
                how = "updates"
            if how != "different":
                found.append(Related(path, self._lessons[path], how))
        return found
