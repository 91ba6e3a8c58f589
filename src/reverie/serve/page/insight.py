"""Insight: whether memory helps, what it costs, what keeps failing; as curves with their tables."""

from collections import Counter
from typing import NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reverie.home import Home
from reverie.operations import browsing, engines, figures
from reverie.serve.page.curves import Curve, curve
from reverie.serve.page.site import Routes, Site

_FAILURES = 12


class Figure(NamedTuple):
    """A curve, what it says in a sentence, and its numbers."""

    title: str
    sentence: str
    curve: Markup  # SVG
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]


class Insight:
    """Figures of all projects, of one, or of one agent."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.home = site.home

    def page(self, request: Request) -> Response:
        project = request.query_params.get("project", "")
        agent = request.query_params.get("agent", "")
        found: list[Figure] = []
        costs = None
        if self.home.exists and self.home.config.has_index:
            helped = figures.helped(self.home, project=project or None, agent=agent or None)
            found = [_corrections(helped), _growth(self.home, project)]
            costs = engines.costs(self.home)
        else:
            helped = None
        return self.site.page(
            request,
            "insight",
            "insight",
            "Insight",
            figures=found,
            helped=helped,
            costs=costs,
            failures=browsing.failures(self.home, project, _FAILURES) if helped else [],
            project=project,
            agent=agent,
            projects=sorted(one.slug for one in self.home.projects.all()),
            agents=browsing.agents(self.home) if self.home.config.has_index else [],
        )

    def routes(self) -> Routes:
        return [Route("/insight", self.page)]


def _corrections(helped: figures.Helped) -> Figure:
    turns, wrong = Counter[str](), Counter[str]()
    for period in helped.periods:
        turns[period.month] += period.turns
        wrong[period.month] += period.corrections
    months = sorted(turns)
    rates = [100 * wrong[month] / turns[month] if turns[month] else 0.0 for month in months]
    whole = 100 * wrong.total() / turns.total() if turns.total() else 0.0
    return Figure(
        "Corrections per 100 turns",
        f"{whole:.1f} in all; fewer is better, as far as the work stayed alike.",
        curve(Curve(months, rates, "corrections per 100 turns")),
        ("month", "turns", "corrections", "per 100"),
        [
            (month, str(turns[month]), str(wrong[month]), f"{rate:.1f}")
            for month, rate in zip(months, rates, strict=True)
        ],
    )


def _growth(home: Home, project: str) -> Figure:
    made, ended = browsing.memories_by_month(home, project)
    months = sorted({*made, *ended})
    held: dict[str, int] = {}
    there = 0
    for month in months:
        there += made[month] - ended[month]
        held[month] = there
    return Figure(
        "Memories",
        f"{there} are there now.",
        curve(Curve(months, [float(held[month]) for month in months], "memories")),
        ("month", "new", "gone", "there"),
        [(month, str(made[month]), str(ended[month]), str(held[month])) for month in months],
    )
