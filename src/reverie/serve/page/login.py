"""Who is at the page: a link that works once becomes a cookie, and the cookie ends with the day.

The link is shown in the person's own terminal, so whoever opens it is taken for them. Neither is
kept anywhere but in this process, and of both only a hash: when the program ends, nobody is in.
"""

import secrets
import threading
from datetime import datetime, timedelta
from hashlib import sha256

from reverie.clock import Clock

COOKIE = "reverie"
LINK_HOLDS = timedelta(minutes=10)
VISIT_HOLDS = timedelta(hours=12)


class Visitors:
    """Those who may see the page, by what their browser shows. Threads may share it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._links: dict[str, datetime] = {}  # hash → until when
        self._visits: dict[str, datetime] = {}

    def invite(self) -> str:
        """A word for a link that lets one browser in."""
        return self._give(self._links, LINK_HOLDS)

    def enter(self, word: str) -> str | None:
        """What the browser shows from now on; None if the link was used, or is too old."""
        with self._lock:
            until = self._links.pop(_hashed(word), None)
        if until is None or until <= self._clock():
            return None
        return self._give(self._visits, VISIT_HOLDS)

    def knows(self, shown: str) -> bool:
        """Whether a browser that shows this is in."""
        until = self._visits.get(_hashed(shown))
        return until is not None and until > self._clock()

    def leave(self, shown: str) -> None:
        """Let nobody in with this any more."""
        with self._lock:
            self._visits.pop(_hashed(shown), None)

    def _give(self, known: dict[str, datetime], holds: timedelta) -> str:
        word, now = secrets.token_urlsafe(32), self._clock()
        with self._lock:
            for old in [key for key, until in known.items() if until <= now]:
                del known[old]
            known[_hashed(word)] = now + holds
        return word


def _hashed(word: str) -> str:
    # Looked up by its hash: how long that takes tells nothing about the words that are known.
    return sha256(word.encode(errors="replace")).hexdigest()
