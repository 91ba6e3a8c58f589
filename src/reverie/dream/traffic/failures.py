"""Failures: calls of several sessions that failed alike, by what they were after and what was said.

Outputs hold several lines that may tell what went wrong, and a call may be made through a runner or
a hook. So failures are kept under every such line; lines that passing runs print as well go.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from reverie.dream.traffic.tally import Usual, grouped
from reverie.learn.traffic.outputs import aim_of
from reverie.learn.traffic.ways import WAYS
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, shared, shared_keys, spread, traces

PASSING = 0.34  # of as many sessions may print a line when nothing is wrong
OTHERS = 10  # failures that could be met as well: a few that were say little of what is usual


class Failed(NamedTuple):
    """One failure of several sessions, a row for each."""

    rows: list[TraceRow]
    aim: str  # what the calls, or the step that failed in them, were after
    said: str  # the levelled line they are kept under
    chance: float

    @property
    def rank(self) -> float:
        """How telling the line is among those of its outputs."""
        return sum(row.trace.data["rank"] for row in self.rows) / len(self.rows)


def places_of(rows: Sequence[TraceRow]) -> list[str]:
    """The evidence of all calls that traces name."""
    return [f"{row.session}#{line}" for row in rows for line in row.trace.data["lines"]]


class Runners(NamedTuple):
    """Which call runs which step, as most sessions have it."""

    step_of: Mapping[str, str]  # what a call is after → what the step it runs is after
    call_of: Mapping[tuple[str, str], str]  # project, what a step is after → the call that runs it

    def under(self, key: str) -> tuple[str, str]:
        """The line of a key, and the step that its call runs: an output may not name it."""
        said, _, aim = key.rpartition("\n")
        return said, self.step_of.get(aim, aim)


def runners(chosen: Chosen) -> Runners:
    """The calls that run one step each."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for row in traces(chosen, "runners"):
        counts.update((row.project, step, call) for step, call in row.trace.data.items())
    step_of: dict[str, str] = {}
    call_of: dict[tuple[str, str], str] = {}
    for project, step, call in sorted(counts, key=lambda run: (-counts[run], run)):
        step_of.setdefault(aim_of(call), step)
        call_of.setdefault((project, step), call)
    return Runners(step_of, call_of)


def alike(chosen: Chosen) -> Iterator[Failed]:
    """Failures that several sessions met, by line; most lines of one output are among them."""
    run = runners(chosen)
    usual = Usual(spread(chosen, "failure"), unseen=OTHERS)
    passed = _printed_anyway(chosen, run)
    for said, groups in groupby(shared(chosen, "failure"), key=lambda rows: _line(rows[0])):
        by_key = grouped((run.under(row.trace.key), row) for rows in groups for row in rows)
        for key, rows in by_key.items():
            best = _by_session(rows)
            if passed[key] <= PASSING * len(best):
                yield Failed(best, key[1], said, usual.without(len(best)))


def _line(row: TraceRow) -> str:
    return row.trace.key.rpartition("\n")[0]


def _printed_anyway(chosen: Chosen, run: Runners) -> Counter[tuple[str, str]]:
    """Sessions in which a check printed a line although it passed."""
    asked = set(map(run.under, shared_keys(chosen, "failure")))
    counts: Counter[tuple[str, str]] = Counter()
    for row in traces(chosen, "noise"):
        counts.update(asked.intersection(map(run.under, row.trace.data)))
    return counts


def _by_session(rows: Sequence[TraceRow]) -> list[TraceRow]:
    """One row for each session: the one that knows most of a way out."""
    by_session = grouped((row.session, row) for row in rows)
    return [
        min(same, key=lambda row: WAYS.index(row.trace.data["way"])) for same in by_session.values()
    ]
