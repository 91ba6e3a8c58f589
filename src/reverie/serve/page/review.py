"""Review: what dreams propose and what waits in the queue, decided like pull requests."""

import re
import threading
from collections import Counter
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
from reverie.serve.page.memories import place_of
from reverie.serve.page.rendering import query
from reverie.serve.page.site import Form, Routes, Site, back_to, posted

_MOST_UNDONE = 100
_WRITTEN = re.compile("^(create:|created)")
_NAMED = re.compile(r"[\w.-]+[:/][\w/.-]*\w")
_CAUTION = "You came in with a key: what you accept is kept with the trust of an agent."


class Asked(NamedTuple):
    """One thing a person is asked about."""

    id: str
    sort: Literal["change", "lesson"]
    what: Offer | Review
    rows: list[Row]  # what would change in the store
    text: str  # the memory as it would be written
    advice: Advice | None = None

    @property
    def store(self) -> str:
        what = self.what
        return what.change.store if isinstance(what, Offer) else what.candidate.store

    @property
    def title(self) -> str:
        what = self.what
        return what.change.title if isinstance(what, Offer) else what.candidate.lesson


class Reviewing:
    """The page of decisions. What was decided here can be taken back, the last first."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.home = site.home
        self._lock = threading.Lock()
        self._desks: list[list[Desk]] = []  # what was decided at once, in order

    def page(self, request: Request) -> Response:
        project = request.query_params.get("project", "")
        at = request.query_params.get("at", "")
        waiting = self._waiting()
        asked = [entry for entry in waiting if project in ("", _store(entry))]
        chosen = next((entry for entry in asked if entry.id == at), asked[0] if asked else None)
        advice = (
            {review.id: verdict for review, verdict in Desk(self.home).advised()} if asked else {}
        )
        return self.site.page(
            request,
            "review",
            "review",
            "Review",
            asked=[_short(entry, advice.get(entry.id)) for entry in asked],
            chosen=self._whole(chosen, advice.get(chosen.id)) if chosen is not None else None,
            picked=bool(at) and chosen is not None and chosen.id == at,
            count=len(waiting),
            project=project,
            projects=sorted(Counter(_store(entry) for entry in waiting).items()),
            advised=len(advice),
            last=bool(self._desks),
            caution="" if self.site.owner else _CAUTION,
        )

    def _waiting(self) -> list[Offer | Review]:
        """All that waits: what dreams propose, then lessons, the surest first."""
        if not self.home.exists:
            return []
        pending = Desk(self.home).pending()
        return [*pending.offers, *pending.reviews]

    def _whole(self, what: Offer | Review, advice: Advice | None) -> Asked:
        """One thing with what it would change."""
        if isinstance(what, Review):
            text = what.candidate.document().text()
            return Asked(what.id, "lesson", what, beside("", text), text, advice)
        change = what.change
        now = self._stored(change.store, change.path) if change.before else ""
        return Asked(what.id, "change", what, beside(now, change.after), change.after, advice)

    def editor(self, request: Request) -> Response:
        what = Desk(self.home).find(request.path_params["id"])
        asked = self._whole(what, None)
        return self._form(request, asked, asked.text)

    def _form(self, request: Request, asked: Asked, text: str, trouble: str = "") -> Response:
        return self.site.page(
            request, "review_edit", "review", "Edit before accepting",
            one=asked, text=text, trouble=trouble,
        )  # fmt: skip

    def edited(self, request: Request, form: Form) -> Response:
        identity, text = request.path_params["id"], form.text("text")
        desk = Desk(self.home)
        what = desk.find(identity)
        try:
            document = desk.edited(what, text)
            desk.accept(what, document=document)
        except ReverieError as error:
            return self._form(request, self._whole(what, None), text, error.message)
        self._note([desk])
        return back_to("/review", "accepted as you edited it", "review")

    def decide(self, request: Request, form: Form) -> Response:
        deed = form.text("deed")
        if deed == "undo":
            return self._undo()
        chosen, project = form.all("choice"), form.text("project")
        if deed not in ("accept", "reject", "advice"):
            raise InvalidInput(f"there is no deed {deed!r}")
        after = self._following(chosen, project)
        desks: list[Desk] = []
        try:
            done = [self._decide(deed, identity, form, desks) for identity in chosen]
        finally:
            self._note(desks)
        outcomes = [words for words in done if words]
        back = f"/review{query({'project': project, 'at': after})}"
        if len(chosen) != 1:
            words = {"accept": "accepted", "reject": "rejected", "advice": "decided as advised"}
            summary = f"{several(len(outcomes), 'thing')} {words[deed]}"
            return back_to(back, summary, "review" if outcomes else "")
        if not outcomes:
            return back_to(back, "it was decided already")
        place = self._place(outcomes[0]) if deed != "reject" else ""
        return back_to(back, _WRITTEN.sub("kept as", outcomes[0]), "review", place)

    def _place(self, words: str) -> str:
        """Where the memory is read that was just written, if the words name it."""
        for named in _NAMED.findall(words):
            try:
                return place_of(
                    self.home.library.find(named.replace("/", ":", 1).removesuffix(".md"))
                )
            except ReverieError:
                continue
        return ""

    def _following(self, chosen: list[str], project: str) -> str:
        """The id of what comes after something, to go on with; "" after the last."""
        ids = [entry.id for entry in self._waiting() if project in ("", _store(entry))]
        if len(chosen) != 1 or chosen[0] not in ids:
            return ""
        rest = ids[ids.index(chosen[0]) + 1 :]
        return rest[0] if rest else ""

    def _decide(self, deed: str, identity: str, form: Form, desks: list[Desk]) -> str:
        """Decide one thing; what is said of it, "" when somebody was first."""
        what = Desk(self.home).find(identity)
        if what.status != "pending":
            return ""
        desk = Desk(self.home, root=self._root(what))
        if deed == "reject":
            done = desk.reject(what)
        elif deed == "advice":
            verdict = {review.id: advice for review, advice in desk.advised()}.get(identity)
            if verdict is None or isinstance(what, Offer):
                return ""
            done = desk.take_advice(what, verdict)
        else:
            done = desk.accept(what, forms=_sorts(form, what))
        if done.outcome != "done":
            raise InvalidInput(done.words)
        desks.append(desk)
        return done.words

    def _undo(self) -> Response:
        with self._lock:
            desks = self._desks.pop() if self._desks else []
        back = [what for desk in reversed(desks) if (what := desk.take_back()) is not None]
        if not back:
            return back_to("/review", "there is nothing to take back")
        message = (
            "it waits again" if len(back) == 1 else f"{several(len(back), 'thing')} wait again"
        )
        return back_to(f"/review?at={back[-1].id}", message)

    def _note(self, desks: list[Desk]) -> None:
        with self._lock:
            if desks:
                self._desks = [*self._desks, desks][-_MOST_UNDONE:]

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


def _short(what: Offer | Review, advice: Advice | None) -> Asked:
    """One thing as the queue shows it."""
    sort = "lesson" if isinstance(what, Review) else "change"
    return Asked(what.id, sort, what, [], "", advice)


def _store(what: Offer | Review) -> str:
    return what.change.store if isinstance(what, Offer) else what.candidate.store


def _sorts(form: Form, what: Offer | Review) -> tuple[Sort, ...]:
    """The forms that were ticked, of those the change has."""
    if not isinstance(what, Offer):
        return ()
    ticked = set(form.all("form"))
    return tuple(
        artefact.form for artefact in what.change.forms if f"{what.id} {artefact.form}" in ticked
    )
