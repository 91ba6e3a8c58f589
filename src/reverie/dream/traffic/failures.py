"""Failures: calls of several sessions that failed alike, by what they were after and what was said.

Outputs hold several lines that may tell what went wrong, and a call may be made through a runner or
a hook. So failures are kept under every such line; lines that passing runs print as well go.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from reverie.dream.traffic.tally import Usual, grouped, sessions_of
from reverie.learn.traffic.outputs import aim_of, program_of
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

    def step(self, aim: str) -> str:
        """The step that a call runs: an output may not name it."""
        return self.step_of.get(aim, aim)


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
    """Failures that several sessions met, by line; most lines of one output are among them.

    Each of what was done with the same program, and then all of it, if more sessions met that: who
    is not logged in cannot do anything.
    """
    run = runners(chosen)
    usual = Usual(spread(chosen, "failure"), unseen=OTHERS)
    passed = _printed_anyway(chosen, run)
    for said, groups in groupby(shared(chosen, "failure"), key=lambda rows: _line(rows[0])):
        met = [(run.step(_aim(row)), row) for rows in groups for row in rows]
        by_step = grouped(met)
        by_program = grouped((program_of(step), (step, row)) for step, row in met)
        for program, pairs in by_program.items():
            most = max(sessions_of(by_step[step]) for step, _ in pairs)
            rows = [row for _, row in pairs]
            if sessions_of(rows) > most and len({step for step, _ in pairs}) > 1:
                by_step[program] = rows
        for aim, rows in by_step.items():
            best = _by_session(rows)
            if len(best) > 1 and passed[said, aim] <= PASSING * len(best):
                yield Failed(best, aim, said, usual.without(len(best)))


def _aim(row: TraceRow) -> str:
    # An index of an earlier version has it in the key.
    return row.trace.data.get("aim") or row.trace.key.rpartition("\n")[2]


def _line(row: TraceRow) -> str:
    return row.trace.key.rpartition("\n")[0]


def _printed_anyway(chosen: Chosen, run: Runners) -> Counter[tuple[str, str]]:
    """Sessions in which a check printed a line although it passed, for a step and a program."""
    asked = {key.rpartition("\n")[0] for key in shared_keys(chosen, "failure")}
    counts: Counter[tuple[str, str]] = Counter()
    for row in traces(chosen, "noise"):
        cut = (key.rpartition("\n") for key in row.trace.data)
        printed = [(said, run.step(aim)) for said, _, aim in cut if said in asked]
        counts.update({*printed, *((said, program_of(step)) for said, step in printed)})
    return counts


def _by_session(rows: Sequence[TraceRow]) -> list[TraceRow]:
    """One row for each session: the one that knows most of a way out."""
    by_session = grouped((row.session, row) for row in rows)
    return [
        min(same, key=lambda row: WAYS.index(row.trace.data["way"])) for same in by_session.values()
    ]
