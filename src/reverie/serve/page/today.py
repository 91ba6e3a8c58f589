"""Today: what was learned, what waits, what is due, the last sessions, what agents were told."""

from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reverie.clock import iso
from reverie.home import Home
from reverie.operations import learning, recalling
from reverie.operations.serving import browsing
from reverie.serve.page.running import Runs
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
    corrected: int | None  # how often the session was corrected after it; None: it is not known


class Day(NamedTuple):
    """What is known of today."""

    learned: list[Item]
    learned_in_all: int
    told: list[Told]
    told_in_all: int


def of_today(home: Home, *, everything: bool = True) -> Day:
    """What was written since midnight (UTC), and what of everything was handed over."""
    since = iso(home.clock())[:10]
    if not home.exists:
        return Day([], 0, [], 0)
    shelf = browsing.memories(home, since=since, limit=_LEARNED)
    rows = recalling.ledger(home).rows(since=since) if everything else []
    latest = rows[-_TOLD:][::-1]
    after = browsing.corrected_after(home, latest)
    handed = [
        Told(
            row.at,
            row.who,
            row.project,
            row.query,
            tuple(entry.entry for entry in row.entries),
            row.refused,
            after.get(row.id),
        )
        for row in latest
    ]
    return Day(shelf.items, shelf.fitting, handed, len(rows))


def routes(site: Site, runs: Runs) -> Routes:
    """The first page."""

    def today(request: Request) -> Response:
        home = site.home
        everything = site.shows("sessions")
        known = everything and home.config.has_index
        stores = home.store.stores() if home.exists else []
        return site.page(
            request,
            "today",
            "today",
            "Today",
            day=of_today(home, everything=everything),
            due=learning.due(home).sentence if home.exists and known and site.owner else "",
            latest=browsing.latest_sessions(home, limit=_SESSIONS) if known else [],
            totals=home.index.totals() if known else None,
            stores=stores,
            memories=browsing.how_many(home),
            can_run=site.owner,
            running=runs.running,
        )

    return [Route("/", today)]
