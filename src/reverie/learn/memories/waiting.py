"""What waits for review, by meaning: read once, kept current by whoever writes.

So the same is asked for once.
"""

import re
from collections import defaultdict

from reverie.language.compare import relation
from reverie.language.neighbours import Neighbours
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.queue import Queue

_COMMAND = re.compile(r"`([^`\s]+\s[^`]+)`")


class Waiting:
    """The entries of a queue."""

    def __init__(self, queue: Queue) -> None:
        # By store and trust.
        self._near: defaultdict[tuple[str, str], Neighbours] = defaultdict(Neighbours)
        self._entries: dict[str, Candidate] = {}
        for review in queue.pending():
            self.add(review.candidate)

    def add(self, candidate: Candidate) -> None:
        """A candidate waits now as an entry of its own."""
        self._entries[candidate.id] = candidate
        self._near[_place(candidate)].add(candidate.id, candidate.lesson)

    def discard(self, entry: Candidate) -> None:
        """An entry waits no longer."""
        del self._entries[entry.id]
        self._near[_place(entry)].discard(entry.id)

    def same(self, candidate: Candidate) -> list[Candidate]:
        """The entries that say what a candidate says; nearest first."""
        near = self._near[_place(candidate)].near(candidate.lesson)
        entries = (self._entries[str(key)] for key in near)
        return [entry for entry in entries if entry.id != candidate.id and _alike(entry, candidate)]


def _alike(candidate: Candidate, other: Candidate) -> bool:
    if candidate.trust == "tool" and candidate.premise and candidate.premise == other.premise:
        return True  # of what a tool refused, one way that works is enough
    # The words of two commands may be nearly the same, and what works is the difference.
    commands = set(_COMMAND.findall(candidate.lesson)) == set(_COMMAND.findall(other.lesson))
    return commands and relation(candidate.lesson, other.lesson) == "same"


def _place(candidate: Candidate) -> tuple[str, str]:
    return candidate.store, candidate.trust
