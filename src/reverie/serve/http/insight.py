"""`/v1/reverie/…`: corrections, whether memory helps, what it cost, and how the server is."""

from typing import Any

import msgspec

from reverie import __version__, forms
from reverie.clock import iso, parse_iso
from reverie.errors import Refused
from reverie.forms import engines as engine_forms
from reverie.hosting import insight
from reverie.operations import figures
from reverie.serve.http import metrics
from reverie.serve.http.proposals import guest_of
from reverie.serve.http.routing import Call, Route


class Since(msgspec.Struct):
    """Nothing before this moment."""

    since: str | None = None

    @property
    def moment(self) -> str:
        return iso(parse_iso(self.since)) if self.since else ""


class AskCorrections(Since):
    """In which sessions; without any in all that were read for a dream."""

    session_ids: list[str] = msgspec.field(default_factory=list[str])


class Corrections(msgspec.Struct):
    """What people said against what agents held, the most telling first."""

    data: list[dict[str, Any]]


class Health(msgspec.Struct):
    """That both databases answered just now."""

    status: str
    version: str
    database: str


def corrections(call: Call, query: AskCorrections) -> Corrections:
    """List what people said against what agents held in sessions of this key."""
    ranked = insight.corrections(
        call.hosted, call.view, guest_of(call), query.session_ids, since=query.moment or None
    )
    return Corrections([forms.correction(correction) for correction in ranked])


def stats(call: Call, query: Since) -> dict[str, Any]:
    """Whether memory helps: corrections that had to come again, and what was told before."""
    return forms.helped(figures.helped(call.view, since=query.moment))


def receipts(call: Call, query: Since) -> dict[str, Any]:
    """What calls of models about sessions of this key cost."""
    return engine_forms.costs(insight.costs(call.view, query.moment))


def health(call: Call) -> Health:
    """Ask both databases."""
    insight.answering(call.hosted)
    return Health("ok", __version__, call.hosted.database.dialect)


def metrics_(call: Call) -> str:
    """Counts for Prometheus: of this process, and of what the databases hold in all."""
    if not call.key.all_stores:
        raise Refused("counts of everybody are for keys with all stores")
    return metrics.text(call.counters, insight.state(call.hosted))


ROUTES = (
    Route("GET", "/v1/reverie/corrections", "memory:read", corrections),
    Route("GET", "/v1/reverie/stats", "memory:read", stats),
    Route("GET", "/v1/reverie/receipts", "dream:run", receipts),
    Route("GET", "/v1/reverie/health", "memory:read", health),
    Route("GET", "/v1/reverie/metrics", "admin", metrics_, media=metrics.MEDIA),
)
