"""The page on a server: a person's key opens it, and shows what the key may see.

The home is the server's as that key sees it (`hosting.home`): the stores with the key's rights, and
of sessions those that guests brought. Whoever shares memories has not agreed to share transcripts:
review, sessions, insight and what others asked are for keys that were given all stores, and the
health of the server for those of them that may administer it.
"""

import hmac
import secrets
import threading
from collections import OrderedDict
from collections.abc import Collection
from copy import copy
from hashlib import sha256

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from reverie.asker import Asker
from reverie.errors import Refused
from reverie.hosting.home import ServerHome
from reverie.operations import checking
from reverie.operations.checking import Finding
from reverie.operations.serving import browsing, keys
from reverie.serve.page.app import pages
from reverie.serve.page.guarding import Doors, Guard
from reverie.serve.page.login import VISIT_HOLDS, Visitor
from reverie.serve.page.login_view import door
from reverie.serve.page.rendering import Pages
from reverie.serve.page.site import SECTIONS, Site
from reverie.store.keys import Key

_FOR_ALL = ("today", "memories", "playground", "stores")
_MOST_ROOMS = 64


def application(home: ServerHome, hosts: Collection[str]) -> ASGIApp:
    """The page of a server's home, under these names."""
    holders = Holders(home)
    looks = Pages(home.clock)
    return Guard(Doors(door(looks, holders), holders, Rooms(home, looks).of), hosts)


class Holders:
    """Those who came in with a key. What their browser shows is signed, so that every process of
    the server knows it; the key is looked up each time, so that a revoked one is out at once."""

    keyed = True

    def __init__(self, home: ServerHome) -> None:
        self._home = home
        self._left: dict[str, float] = {}  # visits that were ended here → when they would have

    def enter(self, word: str) -> str:
        """A visit for whoever shows a person's key.

        Raises:
            Refused: it is none that counts, or an agent's.
        """
        key = keys.key_of(self._home, word)
        if key is None:
            raise Refused("That is no key of this server, or not any more.")
        if not key.human:
            raise Refused("That key is an agent’s. The page is for a person’s key.")
        if "memory:read" not in key.scopes:
            raise Refused("That key may not read memories.")
        browsing.get_ready(self._home)
        until = int((self._home.clock() + VISIT_HOLDS).timestamp())
        visit = f"{key.id}.{until}.{secrets.token_urlsafe(12)}"
        return f"{visit}.{self._signed(visit)}"

    def knows(self, shown: str) -> Visitor | None:
        """The key somebody came in with, as long as the visit holds and the key counts."""
        visit, _, sign = shown.rpartition(".")
        if not visit or not hmac.compare_digest(sign.encode(), self._signed(visit).encode()):
            return None
        key_id, until, _ = visit.split(".")
        if float(until) <= self._now() or visit in self._left:
            return None
        key = keys.counting(self._home, key_id)
        return key if key is not None and key.human else None

    def leave(self, shown: str) -> None:
        """Let nobody in with this any more, in this process; elsewhere the browser forgets it."""
        visit = shown.rpartition(".")[0]
        if self.knows(shown) is not None:
            self._left = {
                other: until for other, until in self._left.items() if until > self._now()
            }
            self._left[visit] = float(visit.split(".")[1])

    def _now(self) -> float:
        return self._home.clock().timestamp()

    def _signed(self, visit: str) -> str:
        from reverie.privacy.key import seal_key

        secret = sha256(b"page visits" + seal_key(self._home.config.home)).digest()
        return hmac.new(secret, visit.encode(errors="replace"), sha256).hexdigest()


class Rooms:
    """The pages of each key, made when somebody comes with it."""

    def __init__(self, home: ServerHome, looks: Pages) -> None:
        self._home = home
        self._looks = looks
        self._lock = threading.Lock()
        self._made: OrderedDict[Key, ASGIApp] = OrderedDict()

    def of(self, visitor: Visitor) -> ASGIApp:
        """The pages that somebody may see."""
        assert isinstance(visitor, Key)
        # When it was last used says nothing about what it may.
        key = visitor._replace(last_used_at=None)
        with self._lock:
            if key not in self._made:
                self._made[key] = self._furnished(key)
            self._made.move_to_end(key)
            while len(self._made) > _MOST_ROOMS:
                self._made.popitem(last=False)
            return self._made[key]

    def _furnished(self, key: Key) -> ASGIApp:
        sections = tuple(section for section in SECTIONS if _may_see(key, section[0]))
        view = self._home.seen_by(key)
        site = Site(view, self._looks, visitor=key.name, sections=sections, health=self._health)
        room = pages(site)
        return room if "memory:write" in key.scopes else Glass(room)

    def _health(self) -> list[Finding]:
        """How the server's home is; a look takes nothing over from its owner's folders."""
        home = copy(self._home)
        home.asker = Asker("http", guest="person")
        return checking.check(home, checks=checking.OF_A_SERVER)


class Glass:
    """A room that can be looked into: forms of a key that may only read are refused."""

    def __init__(self, room: ASGIApp) -> None:
        self._room = room

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reads = scope["method"] in ("GET", "HEAD")
        refused = PlainTextResponse("This key may read and not write.", 403)
        await (self._room if reads else refused)(scope, receive, send)


def _may_see(key: Key, section: str) -> bool:
    if section == "doctor":  # about the disk the server runs on
        return key.all_stores and "admin" in key.scopes
    return section in _FOR_ALL or key.all_stores
