"""Traffic: what the tool calls of many sessions show that no one of them does.

Each source reads traces that were kept when a session was learned, and says of what it has seen in
several sessions what it is, what it cost, and in how many sessions chance alone would show it.
"""

from collections.abc import Callable, Iterable, Iterator

from reverie.db.database import Database
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

TRAFFIC: tuple[Callable[[Database], Iterable[Observation]], ...] = (
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


def traffic(database: Database) -> Iterator[Observation]:
    """Everything the tool traffic of the indexed sessions shows, source by source."""
    for source in TRAFFIC:
        yield from source(database)
