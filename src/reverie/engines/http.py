"""One JSON request over HTTP: checked address, no redirects, one deadline, no key in any message.

Written with the standard library alone; `docs/design/engines.md` has the numbers that decided it.
"""

import base64
import http.client
import ipaddress
import json
import re
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, cast
from urllib.parse import unquote, urlsplit

from reverie.errors import CallFailed, ConfigError

MOST_BYTES = 4_000_000  # of a reply,
MOST_LINES = 64_000_000  # and of all replies to a batch
SAID = 200  # characters of a server's own words in a message

_UNSENT = (0, 0, 0, 0)
_KEYS = re.compile(r"\b(?:sk|key|Bearer)[-_ ][\w.*-]{6,}")
# A 429 for which waiting does not help.
_SPENT = re.compile(r"spend_limit|insufficient_quota|credit_balance|billing", re.IGNORECASE)


def is_local(url: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def checked(url: str, setting: str) -> str:
    """`url` without a slash at its end, if keys and words may be sent there.

    Raises:
        ConfigError: they may not.
    """
    try:
        parts = urlsplit(url)
        fine = bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine, parts = False, urlsplit("")
    if not fine or parts.scheme not in {"http", "https"} or parts.query or parts.fragment:
        raise ConfigError(f"{setting} is no address of a server", hint="https://host/path")
    if parts.username is not None:
        raise ConfigError(f"{setting} holds a name or password", hint="keys belong in a variable")
    if parts.scheme == "http" and not is_local(url):
        raise ConfigError(
            f"{setting}: {parts.hostname} is another machine, and http:// is readable on the way",
            hint="https://, or http:// on this machine alone",
        )
    return url.rstrip("/")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go, and with what headers."""

    who: str  # in messages
    url: str
    headers: Mapping[str, str] = field(repr=False)
    environ: Mapping[str, str] = field(repr=False)

    def post(self, path: str, body: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """The object that the server answers with.

        Raises:
            CallFailed: it cannot be reached, is too slow, refuses, or answers with something else.
        """
        data = json.dumps(body, ensure_ascii=False).encode()
        return self._object(self._answer("POST", path, data, seconds))

    def get(self, path: str, seconds: float) -> dict[str, Any]:
        """As `post`, of what the server has."""
        return self._object(self._answer("GET", path, b"", seconds))

    def send(self, method: str, path: str, data: bytes, seconds: float) -> dict[str, Any]:
        """As `post`, by any method and with any body."""
        return self._object(self._answer(method, path, data, seconds))

    def get_lines(self, path: str, seconds: float) -> list[dict[str, Any]]:
        """As `get`, of what has an object on each line."""
        answer = self._answer("GET", path, b"", seconds, MOST_LINES)
        return [self._object(line) for line in answer.splitlines() if line.strip()]

    def _answer(
        self, method: str, path: str, data: bytes, seconds: float, most: int = MOST_BYTES
    ) -> bytes:
        until = time.monotonic() + seconds
        connection = self._connect(seconds)
        try:
            status, headers, answer = self._exchange(connection, method, path, data, until, most)
        except (OSError, http.client.HTTPException) as error:
            slow = isinstance(error, TimeoutError)
            why = f"took longer than {seconds:.0f} s" if slow else "broke off its answer"
            raise CallFailed(f"{self.who} {why}", again=True) from None
        finally:
            connection.close()
        if status != 200:
            self._refuse(status, headers, answer)
        return answer

    def _object(self, answer: bytes) -> dict[str, Any]:
        try:
            parsed = json.loads(answer)
        except (ValueError, RecursionError):
            parsed = None
        if not isinstance(parsed, dict):
            raise CallFailed(f"{self.who} answered with something that is not JSON", again=True)
        return cast("dict[str, Any]", parsed)

    def _connect(self, seconds: float) -> http.client.HTTPConnection:
        connection = self._connection(seconds)
        try:
            connection.connect()
        except ssl.SSLError as error:
            raise self._unreached(f"its certificate is not good ({error.reason})") from None
        except TimeoutError:
            raise self._unreached("it takes no connection", again=True) from None
        except (OSError, http.client.HTTPException) as error:
            why = "no such host" if isinstance(error, socket.gaierror) else str(error)
            raise self._unreached(why) from None
        return connection

    def _unreached(self, why: str, *, again: bool = False) -> CallFailed:
        where = urlsplit(self.url).netloc
        message = f"{self.who} at {where} cannot be reached: {why}"
        return CallFailed(message, again=again, whole=True, used=_UNSENT)

    def _connection(self, seconds: float) -> http.client.HTTPConnection:
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        if parts.scheme == "http":
            return http.client.HTTPConnection(host, parts.port, timeout=seconds)
        context = ssl.create_default_context()
        proxy = _proxy(host, self.environ)
        if not proxy:
            return http.client.HTTPSConnection(host, parts.port, timeout=seconds, context=context)
        way = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        if way.scheme != "http" or not way.hostname:
            raise self._unreached("only http:// proxies are understood")
        through = http.client.HTTPSConnection(
            way.hostname, way.port or 80, timeout=seconds, context=context
        )
        login = f"{unquote(way.username or '')}:{unquote(way.password or '')}".encode()
        allowed = {"Proxy-Authorization": f"Basic {base64.b64encode(login).decode()}"}
        through.set_tunnel(host, parts.port or 443, allowed if way.username else {})
        return through

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        data: bytes,
        until: float,
        most: int,
    ) -> tuple[int, Mapping[str, str], bytes]:
        headers = {**self.headers, "content-type": "application/json", "accept": "application/json"}
        sock = connection.sock
        connection.request(method, urlsplit(self.url).path + path, data or None, headers)
        sock.settimeout(_left(until))
        response = connection.getresponse()
        reply_headers = {name.lower(): value for name, value in response.getheaders()}
        parts: list[bytes] = []
        size = 0
        while part := response.read1(65_536):
            parts.append(part)
            size += len(part)
            if size > most:
                raise CallFailed(f"{self.who} answers with more than {most:,} bytes")
            sock.settimeout(_left(until))
        if response.length:
            raise http.client.IncompleteRead(b"")
        return response.status, reply_headers, b"".join(parts)

    def _refuse(self, status: int, headers: Mapping[str, str], body: bytes) -> NoReturn:
        words = self._words(body)
        message = f"{self.who} answered with {status}" + (f": {words}" if words else "")
        spent = status == 402 or (status == 429 and _SPENT.search(words) is not None)
        passing = not spent and (status in {408, 425, 429} or status >= 500)
        hint = {401: "is the key right?", 403: "is the key right?", 404: "is there such a model?"}
        raise CallFailed(
            message,
            hint=hint.get(status),
            again=passing,
            after=_seconds(headers.get("retry-after")),
            # What is wrong with one request may be right with another.
            whole=status not in {400, 413, 422},
            used=_UNSENT,
            status=status,
        )

    def _words(self, body: bytes) -> str:
        """What a server says went wrong, without any key it repeats."""
        text = body[:MOST_BYTES].decode("utf-8", "replace")
        try:
            error = json.loads(text)["error"]
            text = error if isinstance(error, str) else f"{error.get('type')}: {error['message']}"
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            pass
        for value in self.headers.values():
            text = text.replace(value.removeprefix("Bearer "), "…")
        return " ".join(_KEYS.sub("…", text).split())[:SAID]


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _seconds(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text is not None else None
    except ValueError:
        return None  # a date; the usual waits do then


def _proxy(host: str, environ: Mapping[str, str]) -> str:
    """The proxy for a host on another machine, as the variables say that other programs read."""
    variables = {name.lower(): value for name, value in sorted(environ.items()) if value}
    if is_local(f"https://{host}/"):
        return ""
    for name in variables.get("no_proxy", "").split(","):
        beyond = name.strip().lstrip(".").lower()
        if beyond == "*" or (beyond and f".{host.lower()}".endswith(f".{beyond}")):
            return ""
    return variables.get("https_proxy") or variables.get("all_proxy") or ""
