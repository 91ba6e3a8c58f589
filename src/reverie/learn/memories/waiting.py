"""Waiting: what is in the review queue by meaning, so that the same is asked for once.

The rules are those of learnings: a number, a name or a negation that differs keeps two apart. So
do another command, another store and another trust: what a tool said must not ride on what a person
said.
"""

import re

from reverie.language.compare import Neighbours, relation
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.queue import Queue

Place = tuple[str, str]  # store and trust
_COMMAND = re.compile(r"`([^`\s]+\s[^`]+)`")


class Waiting:
    """The entries of the queue: read once, kept current by whoever writes."""

    def __init__(self, queue: Queue) -> None:
        self._near: dict[Place, Neighbours] = {}
        self._entries: dict[str, Candidate] = {}
        for review in queue.pending():
            self.add(review.candidate)

    def add(self, candidate: Candidate) -> None:
        """A candidate waits now as an entry of its own."""
        self._entries[candidate.id] = candidate
        self._near.setdefault(_place(candidate), Neighbours()).add(candidate.id, candidate.lesson)

    def discard(self, entry: str) -> None:
        """An entry waits no longer."""
        candidate = self._entries.pop(entry, None)
        if candidate is not None:
            self._near[_place(candidate)].discard(entry)

    def same(self, candidate: Candidate) -> list[str]:
        """Ids of the entries that say what a candidate says; nearest first."""
        near = self._near.get(_place(candidate))
        found = [str(key) for key in near.near(candidate.lesson)] if near is not None else []
        return [
            entry
            for entry in found
            if entry != candidate.id and _alike(self._entries[entry].lesson, candidate.lesson)
        ]


def _alike(one: str, other: str) -> bool:
    # The words of two commands may be nearly the same, and what works is the difference.
    commands = set(_COMMAND.findall(one)) == set(_COMMAND.findall(other))
    return commands and relation(one, other) == "same"


def _place(candidate: Candidate) -> Place:
    return candidate.store, candidate.trust
