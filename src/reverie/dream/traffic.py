"""Traffic: what the tool calls of many sessions show that no one of them does.

Each source reads traces that were kept when a session was learned, and says of what it has seen in
several sessions what it is, what it cost, and in how many sessions chance alone would show it.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator

from reverie.dream.asks import asks
from reverie.dream.breaches import breaches
from reverie.dream.detours import detours
from reverie.dream.lags import lags
from reverie.dream.misedits import misedits
from reverie.dream.questions import questions
from reverie.dream.repairs import repairs
from reverie.dream.rereads import rereads
from reverie.dream.sequences import sequences
from reverie.dream.values import Observation
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
