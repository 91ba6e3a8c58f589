"""Review: what dreams propose and what waits in the queue, decided like pull requests."""

import threading
from pathlib import Path
from typing import Literal, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reverie.documents.vocabulary import GLOBAL
from reverie.dream.model import Form as Sort
from reverie.dream.proposals.proposals import Offer
from reverie.errors import InvalidInput, NotFound, ReverieError
from reverie.learn.memories.queue import Advice, Review
from reverie.operations.reviewing import Desk
from reverie.plural import several
from reverie.serve.page.comparing import Row, beside
from reverie.serve.page.site import Form, Routes, Site, back_to, posted

_MOST_UNDONE = 100


class Asked(NamedTuple):
    """One thing a person is asked about."""

    id: str
    sort: Literal["change", "lesson"]
    what: Offer | Review
    rows: list[Row]  # what would change in the store
    text: str  # the memory as it would be written
    advice: Advice | None = None


class Reviewing:
    """The page of decisions. What was decided here can be taken back, the last first."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.home = site.home
        self._lock = threading.Lock()
        self._desks: list[Desk] = []  # one for each decision, in order

    def page(self, request: Request) -> Response:
        project = request.query_params.get("project", "")
        if not self.home.exists:
            return self.site.page(request, "review", "review", "Review", **_nothing())
        desk = Desk(self.home)
        pending = desk.pending()
        advice = {review.id: given for review, given in desk.advised()}
        asked = [self._change(offer) for offer in pending.offers]
        asked += [_lesson(review, advice.get(review.id)) for review in pending.reviews]
        stores = sorted({_store(one) for one in asked})
        return self.site.page(
            request,
            "review",
            "review",
            "Review",
            asked=[one for one in asked if project in ("", _store(one))],
            count=len(asked),
            project=project,
            projects=stores,
            advised=len(advice),
            last=bool(self._desks),
        )

    def editor(self, request: Request) -> Response:
        what = Desk(self.home).find(request.path_params["id"])
        one = self._change(what) if isinstance(what, Offer) else _lesson(what, None)
        return self._form(request, one, one.text)

    def _form(self, request: Request, one: Asked, text: str, trouble: str = "") -> Response:
        return self.site.page(
            request, "review_edit", "review", "Edit before accepting",
            one=one, text=text, trouble=trouble,
        )  # fmt: skip

    def edited(self, request: Request, form: Form) -> Response:
        identity, text = request.path_params["id"], form.text("text")
        desk = Desk(self.home)
        what = desk.find(identity)
        try:
            document = desk.edited(what, text)
            desk.accept(what, document=document)
        except ReverieError as error:
            one = self._change(what) if isinstance(what, Offer) else _lesson(what, None)
            return self._form(request, one, text, error.message)
        self._note(desk)
        return back_to("/review", "accepted as you edited it")

    def decide(self, request: Request, form: Form) -> Response:
        deed = form.text("deed")
        if deed == "undo":
            return self._undo()
        chosen = form.all("choice")
        if deed not in ("accept", "reject", "advice"):
            raise InvalidInput(f"there is no deed {deed!r}")
        done = [self._decide(deed, identity, form) for identity in chosen]
        said = [words for words in done if words]
        if len(chosen) != 1:
            words = {"accept": "accepted", "reject": "rejected", "advice": "decided as advised"}
            return back_to("/review", f"{several(len(said), 'thing')} {words[deed]}")
        return back_to("/review", said[0] if said else "it was decided already")

    def _decide(self, deed: str, identity: str, form: Form) -> str:
        """Decide one thing; what is said of it, "" when somebody was first."""
        what = Desk(self.home).find(identity)
        if what.status != "pending":
            return ""
        desk = Desk(self.home, root=self._root(what))
        if deed == "reject":
            done = desk.reject(what)
        elif deed == "advice":
            given = {review.id: advice for review, advice in desk.advised()}.get(identity)
            if given is None or isinstance(what, Offer):
                return ""
            done = desk.take_advice(what, given)
        else:
            done = desk.accept(what, forms=_sorts(form, what))
        if done.outcome != "done":
            raise InvalidInput(done.words)
        self._note(desk)
        return done.words

    def _undo(self) -> Response:
        with self._lock:
            desk = self._desks.pop() if self._desks else None
        what = desk.take_back() if desk is not None else None
        return back_to("/review", "it waits again" if what else "there is nothing to take back")

    def _note(self, desk: Desk) -> None:
        with self._lock:
            self._desks = [*self._desks, desk][-_MOST_UNDONE:]

    def _change(self, offer: Offer) -> Asked:
        change = offer.change
        now = self._stored(change.store, change.path) if change.before else ""
        return Asked(offer.id, "change", offer, beside(now, change.after), change.after)

    def _stored(self, store: str, path: str) -> str:
        try:
            return self.home.store.get(store, path).content
        except NotFound:
            return ""

    def _root(self, what: Offer | Review) -> Path | None:
        """Where forms of a change would be put: the project's own folder, if it is there."""
        store = what.change.store if isinstance(what, Offer) else GLOBAL
        if store == GLOBAL:
            return None
        try:
            roots = self.home.projects.find(store).roots
        except ReverieError:
            return None
        return next((Path(root) for root in roots if Path(root).is_dir()), None)

    def routes(self) -> Routes:
        return [
            Route("/review", self.page),
            Route("/review", posted(self.decide), methods=["POST"]),
            Route("/review/{id}/edit", self.editor),
            Route("/review/{id}/edit", posted(self.edited), methods=["POST"]),
        ]


def _lesson(review: Review, advice: Advice | None) -> Asked:
    text = review.candidate.document().text()
    return Asked(review.id, "lesson", review, [], text, advice)


def _store(one: Asked) -> str:
    return one.what.change.store if isinstance(one.what, Offer) else one.what.candidate.store


def _sorts(form: Form, what: Offer | Review) -> tuple[Sort, ...]:
    """The forms that were ticked, of those the change has."""
    if not isinstance(what, Offer):
        return ()
    ticked = set(form.all("form"))
    return tuple(one.form for one in what.change.forms if f"{what.id} {one.form}" in ticked)


def _nothing() -> dict[str, object]:
    return {"asked": [], "count": 0, "project": "", "projects": [], "advised": 0, "last": False}
