"""Applying: accepted changes become versions, one memory each, and can be taken back.

Every write compares and sets: what was edited since the dream read it wins, and the change is
offered again on top of the edit. Undoing restores only what nobody touched since.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from reverie.documents.document import is_rewritten, load, parse
from reverie.dream.model import Change
from reverie.dream.proposals.proposals import Offer, Proposals
from reverie.errors import Conflict, NotFound, PathTaken, PreconditionFailed, Refused
from reverie.language.compare import relation
from reverie.learn.memories.queue import Queue
from reverie.learn.memories.quotes import Quote, keep_quotes
from reverie.plural import several
from reverie.store import roads
from reverie.store.access import protected, protection
from reverie.store.causes import Cause
from reverie.store.library import ARCHIVE, Item, Library, stem
from reverie.store.model import Actor, Author, Memory
from reverie.store.paths import numbered
from reverie.store.store import Store
from reverie.trust import Trust, as_trusted, lowest

PERSON = Actor("user")
TRIES = 50
_PROGRAMS = frozenset({"agent", "key"})  # whose yes is no person's


@dataclass(frozen=True, slots=True)
class Applied:
    """What one change came to: `done`, or `again` when it has to be looked at again."""

    outcome: str
    words: str
    placed: tuple[str, ...] = ()  # where forms of it were put, or what was taken out again
    back: str = ""  # the command that takes it back


class Undone(NamedTuple):
    """What taking back one change came to."""

    change: str
    result: Applied


class Applying:
    """Accepts, rejects and undoes changes."""

    def __init__(self, store: Store, proposals: Proposals) -> None:
        self._store = store
        self._proposals = proposals
        self._queue = Queue(store.database, store.context.clock)

    def accept(
        self, offer: Offer, *, actor: Actor = PERSON, text: str = "", looked_at: bool = False
    ) -> Applied:
        """Write one change, as offered or as edited (`text`); an edit made meanwhile wins.

        `looked_at` says that a person did, though it is not they who write.

        Raises:
            Refused: an agent accepts what only a person may.
        """
        change = offer.change
        if actor.kind in _PROGRAMS:
            self._refuse_programs(change, looked_at)
        wanted, trust = text or change.after, _trust(change, actor)
        if actor.kind != "dream" and change.verb in {"create", "correct"}:
            wanted = replace(parse(wanted, path=change.path).validate(), trust=trust).text()
        by = Author(
            actor,
            self._reason(offer),
            trust,
            valid_from=change.valid_from or None,
            valid_to=change.valid_to or None,
        )
        self._store.ensure_store(change.store)
        self._keep(change)
        try:
            # All or nothing: what waits for review is closed with the memory that says it.
            with self._store.database.atomic():
                applied = self._write(change, wanted, by)
                answered = applied["answered"] = self._answer(change, applied, actor)
                self._proposals.decide(offer, "edited" if text else "accepted", applied=applied)
        except (PreconditionFailed, NotFound) as error:
            return self._again(offer, error)
        verb = "corroborate" if applied["before"] and not change.before_sha256 else change.verb
        words = f"{verb}: {applied['store']}{applied['path']}"
        if answered:
            words += f", and {several(len(answered), 'lesson')} that waited for review with it"
        return Applied("done", words, back=f"reverie proposals undo {offer.proposal}")

    def reject(self, offer: Offer) -> Applied:
        """Turn a change down; its pattern is not offered again until its evidence doubles."""
        self._proposals.decide(offer, "rejected")
        return Applied("done", "rejected", back=f"reverie review --accept {offer.id}")

    def undo(self, offer: Offer, *, actor: Actor = PERSON) -> Applied:
        """Take an applied change back, if nobody changed the memory since."""
        done = offer.applied
        by = Author(actor, f"undo of {offer.proposal}", offer.change.trust)
        try:
            memory = self._store.get(done["store"], done["memory"])
        except NotFound:
            self._proposals.decide(offer, "undone", note="the memory is gone")
            return Applied("done", "the memory is gone already")
        if memory.version_id != done["version"]:
            return Applied("again", f"{memory.path} was changed since: left as it is")
        with self._store.database.atomic():
            self._queue.take_back(done.get("answered", ()))
            if not done["before"]:
                self._store.delete(done["store"], memory.id, if_sha256=memory.content_sha256, by=by)
            else:
                put_back(self._store, memory, done["before"], done["old_path"], by)
            self._proposals.decide(offer, "undone")
        return Applied("done", f"undone: {done['store']}{done['old_path']}")

    def _refuse_programs(self, change: Change, looked_at: bool) -> None:
        """Leave to a person what one said or pinned, and what rests on tools or the web alone.

        Raises:
            Refused: the change is one of these.
        """
        if change.quarantined and not looked_at:
            raise Refused(
                f"{change.id} rests on tools or the web alone: only a person accepts it",
                hint=f"in a terminal of your own: `reverie review --accept {change.id}`",
            )
        if change.before_sha256:
            with suppress(NotFound):
                memory = self._store.get(change.store, change.path)
                if protected(memory):
                    raise protection(memory)

    def _reason(self, offer: Offer) -> str:
        """What superseded a memory is kept as such: when it is unlearned, the memory comes back."""
        change = offer.change
        if not change.superseded_by:
            return f"{change.verb} by dream: {change.reason}"
        # The memory that holds instead may have come to lie elsewhere than it was to.
        siblings = self._proposals.find(offer.proposal).offers
        lies = next(
            (
                f"{sibling.applied['store']}:{stem(sibling.applied['path'])}"
                for sibling in siblings
                if sibling.applied
                and f"{sibling.change.store}:{stem(sibling.change.path)}" == change.superseded_by
            ),
            change.superseded_by,
        )
        return Cause("superseded", lies).reason

    def _write(self, change: Change, wanted: str, by: Author) -> dict[str, Any]:
        if change.before_sha256:
            before = self._store.get(change.store, change.path)
            # Only what it was when the change was proposed may be changed.
            proposed = before._replace(content_sha256=change.before_sha256)
            memory = self._changed(change, proposed, wanted, by)
            return _record(change.store, memory, before.version_id, before.path)
        if by.actor.kind != "dream" and (known := self._known(change, wanted)) is not None:
            memory = self._corroborated(known, wanted, by)
            return _record(known.store, memory, known.memory.version_id, memory.path)
        memory = roads.enter(self._store, change.store, change.path, wanted, by, roads.DREAMT).here
        return _record(change.store, memory, "", memory.path)

    def _known(self, change: Change, wanted: str) -> Item | None:
        """A memory that says it since the dream: what waited for review may have been accepted."""
        lesson = parse(wanted, path=change.path).description
        items = Library(self._store, change.store).documents()
        return next((item for item in items if _says(item, lesson)), None)

    def _corroborated(self, known: Item, wanted: str, by: Author) -> Memory:
        """More evidence for a memory; one that is trusted less gets the words that were agreed to,
        for nobody read its own."""
        proposed = parse(wanted, path=known.memory.path)
        trust = known.memory.trust
        if not as_trusted(trust, by.trust):
            trust, richer = by.trust, replace(proposed, name=known.document.name)
        else:
            richer = known.document.resting_on(proposed.evidence, proposed.support)
        text = replace(richer, trust=trust).text()
        if text == known.memory.content:
            return known.memory
        return roads.change(self._store, known.memory, text, by._replace(trust=trust), roads.DREAMT)

    def _answer(self, change: Change, applied: dict[str, Any], actor: Actor) -> list[str]:
        """Close what waits for review and is said now; their ids."""
        memory = self._store.get(applied["store"], applied["memory"])
        if memory.path.startswith(ARCHIVE):
            return []
        said = load(memory.content, path=memory.path)
        quoted = [(quote.evidence, quote.quote) for quote in change.evidence]
        waiting = self._queue.answered_by(said.description, said.evidence, applied["store"], quoted)
        for review in waiting:
            status = "accepted" if actor.kind == "user" else "written"
            self._queue.decide(review.id, status, memory.id)
        return [review.id for review in waiting]

    def _changed(self, change: Change, proposed: Memory, wanted: str, by: Author) -> Memory:
        stem = change.new_path.removesuffix(".md")
        places = islice(numbered(stem, ".md"), TRIES - 2) if change.new_path else (None,)
        for moved in places:
            with suppress(PathTaken):
                return roads.change(self._store, proposed, wanted, by, roads.DREAMT, path=moved)
        raise Conflict(f"there are {TRIES} memories named {stem}")

    def _again(self, offer: Offer, error: Conflict | NotFound) -> Applied:
        """Offer the change again on what is there now; without a memory there is nothing to do."""
        change = offer.change
        try:
            memory = self._store.get(change.store, change.path)
        except NotFound:
            self._proposals.decide(offer, "replaced", note="the memory is gone")
            return Applied("again", f"{change.path} is gone: {error.message}")
        document = parse(memory.content, path=memory.path)
        proposed = parse(change.after, path=change.path)
        if change.new_path:
            after = memory.content
        else:
            after = replace(
                document, evidence=proposed.evidence, support=proposed.support
            ).text()  # fmt: skip
        fresh = replace(
            change, before=memory.content, before_sha256=memory.content_sha256, after=after
        )
        self._proposals.decide(offer, "pending", change=fresh, note="edited meanwhile")
        return Applied("again", f"{change.path} was edited meanwhile: look at the change again")

    def _keep(self, change: Change) -> None:
        quotes = [
            Quote(
                id=item.evidence,
                session=item.session,
                line=int(item.evidence.rpartition("#")[2] or 0),
                at=item.at,
                quote=item.quote,
                premise="",
                trust=item.trust,
            )
            for item in change.evidence
        ]
        with self._store.database.atomic() as tx:
            keep_quotes(tx, quotes)


def put_back(store: Store, memory: Memory, version: str, path: str, by: Author) -> None:
    """Make a memory what one of its versions says, at the path it had then."""
    if memory.version_id == version:
        return
    old = store.version(version)
    store.update(
        memory.store_id,
        memory.id,
        content=old.content if old.content != memory.content else None,
        path=path if memory.path != path else None,
        if_sha256=memory.content_sha256,
        by=by._replace(
            trust=old.trust, valid_from=old.valid_from or "", valid_to=old.valid_to or ""
        ),
    )


def _trust(change: Change, actor: Actor) -> Trust:
    """A person read it and agreed: that, and only that, raises trust, and nothing that was left."""
    if actor.kind in _PROGRAMS:
        return lowest(change.trust, "agent")
    person = actor.kind == "user" and change.verb in {"create", "correct"}
    if person and change.before and change.trust != "user":
        person = is_rewritten(load(change.before), load(change.after))
    return "user" if person else change.trust


def _says(item: Item, lesson: str) -> bool:
    said = item.document.description
    return said.casefold() == lesson.casefold() or relation(said, lesson) == "same"


def _record(store: str, memory: Memory, before: str, old_path: str) -> dict[str, Any]:
    return {
        "store": store,
        "memory": memory.id,
        "path": memory.path,
        "version": memory.version_id,
        "before": before,
        "old_path": old_path,
    }
