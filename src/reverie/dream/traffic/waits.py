"""Waits: how long it takes until what was done is seen, in several sessions.

The time from a call to the first look that shows what it did is at most so long before it can be
seen; where outputs tell the time, it is known. Only a time that is about the same in most sessions
is told.
"""

import math
from collections.abc import Iterator, Sequence
from statistics import median

from reverie.dream.model import Cost, Observation
from reverie.dream.traffic.mends import general
from reverie.dream.traffic.tally import LEAST_CHANCE, observed, of_projects, sessions_of
from reverie.learn.traffic.commands import VARYING, shortened
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, shared

ABOUT = 1.7  # times longer or shorter than usual that is about the same
MOST_OF = 0.66  # of the sessions must have waited so long
SPAN = 60.0  # times the shortest that a wait could be as well: from a minute to an hour
MAX_CALL = 90


def waits(chosen: Chosen) -> Iterator[Observation]:
    """What was done, what shows it, and how much later."""
    for rows in of_projects(shared(chosen, "wait")):
        first = list({row.session: row for row in reversed(rows)}.values())[::-1]
        if found := stable([row for row in first if _is_told(row)] or first):
            usual, same, chance = found
            # What was edited in the meantime may be what changed.
            if 2 * sum(row.trace.data["edited"] for row in same) < len(same):
                yield from _observed(usual, same, chance)


def _is_told(row: TraceRow) -> bool:
    return bool(row.trace.data["exact"])


def stable(rows: Sequence[TraceRow]) -> tuple[float, list[TraceRow], float] | None:
    """The usual time in seconds, the rows that show it, and the sessions chance explains."""
    usual = median(row.trace.seconds for row in rows)
    same = [row for row in rows if usual / ABOUT <= row.trace.seconds <= usual * ABOUT]
    if sessions_of(same) < max(2, MOST_OF * len(rows)):
        return None
    times = [row.trace.seconds for row in same]
    share = max(LEAST_CHANCE, math.log(max(times) / min(times)) / math.log(SPAN))
    return usual, same, len(rows) * share


def _observed(usual: float, rows: Sequence[TraceRow], chance: float) -> Iterator[Observation]:
    action = general([row.trace.data["action"] for row in rows])
    look = general([row.trace.data["look"] for row in rows])
    if any(call.split()[0] == VARYING for call in (action, look)):
        return
    action, look = shortened(action, MAX_CALL), shortened(look, MAX_CALL)
    text = f"After `{action}`, `{look}` shows it about {spoken(usual)} later"
    order = f"{text}: wait rather than look again and again"
    more = {"key": f"{rows[0].project}\0{rows[0].trace.key}", "chance": chance, "order": order}
    for row in rows:
        data = row.trace.data
        quote = f"{data['action']}; {spoken(row.trace.seconds)} later {data['look']} shows it"
        cost = Cost(minutes=round(row.trace.seconds / 60, 2))
        yield observed("lag", text, row, quote=quote, cost=cost, **more)


def spoken(seconds: float) -> str:
    """`50 seconds`, `9 minutes`, `2 hours`: looks come too far apart to say it more closely."""
    if seconds < 90:
        return f"{round(seconds, -1):.0f} seconds"
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes < 120 else f"{minutes / 60:.1f} hours"
