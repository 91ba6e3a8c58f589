"""What becomes of a candidate: a memory, more evidence for one, an entry of the queue, or nothing.

Order of the questions: was it decided before? is it worth keeping at all? is it known already? is
it sure enough to be written unasked?
"""

import hashlib
from dataclasses import dataclass, replace
from typing import Literal

from reverie.errors import PathTaken, PreconditionFailed
from reverie.learn.candidates import Candidate
from reverie.learn.queue import Queue
from reverie.learn.quotes import keep_quotes, quote_of
from reverie.privacy import has_mark
from reverie.store.documents import Document, parse
from reverie.store.exclusions import why_not
from reverie.store.store import Store
from reverie.store.values import Actor, Author, Memory, Trust

Action = Literal["created", "corroborated", "queued", "excluded", "known"]
MAX_EVIDENCE = 50  # ids kept in a memory; the count goes on in `support`
TRIES = 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done with a candidate, and why."""

    action: Action
    why: str
    memory_id: str | None = None


class Writer:
    """Writes candidates into stores, each at most once."""

    def __init__(self, store: Store, queue: Queue) -> None:
        self._store = store
        self._queue = queue
        self._known: dict[str, dict[str, str]] = {}

    def write(self, candidate: Candidate, *, sure: bool) -> Outcome:
        """Decide about one candidate that was learned."""
        decided = self._queue.known([candidate.id])
        if decided:
            return Outcome("known", f"already {decided[candidate.id]}")
        excluded = why_not(candidate.lesson)
        if excluded is not None:
            return Outcome("excluded", excluded.reason)
        path = self._paths(candidate.store).get(said(candidate.lesson))
        marked = has_mark(candidate.lesson)
        if (marked or not sure) and path is None:
            why = "speaks of a secret" if marked else "not sure enough to be written unasked"
            self._queue.add(candidate, why=why)
            return Outcome("queued", why)
        return self.remember(candidate, by=self._author(candidate))

    def hold(self, candidate: Candidate, *, why: str) -> Outcome:
        """Put a candidate before a person, whatever its score: nobody has said it."""
        decided = self._queue.known([candidate.id])
        if decided:
            return Outcome("known", f"already {decided[candidate.id]}")
        excluded = why_not(candidate.lesson)
        if excluded is not None:
            return Outcome("excluded", excluded.reason)
        if said(candidate.lesson) in self._paths(candidate.store):
            return Outcome("known", "a memory says it")
        self._queue.add(candidate, why=why)
        return Outcome("queued", why)

    def remember(
        self, candidate: Candidate, *, by: Author, document: Document | None = None
    ) -> Outcome:
        """Write a candidate now: sure of itself, or accepted by a person."""
        self._store.ensure_store(candidate.store)
        with self._store.database.atomic() as tx:
            keep_quotes(tx, [quote_of(candidate)])
        wanted = (document or candidate.document()).validate()
        path = self._paths(candidate.store).get(said(wanted.description))
        if path is not None:
            memory = self._corroborate(candidate, path, by)
            outcome = Outcome("corroborated", "said again", memory.id)
        else:
            memory = self._create(candidate.store, wanted, by)
            self._paths(candidate.store)[said(wanted.description)] = memory.path
            outcome = Outcome("created", by.reason, memory.id)
        self._queue.add(candidate, why=outcome.why, status="written", memory_id=memory.id)
        return outcome

    def _author(self, candidate: Candidate) -> Author:
        said_how = "a standing rule" if candidate.standing else "a lasting statement"
        return Author(
            actor=Actor("agent", candidate.session),
            reason=f"learned: {said_how} in {candidate.evidence}",
            trust=trust_of(candidate.trust),
            valid_from=candidate.at or None,
        )

    def _create(self, store: str, document: Document, by: Author) -> Memory:
        named = document
        for attempt in range(2, TRIES):
            try:
                return self._store.create(store, f"/{named.name}.md", named.text(), by)
            except PathTaken:
                named = replace(document, name=f"{document.name}-{attempt}")
        # Dozens of lessons with the same first words: from here on the text tells them apart.
        digest = hashlib.sha256(document.text().encode()).hexdigest()[:8]
        named = replace(document, name=f"{document.name}-{digest}")
        return self._store.create(store, f"/{named.name}.md", named.text(), by)

    def _corroborate(self, candidate: Candidate, path: str, by: Author) -> Memory:
        for _ in range(TRIES):
            memory = self._store.get(candidate.store, path)
            document = parse(memory.content, path=path)
            if candidate.evidence in document.evidence:
                return memory
            evidence = (*document.evidence, candidate.evidence)
            sessions = {item.rpartition("#")[0] for item in evidence}
            richer = replace(
                document,
                evidence=evidence[-MAX_EVIDENCE:],
                support=max(document.support + 1, len(sessions))
                if candidate.session not in {e.rpartition("#")[0] for e in document.evidence}
                else max(document.support, len(sessions)),
            )
            try:
                return self._store.update(
                    candidate.store,
                    memory.id,
                    content=richer.text(),
                    if_sha256=memory.content_sha256,
                    by=by,
                )
            except PreconditionFailed:
                continue  # somebody edited it meanwhile: look again
        return self._store.get(candidate.store, path)

    def _paths(self, store: str) -> dict[str, str]:
        """What is said in a store already → where."""
        if store not in self._known:
            info = self._store.ensure_store(store)
            found: dict[str, str] = {}
            for memory in self._store.walk(info.id):
                if memory.path.count("/") == 1:
                    description = parse(memory.content, path=memory.path).description
                    found.setdefault(said(description), memory.path)
            self._known[store] = found
        return self._known[store]


def said(text: str) -> str:
    """A lesson without case, punctuation and spacing: equal for the same words."""
    return " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def trust_of(name: str) -> Trust:
    """The trust of a candidate; anything unknown counts as the least."""
    match name:
        case "user" | "agent" | "tool":
            return name
        case _:
            return "web"
