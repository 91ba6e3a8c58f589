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
from reverie.operations import engines, figures
from reverie.operations.serving import browsing
from reverie.recall.stats import Stats
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

    stats: Stats
    recalls: int
    tokens: int
    callers: list[figures.Caller]
    figures: list[Figure]
    failures: list[Failure]


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
        counted = self._counted(project, agent) if known else None
        return self.site.page(
            request,
            "insight",
            "insight",
            "Insight",
            counted=counted,
            costs=engines.costs(self.home) if known else None,
            project=project,
            agent=agent,
            projects=sorted(one.slug for one in self.home.projects.all()),
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
            helped = figures.helped(self.home, project=project or None, agent=agent or None)
            kept = Counted(
                helped.stats,
                len(helped.recalls),
                helped.tokens,
                helped.callers,
                [
                    _corrections(self.home, project, agent),
                    _growth(self.home, project),
                ],
                browsing.failures(self.home, project, _FAILURES),
            )
            with self._lock:
                if len(self._kept) < _MOST_KEPT:
                    self._kept[project, agent] = kept
        return kept

    def routes(self) -> Routes:
        return [Route("/insight", self.page)]


def _corrections(home: Home, project: str, agent: str) -> Figure:
    turns, wrong = browsing.corrections_by_day(home, project, agent)
    span, (spoken, corrected) = _spans(turns, wrong)
    spans = sorted(name for name in spoken if spoken[name])
    rates = [100 * corrected[name] / spoken[name] for name in spans]
    whole = 100 * wrong.total() / turns.total() if turns.total() else 0.0
    return Figure(
        "Corrections per 100 turns",
        f"{whole:.1f} in all; fewer is better, as far as the work stayed alike.",
        curve(Curve(spans, rates, "corrections per 100 turns", span)),
        (span, "turns", "corrections", "per 100"),
        [
            (name, str(spoken[name]), str(corrected[name]), f"{rate:.1f}")
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
        f"{there} are there now.",
        curve(Curve(spans, [float(held[name]) for name in spans], "memories", span)),
        (span, "new", "gone", "there"),
        [(name, str(made[name]), str(ended[name]), str(held[name])) for name in spans],
    )


def _spans(*days: Counter[str]) -> tuple[str, tuple[Counter[str], ...]]:
    """Days counted together: by week (named by its Monday) as long as months would be few."""
    months = {day[:7] for counted in days for day in counted}
    by_week = len(months) < _FEW_MONTHS
    grouped: list[Counter[str]] = []
    for counted in days:
        together = Counter[str]()
        for day, count in counted.items():
            together[_monday(day) if by_week else day[:7]] += count
        grouped.append(together)
    return "week of" if by_week else "month", tuple(grouped)


def _monday(day: str) -> str:
    moment = parsed(day)
    if moment is None:  # a log without times
        return day
    return (moment - timedelta(days=moment.weekday())).date().isoformat()
