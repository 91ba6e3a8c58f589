"""Insight: whether memory helps, what it costs, what keeps failing; as curves with their tables."""

import threading
from collections import Counter
from datetime import timedelta
from typing import NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reverie.home import Home
from reverie.operations.engines import catalog as engines
from reverie.operations.serving import browsing
from reverie.operations.serving.counting import Counts, counted
from reverie.serve.page.curves import Curve, curve
from reverie.serve.page.rendering import parsed
from reverie.serve.page.site import Routes, Site
from reverie.sessions.fixes import Failure

_FAILURES = 12
_FEW_MONTHS = 4
_MOST_KEPT = 64  # choices of project and agent


class Figure(NamedTuple):
    """A curve, what it says in a sentence, and its numbers."""

    title: str
    sentence: str
    curve: Markup  # SVG
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]


class Counted(NamedTuple):
    """All that takes long to count."""

    counts: Counts
    figures: list[Figure]
    failures: list[Failure]

    @property
    def per_100(self) -> float:
        turns = self.counts.turns.total()
        return 100.0 * self.counts.corrections.total() / turns if turns else 0.0


class Insight:
    """Figures of all projects, of one, or of one agent."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.home = site.home
        self._lock = threading.Lock()
        self._state: object = None  # of the home when what is kept was counted
        self._kept: dict[tuple[str, str], Counted] = {}

    def page(self, request: Request) -> Response:
        project = request.query_params.get("project", "")
        agent = request.query_params.get("agent", "")
        known = self.home.exists and self.home.config.has_index
        figures = self._counted(project, agent) if known else None
        return self.site.page(
            request,
            "insight",
            "insight",
            "Insight",
            counted=figures,
            costs=engines.costs(self.home) if known else None,
            project=project,
            agent=agent,
            projects=sorted(listed.slug for listed in self.home.projects.all()),
            agents=browsing.agents(self.home) if self.home.config.has_index else [],
        )

    def _counted(self, project: str, agent: str) -> "Counted":
        """What is counted over all sessions, kept until one of them, or a memory, is another."""
        state = browsing.state(self.home)
        with self._lock:
            if self._state != state:
                self._state, self._kept = state, {}
            kept = self._kept.get((project, agent))
        if kept is None:
            kept = _count(self.home, project, agent)
            with self._lock:
                if len(self._kept) < _MOST_KEPT:
                    self._kept[project, agent] = kept
        return kept

    def routes(self) -> Routes:
        return [Route("/insight", self.page)]


def _count(home: Home, project: str, agent: str) -> Counted:
    counts = counted(home, project, agent)
    return Counted(
        counts,
        [_corrections(counts), _growth(home, project)],
        browsing.failures(home, project, _FAILURES),
    )


def _corrections(counts: Counts) -> Figure:
    turns, wrong = counts.turns, counts.corrections
    span, (spoken, corrected, said_again) = _spans(turns, wrong, counts.repeats)
    spans = sorted(name for name in spoken if spoken[name])
    rates = [100 * corrected[name] / spoken[name] for name in spans]
    whole = 100 * wrong.total() / turns.total() if turns.total() else 0.0
    return Figure(
        "Corrections per 100 turns",
        f"{whole:.1f} over all; fewer is better, as far as the work stayed alike.",
        curve(Curve(spans, rates, "corrections per 100 turns", span)),
        (span, "#turns", "#corrections", "#said again", "#per 100"),
        [
            (
                name,
                str(spoken[name]),
                str(corrected[name]),
                str(said_again[name]),
                f"{rate:.1f}",
            )
            for name, rate in zip(spans, rates, strict=True)
        ],
    )


def _growth(home: Home, project: str) -> Figure:
    span, (made, ended) = _spans(*browsing.memories_by_day(home, project))
    spans = sorted({*made, *ended})
    held: dict[str, int] = {}
    there = 0
    for name in spans:
        there += made[name] - ended[name]
        held[name] = there
    return Figure(
        "Memories",
        f"{there} are there now, without what decayed into the archive or was deleted.",
        curve(Curve(spans, [float(held[name]) for name in spans], "memories", span)),
        (span, "#new", "#gone", "#there"),
        [(name, str(made[name]), str(ended[name]), str(held[name])) for name in spans],
    )


def _spans(*days: Counter[str]) -> tuple[str, tuple[Counter[str], ...]]:
    """Days counted together: by week (named by its Monday) as long as months would be few."""
    months = {day[:7] for counter in days for day in counter}
    by_week = len(months) < _FEW_MONTHS
    grouped: list[Counter[str]] = []
    for counter in days:
        together = Counter[str]()
        for day, count in counter.items():
            together[_monday(day) if by_week else day[:7]] += count
        grouped.append(together)
    return "week of" if by_week else "month", tuple(grouped)


def _monday(day: str) -> str:
    moment = parsed(day)
    if moment is None:  # a log without times
        return day
    return (moment - timedelta(days=moment.weekday())).date().isoformat()
