"""What stands before every page: who may ask, from where, how much, and what a browser may do.

A page on loopback can be reached by every site a browser visits. So the name it was asked by must
be its own (else another site's name could be pointed at it), a form must come from the page itself,
and a browser may load nothing and run nothing that the page did not bring.
"""

from collections.abc import Callable, Collection

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reverie.serve.page.login import COOKIE, Register, Visitor

MOST_BYTES = 2_000_000  # of a form; a memory has at most a hundred thousand
OPEN = ("/login", "/logout", "/static/")  # what a stranger may ask for
_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self';"
    " img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """Lets through what a browser asks of this page itself, and refuses the rest."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        """`hosts` are names with their port, or without one if any port is ours."""
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                if "cache-control" not in headers:
                    headers["cache-control"] = "no-store"
            await send(message)

        refused = self._refused(scope)
        await (refused or self._app)(scope, receive, with_headers)

    def _refused(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        names = headers.getlist("host")
        host = names[0].lower() if len(names) == 1 else ""
        name, _, port = host.rpartition(":")
        if host not in self._hosts and not (port.isdecimal() and name in self._hosts):
            return PlainTextResponse("This page does not answer to that name.", 421)
        if scope["method"] not in ("GET", "HEAD") and not _is_own(headers, host):
            return PlainTextResponse("That form did not come from this page.", 403)
        if not _is_small(headers):
            return PlainTextResponse("That is too much at once.", 413)
        return None


class Doors:
    """Shows strangers the door, and everybody who is in the rooms that are theirs."""

    def __init__(
        self, door: ASGIApp, register: Register, rooms: Callable[[Visitor], ASGIApp]
    ) -> None:
        self._door = door
        self._register = register
        self._rooms = rooms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._door if scope["type"] != "http" else await self._behind(scope)
        await app(scope, receive, send)

    async def _behind(self, scope: Scope) -> ASGIApp:
        if scope["path"].startswith(OPEN):
            return self._door
        shown = Request(scope).cookies.get(COOKIE, "")
        visitor = await run_in_threadpool(self._register.knows, shown) if shown else None
        if visitor is not None:
            return self._rooms(visitor)
        if scope["method"] == "GET":
            return RedirectResponse("/login", 303)
        return PlainTextResponse("You are not logged in any more.", 401)


def _is_own(headers: Headers, host: str) -> bool:
    """Whether a form was sent from this page; a browser says so in one of two ways."""
    origin = headers.get("origin")
    if origin is not None:
        scheme, _, place = origin.partition("://")
        return scheme in ("http", "https") and place.lower() == host
    return headers.get("sec-fetch-site") == "same-origin"


def _is_small(headers: Headers) -> bool:
    """Whether the size of the body is said and small enough; the server holds it to its word."""
    if "transfer-encoding" in headers:
        return False
    length = headers.get("content-length", "0")
    return length.isdecimal() and int(length) <= MOST_BYTES
