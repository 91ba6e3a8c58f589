"""Work of kind `dream`: an agent looks over a project's memories and what waits beside them.

A piece is handed out again only when what it shows has changed. What the agent answers becomes a
proposal like that of any dream: nothing changes until a person has accepted it.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from reverie.clock import Clock, iso
from reverie.documents.document import load
from reverie.dream.model import Ask, Change, Known, Night, Quoted
from reverie.dream.proposals.edits import MOST_CHANGES, SCHEMA, Shown, changes_of
from reverie.dream.proposals.proposals import Proposals
from reverie.dream.steps.check import check
from reverie.engines.protocol import Prompt
from reverie.errors import Conflict, InvalidInput, Refused
from reverie.inert import inert
from reverie.learn.memories.queue import Queue, Review
from reverie.learn.memories.quotes import quotes
from reverie.learn.memories.writing import trust_of
from reverie.learn.work.answers import refuse
from reverie.learn.work.assignments import Assignment, Assignments, Stretch
from reverie.learn.work.pieces import FRAME, MATERIAL
from reverie.learn.work.prompts import fenced, prompt_of
from reverie.learn.work.taking import TakenLesson
from reverie.store.library import is_memory
from reverie.store.store import Store
from reverie.trust import Trust

MAX_SHOWN = 600  # characters of one memory's text


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that is shown."""

    id: str
    data: dict[str, Any]
    known: Known | None = None
    review: Review | None = None

    @property
    def size(self) -> int:
        return sum(len(str(value)) + 20 for value in self.data.values()) + FRAME


@dataclass(frozen=True, slots=True)
class DreamTask:
    """A piece of work as an agent gets it."""

    assignment: Assignment
    entries: tuple[Entry, ...]

    @property
    def project(self) -> str:
        return self.assignment.subject

    @property
    def prompt(self) -> Prompt:
        lines = (inert(json.dumps(entry.data, ensure_ascii=False)) for entry in self.entries)
        return prompt_of(self.assignment, fenced(*lines), SCHEMA, most=MOST_CHANGES)


class Taken(NamedTuple):
    """What became of an answer: lessons of sessions, a proposal, advice, or a daily."""

    assignment: Assignment
    lessons: tuple[TakenLesson, ...] = ()
    proposal: str | None = None
    changes: tuple[Change, ...] = ()
    advised: int = 0  # entries of the queue
    revised: int = 0  # memories
    day: str = ""  # that was written about


class DreamWork:
    """Hands out the memories of a project and takes changes."""

    def __init__(self, store: Store, clock: Clock, redact: Callable[[str], str]) -> None:
        self._store = store
        self._clock = clock
        self._redact = redact
        self._queue = Queue(store.database, clock)
        self.assignments = Assignments(store.database, clock)

    def next(self, project: str | None = None) -> DreamTask | None:
        """The first piece nobody has; of all projects when none is named."""
        taken = self.assignments.first("dream", self._offered(project))
        return DreamTask(*taken) if taken else None

    def waiting(self, project: str | None = None) -> Iterator[DreamTask]:
        """The pieces that nobody has had; none is taken."""
        for planned, part in self.assignments.untouched("dream", self._offered(project)):
            yield DreamTask(planned, part)

    def _offered(self, project: str | None) -> Iterator[tuple[Stretch, tuple[Entry, ...]]]:
        names = sorted(info.name for info in self._store.stores())
        for name in names if project is None else [n for n in names if n == project]:
            for place, part in enumerate(self._parts(name)):
                yield Stretch(name, place, place, _seed(part)), part

    def submit(self, assignment: Assignment, text: str) -> Taken:
        """Turn an answer into a proposal.

        Raises:
            InvalidInput: it has not the form that was asked for.
            Refused: a change cannot be proposed; the message has every reason.
            Conflict: the memories changed since they were shown.
        """
        part = self.assignments.still_offered(assignment, self._offered(assignment.subject))
        if part is None:
            raise Conflict(
                f"what {assignment.id} showed has changed since", hint="take the next piece instead"
            )
        shown = self._sources(assignment.subject, part)
        try:
            changes = changes_of(text, shown, self._redact)
            known = tuple(shown.known.values())
            checked = check(Night(Ask(), shown.now, known=known, changes=tuple(changes)))
            refuse([f"{drop.text}: {drop.why}" for drop in checked.drops])
        except (InvalidInput, Refused):
            self.assignments.refused(assignment)
            raise
        proposal = None
        if checked.changes:
            proposals = Proposals(self._store.database, self._clock)
            with self._store.database.atomic() as tx:
                proposal = proposals.add(tx, assignment.id, checked.changes)
        self.assignments.done(assignment)
        return Taken(assignment, proposal=proposal, changes=checked.changes)

    def _parts(self, store: str) -> Iterator[tuple[Entry, ...]]:
        """What is known of a project, in bounded portions; nothing to think about is no portion."""
        part: list[Entry] = []
        size = 0
        for entry in self._entries(store):
            if part and size + entry.size > MATERIAL:
                yield tuple(part)
                part, size = [], 0
            part.append(entry)
            size += entry.size
        if len(part) > 1:
            yield tuple(part)

    def _entries(self, store: str) -> list[Entry]:
        memories = [
            Known(store, memory, load(memory.content, path=memory.path))
            for memory in self._store.walk(store)
            if is_memory(memory.path) and not memory.path.startswith("/archive/")
        ]
        found = [_memory(one) for one in sorted(memories, key=lambda one: one.memory.path)]
        waiting = [one for one in self._queue.pending() if one.candidate.store == store]
        return found + [_waiting(one) for one in sorted(waiting, key=lambda one: one.id)]

    def _sources(self, store: str, part: Sequence[Entry]) -> Shown:
        """Whose words each id of a piece stands for."""
        known = {e.known.document.name: e.known for e in part if e.known is not None}
        ids = [one for item in known.values() for one in item.document.evidence]
        kept = {
            one: Quoted(one, q.session, q.at, q.quote[:300], trust_of(q.trust))
            for one, q in quotes(self._store.database, ids).items()
        }
        sources: dict[str, tuple[Quoted, ...]] = {one: (quote,) for one, quote in kept.items()}
        for entry in part:
            if entry.known is not None:
                own = entry.known.document.evidence
                sources[entry.id] = tuple(kept[one] for one in own if one in kept)
            elif entry.review is not None:
                said = entry.review.candidate
                trust = trust_of(said.trust)
                quote = Quoted(said.evidence, said.session, said.at, said.quote[:300], trust)
                sources[said.evidence] = (quote,)
        trusts: dict[str, Trust] = {e.id: e.known.memory.trust for e in part if e.known is not None}
        trusts |= {one: found[0].trust for one, found in sources.items() if one not in trusts}
        return Shown(store, iso(self._clock()), known, sources, trusts)


def _memory(one: Known) -> Entry:
    document, memory = one.document, one.memory
    data: dict[str, Any] = {
        "id": memory.id,
        "memory": document.name,
        "says": one.text[:MAX_SHOWN],
        "trust": memory.trust,
        "sessions": document.support,
        "created": document.created or memory.created_at[:10],
        "evidence": list(document.evidence[-5:]),
    }
    return Entry(memory.id, data, known=one)


def _waiting(one: Review) -> Entry:
    said = one.candidate
    data: dict[str, Any] = {
        "id": said.evidence,
        "waiting": said.lesson[:MAX_SHOWN],
        "trust": said.trust,
        "at": said.at,
        "quote": said.quote[:MAX_SHOWN],
    }
    return Entry(said.evidence, data, review=one)


def _seed(part: Sequence[Entry]) -> str:
    digest = hashlib.sha256()
    for entry in part:
        version = entry.known.memory.version_id if entry.known else ""
        digest.update(f"{entry.id}\0{version}\n".encode())
    return digest.hexdigest()
