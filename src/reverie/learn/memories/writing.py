"""What becomes of a candidate: a memory, more evidence for one, an entry of the queue, or nothing.

Order of the questions: was it decided before? is it worth keeping at all? is it known already? is
it sure enough to be written unasked? does it replace something?
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

from reverie.clock import iso
from reverie.documents import bodies
from reverie.documents.document import Document, load
from reverie.errors import NotFound, PathTaken, PreconditionFailed
from reverie.language.compare import covers
from reverie.language.words import content, words
from reverie.learn.detect.observe import moment_of
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.learnings import Learnings, Related
from reverie.learn.memories.queue import Advice, Queue, Review
from reverie.learn.memories.quotes import keep_quotes, quote_of
from reverie.learn.memories.waiting import Waiting
from reverie.learn.statements.rule import is_clear
from reverie.privacy import has_mark
from reverie.sessions.forgotten import Forgotten, Said
from reverie.store import roads
from reverie.store.causes import Cause
from reverie.store.library import GLOBAL, Item, Library
from reverie.store.model import Actor, Author, Memory
from reverie.store.store import Store
from reverie.trust import Trust, as_trusted, lowest

Action = Literal[
    "created", "reworded", "corroborated", "superseded", "queued", "joined", "excluded", "known"
]
TRIES = 20
KNOWN = 0.7  # share of the telling words of a lesson that somebody worded, if it says nothing new


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done with a candidate, and why."""

    action: Action
    why: str
    memory_id: str | None = None
    replaced: tuple[str, ...] = ()  # names of the memories it superseded


class Ending(NamedTuple):
    """A word by which something in a store is over."""

    store: str
    text: str
    where: str  # the turn it was said in, or what came instead
    by: Author  # valid from when it was said


class Writer:
    """Writes candidates into stores, each at most once."""

    def __init__(self, store: Store, queue: Queue, *, unasked: bool = True) -> None:
        """`unasked`: what was said in two sessions is written without a question."""
        self._store = store
        self._queue = queue
        self._unasked = unasked
        self._known: dict[str, Learnings] = {}

    def write(self, candidate: Candidate, *, sure: bool, growing: bool = False) -> Outcome:
        """Decide about one candidate that was learned.

        Args:
            growing: Its session goes on: what came since may put in doubt what was written of it.
        """
        if growing and not sure:
            self._undo(candidate)
        self._doubt(candidate)
        if settled := self._settled(candidate):
            return settled
        if why := self._why_ask(candidate, sure):
            return self._wait(candidate, why)
        return self._with_same_day(candidate) or self.remember(
            candidate, by=self._author(candidate)
        )

    def distilled(self, candidate: Candidate, more: Sequence[Candidate], *, by: Author) -> Outcome:
        """Write a lesson that somebody worded and that was checked against what was said.

        One that is not a person's own word is written and waits for them all the same.
        """
        self._queue.make_way(candidate)
        if settled := self._settled(candidate, excludes=False):
            return settled
        store, same = self._same(candidate.store, candidate.lesson, worded=True)
        old = self.by_rules(store, same.path) if same is not None else None
        if old is not None and as_trusted(trust_of(candidate.trust), old.memory.trust):
            return self.reword(old, candidate, more, by=by)
        if same is not None and candidate.trust != "user":
            item = self._item(store, same.path)
            return Outcome("known", f"{same.path} says it", item.memory.id if item else None)
        # What it replaces is for whoever worded it to say.
        document, waits = candidate.document(more), candidate.trust != "user"
        return self.remember(
            candidate, by=by, document=document, also=more, waits=waits, replaces=False
        )

    def _with_same_day(self, candidate: Candidate) -> Outcome | None:
        """What was said on one day in more words and in fewer is one memory, in the more."""
        for path, old in self._learnings(candidate.store).overlapping(candidate.lesson):
            item = self.by_rules(candidate.store, path)
            if item is None or item.document.created != candidate.at[:10]:
                continue
            by = self._author(candidate)
            if by.trust != item.memory.trust or candidate.type != item.document.type:
                continue
            if covers(candidate.lesson, old):
                before = [review.candidate for review in self._queue.of_memory(item.memory.id)]
                return self.reword(item, candidate, before, by=by)
            self.said_again(item, (candidate,))
            self._queue.add(candidate, why="said again", status="written", memory_id=item.memory.id)
            return Outcome("corroborated", "said again", item.memory.id)
        return None

    def _undo(self, candidate: Candidate) -> None:
        """What was written of these words alone was never written; its history stays."""
        entry, item = self._written(candidate)
        if entry and item and item.document.evidence == (candidate.evidence,):
            with self._store.database.atomic():
                by = self._author(candidate)._replace(reason="what was said next puts it in doubt")
                self._store.delete(item.store, item.memory.id, by=by)
                self._learnings(item.store).discard(item.memory.path)
                self._queue.withdraw(entry.id)

    def _doubt(self, candidate: Candidate) -> None:
        """What was written of words that a person took back since waits for them instead.

        Not where others bear it as well: then these are more evidence that is trusted less.
        """
        entry, item = self._written(candidate)
        if entry is None or item is None or _bears(candidate, item):
            return
        others = (one for one in self._queue.of_memory(item.memory.id) if one.id != entry.id)
        if not any(_bears(other.candidate, item) for other in others):
            self._ask_after_all(entry, item)
        elif _bears(entry.candidate, item):
            self._queue.withdraw(entry.id)

    def lay_open(self, candidate: Candidate) -> None:
        """What the rules wrote of one sentence, and not as a rule, waits for who reads it anew."""
        entry, item = self._written(candidate)
        alone = item is not None and len(self._queue.of_memory(item.memory.id)) == 1
        if entry and item and alone and not candidate.standing:
            self._ask_after_all(entry, item)

    def _ask_after_all(self, entry: Review, item: Item) -> None:
        with self._store.database.atomic():
            self.retire(item, entry.candidate.evidence, self._author(entry.candidate))
            self._queue.take_back([entry.id])

    def _written(self, candidate: Candidate) -> tuple[Review | None, Item | None]:
        """What is known of a candidate, and the memory that the rules wrote of it."""
        try:
            entry = self._queue.find(candidate.id)
        except NotFound:
            return None, None
        with suppress(NotFound):  # they had it forgotten
            return entry, self.by_rules(candidate.store, entry.memory_id or "")
        return entry, None

    def untouched(self, store: str, memory: str) -> Item | None:
        """A memory that a model or the rules wrote and no person has touched since; else None."""
        item = self._item(store, memory)
        if item is None:
            return None
        behind = self._queue.of_memory(item.memory.id)
        versions = self._store.versions(store, memory=item.memory.id).items
        untouched = (
            behind
            and not item.archived
            and not item.document.pinned
            and all(review.status in ("written", "pending", "joined") for review in behind)
            and all(version.actor.kind == "agent" for version in versions)
        )
        return item if untouched else None

    def by_rules(self, store: str, memory: str) -> Item | None:
        """One of them that the rules wrote, in no other words since."""
        item = self.untouched(store, memory)
        behind = self._queue.of_memory(item.memory.id) if item else []
        raw = all(review.status == "written" and not review.candidate.name for review in behind)
        return item if raw else None

    def reword(
        self, old: Item, candidate: Candidate, more: Sequence[Candidate], *, by: Author
    ) -> Outcome:
        """Give a memory that nobody touched other words; its id, evidence and history stay.

        Words that are not the person's own are written and wait for them.
        """
        trust = lowest(old.memory.trust, trust_of(candidate.trust))
        document = candidate.document(more)
        document = document.resting_on(old.document.evidence, old.document.support)
        document = replace(document, created=old.document.created, trust=trust)
        by = by._replace(trust=trust, valid_from=old.memory.valid_from)
        with self._store.database.atomic():
            self._keep_words(candidate, *more)
            path = f"/{document.name}.md"
            try:
                memory = roads.change(
                    self._store, old.memory, document.text(), by, roads.LEARNED, path=path
                )
            except PathTaken:
                document = replace(document, name=old.name)
                memory = roads.change(self._store, old.memory, document.text(), by, roads.LEARNED)
            self._learnings(old.store).discard(old.memory.path)
            self._learnings(old.store).add(memory.path, document.description)
            for before in self._queue.of_memory(memory.id):
                self._queue.decide(before.id, "written")
            self._note(candidate, by.reason, memory.id, waits=trust != "user")
        return Outcome("reworded", "in better words", memory.id)

    def said_again(self, item: Item, words: Sequence[Candidate]) -> None:
        """A person's words that a memory rests on as well."""
        with self._store.database.atomic():
            self._keep_words(*words)
            for candidate in words:
                self._corroborate(item.store, candidate, item.memory.id, self._author(candidate))

    def end(self, said: Ending) -> list[Item]:
        """Retire what a word that something is over ends; what it may not touch stays."""
        retired: list[Item] = []
        for old in self._replaced(said.store, said.text):
            item = self._item(said.store, old.path)
            if item is None or is_later(held_since(item), said.by.valid_from or ""):
                continue
            if not item.document.pinned and as_trusted(said.by.trust, item.memory.trust):
                self.retire(item, said.where, said.by)
                retired.append(item)
        return retired

    def disown(self, said: Ending) -> list[Item]:
        """What the rules wrote of words that a person says were not theirs waits for them."""
        paths = self._learnings(said.store).spoken_of(said.text)
        disowned = [
            item
            for path in paths
            if (item := self.by_rules(said.store, path))
            and not is_later(held_since(item), said.by.valid_from or "")
        ]
        for item in disowned:
            self.retire(item, said.where, said.by)
            self._queue.take_back([entry.id for entry in self._queue.of_memory(item.memory.id)])
        return disowned

    def advise(self, item: Item, advice: Advice) -> None:
        """Ask a person about a memory that stays as it is until they answer."""
        behind = self._queue.of_memory(item.memory.id)
        asked = [review for review in behind if review.status != "joined"] or behind
        self._queue.ask_again(asked[0].id, advice, item.memory.id)

    def hold(self, candidate: Candidate, *, why: str) -> Outcome:
        """Put a candidate before a person, whatever its score: nobody has said it."""
        if settled := self._settled(candidate, excludes=not candidate.name):
            return settled
        _, same = self._same(candidate.store, candidate.lesson)
        return Outcome("known", f"{same.path} says it") if same else self._wait(candidate, why)

    def remember(
        self,
        candidate: Candidate,
        *,
        by: Author,
        document: Document | None = None,
        also: Sequence[Candidate] = (),
        waits: bool = False,
        replaces: bool = True,
    ) -> Outcome:
        """Write a candidate now: sure of itself, or accepted by a person.

        `also` says the same, and so does what waits for review: they are more evidence. One that
        `waits` is written, and a person is asked about it. Unless it `replaces` nothing, what it
        contradicts is retired.
        """
        self._store.ensure_store(candidate.store)
        wanted = (document or candidate.document()).validate()
        # The memory and what the queue knows of it, whole or not at all.
        with self._store.database.atomic():
            self._keep_words(candidate, *also)
            worded = bool(candidate.name)
            store, same = self._same(candidate.store, wanted.description, worded=worded)
            known = self._item(store, same.path) if same is not None else None
            if known is not None and by.trust == "user" != known.memory.trust:
                store, memory = candidate.store, self._theirs(candidate, wanted, known, by)
                outcome = Outcome("created", "said before, and not by a person", memory.id)
            elif same is not None:
                memory = self._corroborate(store, candidate, same.path, by)
                outcome = Outcome("corroborated", "said again", memory.id)
            else:
                outcome = self._replace(candidate, wanted, by, others=replaces)
            waits = waits and outcome.action == "created"
            self._note(candidate, outcome.why, outcome.memory_id, waits=waits)
            if outcome.memory_id is not None:
                for more in (*also, *self._answered(candidate, outcome.memory_id)):
                    self._corroborate(store, more, outcome.memory_id, by)
        return outcome

    def _note(self, candidate: Candidate, why: str, memory_id: str | None, *, waits: bool) -> None:
        """Note in the queue what was written, and whether a person is asked about it."""
        if waits:
            why = "not all of it was said by a person"
        status = "pending" if waits else "written"
        self._queue.add(candidate, why=why, status=status, memory_id=memory_id)

    def _keep_words(self, *candidates: Candidate) -> None:
        with self._store.database.atomic() as tx:
            keep_quotes(tx, map(quote_of, candidates))

    def _answered(self, candidate: Candidate, memory_id: str) -> list[Candidate]:
        """What waited for review and says what was just written: it need not be asked for."""
        answered: list[Candidate] = []
        for entry in self._waiting.same(candidate):
            review = self._queue.find(entry.id)
            self._waiting.discard(entry)
            if review.status == "pending":
                answered += review.candidates
                self._queue.decide(entry.id, "written", memory_id)
        self._keep_words(*answered)
        return answered

    def _settled(self, candidate: Candidate, *, excludes: bool = True) -> Outcome | None:
        """What is known of a candidate before it is weighed: decided already, or not worth it."""
        decided = self._queue.status(candidate.id)
        if decided:
            return Outcome("known", f"already {decided}")
        if self._forgotten.holds(said_by(candidate)):
            return Outcome("known", "a person had it forgotten")
        excluded = roads.excluded(roads.LEARNED, candidate.lesson) if excludes else None
        if excluded is not None and not (candidate.standing and excluded.rule == "one-off"):
            return Outcome("excluded", excluded.reason)
        return None

    def _wait(self, candidate: Candidate, why: str) -> Outcome:
        """Into the queue: as more evidence of an entry that says the same, else as its own."""
        for entry in self._waiting.same(candidate):
            if self._queue.join(candidate, entry.id, why=why):
                return Outcome("joined", f"{entry.id} waits for review and says it")
            self._waiting.discard(entry)
        self._queue.add(candidate, why=why)
        self._waiting.add(candidate)
        return Outcome("queued", why)

    @cached_property
    def _waiting(self) -> Waiting:
        return Waiting(self._queue)

    @cached_property
    def _forgotten(self) -> Forgotten:
        return Forgotten(self._store.database)

    def _why_ask(self, candidate: Candidate, sure: bool) -> str:
        """Why a person must be asked first; empty when it may be written."""
        known = self._known_as(candidate)
        if has_mark(candidate.lesson) and not known:
            return "speaks of a secret"
        if not sure and not known and not self._said_before(candidate):
            return "not sure enough to be written unasked"
        return self.in_its_way(candidate.store, candidate.lesson, trust_of(candidate.trust))

    def _known_as(self, candidate: Candidate) -> bool:
        """Whether a memory says it already whose word is as good."""
        store, same = self._same(candidate.store, candidate.lesson)
        item = self._item(store, same.path) if same is not None else None
        return item is not None and as_trusted(item.memory.trust, trust_of(candidate.trust))

    def _said_before(self, candidate: Candidate) -> bool:
        """Whether the person said it in another session already, so that it can be read alone."""
        by_person = candidate.trust == "user" and not candidate.framed
        if not (self._unasked and by_person and is_clear(candidate.lesson)):
            return False
        return any(
            entry.session != candidate.session and not entry.framed
            for entry in self._waiting.same(candidate)
        )

    def in_its_way(self, store: str, lesson: str, trust: Trust) -> str:
        """What a lesson of that trust may not replace, in words; empty when there is nothing."""
        for old in self._replaced(store, lesson):
            item = self._item(store, old.path)
            if item is None:
                continue
            if item.document.pinned:
                return f"contradicts {item.memory.id}, which is pinned"
            if not as_trusted(trust, item.memory.trust):
                return f"contradicts {item.memory.id}, which is trusted more"
        return ""

    def _author(self, candidate: Candidate) -> Author:
        said_how = "a standing rule" if candidate.standing else "a lasting statement"
        return Author(
            actor=Actor("agent", candidate.session),
            reason=f"learned: {said_how} in {candidate.evidence}",
            trust=trust_of(candidate.trust),
            valid_from=candidate.at or None,
        )

    def _replace(
        self, candidate: Candidate, wanted: Document, by: Author, *, others: bool
    ) -> Outcome:
        """Write a memory and retire those it replaces, or retire it at once if it is the older."""
        store = candidate.store
        items = [
            item
            for old in (self._replaced(store, wanted.description) if others else ())
            if (item := self._item(store, old.path)) is not None
        ]
        # What a person accepts holds from now on, however long ago it was said.
        accepted = by.actor.kind == "user"
        at = iso(self._store.context.clock()) if accepted else candidate.at
        later = [item for item in items if is_later(held_since(item), at)]
        memory = self._create(store, wanted, by)
        if later:
            last = later[0]
            where = last.document.evidence[-1] if last.document.evidence else last.memory.id
            self.retire(Item(store, memory), where, by._replace(valid_from=last.memory.valid_from))
            return Outcome("superseded", f"a later word is in {where}", memory.id)
        for item in items:
            self.retire(item, candidate.evidence, by._replace(valid_from=at or None))
        names = tuple(item.name for item in items)
        return Outcome("created", "replaces what was said before" if names else by.reason,
                       memory.id, names)  # fmt: skip

    def retire(self, item: Item, where: str, by: Author) -> None:
        """Move a memory to the archive because of what was said in `where`; nothing is lost.

        It was valid until that began to be. The reason cites the turn, not its words: unlearning
        that session must find none of them.
        """
        memory = item.memory
        reason = Cause("superseded", where).reason
        ended = Author(by.actor, reason, memory.trust, memory.valid_from, by.valid_from)
        for _ in range(TRIES):
            try:
                Library(self._store, item.store).archive(item, ended)
                break
            except PreconditionFailed:
                again = self._item(item.store, item.memory.path)
                if again is None:
                    break
                item = again
        self._learnings(item.store).discard(memory.path)

    def _create(self, store: str, document: Document, by: Author) -> Memory:
        path = f"/{document.name}.md"
        memory = roads.enter(self._store, store, path, document, by, roads.LEARNED).here
        self._learnings(store).add(memory.path, document.description)
        return memory

    def _theirs(self, candidate: Candidate, said: Document, known: Item, by: Author) -> Memory:
        """The memory of a person's own words, where one that is not theirs says the same.

        What they say raises no words that they did not say: the other one goes, or stays beside it
        as little trusted as it was, if it says more. Turns that learning found for it stay found.
        """
        if not (known.document.pinned or _says_more(known.document, said)):
            if self.untouched(known.store, known.memory.id) is not None:
                richer = corroborated(known.document, candidate)
                said = said.resting_on(richer.evidence, richer.support)
            self.retire(known, candidate.evidence, by._replace(valid_from=candidate.at or None))
        return self._create(candidate.store, said, by)

    def _corroborate(self, store: str, candidate: Candidate, path: str, by: Author) -> Memory:
        for _ in range(TRIES):
            memory = self._store.get(store, path)
            document = load(memory.content, path=path)
            if document.problem or candidate.evidence in document.evidence:
                return memory
            richer = corroborated(document, candidate)
            try:
                again = self._said_again(memory, candidate, by)
                return roads.change(self._store, memory, richer.text(), again, roads.LEARNED)
            except PreconditionFailed:
                continue  # somebody edited it meanwhile: look again
        return self._store.get(store, path)

    def _said_again(self, memory: Memory, candidate: Candidate, by: Author) -> Author:
        """More evidence neither lowers a memory's trust nor makes it valid from later on."""
        known = memory.valid_from or ""
        last = candidate.at if not known or is_later(candidate.at, known) else known
        return by._replace(trust=memory.trust, valid_from=last or None)

    def _same(self, store: str, lesson: str, *, worded: bool = False) -> tuple[str, Related | None]:
        """The memory that says the same: in its own store, else among those all projects share.

        One that somebody `worded` may share the subject and say more.
        """
        for name in dict.fromkeys((store, GLOBAL)):
            for related in self._learnings(name).related(lesson):
                if related.relation == "same" and (not worded or _says_all(related.lesson, lesson)):
                    return name, related
        return store, None

    def _replaced(self, store: str, lesson: str) -> list[Related]:
        related = self._learnings(store).related(lesson)
        return [old for old in related if old.relation in {"updates", "contradicts"}]

    def _item(self, store: str, path: str) -> Item | None:
        try:
            return Item(store, self._store.get(store, path))
        except NotFound:
            if store in self._known:
                self._known[store].discard(path)  # deleted or moved since it was read
            return None

    def _learnings(self, store: str) -> Learnings:
        if store not in self._known:
            self._store.ensure_store(store)
            self._known[store] = Learnings(self._store, store)
        return self._known[store]


def _says_all(old: str, new: str) -> bool:
    telling = content(words(new))
    return len(telling & content(words(old))) >= KNOWN * len(telling)


def _says_more(old: Document, new: Document) -> bool:
    """Whether a memory tells anything that another one with the same rule does not."""
    had = content(words(f"{new.description} {new.body}"))
    return not content(words(f"{old.description} {_told(old)}")) <= had


def _told(document: Document) -> str:
    """What a body says, but for where it was said."""
    parts = bodies.parts(bodies.without_quotes(document.body))
    return "\n".join((parts.rule, parts.how, "" if document.evidence else parts.why))


def said_by(candidate: Candidate) -> Said:
    """What a candidate would bring back if somebody had it forgotten."""
    return Said(
        candidate.id,
        candidate.project,
        (candidate.lesson,),
        place=candidate.evidence,
        at=candidate.at,
        whole=candidate.quote,
    )


def corroborated(document: Document, candidate: Candidate) -> Document:
    """The document with one more piece of evidence; `support` counts sessions."""
    sessions = {item.rpartition("#")[0] for item in document.evidence}
    support = document.support + (candidate.session not in sessions)
    richer = document.resting_on([candidate.evidence], support)
    # What says it again may have been said before it.
    return replace(richer, modified=max(document.created, document.modified, candidate.at[:10]))


def held_since(item: Item) -> str:
    """From when on a memory holds: as was said with it, else by its date, else since it is here."""
    created, dated = item.memory.created_at, item.document.created
    return item.memory.valid_from or (dated if dated and dated != created[:10] else created)


def is_later(moment: str, other: str) -> bool:
    """Whether one moment comes after the other; logs write them in several forms."""
    first, second = moment_of(moment), moment_of(other)
    return first is not None and second is not None and first > second


def trust_of(name: str) -> Trust:
    """The trust of a candidate; anything unknown counts as the least."""
    match name:
        case "user" | "agent" | "tool":
            return name
        case _:
            return "web"


def _bears(candidate: Candidate, item: Item) -> bool:
    """Whether a memory could rest on these words alone and be trusted as it is."""
    return as_trusted(trust_of(candidate.trust), item.memory.trust)
