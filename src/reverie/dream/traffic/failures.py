"""Failures: calls of several sessions that failed alike, by what they were after and what was said.

Outputs hold several lines that may tell what went wrong, and a call may be made through a runner or
a hook. So failures are kept under every such line; lines that passing runs print as well go.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from reverie.dream.traffic.tally import Usual
from reverie.learn.traffic.commands import VARYING
from reverie.learn.traffic.outputs import aim_of
from reverie.learn.traffic.ways import WAYS
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, shared, shared_keys, spread, traces

PASSING = 0.34  # of as many sessions may print a line when nothing is wrong


class Failed(NamedTuple):
    """One failure of several sessions, a row for each."""

    rows: list[TraceRow]
    aim: str  # what the calls, or the step that failed in them, were after
    said: str  # the levelled line they are kept under
    chance: float

    @property
    def rank(self) -> float:
        """How telling the line is among those of its outputs; what varies in it says less."""
        first = sum(row.trace.data["rank"] for row in self.rows) / len(self.rows)
        return first + 0.5 * (VARYING in self.said)

    @property
    def places(self) -> list[str]:
        """The evidence of all its calls."""
        return [f"{row.session}#{line}" for row in self.rows for line in row.trace.data["lines"]]


class Runners(NamedTuple):
    """Which call runs which step, as most sessions have it."""

    step_of: Mapping[str, str]  # what a call is after → what the step it runs is after
    call_of: Mapping[tuple[str, str], str]  # project, what a step is after → the call that runs it


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
    usual = Usual(spread(chosen, "failure"))
    passed = _printed_anyway(chosen, run)
    for said, groups in groupby(shared(chosen, "failure"), key=lambda rows: _said(rows[0])):
        by_aim: dict[str, list[TraceRow]] = {}
        for rows in groups:
            by_aim.setdefault(_under(rows[0].trace.key, run), []).extend(rows)
        for key, rows in by_aim.items():
            own = _by_session(rows)
            if passed[key] <= PASSING * len(own):
                aim = key.rpartition("\n")[2]
                yield Failed(own, aim, said, usual.without(len(own)))


def _said(row: TraceRow) -> str:
    return row.trace.key.rpartition("\n")[0]


def _under(key: str, run: Runners) -> str:
    """A key under the step that its call runs: an output may be cut before it names it."""
    said, _, aim = key.rpartition("\n")
    return f"{said}\n{run.step_of.get(aim, aim)}"


def _printed_anyway(chosen: Chosen, run: Runners) -> Counter[str]:
    """Sessions in which a check printed a line although it passed."""
    asked = {_under(key, run) for key in shared_keys(chosen, "failure")}
    counts: Counter[str] = Counter()
    for row in traces(chosen, "noise"):
        counts.update({_under(key, run) for key in row.trace.data} & asked)
    return counts


def _by_session(rows: Sequence[TraceRow]) -> list[TraceRow]:
    """One row for each session: the one that knows most of a way out."""
    best: dict[str, TraceRow] = {}
    for row in rows:
        old = best.get(row.session)
        if old is None or WAYS.index(row.trace.data["way"]) < WAYS.index(old.trace.data["way"]):
            best[row.session] = row
    return list(best.values())
