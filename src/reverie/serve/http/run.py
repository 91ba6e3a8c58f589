"""Running the server: where it listens, how long it waits for headers, how it stops."""

import ipaddress
import logging
import os
import signal
import sys
from asyncio import TimerHandle
from asyncio.transports import Transport
from collections.abc import Mapping, Sequence
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from reverie.asker import Asker
from reverie.errors import Refused
from reverie.home import Home
from reverie.operations.serving import keys
from reverie.serve.http.app import create_app
from reverie.serve.http.errors import ErrorDetail, Failure
from reverie.serve.http.guarding import EVERYWHERE, LOG

DEFAULT_PORT = 8317
_MOST_HEADER_BYTES = 65_536
_IDLE_SECONDS = 15
# How worker processes, which are started anew, learn under which names they are reached.
_HOSTS_VARIABLE = "REVERIE_SERVER_HOSTS"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address; a name counts only if it is `localhost`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_binding(home: Home, host: str) -> None:
    """Refuse to listen where others can come in, while nobody can be told apart.

    Raises:
        Refused: not loopback, and no key that counts.
    """
    if not is_loopback(host) and not keys.any_key(home):
        raise Refused(
            f"there is no key yet, and {host} can be reached from elsewhere",
            hint="`reverie keys create` makes one",
        )


def serve(
    home: Home, host: str, port: int, *, workers: int = 1, environ: Mapping[str, str]
) -> None:
    """Listen until told to stop.

    Raises:
        Refused: not loopback, and no key that counts.
    """
    check_binding(home, host)
    log_to_stderr()
    # uvicorn stops by itself at this signal and then sends it again, to whoever was there before.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if workers > 1:
        home.close()
        # Workers are new processes that open the home by themselves.
        os.environ.update(environ)
        os.environ[_HOSTS_VARIABLE] = ",".join((*home.settings.server.hosts, *_names(host)))
        target = "reverie.serve.http.run:from_environment"
        uvicorn.run(target, factory=True, workers=workers, **options(home, host, port))
        return
    app = create_app(home, hosts=_names(host))
    uvicorn.run(app, **options(home, host, port))


def from_environment() -> ASGIApp:
    """The application of one worker process."""
    log_to_stderr()
    return create_app(Home.open(asker=Asker("http")))


def options(home: Home, host: str, port: int) -> dict[str, Any]:
    """What uvicorn is told; limits that are not its own are in `Protocol` and `bodies`."""
    settings = home.settings.server
    return {
        "host": host.strip("[]"),
        "port": port,
        "http": protocol(settings.read_seconds),
        "ws": "none",
        "lifespan": "on",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
        "timeout_keep_alive": _IDLE_SECONDS,
        "timeout_graceful_shutdown": settings.stop_seconds,
        "h11_max_incomplete_event_size": _MOST_HEADER_BYTES,
    }


def log_to_stderr() -> None:
    """One line for each request, and what uvicorn has to say of itself."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    for logger in (LOG, logging.getLogger("uvicorn.error")):
        logger.handlers[:] = [handler]
        logger.setLevel(logging.INFO)
        logger.propagate = False


def protocol(seconds: float) -> "type[H11Protocol]":
    """uvicorn's protocol, with an end to waiting for headers."""

    class Bounded(Protocol):
        header_seconds = seconds

    return Bounded


class Protocol(H11Protocol):
    """Closes a connection whose headers do not come in time, and tells bad requests as all else."""

    header_seconds: float = 20.0
    _timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait_for_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, "that is no HTTP request this server understands")

    def _wait_for_headers(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._timer is None and self.header_seconds:
            self._timer = self.loop.call_later(self.header_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        # Between two requests of one connection uvicorn counts by itself.
        if self.conn.their_state is h11.IDLE and self.conn.our_state is h11.IDLE:
            self._refuse(408, "the headers did not come in time")

    def _refuse(self, status: int, message: str) -> None:
        kind = "timeout_error" if status == 408 else "invalid_request_error"
        request_id = f"req_{os.urandom(12).hex()}"
        body = Failure(status, ErrorDetail(kind, message), {}).body(request_id)
        headers = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            "connection": "close",
            "request-id": request_id,
            **EVERYWHERE,
        }
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        for event in (
            h11.Response(status_code=status, headers=raw, reason=b""),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def _names(host: str) -> Sequence[str]:
    """The name of an address as `Host` has it; that of every address is no name."""
    bare = host.strip("[]")
    if bare in {"0.0.0.0", "::"}:  # noqa: S104 - told apart, not bound
        return ()
    return (f"[{bare}]",) if ":" in bare else (bare,)
