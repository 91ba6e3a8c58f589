"""Reviewing: what waits for a person (unsure lessons and proposed changes), and their decisions."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from reverie.documents.document import Document, parse
from reverie.dream.model import CHANGE, Form
from reverie.dream.proposals.applying import Applied, Applying, Undone, put_back
from reverie.dream.proposals.placing import Placing
from reverie.dream.proposals.proposals import Offer
from reverie.dream.proposals.trying import Trial, tried
from reverie.errors import InvalidInput, NotFound, PreconditionFailed, Refused
from reverie.home import Home
from reverie.learn.memories.candidate import Candidate, reworded
from reverie.learn.memories.naming import name_from
from reverie.learn.memories.queue import Advice, Review
from reverie.learn.memories.writing import Writer, trust_of
from reverie.operations import keeping
from reverie.operations.forgotten import said_anew
from reverie.sessions.corrections import corrections
from reverie.sessions.labels import Label
from reverie.store.library import GLOBAL, Item, Library
from reverie.store.model import Author, Entry
from reverie.trust import Trust, lowest


class Pending(NamedTuple):
    """What waits for a person: lessons surest first, changes in the order they were offered."""

    reviews: list[Review]
    offers: list[Offer]


# Memory → the name of its store, and its newest version.
Heads = dict[str, tuple[str, Entry]]


class Decision(NamedTuple):
    """What was decided at a desk, and how it was before."""

    what: Review | Offer
    heads: Heads  # of the stores it can change
    labels: dict[str, Label]


class Desk:
    """Takes decisions: writes what is accepted and remembers what was said about each."""

    def __init__(
        self, home: Home, *, root: Path | None = None, forms: tuple[Form, ...] = ()
    ) -> None:
        """`forms` of accepted changes are put below `root`, the asker's folder if absent."""
        self._home = home
        self._root = root or Path(home.folder)
        self._forms = forms
        self._queue = home.queue
        self._writer = Writer(home.store, self._queue)
        self._labels = home.labels
        self._proposals = home.proposals
        self._applying = Applying(home.store, self._proposals)
        self._decisions: list[Decision] = []

    def pending(self, *, proposal: str | None = None, project: str | None = None) -> Pending:
        """What waits: all of it, only of one proposal, or only of one project (or `global`).

        Raises:
            NotFound, Ambiguous: the proposal or the project is not known.
        """
        chosen = self._proposals.find(proposal).id if proposal else None
        reviews = [] if chosen else self._queue.asked()
        known = self._home.projects
        slug = known.find(project).slug if project and project != GLOBAL else project
        return Pending(
            [review for review in reviews if slug in (None, review.candidate.project)],
            [
                offer
                for offer in self._proposals.pending(chosen)
                if slug in (None, offer.change.store)
            ],
        )

    def find(self, reference: str) -> Review | Offer:
        """What an id, or a unique beginning of one, stands for, decided or not.

        Raises:
            NotFound, Ambiguous: none or several fit.
        """
        if reference.startswith(CHANGE):
            return self._proposals.offer(reference)
        return self._queue.find(reference)

    def edited(self, what: Review | Offer, text: str) -> Document:
        """What a person made of a memory in an editor, to be accepted instead.

        Raises:
            InvalidInput: it is no valid memory.
        """
        if isinstance(what, Offer):
            path = what.change.path
            before = parse(what.change.after, path=path)
            document = reworded(before, parse(text, path=path).validate())
            return replace(document, name=before.name)
        before = what.candidate.document()
        document = reworded(before, parse(text).validate())
        if document.description != before.description and document.name == before.name:
            return replace(document, name=name_from(document.description))
        return document

    def accept(
        self,
        what: str | Review | Offer,
        *,
        document: Document | None = None,
        forms: tuple[Form, ...] = (),
    ) -> Applied:
        """Write it with the trust of whoever asks, as it is or as edited; `forms` are put in place.

        Raises:
            NotFound, Ambiguous: nothing or several things have that id.
            InvalidInput, ReadOnly: a form cannot be put in its place.
            Refused: only a person may accept that, and none asks.
        """
        waiting = self.find(what) if isinstance(what, str) else what
        before = self._noted(waiting)
        with keeping.in_step(self._home):
            if isinstance(waiting, Offer):
                done = self._apply(waiting, document, forms or self._forms)
            else:
                done = self._write(waiting, document, before.heads)
        if done.outcome == "done":
            self._decisions.append(before)
        return done

    def reject(self, what: str | Review | Offer) -> Applied:
        """Turn it down; it is not asked for again.

        Raises:
            NotFound, Ambiguous: nothing or several things have that id.
            Refused: a lesson waits for a person, and none asks.
        """
        waiting = self.find(what) if isinstance(what, str) else what
        if isinstance(waiting, Review) and not self._by_a_person:
            raise Refused(
                f"{waiting.id[:12]} waits for a person: only they turn it down",
                hint=f"in a terminal of your own: `reverie review --reject {waiting.id[:12]}`",
            )
        self._decisions.append(self._noted(waiting))
        if isinstance(waiting, Offer):
            return self._applying.reject(waiting)
        if (item := self._unconfirmed(waiting)) is not None:
            by = self._home.asker.author("rejected in review")
            with keeping.in_step(self._home):
                Library(self._home.store, item.store).archive(item, by)
        self._queue.decide(waiting.id, "rejected")
        self._label(waiting, "none")
        return Applied("done", "rejected", back=f"reverie review --accept {waiting.id[:12]}")

    def advised(self, project: str | None = None) -> list[tuple[Review, Advice]]:
        """What waits and somebody advised about, in the order of the queue."""
        advice = self._queue.advice()
        reviews = self.pending(project=project).reviews
        return [(review, advice[review.id]) for review in reviews if review.id in advice]

    def take_advice(self, review: Review, advice: Advice) -> Applied:
        """Decide as was advised.

        Raises:
            As `accept` and `reject`.
        """
        if advice.verdict == "reject":
            return self.reject(review)
        if advice.verdict == "accept" or not advice.text:
            return self.accept(review)
        worded = replace(review.candidate, lesson=advice.text, name="", title="")
        return self.accept(review, document=worded.document())

    def take_back(self) -> Review | Offer | None:
        """Undo the last decision taken here, so that it waits again; None when there is none.

        Raises:
            PreconditionFailed: what it wrote was changed since.
        """
        if not self._decisions:
            return None
        what, heads, labels = self._decisions.pop()
        with keeping.in_step(self._home), self._home.database.atomic():
            if isinstance(what, Offer):
                fresh = self._proposals.offer(what.id)
                if fresh.applied and (result := self._undo(fresh).result).outcome != "done":
                    raise PreconditionFailed(result.words)
                self._proposals.decide(what, "pending", applied={})
            else:
                self._put_back(what, heads)
                self._queue.take_back([what.id])
                turns = [candidate.evidence for candidate in what.candidates]
                self._labels.take_back(turns, labels)
        self._writer = Writer(self._home.store, self._queue)  # it knew what is gone now
        return what

    def tried(self, reference: str, arguments: Sequence[str] = ()) -> list[Trial]:
        """What the forms of a change, or of all changes of a proposal, would be in their places.

        `arguments` are a command line for hooks, and what a user adds to a command.

        Raises:
            NotFound, Ambiguous: nothing or several things have that id.
            InvalidInput: it has no form of the sort, or a file is not what it should be.
        """
        is_change = reference.startswith(CHANGE)
        offers = (
            [self._proposals.offer(reference)]
            if is_change
            else self._proposals.find(reference).offers
        )
        trials = [
            tried(self._root, offer.change, artefact, arguments)
            for offer in offers
            for artefact in offer.change.forms
            if not self._forms or artefact.form in self._forms
        ]
        if not trials:
            wanted = ", ".join(self._forms) or "form"
            raise InvalidInput(f"{reference} has no {wanted} to try")
        return trials

    def undo(self, proposal: str, changes: Sequence[str] = ()) -> list[Undone]:
        """Take back what was applied of a proposal, or some `changes` of it (by their whole ids);
        what was edited since stays as it is.

        Raises:
            NotFound, Ambiguous: no proposal or several have that id.
            InvalidInput: nothing of it is applied.
        """
        offered = self._proposals.find(proposal)
        applied = [
            offer
            for offer in offered.offers
            if offer.status in {"accepted", "edited"} and (not changes or offer.id in changes)
        ]
        if not applied:
            raise InvalidInput(f"nothing of {offered.id} is applied")
        with keeping.in_step(self._home):
            return [self._undo(offer) for offer in reversed(applied)]

    def _undo(self, offer: Offer) -> Undone:
        placing = Placing(self._home.make_home())
        places = reversed(offer.applied.get("placed", []))
        words = tuple(placing.take_back(place) for place in places)
        undone = self._applying.undo(offer, actor=self._home.asker.actor)
        return Undone(offer.id, replace(undone, placed=words))

    def _noted(self, what: Review | Offer) -> Decision:
        """How things stand before a decision: the memories it can change, the labels it gives."""
        if isinstance(what, Offer):
            return Decision(what, {}, {})
        turns = [candidate.evidence for candidate in what.candidates]
        return Decision(what, self._heads(what.candidate.store), self._labels.of(turns))

    def _heads(self, store: str) -> Heads:
        there = {info.name for info in self._home.store.stores()}
        return {
            entry.id: (name, entry)
            for name in {store, GLOBAL} & there
            for entry in self._home.store.manifest(name)
        }

    def _put_back(self, review: Review, heads: Heads) -> None:
        """What was written since goes; what was changed since is what it was."""
        store = self._home.store
        by = self._home.asker.author(f"taken back in review: {review.id}")
        for identity, (name, now) in self._heads(review.candidate.store).items():
            if identity not in heads:
                store.delete(name, identity, if_sha256=now.content_sha256, by=by)
            elif now.version_id != (before := heads[identity][1]).version_id:
                put_back(store, store.get(name, identity), before.version_id, before.path, by)

    @property
    def _by_a_person(self) -> bool:
        return self._home.asker.trust == "user"

    def _write(self, review: Review, document: Document | None, heads: Heads) -> Applied:
        candidate = review.candidate
        reason = "accepted in review" if document is None else "accepted in review, edited"
        by = self._home.asker.author(reason)._replace(valid_from=candidate.at or None)
        wanted = document or candidate.document()
        if not self._by_a_person:
            by = by._replace(trust=lowest(by.trust, trust_of(candidate.trust)))
            self._refuse_if_in_its_way(review, wanted, by.trust)
        wanted = replace(wanted, trust=by.trust)
        said_anew(self._home, candidate.store, wanted.description)
        item = self._unconfirmed(review)
        if item is not None:
            whole = wanted.resting_on(item.document.evidence, item.document.support)
            item = Library(self._home.store, candidate.store).rewrite(
                item, replace(whole, name=item.name), by
            )
            action = "confirmed"
        else:
            outcome = self._writer.remember(candidate, by=by, document=wanted, also=review.also)
            assert outcome.memory_id is not None
            item = Library(self._home.store, candidate.store).find(outcome.memory_id)
            action = outcome.action
        self._retire_replaced(candidate, item, by)
        status = "accepted" if document is None else "edited"
        self._queue.decide(review.id, status, item.memory.id)
        self._label(review, candidate.scope)
        name, known = f"{item.store}:{item.name}", heads.get(item.memory.id)
        back = f"reverie restore {name} {known[1].version}" if known else f"reverie forget {name}"
        return Applied("done", f"{action} {name}", back=back)

    def _retire_replaced(self, candidate: Candidate, item: Item, by: Author) -> None:
        """What a lesson was said instead of goes with the person's yes to it."""
        if by.trust != "user" or candidate.instead_of in ("", item.memory.id):
            return
        with suppress(NotFound):
            old = Item(candidate.store, self._home.store.get(candidate.store, candidate.instead_of))
            if not old.archived and not old.document.pinned:
                self._writer.retire(old, candidate.evidence, by)

    def _unconfirmed(self, review: Review) -> Item | None:
        """What was written before a person was asked about it; None if it is gone, or theirs.

        What was their own word all along is asked about again because a model would drop it.
        """
        if review.memory_id is None:
            return None
        try:
            memory = self._home.store.get(review.candidate.store, review.memory_id)
        except NotFound:
            return None
        item = Item(review.candidate.store, memory)
        waits = review.status == "pending" and review.candidate.trust == "user"
        confirmed = memory.trust == "user" and not (waits and self._by_a_person)
        return None if item.archived or confirmed else item

    def _refuse_if_in_its_way(self, review: Review, wanted: Document, trust: Trust) -> None:
        why = self._writer.in_its_way(review.candidate.store, wanted.description, trust)
        if why:
            raise Refused(
                f"{review.id[:12]} {why}: only a person accepts it",
                hint=f"in a terminal of your own: `reverie review --accept {review.id[:12]}`",
            )

    def _label(self, review: Review, durable: str) -> None:
        """What a person decided teaches the detector; what anybody else did does not."""
        if not self._by_a_person:
            return
        labels = self._labels.all()
        for candidate in review.candidates:
            known = labels.get(candidate.evidence)
            correction = known.correction if known else "explicit" if candidate.premise else "none"
            if known is None and durable != "none":
                # Who wants it remembered did not say that it corrects nothing.
                rows = corrections(self._home.index_database, session=candidate.session)
                detected = (row.label for row in rows if row.id == candidate.evidence)
                correction = next(detected, correction)
            self._labels.put(candidate.evidence, candidate.session, correction, durable)

    def _apply(self, offer: Offer, document: Document | None, forms: tuple[Form, ...]) -> Applied:
        if forms and not self._by_a_person:
            raise Refused(
                "only a person puts a rule, a command, a hook or a test in its place",
                hint=f"in a terminal of your own: `reverie review --accept {offer.id} --forms all`",
            )
        text = document.text() if document else ""
        asker = self._home.asker
        looked_at = asker.guest == "person"
        result = self._applying.accept(offer, actor=asker.actor, text=text, looked_at=looked_at)
        if result.outcome != "done" or not forms:
            return result
        return replace(result, placed=tuple(self._place(offer, forms)))

    def _place(self, offer: Offer, forms: tuple[Form, ...]) -> list[str]:
        placing = Placing(self._home.make_home())
        chosen = [
            artefact for artefact in offer.change.forms if artefact.form in forms and artefact.path
        ]
        placed = [placing.put(self._root, offer.change, artefact) for artefact in chosen]
        if placed:
            fresh = self._proposals.offer(offer.id)
            applied = fresh.applied | {"placed": placed}
            self._proposals.decide(fresh, fresh.status, applied=applied)
        return [f"{file['form']}: {file['path']}" for file in placed]
