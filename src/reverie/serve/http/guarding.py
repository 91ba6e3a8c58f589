"""What holds for every request, before anybody looks at its path.

The name it came under (`Host`) has to be one of ours and it must come from no web page of somebody
else's (`Origin`): a site that a person visits can make their browser call any address, and a name
of its own lead to loopback. Every answer has a request id and headers by which no browser runs or
keeps it. The log has no word of what was sent: methods, patterns of paths, ids, numbers.
"""

import logging
import os
import re
import time
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reverie.serve.http.errors import Failed, failure_of
from reverie.serve.http.metrics import Counters

LOG = logging.getLogger("reverie.http")
HEALTH = "/healthz"
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
EVERYWHERE = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
}
_EVERYWHERE = [(name.encode(), value.encode()) for name, value in EVERYWHERE.items()]

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{1,5})?", re.IGNORECASE)
_MOST_HEADERS = 100
_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"})


class Exchange:
    """What the log says of a request and its answer."""

    def __init__(self) -> None:
        self.request_id = f"req_{os.urandom(12).hex()}"
        self.route = "-"
        self.key_id = "-"
        self.status = 0
        self.started = False
        self.began = time.perf_counter()


class Guard:
    """The outermost layer of the server."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str], counters: Counters) -> None:
        self._app = app
        self._counters = counters
        self._hosts = frozenset(host.lower() for host in (*LOOPBACK, *hosts))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = scope["reverie"] = Exchange()
        # Without an application the router would tell its errors itself, in words of its own.
        scope["app"] = self

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.started = True
                exchange.status = message["status"]
                request_id = (b"request-id", exchange.request_id.encode())
                message["headers"] = [*message["headers"], request_id, *_EVERYWHERE]
            await send(message)

        try:
            self._check(scope)
            await self._app(scope, receive, sending)
        except Exception as error:  # noqa: BLE001 - outermost: every error has one shape
            await _fail(error, exchange, sending)
        finally:
            self._note(scope, exchange)

    def _check(self, scope: Scope) -> None:
        if scope["path"] == HEALTH:
            return
        if len(scope["headers"]) > _MOST_HEADERS:
            raise Failed(431, "too many headers", last=True)
        headers = Headers(scope=scope)
        names = headers.getlist("host")
        match = _HOST.fullmatch(names[0]) if len(names) == 1 else None
        if match is None or match[1].lower() not in self._hosts:
            raise Failed(421, "this server does not answer under that name", last=True)
        if (origin := headers.get("origin")) is not None and not self._is_ours(origin):
            raise Failed(403, "web pages of other origins get no answer")

    def _note(self, scope: Scope, exchange: Exchange) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "-"
        took = time.perf_counter() - exchange.began
        self._counters.count(method, exchange.route, exchange.status, took)
        LOG.info(
            "%s %s %s %s %d %.1fms",
            *(exchange.request_id, method, exchange.route, exchange.key_id, exchange.status),
            took * 1e3,
        )

    def _is_ours(self, origin: str) -> bool:
        scheme, _, place = origin.partition("://")
        match = _HOST.fullmatch(place)
        return scheme in {"http", "https"} and bool(match and match[1].lower() in self._hosts)


async def _fail(error: Exception, exchange: Exchange, send: Send) -> None:
    failure = failure_of(error)
    if failure.status >= 500:
        # The type and place of a fault, never its words, which may be somebody's memory.
        LOG.error("%s failed: %s", exchange.request_id, _where(error))
    if exchange.started:
        return
    body = failure.body(exchange.request_id)
    headers = {"content-type": "application/json", "content-length": str(len(body))}
    raw = [(k.encode(), v.encode()) for k, v in (headers | failure.headers).items()]
    await send({"type": "http.response.start", "status": failure.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


def _where(error: Exception) -> str:
    trace, place = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno} {code.co_name}"
        trace = trace.tb_next
    return f"{type(error).__name__} at {place}"
