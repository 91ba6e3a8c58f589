"""Who asks: the key of a request, in either of the headers clients use, and how often it may."""

import threading
import time
from collections.abc import Callable

from starlette.datastructures import Headers

from reverie.home import Home
from reverie.operations.serving import keys
from reverie.serve.http.errors import Failed
from reverie.store.keys import Key, Scope, well_formed

_NO_KEY = "a valid API key is needed"
_MOST_BUCKETS = 10_000


def text_of(headers: Headers) -> str:
    """The key as it was sent, if it can be one; no database is asked.

    Raises:
        Failed: 401, in the same words whatever is wrong.
    """
    sent = set(headers.getlist("x-api-key"))
    for value in headers.getlist("authorization"):
        scheme, _, token = value.partition(" ")
        sent.add(token.strip() if scheme.lower() == "bearer" else "")
    # Of two that differ it would be a guess which is meant.
    text = sent.pop() if len(sent) == 1 else ""
    if not well_formed(text):
        raise unauthenticated()
    return text


def known(home: Home, text: str) -> Key:
    """The key of that text.

    Raises:
        Failed: 401; no such key, revoked, expired: the same words.
    """
    key = keys.key_of(home, text)
    if key is None:
        raise unauthenticated()
    return key


def permitted(key: Key, scope: Scope) -> None:
    """Nothing, if the key may do this.

    Raises:
        Failed: 403.
    """
    if scope not in key.scopes:
        raise Failed(403, f"this key has not the scope {scope}")


def unauthenticated() -> Failed:
    return Failed(401, _NO_KEY, {"www-authenticate": "Bearer"})


class Buckets:
    """How many requests each key has left: refilled at a steady rate, up to a burst."""

    def __init__(
        self, per_second: float, burst: int, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second = per_second
        self._burst = float(max(1, burst))
        self._monotonic = monotonic
        self._left: dict[str, tuple[float, float]] = {}
        self._guard = threading.Lock()

    def take(self, key_id: str) -> None:
        """Count one request.

        Raises:
            Failed: 429, with the seconds to wait.
        """
        if not self._per_second:
            return
        now = self._monotonic()
        with self._guard:
            if len(self._left) > _MOST_BUCKETS:
                self._left.clear()
            left, at = self._left.get(key_id, (self._burst, now))
            left = min(self._burst, left + (now - at) * self._per_second)
            self._left[key_id] = (left - 1 if left >= 1 else left, now)
        if left < 1:
            wait = (1 - left) / self._per_second
            headers = {
                "retry-after": str(int(wait) + 1),
                "retry-after-ms": str(int(wait * 1e3) + 1),
            }
            raise Failed(429, "too many requests with this key", headers)
