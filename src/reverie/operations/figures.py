"""Figures: whether memory helps, who can do the thinking, and what that cost."""

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from reverie.home import Home

if TYPE_CHECKING:
    from reverie.engines.receipts import Receipt
    from reverie.recall.ledger import LedgerRow
    from reverie.recall.stats import Period, Stats


@dataclass(frozen=True, slots=True)
class Helped:
    """What is counted, the recalls it is counted against, and the months that were asked for."""

    stats: "Stats"
    recalls: "list[LedgerRow]"
    periods: "list[Period]"

    @property
    def characters(self) -> int:
        return sum(row.characters for row in self.recalls)

    @property
    def tokens(self) -> int:
        return sum(row.tokens for row in self.recalls)


class Engine(NamedTuple):
    """Who can do the thinking."""

    engine: str
    available: bool
    costs: str
    how: str


@dataclass(frozen=True, slots=True)
class Costs:
    """The receipts that were asked for, and what is left for today."""

    receipts: "list[Receipt]"
    today_usd: float
    cap_usd_per_day: float

    @property
    def total_usd(self) -> float:
        return sum(one.cost_usd for one in self.receipts)


def helped(
    home: Home, *, project: str | None = None, agent: str | None = None, since: str = ""
) -> Helped:
    """Corrections per 100 turns, repeated corrections, and what was recalled before them.

    Raises:
        InvalidInput: no reader knows that agent.
    """
    from reverie.operations.recalling import ledger
    from reverie.recall.stats import stats
    from reverie.sessions.corrections import corrections
    from reverie.sessions.readers.agents import by_agent

    slug = home.projects.find(project).slug if project else None
    connection = home.index.database
    rows = corrections(connection, projects=[slug] if slug else None, since=since)
    recalls = ledger(home).rows(project=slug, since=since)
    chosen = [row for row in rows if agent in (None, row.agent)]
    if agent and not chosen:
        by_agent(agent)
    counted = stats(connection, chosen, recalls)
    periods = [
        period
        for period in counted.periods
        if slug in (None, period.project)
        and agent in (None, period.agent)
        and period.month >= since[:7]
    ]
    return Helped(counted, recalls, periods)


def engines(home: Home) -> list[Engine]:
    """Who can do the thinking, whether it is there, and what it costs."""
    limits = home.settings.engines
    client = shutil.which("claude", path=home.config.environ.get("PATH"))
    cap = f"at most {limits.max_usd_per_run:.2f} USD a run, {limits.max_usd_per_day:.2f} a day"
    fork = f"a fork of the conversation by {client or 'claude, which is not on the PATH'}"
    return [
        Engine("rules", True, "nothing", "the default: no model, no network"),
        Engine(
            "agent",
            True,
            "what your agent costs anyway",
            "`reverie work next` in a session, or /reverie:synthesize",
        ),
        Engine("claude-code", client is not None, cap, fork),
    ]


def costs(home: Home, since: str = "") -> Costs:
    """The receipts of runs that cost money, since a moment (ISO), and what is left for today."""
    from reverie.engines.receipts import Receipts

    kept = Receipts(home.config.home, home.clock)
    cap = home.settings.engines.max_usd_per_day
    return Costs(list(kept.all(since)), kept.spent_today(), cap)
