"""Failures: calls of several sessions that failed alike, by what they were after and what was said.

Outputs hold several lines that may tell what went wrong, and a call may be made through a runner or
a hook. So failures are gathered under every such line; the line that most sessions share and that
passing runs do not print speaks for them, and the others that stand in the same places go.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from reverie.dream.traffic.tally import LEAST_SESSIONS, Usual
from reverie.learn.traffic.commands import VARYING
from reverie.learn.traffic.outputs import aim_of
from reverie.learn.traffic.ways import WAYS
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, holders, of_keys, traces

PASSING = 0.34  # of as many sessions may print a line when nothing is wrong
BESIDES = 0.5  # share of a failure's places that another one has told already


class Failed(NamedTuple):
    """One failure of several sessions, a row for each."""

    rows: list[TraceRow]
    met: int  # sessions that met it
    chance: float


class Runners(NamedTuple):
    """Which call runs which step, as most sessions have it."""

    step_of: Mapping[str, str]  # what a call is after → what the step it runs is after
    call_of: Mapping[str, str]  # what a step is after → the call that runs it


def runners(chosen: Chosen) -> Runners:
    """The calls that run one step each."""
    counts: Counter[tuple[str, str]] = Counter()
    for row in traces(chosen, "runners"):
        counts.update(row.trace.data.items())
    step_of: dict[str, str] = {}
    call_of: dict[str, str] = {}
    for step, call in sorted(counts, key=lambda pair: (-counts[pair], pair)):
        step_of.setdefault(aim_of(call), step)
        call_of.setdefault(step, call)
    return Runners(step_of, call_of)


def alike(chosen: Chosen, run: Runners, claimed: set[str]) -> Iterator[Failed]:
    """Failures that several sessions met, the most frequent first; what they show is `claimed`."""
    keys: defaultdict[str, set[str]] = defaultdict(set)
    sessions: defaultdict[str, set[str]] = defaultdict(set)
    for key, session in holders(chosen, "failure"):
        whole = _under(key, run)
        keys[whole].add(key)
        sessions[whole].add(session)
    usual = Usual(len(found) for found in sessions.values())
    shared = {key: len(found) for key, found in sessions.items() if len(found) >= LEAST_SESSIONS}
    passed = _printed_anyway(chosen, run, shared)
    # Of two lines in the same places the one that says more; what varies in it says less.
    order = sorted(shared, key=lambda key: (-shared[key], key.count(VARYING), key))
    for key in order:
        if passed[key] > PASSING * shared[key]:
            continue
        rows = _by_session(of_keys(chosen, "failure", sorted(keys[key])))
        places = [place for row in rows for place in places_of(row)]
        if sum(place in claimed for place in places) < BESIDES * len(places):
            yield Failed(rows, shared[key], usual.without(shared[key]))


def places_of(row: TraceRow) -> list[str]:
    """The evidence of all calls of a trace."""
    return [f"{row.session}#{line}" for line in row.trace.data["lines"]]


def _under(key: str, run: Runners) -> str:
    """A key under the step that its call runs: the output of a call may be cut before it."""
    aim, _, signature = key.partition("\0")
    return f"{run.step_of.get(aim, aim)}\0{signature}"


def _printed_anyway(chosen: Chosen, run: Runners, keys: Mapping[str, int]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for row in traces(chosen, "noise"):
        counts.update({whole for key in row.trace.data if (whole := _under(key, run)) in keys})
    return counts


def _by_session(rows: Sequence[TraceRow]) -> list[TraceRow]:
    """One row for each session: the one that knows most of a way out."""
    best: dict[str, TraceRow] = {}
    for row in rows:
        old = best.get(row.session)
        if old is None or WAYS.index(row.trace.data["way"]) < WAYS.index(old.trace.data["way"]):
            best[row.session] = row
    return list(best.values())
