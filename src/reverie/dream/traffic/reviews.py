"""Reviews: findings of a review that people paste into session after session."""

from collections import Counter
from collections.abc import Iterator

from reverie.data import patterns
from reverie.dream.model import Observation
from reverie.dream.traffic.tally import LEAST_CHANCE, commonest, observations
from reverie.learn.traffic.commands import VARYING
from reverie.plural import several
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, traces

LEAST = 3  # sessions into which findings were pasted …
SEVERAL = 2  # … and of these such with more than one

_RE = patterns("traffic.txt", "reviews")


def findings(chosen: Chosen) -> Iterator[Observation]:
    """Findings that were pasted one by one."""
    rows = list(traces(chosen, "finding"))
    pasted = Counter(row.session for row in rows)
    if len(pasted) < LEAST or sum(times > 1 for times in pasted.values()) < SEVERAL:
        return
    often = f"{several(len(rows), 'turn')} of {several(len(pasted), 'session')}"
    known = {row.session for row in rows}
    listing = commonest(
        call for row in traces(chosen, "ran") if row.session in known for call in _listings(row)
    )
    text = f"Findings of code reviews are pasted one by one ({often}): check each against the code"
    text += " and fix what holds"
    order = "When a finding of a review is pasted, check it against the code as it is now: fix it"
    order += " if it holds, and say so if it does not"
    if listing:
        order += f"; `{listing}` lists the others of that review"
    why = f"findings were pasted one by one in {often}"
    more = {"key": "findings", "chance": LEAST_CHANCE, "order": order, "why": why}
    yield from observations("ask", text, rows, "{text}", **more)


def _listings(row: TraceRow) -> set[str]:
    """The calls by which a session listed the comments of a review."""
    typed = [text for _, result, text in row.trace.data if result == "worked"]
    return {_RE.number.sub(VARYING, call) for text in typed for call in _RE.listing.findall(text)}
