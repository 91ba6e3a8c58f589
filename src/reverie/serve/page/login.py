"""Who is at the page: a link that works once becomes a cookie, and the cookie ends with the day.

The link is shown in the person's own terminal, so whoever opens it is taken for them. Neither is
kept anywhere but in this process, and of both only a hash: when the program ends, nobody is in.
A server's page is opened with a key instead (`guests`).
"""

import secrets
import threading
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Protocol

from reverie.clock import Clock
from reverie.errors import Refused
from reverie.store.keys import Key

COOKIE = "reverie"
LINK_HOLDS = timedelta(minutes=10)
VISIT_HOLDS = timedelta(hours=12)


Visitor = Key | str  # a key, or "owner" for whoever had the link


class Register(Protocol):
    """Knows who is in, by what their browser shows."""

    @property
    def keyed(self) -> bool:
        """Whether one comes in with a key."""
        ...

    def enter(self, word: str) -> str:
        """What a browser shows from now on, for a word that lets it in.

        Raises:
            Refused: it does not; the message says why, to whoever tried.
        """
        ...

    def knows(self, shown: str) -> Visitor | None:
        """Who shows this; None for nobody who is in."""
        ...

    def leave(self, shown: str) -> None:
        """Let nobody in with this any more."""
        ...


class Visitors:
    """Those who may see the page, by what their browser shows. Threads may share it."""

    keyed = False

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._links: dict[str, datetime] = {}  # hash → until when
        self._visits: dict[str, datetime] = {}

    def invite(self) -> str:
        """A word for a link that lets one browser in."""
        return self._give(self._links, LINK_HOLDS)

    def enter(self, word: str) -> str:
        """What the browser shows from now on.

        Raises:
            Refused: the link was used, or is too old.
        """
        with self._lock:
            until = self._links.pop(_hashed(word), None)
        if until is None or until <= self._clock():
            raise Refused("That link was used already, or is older than ten minutes.")
        return self._give(self._visits, VISIT_HOLDS)

    def knows(self, shown: str) -> Visitor | None:
        """Whether a browser that shows this is in."""
        until = self._visits.get(_hashed(shown))
        return "owner" if until is not None and until > self._clock() else None

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
