"""Reviewing: what waits for a person (unsure lessons and proposed changes), and their decisions."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from reverie.documents.document import Document, parse
from reverie.dream.model import CHANGE, Form
from reverie.dream.proposals.applying import Applied, Applying, Undone
from reverie.dream.proposals.placing import Placing
from reverie.dream.proposals.proposals import Offer, Proposals
from reverie.errors import InvalidInput, Refused
from reverie.home import Home
from reverie.learn.memories.candidate import name_from, reworded
from reverie.learn.memories.queue import Queue, Review
from reverie.learn.memories.writing import Writer, trust_of
from reverie.operations import keeping
from reverie.operations.forgotten import said_anew
from reverie.sessions.labels import Labels
from reverie.store.library import GLOBAL
from reverie.trust import Trust, lowest


class Pending(NamedTuple):
    """What waits for a person: lessons surest first, changes in the order they were offered."""

    reviews: list[Review]
    offers: list[Offer]


class Desk:
    """Takes decisions: writes what is accepted and remembers what was said about each."""

    def __init__(
        self, home: Home, *, root: Path | None = None, forms: tuple[Form, ...] = ()
    ) -> None:
        """`forms` of accepted changes are put below `root`, the asker's folder if absent."""
        self._home = home
        self._root = root or Path(home.folder)
        self._forms = forms
        self._queue = Queue(home.database, home.clock)
        self._writer = Writer(home.store, self._queue)
        self._labels = Labels(home.database, home.clock)
        self._proposals = Proposals(home.database, home.clock)
        self._applying = Applying(home.store, self._proposals)

    def pending(self, *, proposal: str | None = None, project: str | None = None) -> Pending:
        """What waits: all of it, only of one proposal, or only of one project (or `global`).

        Raises:
            NotFound, Ambiguous: the proposal or the project is not known.
        """
        chosen = self._proposals.find(proposal).id if proposal else None
        reviews = [] if chosen else self._queue.pending()
        known = self._home.projects
        slug = known.find(project).slug if project and project != GLOBAL else project
        return Pending(
            [one for one in reviews if slug in (None, one.candidate.project)],
            [one for one in self._proposals.pending(chosen) if slug in (None, one.change.store)],
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
        found = self.find(what) if isinstance(what, str) else what
        with keeping.in_step(self._home):
            if isinstance(found, Offer):
                return self._apply(found, document, forms or self._forms)
            return self._write(found, document)

    def reject(self, what: str | Review | Offer) -> Applied:
        """Turn it down; it is not asked for again.

        Raises:
            NotFound, Ambiguous: nothing or several things have that id.
        """
        found = self.find(what) if isinstance(what, str) else what
        if isinstance(found, Offer):
            return self._applying.reject(found)
        self._queue.decide(found.id, "rejected")
        self._label(found, "none")
        return Applied("done", "rejected")

    def undo(self, proposal: str) -> list[Undone]:
        """Take back what was applied of a proposal; what was edited since stays as it is.

        Raises:
            NotFound, Ambiguous: no proposal or several have that id.
            InvalidInput: nothing of it is applied.
        """
        found = self._proposals.find(proposal)
        applied = [one for one in found.offers if one.status in {"accepted", "edited"}]
        if not applied:
            raise InvalidInput(f"nothing of {found.id} is applied")
        placing = Placing(self._home.make_home())
        done: list[Undone] = []
        with keeping.in_step(self._home):
            for offer in reversed(applied):
                places = reversed(offer.applied.get("placed", []))
                words = tuple(placing.take_back(place) for place in places)
                undone = self._applying.undo(offer, actor=self._home.asker.actor)
                done.append(Undone(offer.id, replace(undone, placed=words)))
        return done

    @property
    def _by_a_person(self) -> bool:
        return self._home.asker.trust == "user"

    def _write(self, review: Review, document: Document | None) -> Applied:
        said = review.candidate
        reason = "accepted in review" if document is None else "accepted in review, edited"
        by = self._home.asker.author(reason)._replace(valid_from=said.at or None)
        wanted = document or said.document()
        if not self._by_a_person:
            by = by._replace(trust=lowest(by.trust, trust_of(said.trust)))
            self._refuse_if_in_its_way(review, wanted, by.trust)
        wanted = replace(wanted, trust=by.trust)
        said_anew(self._home, said.store, wanted.description)
        outcome = self._writer.remember(said, by=by, document=wanted, also=review.also)
        status = "accepted" if document is None else "edited"
        self._queue.decide(review.id, status, outcome.memory_id)
        self._label(review, said.scope)
        return Applied("done", f"{outcome.action} in {said.store}")

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
        for said in (review.candidate, *review.also):
            known = labels.get(said.evidence)
            correction = known.correction if known else "explicit" if said.premise else "none"
            self._labels.put(said.evidence, said.session, correction, durable)

    def _apply(self, offer: Offer, document: Document | None, forms: tuple[Form, ...]) -> Applied:
        if forms and not self._by_a_person:
            raise Refused(
                "only a person puts a rule, a command, a hook or a test in its place",
                hint=f"in a terminal of your own: `reverie review --accept {offer.id} --forms all`",
            )
        text = document.text() if document else ""
        result = self._applying.accept(offer, actor=self._home.asker.actor, text=text)
        if result.outcome != "done" or not forms:
            return result
        return replace(result, placed=tuple(self._place(offer, forms)))

    def _place(self, offer: Offer, forms: tuple[Form, ...]) -> list[str]:
        placing = Placing(self._home.make_home())
        chosen = [one for one in offer.change.forms if one.form in forms and one.path]
        placed = [placing.put(self._root, offer.change, artefact) for artefact in chosen]
        if placed:
            fresh = self._proposals.offer(offer.id)
            applied = fresh.applied | {"placed": placed}
            self._proposals.decide(fresh, fresh.status, applied=applied)
        return [f"{one['form']}: {one['path']}" for one in placed]
