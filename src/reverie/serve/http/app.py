"""The application: routes, a bounded pool of threads for the engine, and the guard around both.

The engine is synchronous. A request is read here, answered by one call in a thread (key, rate,
scope, decoding, the engine, encoding), and sent from here.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TypeVar
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as Mounted
from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send

from reverie.home import Home
from reverie.serve.http import (
    auth,
    bodies,
    dreams,
    insight,
    mcp,
    memories,
    proposals,
    recalling,
    sessions,
    stores,
    versions,
)
from reverie.serve.http.errors import Failed
from reverie.serve.http.guarding import HEALTH, LOOPBACK, Exchange, Guard
from reverie.serve.http.metrics import Counters
from reverie.serve.http.openapi import document
from reverie.serve.http.routing import Call, Reply, Route, ServerMemory, Upload
from reverie.serve.http.writing import Writers

ROUTES: tuple[Route, ...] = (
    *stores.ROUTES,
    *memories.ROUTES,
    *versions.ROUTES,
    *sessions.ROUTES,
    *dreams.ROUTES,
    *recalling.ROUTES,
    *proposals.ROUTES,
    *insight.ROUTES,
    *mcp.ROUTES,
)
OPENAPI = "/openapi.json"
# How the paths of the page begin; all others are the API's.
PAGE = frozenset(
    {"", "login", "logout", "static", "memories", "review", "sessions", "playground", "insight"}
    | {"stores", "doctor"}
)

# Requests that are read or wait for a thread; more are turned away rather than kept.
_MOST_AT_ONCE = 512
# Up to this, a body is read before the database is asked for the key.
_SMALL_BODY = 65_536

Result = TypeVar("Result")


class Server:
    """What the requests of one process share."""

    def __init__(self, home: Home) -> None:
        settings = home.settings.server
        self.home = home
        self.hosted = ServerMemory.beside(home)
        self.counters = Counters()
        self.settings = settings
        self.readers = ThreadPoolExecutor(settings.threads, thread_name_prefix="reading")
        self.writers = Writers(home.database, settings.threads)
        self.buckets = auth.Buckets(settings.requests_per_second, settings.burst)
        self._at_once = 0

    async def work(self, function: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self.readers, function)

    def close(self) -> None:
        self.readers.shutdown()
        self.writers.close()
        self.hosted.close()
        self.home.close()

    async def answer(self, route: Route, request: Request) -> Response:
        """Read a request, have it answered, and send that."""
        if self._at_once >= _MOST_AT_ONCE:
            raise Failed(529, "too many requests at once", {"retry-after": "1"})
        self._at_once += 1
        try:
            reply = await self._answer(route, request)
            return Response(reply.body, reply.status, media_type=route.media)
        except bodies.Gone:
            return Response(status_code=499)
        finally:
            self._at_once -= 1

    async def _answer(self, route: Route, request: Request) -> Reply:
        exchange: Exchange = request.scope["reverie"]
        exchange.route = route.path
        try:
            text = auth.text_of(request.headers)
            body = await self._body(route, request, text)
        except Failed:
            await bodies.drain(request, _SMALL_BODY)
            raise
        query = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
        parts: dict[str, str] = request.path_params

        def answered() -> Reply:
            key = auth.known(self.home, text)
            exchange.key_id = key.id
            self.buckets.take(key.id)
            auth.permitted(key, route.scope)
            call = Call(self.home, key, self.hosted, self.counters, request.headers)
            return route.answer(call, parts, query, body)

        try:
            if route.reads or route.is_upload:
                return await self.work(answered)
            writing = self.writers.submit(answered, together=route.together)
            return await asyncio.wrap_future(writing)
        finally:
            if not isinstance(body, bytes):
                body.close()

    async def _body(self, route: Route, request: Request, text: str) -> bytes | Upload:
        headers: Headers = request.headers
        most = self.settings.max_upload_bytes if route.is_upload else self.settings.max_body_bytes
        length = bodies.declared(headers, most)
        if length == 0:
            return b""
        if route.body is not None:
            bodies.check_kind(headers, upload=route.is_upload)
        if length is None or length > _SMALL_BODY:
            # A stranger's large body is not read.
            await self.work(lambda: auth.known(self.home, text))
        seconds = self.settings.read_seconds
        if route.is_upload:
            return await bodies.spool(request.receive, most, seconds)
        return await bodies.read(request.receive, most, seconds)


def create_app(
    home: Home, *, hosts: Sequence[str] = (), routes: Sequence[Route] = ROUTES
) -> ASGIApp:
    """The server of a home, which it closes when it ends; `hosts` are names besides loopback's."""
    server = Server(home)
    described = document(routes)

    async def health(request: Request) -> Response:
        request.scope["reverie"].route = HEALTH
        return Response(b'{"status":"ok"}', media_type="application/json")

    async def openapi(request: Request) -> Response:
        request.scope["reverie"].route = OPENAPI
        text = auth.text_of(request.headers)
        await server.work(lambda: auth.known(home, text))
        return Response(described, media_type="application/json")

    @asynccontextmanager
    async def lifespan(_: object) -> AsyncGenerator[None]:
        yield
        server.close()

    paths = Router(
        [
            *_mounted(server, routes),
            Mounted(HEALTH, health),
            Mounted(OPENAPI, openapi),
        ],
        redirect_slashes=False,
        lifespan=lifespan,
    )
    names = (*home.settings.server.hosts, *hosts)
    return Front(Guard(paths, names, server.counters), server.hosted, (*LOOPBACK, *names))


class Front:
    """Sends a browser to the page, and everybody else to the API."""

    def __init__(self, api: ASGIApp, home: ServerMemory, hosts: Sequence[str]) -> None:
        self._api = api
        self._home = home
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        page = scope["type"] == "http" and is_page(scope["path"])
        await (self._page if page else self._api)(scope, receive, send)

    @cached_property
    def _page(self) -> ASGIApp:
        # Templates and all that makes HTML are loaded when somebody first looks.
        from reverie.serve.page.guests import application

        return application(self._home, self._hosts)


def is_page(path: str) -> bool:
    """Whether a path is one of the page's."""
    return path.startswith("/") and path.split("/")[1] in PAGE


def _mounted(server: Server, routes: Sequence[Route]) -> Iterator[Mounted]:
    """One entry for each path, so that a wrong method is told all the right ones."""
    paths: dict[str, dict[str, Route]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method] = route
    for path, methods in paths.items():

        async def endpoint(request: Request, methods: dict[str, Route] = methods) -> Response:
            method = "GET" if request.method == "HEAD" else request.method
            return await server.answer(methods[method], request)

        yield Mounted(path, endpoint, methods=list(methods))
