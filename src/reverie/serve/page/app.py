"""The page as an application: its routes, its guard, and what is said when something fails."""

from collections.abc import Collection
from html import escape

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from reverie.errors import NotFound, ReverieError
from reverie.home import Home
from reverie.serve.page import login_view, today
from reverie.serve.page.guarding import Guard
from reverie.serve.page.insight import Insight
from reverie.serve.page.login import Visitors
from reverie.serve.page.memories import Memories
from reverie.serve.page.playground import Playground
from reverie.serve.page.rendering import FOLDER, Pages
from reverie.serve.page.review import Reviewing
from reverie.serve.page.sessions import Sessions
from reverie.serve.page.site import Site
from reverie.serve.page.stores import Stores


def application(home: Home, visitors: Visitors, hosts: Collection[str]) -> Starlette:
    """The page of a home, for those who may see it, under these names (with their port)."""
    site = Site(home, Pages(home.clock), visitors)

    def said(request: Request, error: Exception) -> Response:
        if isinstance(error, ReverieError):
            return site.failed(request, error)
        return HTMLResponse(status_code=500)

    def unknown(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException) and error.status_code != 404:
            return HTMLResponse(escape(error.detail), error.status_code)
        return site.failed(request, NotFound("there is no such page", hint="start from Today"))

    return Starlette(
        routes=[
            *today.routes(site),
            *Memories(site).routes(),
            *Reviewing(site).routes(),
            *Sessions(site).routes(),
            *Playground(site).routes(),
            *Insight(site).routes(),
            *Stores(site).routes(),
            *login_view.routes(site),
            Mount("/static", _Unchanging(directory=FOLDER / "static"), name="static"),
        ],
        middleware=[Middleware(Guard, visitors=visitors, hosts=hosts)],
        exception_handlers={ReverieError: said, HTTPException: unknown},
    )


class _Unchanging(StaticFiles):
    """Files of the package; a browser asks whether they changed."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["cache-control"] = "no-cache"
        return response
