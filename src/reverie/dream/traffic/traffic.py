"""Traffic: what the tool calls of many sessions show that no one of them does.

Each source reads traces that were kept when a session was learned, and says of what it has seen in
several sessions what it is, what it cost, and in how many sessions chance alone would show it.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator

from reverie.dream.model import Observation
from reverie.dream.traffic.asks import asks
from reverie.dream.traffic.breaches import breaches
from reverie.dream.traffic.detours import detours
from reverie.dream.traffic.lags import lags
from reverie.dream.traffic.misedits import misedits
from reverie.dream.traffic.questions import questions
from reverie.dream.traffic.repairs import repairs
from reverie.dream.traffic.rereads import rereads
from reverie.dream.traffic.sequences import sequences
from reverie.sessions.fixes import FIXES_SCHEMA
from reverie.sessions.traces import TRACES_SCHEMA

TRAFFIC: tuple[Callable[[sqlite3.Connection], Iterable[Observation]], ...] = (
    repairs,
    detours,
    rereads,
    questions,
    sequences,
    lags,
    misedits,
    breaches,
    asks,
)


def traffic(connection: sqlite3.Connection) -> Iterator[Observation]:
    """Everything the tool traffic of the indexed sessions shows, source by source."""
    connection.executescript(TRACES_SCHEMA + FIXES_SCHEMA)
    for source in TRAFFIC:
        yield from source(connection)
