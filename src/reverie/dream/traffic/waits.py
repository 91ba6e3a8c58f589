"""Waits: how long it takes until what was done is seen, in several sessions.

A look that shows what was done came some time after it could be seen, the look before it came too
early. So each session gives a span, and outputs that tell a time a narrower one. A delay is told if
several sessions came close to it and the spans of nearly all others hold it.
"""

import math
from collections.abc import Iterator, Sequence
from statistics import median

from reverie.dream.model import Cost, Observation
from reverie.dream.steps.chance import at_least
from reverie.dream.traffic.mends import general
from reverie.dream.traffic.tally import LEAST_CHANCE, first_of_each, observed, of_projects
from reverie.learn.traffic.commands import VARYING, shortened
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, shared

ABOUT = 1.8  # times the shortest that is about the same
SLACK = 1.35  # times longer than it was seen that a delay may be, as delays vary
CLOSE = 2  # sessions that came close to it
MOST_OF = 0.66  # of the sessions fit it
SEEN, TOLD = 0.1, 0.2  # how likely it may be an accident; more where outputs tell the time
SPAN = 60.0  # times the shortest that a wait could be as well: from a minute to an hour
MAX_CALL = 140


def waits(chosen: Chosen) -> Iterator[Observation]:
    """What was done, what shows it, and how much later."""
    for rows in of_projects(shared(chosen, "wait")):
        wait = stable(first_of_each(rows))
        # What was edited in the meantime may be what changed, unless the output tells the time.
        if wait and 2 * sum(map(_is_doubtful, wait[1])) < len(wait[1]):
            yield from _observed(*wait)


def _is_doubtful(row: TraceRow) -> bool:
    return row.trace.data["edited"] and not row.trace.data["exact"]


def stable(rows: Sequence[TraceRow]) -> tuple[float, list[TraceRow], float] | None:
    """The usual time in seconds, the rows that fit it, and how likely it is an accident."""
    ordered = sorted(row.trace.seconds for row in rows)
    near = max(
        ([time for time in ordered[place:] if time <= shortest * ABOUT] for place, shortest in
         enumerate(ordered)),
        key=len,
    )  # fmt: skip
    usual = median(near)
    fitting = [row for row in rows if _fits(row, usual)]
    if len(near) < CLOSE or len(fitting) < MOST_OF * len(rows):
        return None
    # How likely so many would come so close to any one of them if each took as long as it likes.
    share = max(LEAST_CHANCE, math.log(near[-1] / near[0]) / math.log(SPAN))
    accident = len(rows) * at_least(len(near) - 1, (len(rows) - 1) * share)
    exact = all(row.trace.data["exact"] for row in rows if row.trace.seconds in near)
    return (usual, fitting, accident) if accident <= (TOLD if exact else SEEN) else None


def _fits(row: TraceRow, usual: float) -> bool:
    return row.trace.data["low"] <= usual * SLACK and usual <= row.trace.seconds * SLACK


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
