"""Today: what was learned, what waits, what is due, the last sessions, what agents were told."""

from collections import Counter
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reverie.clock import iso
from reverie.home import Home
from reverie.operations import learning, recalling
from reverie.operations.serving import browsing
from reverie.serve.page.site import Routes, Site
from reverie.store.library import Item

_LEARNED = 6
_SESSIONS = 6
_TOLD = 6


class Told(NamedTuple):
    """One answer an agent got today."""

    at: str
    who: str
    project: str
    query: str
    names: tuple[str, ...]
    refused: str


class Day(NamedTuple):
    """What is known of today."""

    learned: list[Item]
    learned_in_all: int
    told: list[Told]
    told_in_all: int
    by_part: Counter[str]


def of_today(home: Home) -> Day:
    """What was written and handed over since midnight (UTC)."""
    since = iso(home.clock())[:10]
    if not home.exists:
        return Day([], 0, [], 0, Counter())
    shelf = browsing.memories(home, since=since, limit=_LEARNED)
    rows = recalling.ledger(home).rows(since=since)
    told = [
        Told(
            row.at,
            row.who,
            row.project,
            row.query,
            tuple(entry.entry for entry in row.entries),
            row.refused,
        )
        for row in reversed(rows)
    ]
    parts = Counter(entry.part for row in rows for entry in row.entries)
    return Day(shelf.items, shelf.fitting, told[:_TOLD], len(told), parts)


def routes(site: Site) -> Routes:
    """The first page."""

    def today(request: Request) -> Response:
        home = site.home
        known = home.config.has_index
        return site.page(
            request,
            "today",
            "today",
            "Today",
            day=of_today(home),
            due=learning.due(home).sentence if home.exists and known else "",
            latest=browsing.latest_sessions(home, limit=_SESSIONS) if known else [],
            totals=home.index.totals() if known else None,
            stores=home.store.stores() if home.exists else [],
        )

    return [Route("/", today)]
