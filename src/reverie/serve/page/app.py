"""The page as an application: its routes, and what is said when something fails."""

from collections.abc import Callable, Collection
from html import escape

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp

from reverie.errors import NotFound, ReverieError
from reverie.home import Home
from reverie.serve.page import login_view, today
from reverie.serve.page.guarding import Doors, Guard
from reverie.serve.page.insight import Insight
from reverie.serve.page.login import Visitors
from reverie.serve.page.memories import Memories
from reverie.serve.page.playground import Playground
from reverie.serve.page.rendering import Pages
from reverie.serve.page.review import Reviewing
from reverie.serve.page.running import Running, Runs
from reverie.serve.page.sessions import Sessions
from reverie.serve.page.site import Routes, Site
from reverie.serve.page.stores import Doctor, Stores


def application(home: Home, visitors: Visitors, hosts: Collection[str]) -> ASGIApp:
    """The page of a home for its owner, who comes in by a link, under these names (with port)."""
    site = Site(home, Pages(home.clock))
    room = pages(site)
    return Guard(Doors(login_view.door(site.pages, visitors), visitors, lambda _: room), hosts)


def pages(site: Site) -> Starlette:
    """All pages that a visitor may see; whoever asks was let in."""

    def said(request: Request, error: Exception) -> Response:
        if isinstance(error, ReverieError):
            return site.failed(request, error)
        return HTMLResponse(status_code=500)

    def unknown(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException) and error.status_code != 404:
            return HTMLResponse(escape(error.detail), error.status_code)
        return site.failed(request, NotFound("there is no such page", hint="start from Today"))

    runs = Runs(site.home)
    sections: dict[str, Callable[[], Routes]] = {
        "today": lambda: today.routes(site, runs),
        "memories": lambda: Memories(site).routes(),
        "review": lambda: Reviewing(site).routes(),
        "sessions": lambda: Sessions(site).routes(),
        "playground": lambda: Playground(site).routes(),
        "insight": lambda: Insight(site).routes(),
        "stores": lambda: Stores(site).routes(),
        "doctor": lambda: Doctor(site).routes(),
    }
    routes = [route for name, made in sections.items() if site.shows(name) for route in made()]
    if site.owner:
        routes += Running(site, runs).routes()

    return Starlette(
        routes=routes,
        exception_handlers={ReverieError: said, HTTPException: unknown},
    )
