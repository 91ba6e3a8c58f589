"""The site: a home as its owner sees it in a browser, and how views answer."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from reverie.errors import InvalidInput, NotFound, ReverieError
from reverie.home import Home
from reverie.operations import checking
from reverie.operations.checking import Finding
from reverie.serve.page.rendering import Pages

SECTIONS = (
    ("today", "Today", "/"),
    ("review", "Review", "/review"),
    ("memories", "Memories", "/memories"),
    ("sessions", "Sessions", "/sessions"),
    ("playground", "Playground", "/playground"),
    ("insight", "Insight", "/insight"),
    ("stores", "Stores", "/stores"),
    ("doctor", "Doctor", "/doctor"),
)
_SECONDS = 30.0  # that a form may take to arrive
_IN_PARTS = ("memories", "review", "run")
_SAID = ("said", "undo", "see", "part")  # of an address: what is told once
_STATUS = {NotFound: 404, InvalidInput: 400}

View = Callable[[Request], Response]


@dataclass(frozen=True)
class Site:
    """What every view works with."""

    home: Home
    pages: Pages
    visitor: str = ""  # the name of the key somebody came in with; "" for the owner at this machine
    sections: tuple[tuple[str, str, str], ...] = SECTIONS  # those the visitor may see
    health: Callable[[], list[Finding]] | None = None  # of a server; the home's own if absent

    @property
    def owner(self) -> bool:
        return not self.visitor

    def findings(self) -> list[Finding]:
        """What is right and what is wrong with the home."""
        if not self.home.exists:
            return []
        return self.health() if self.health else checking.check(self.home)

    def shows(self, section: str) -> bool:
        return any(name == section for name, _, _ in self.sections)

    def page(
        self, request: Request, name: str, section: str, title: str, **values: Any
    ) -> HTMLResponse:
        """One page in its frame; asked for in part (`part=1`) only what changes."""
        in_part = request.query_params.get("part") and name in _IN_PARTS
        text = self.pages.page(
            f"{name}_part.html" if in_part else f"{name}.html",
            **self._frame(section, title),
            said=request.query_params.get("said", ""),
            undo=request.query_params.get("undo", ""),
            see=own(request.query_params["see"]) if "see" in request.query_params else "",
            here=_here(request),
            **values,
        )
        return HTMLResponse(text)

    def _frame(self, section: str, title: str) -> dict[str, Any]:
        return {
            "section": section,
            "title": title,
            "sections": self.sections,
            "visitor": self.visitor,
            "owner": self.owner,
            "now": self.home.now,
            "waiting": self.waiting(),
        }

    def waiting(self) -> int:
        """How many things a person is asked about."""
        if not self.home.exists or not self.shows("review"):
            return 0
        from reverie.dream.proposals.proposals import Proposals
        from reverie.learn.memories.queue import Queue

        queue = Queue(self.home.database, self.home.clock)
        return queue.waiting() + Proposals(self.home.database, self.home.clock).waiting()

    def failed(self, request: Request, error: ReverieError) -> HTMLResponse:
        """What went wrong and what to do, as a page."""
        status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 409)
        text = self.pages.page(
            "failed.html",
            **self._frame("", "That did not work"),
            said="",
            undo="",
            see="",
            here="/",
            message=error.message,
            hint=error.hint or "",
            back=_referring(request),
        )
        return HTMLResponse(text, status)


def posted(view: Callable[[Request, "Form"], Response]) -> Callable[[Request], Any]:
    """A view that gets what a form holds."""
    from starlette.concurrency import run_in_threadpool

    async def answer(request: Request) -> Response:
        try:
            body = await asyncio.wait_for(request.body(), _SECONDS)
        except TimeoutError:
            raise InvalidInput("the form did not come in time") from None
        return await run_in_threadpool(view, request, Form.of(body))

    return answer


@dataclass(frozen=True)
class Form:
    """What somebody sent with a form, as text."""

    values: Mapping[str, list[str]]

    @classmethod
    def of(cls, body: bytes) -> "Form":
        """Raises InvalidInput for what is no form."""
        try:
            return cls(parse_qs(body.decode(), keep_blank_values=True, max_num_fields=2_000))
        except ValueError:
            raise InvalidInput("that is not a form") from None

    def text(self, name: str) -> str:
        """One value; "" for none. Browsers end lines as typewriters did."""
        return self.values.get(name, [""])[0].replace("\r\n", "\n")

    def all(self, name: str) -> list[str]:
        return self.values.get(name, [])


def back_to(place: str, message: str = "", undo: str = "", see: str = "") -> RedirectResponse:
    """Show another page after something was done, with a line that says so, how to take it back,
    and where to see it."""
    parameters = (("said", message), ("undo", undo), ("see", see))
    more = urlencode({name: value for name, value in parameters if value})
    joint = "&" if "?" in place else "?"
    return RedirectResponse(f"{place}{joint}{more}" if more else place, 303)


def own(place: str) -> str:
    """A place of this page, whatever a form says; the first page for any other."""
    inside = place.startswith("/") and not place.startswith(("//", "/\\"))
    return place if inside and place.isprintable() else "/"


def _here(request: Request) -> str:
    """The page that is shown, without what was said on it."""
    kept = [pair for pair in request.query_params.multi_items() if pair[0] not in _SAID]
    return f"{request.url.path}?{urlencode(kept)}" if kept else request.url.path


def _referring(request: Request) -> str:
    """The page somebody came from, if it is one of ours; as a place, never another's address."""
    place = urlsplit(request.headers.get("referer", ""))
    if place.netloc != request.headers.get("host"):
        return "/"
    return own(place.path + (f"?{place.query}" if place.query else ""))


def number(text: str, least: int = 0, most: int = 1_000_000) -> int:
    """A number out of an address, as far as it is one."""
    return min(max(int(text), least), most) if text.isascii() and text.isdigit() else least


Routes = list[Route]
