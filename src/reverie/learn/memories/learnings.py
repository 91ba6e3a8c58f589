"""Learnings: what a store holds already, found by meaning."""

from collections import defaultdict
from typing import NamedTuple

from reverie.documents.document import load
from reverie.language.compare import Relation, covers, ends, is_ending, is_same, relation
from reverie.language.neighbours import Neighbours
from reverie.language.words import content, words
from reverie.learn.statements.kinds import profile_slot
from reverie.store.store import Store

NEAREST = 24  # learnings compared with a new one
SPOKEN_OF = 2  # telling words that a lesson shares with what speaks of it


class Related(NamedTuple):
    """A learning that bears on a new one."""

    path: str
    lesson: str
    relation: Relation


class Learnings:
    """The lessons of one store by meaning: read once, kept current by whoever writes."""

    def __init__(self, store: Store, name: str) -> None:
        self._lessons: dict[str, str] = {}
        self._near = Neighbours()
        self._slots: defaultdict[str, set[str]] = defaultdict(set)
        if name not in {info.name for info in store.stores()}:
            return
        # Dailies, diaries and the archive lie deeper: their texts need not be read.
        for memory in store.walk(name, deep=False):
            if memory.path.endswith(".md"):
                self.add(memory.path, load(memory.content, path=memory.path).description)

    def add(self, path: str, lesson: str) -> None:
        """A memory was written at `path`."""
        self.discard(path)
        if lesson:
            self._lessons[path] = lesson
            self._near.add(path, lesson)
            if slot := profile_slot(lesson):
                self._slots[slot].add(path)

    def discard(self, path: str) -> None:
        """The memory at `path` is active no longer."""
        lesson = self._lessons.pop(path, None)
        if lesson is not None:
            self._near.discard(path)
            self._slots[profile_slot(lesson)].discard(path)

    def spoken_of(self, text: str) -> list[str]:
        """Paths of the lessons that words speak of, though they say something else."""
        spoken = content(words(text))
        near = map(str, self._near.near(text, NEAREST))
        return [
            path for path in near if len(spoken & content(words(self._lessons[path]))) >= SPOKEN_OF
        ]

    def related(self, lesson: str) -> list[Related]:
        """What says the same, or what a new lesson would replace; nearest first."""
        related: list[Related] = []
        of_slot = self._slots[profile_slot(lesson)]
        near = map(str, self._near.near(lesson, NEAREST))
        for path in dict.fromkeys([*near, *sorted(of_slot)]):
            how = bearing(self._lessons[path], lesson)
            if how == "different" and path in of_slot:
                how = "updates"
            if how != "different":
                related.append(Related(path, self._lessons[path], how))
        return related

    def overlapping(self, lesson: str) -> list[tuple[str, str]]:
        """Where a lesson stands that says all of this one or less than it, and which."""
        near = [(path, self._lessons[path]) for path in map(str, self._near.near(lesson, NEAREST))]
        return [(path, old) for path, old in near if covers(old, lesson) or covers(lesson, old)]

    def saying(self, lesson: str) -> list[str]:
        near = map(str, self._near.near(lesson))
        return [path for path in near if is_same(lesson, self._lessons[path])]


def bearing(old: str, new: str) -> Relation:
    """How a new lesson bears on an old one: as any two relate, unless it says that it is over."""
    how = relation(old, new)
    if not is_ending(new) or (how == "same" and is_ending(old)):
        return how
    # "No need to do it any more" neither forbids it nor agrees with who does.
    return "updates" if ends(new, old) else "different"
