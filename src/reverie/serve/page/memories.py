"""Memories: browsed, searched, read, edited, and their past."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reverie.documents.vocabulary import TYPES
from reverie.errors import Conflict, InvalidInput, NotFound, PreconditionFailed, ReverieError
from reverie.home import Home
from reverie.mounts.merge import merge
from reverie.operations import editing, forgetting, forgotten, history, syncing
from reverie.operations import memories as operations
from reverie.operations.serving import browsing
from reverie.plural import several
from reverie.serve.page.comparing import Row, beside
from reverie.serve.page.linking import Node, drawing
from reverie.serve.page.rendering import query, segment
from reverie.serve.page.site import Form, Routes, Site, back_to, number, own, posted
from reverie.serve.page.wording import word
from reverie.store.library import Item
from reverie.store.model import ACTOR_KINDS, Version
from reverie.trust import TRUSTS

PAGE = 50
_FILTERS = ("q", "store", "type", "trust", "author", "age", "archived")
_AGES = {"1": "today", "7": "this week", "31": "this month", "366": "this year"}

# deed → how it is done, what is said then, and which one takes it back.
DEEDS: dict[str, tuple[Callable[[Home, str], object], str, str]] = {
    "accept": (syncing.accept, "accepted as your own word", "doubt"),
    "archive": (forgetting.put_away, "put into the archive", "restore"),
    "pin": (lambda home, name: operations.pin(home, name, "on the page"), "pinned", "unpin"),
    "unpin": (operations.unpin, "no longer pinned", "pin"),
    "forget": (
        lambda home, name: forgotten.forget(home, name, "on the page"),
        "deleted",
        "restore",
    ),
    "restore": (forgotten.restore, "brought back", "forget"),
}


def place_of(item: Item) -> str:
    """Where a memory is read."""
    return f"/memories/{segment(item.store)}/{segment(item.memory.id)}"


class Merging(NamedTuple):
    """Two changes of one memory, to be made one."""

    rows: list[Row]
    by: str  # who changed what is stored
    yours: str
    began: str  # id of the version that both began with
    begin: str  # "both", "yours", "theirs"
    conflicts: int


class Quote(NamedTuple):
    """Words a memory rests on; without them where they were said."""

    evidence: str
    quote: str = ""
    premise: str = ""
    at: str = ""


class Memories:
    """All that is done with memories."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.home = site.home

    def _item(self, request: Request) -> Item:
        store, memory = request.path_params["store"], request.path_params["memory"]
        return self.home.library.find(f"{store}:{memory}")

    def listed(self, request: Request) -> Response:
        asked = {name: request.query_params.get(name, "") for name in _FILTERS}
        first = number(request.query_params.get("from", ""))
        shelf = browsing.memories(
            self.home,
            words=asked["q"],
            store=asked["store"],
            type=asked["type"],
            trust=asked["trust"],
            author=asked["author"],
            since=browsing.days_ago(self.home, number(asked["age"])) if asked["age"] else "",
            archived=bool(asked["archived"]),
            first=first,
            limit=PAGE,
        )
        return self.site.page(
            request,
            "memories",
            "memories",
            "Memories",
            shelf=shelf,
            asked=asked,
            first=first,
            before=query({**asked, "from": max(0, first - PAGE)}) if first else "",
            after=query({**asked, "from": first + PAGE}) if first + PAGE < shelf.fitting else "",
            stores=browsing.stores(self.home),
            types=TYPES,
            trusts=TRUSTS,
            authors=ACTOR_KINDS,
            ages=_AGES,
            may_accept=self._may_accept,
            place_of=place_of,
        )

    @property
    def _may_accept(self) -> bool:
        """Whether somebody looks whose word counts as a person's."""
        return self.home.asker.trust == "user"

    def read(self, request: Request) -> Response:
        item = self._item(request)
        why = operations.why(self.home, f"{item.store}:{item.memory.id}")
        if not self.site.shows("insight"):  # what others asked is not for everybody
            why = why._replace(last_recalls=[])
        linking = browsing.linking_to(self.home, item)
        leading = browsing.leading_from(self.home, item)
        return self.site.page(
            request,
            "memory",
            "memories",
            item.document.title or item.name,
            item=item,
            why=why,
            quotes=[
                Quote(evidence, quote.quote, quote.answered, quote.at) if quote else Quote(evidence)
                for evidence, quote in why.quotes
            ],
            may_accept=self._may_accept,
            linking=linking,
            leading=leading,
            graph=drawing(item.name, _nodes(linking), _nodes(leading)),
            linked=partial(_linked, self.site, item),
            place=place_of(item),
            place_of=place_of,
        )

    def past(self, request: Request) -> Response:
        item = self._item(request)
        versions = history.versions(self.home, f"{item.store}:{item.memory.id}", limit=200)
        chosen = request.query_params.get("version", versions[0].id)
        as_of = request.query_params.get("as_of", "")
        if as_of:  # how it was at the end of that day
            chosen = next(
                (version.id for version in versions if version.created_at[:10] <= as_of), ""
            )
            if not chosen:
                raise NotFound(f"it was not there on {as_of}", hint="its history begins later")
        after = next((version for version in versions if version.id == chosen), versions[0])
        older = [version for version in versions if version.number < after.number]
        return self.site.page(
            request,
            "history",
            "memories",
            f"History of {item.name}",
            item=item,
            place=place_of(item),
            versions=versions,
            as_of=as_of,
            after=after,
            before=older[0] if older else None,
            rows=_compared(older[0] if older else None, after),
        )

    def editor(self, request: Request) -> Response:
        item = self._item(request)
        return self._form(request, item, item.memory.content)

    def _form(
        self,
        request: Request,
        item: Item,
        text: str,
        trouble: str = "",
        reason: str = "",
        merging: Merging | None = None,
    ) -> Response:
        return self.site.page(
            request,
            "edit",
            "memories",
            f"Edit {item.name}",
            item=item,
            place=place_of(item),
            text=text,
            trouble=trouble,
            reason=reason,
            merging=merging,
        )

    def save(self, request: Request, form: Form) -> Response:
        """Write over what the form was opened with, and over nothing else."""
        item = self._item(request)
        text, why = form.text("text"), form.text("why")
        if form.text("begin"):
            return self._merge(request, item, form, form.text("yours"))
        if form.text("sha256") != item.memory.content_sha256:
            # Somebody wrote since the form was opened: both are shown, nothing is written.
            return self._merge(request, item, form, text)
        try:
            written = editing.edit(self.home, item, text, why=why)
        except (Conflict, PreconditionFailed):
            return self._merge(request, self._item(request), form, text)
        except ReverieError as error:
            return self._form(request, item, text, error.message, why)
        return back_to(place_of(written), f"{written.name} is saved")

    def _merge(self, request: Request, item: Item, form: Form, yours: str) -> Response:
        """Both changes, and the text that has both: to be looked at, changed and saved."""
        stored, begin = item.memory.content, form.text("begin") or "both"
        began = form.text("began") if form.text("begin") else form.text("base")
        base = self._content(item, began)
        # Where the same lines were changed, `yours` stands; the other text is beside it.
        merged = merge(base, yours, stored, mine_wins=True)
        text = {"yours": yours, "theirs": stored}.get(begin) or merged.text
        last = history.versions(self.home, f"{item.store}:{item.memory.id}", limit=1)[0]
        merging = Merging(
            beside(stored, yours),
            f", by {word(last.actor.kind, 'author')}",
            yours,
            began,
            begin,
            merged.conflicts,
        )
        trouble = "This memory was changed while you were editing. Nothing is saved yet."
        return self._form(request, item, text, trouble, form.text("why"), merging)

    def _content(self, item: Item, version: str) -> str:
        """What stood in a version of a memory; "" if it is not one of its own."""
        versions = history.versions(self.home, f"{item.store}:{item.memory.id}", limit=200)
        return next((entry.content or "" for entry in versions if entry.id == version), "")

    def decide(self, request: Request, form: Form) -> Response:
        """One deed for all that are chosen; the address says how to take it back."""
        deed, back = form.text("deed"), own(form.text("back"))
        if deed == "doubt":
            return self._doubt(form.all("memory"), back)
        if deed not in DEEDS:
            raise InvalidInput(f"there is no deed {deed!r}")
        way, past, reverse = DEEDS[deed]
        chosen = form.all("memory")
        if not chosen:
            return back_to(back, "nothing was chosen")
        done = [named for reference in chosen if (named := self._do(deed, way, reference))]
        if not done:
            return back_to(back, "all of that was so already")
        return back_to(
            back, f"{several(len(done), 'memory')} {past}", f"{reverse} {' '.join(done)}"
        )

    def _do(self, deed: str, way: Callable[[Home, str], object], chosen: str) -> str:
        """Do it to one memory; how that is named when it is taken back, "" if nothing changed."""
        reference = chosen.replace("/", ":", 1)
        item = self.home.library.find(reference)
        if deed in ("pin", "unpin") and item.document.pinned == (deed == "pin"):
            return ""
        now = way(self.home, reference)
        if deed != "accept":
            return chosen
        before = item.memory.version_id
        same = isinstance(now, Item) and now.memory.version_id == before
        return "" if same else f"{chosen}@{before}"

    def _doubt(self, chosen: list[str], back: str) -> Response:
        """Take an acceptance back: what was there before is there again, with its trust."""
        for reference in chosen:
            named, _, version = reference.partition("@")
            syncing.doubt(self.home, named.replace("/", ":", 1), version)
        return back_to(back, f"{several(len(chosen), 'memory')} as before")

    def go_back(self, request: Request, form: Form) -> Response:
        item = self._item(request)
        restored = history.restore(
            self.home, f"{item.store}:{item.memory.id}", form.text("version")
        )
        return back_to(place_of(restored), "that version is the newest again")

    def routes(self) -> Routes:
        place = "/memories/{store}/{memory}"
        return [
            Route("/memories", self.listed),
            Route("/memories/decide", posted(self.decide), methods=["POST"]),
            Route(place, self.read),
            Route(f"{place}/history", self.past),
            Route(f"{place}/history", posted(self.go_back), methods=["POST"]),
            Route(f"{place}/edit", self.editor),
            Route(f"{place}/edit", posted(self.save), methods=["POST"]),
        ]


def _nodes(items: list[Item]) -> list[Node]:
    return [Node(item.name, place_of(item)) for item in items]


def _linked(site: Site, item: Item, name: str) -> str | None:
    try:
        return place_of(site.home.library.find(f"{item.store}:{name}"))
    except ReverieError:
        return None


def _compared(before: Version | None, after: Version) -> list[Row]:
    if after.content is None or (before is not None and before.content is None):
        return []
    return beside((before.content or "") if before else "", after.content, around=4)
