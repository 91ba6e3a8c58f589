"""Figures: whether memory helps."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from reverie.home import Home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.recall.ledger import LedgerRow
    from reverie.recall.stats import Period, Stats


class Caller(NamedTuple):
    """Somebody who asked, and what they were handed."""

    who: str
    sessions: int
    calls: int
    refused: int
    characters: int


@dataclass(frozen=True, slots=True)
class Helped:
    """What is counted, the recalls it is counted against, and the months that were asked for."""

    stats: "Stats"
    calls: "list[LedgerRow]"  # of every tool, refused ones too
    periods: "list[Period]"
    labels: int  # turns that a person judged

    @property
    def fitted(self) -> bool:
        """Whether the misstep probability is the person's own by now."""
        from reverie.sessions.labels import ENOUGH_LABELS

        return self.labels >= ENOUGH_LABELS

    @property
    def recalls(self) -> "list[LedgerRow]":
        """What was recalled, or told at a start."""
        return [row for row in self.calls if row.strategy and not row.refused]

    @property
    def callers(self) -> list[Caller]:
        """Whoever asked, by name, with what they were handed in all."""
        return callers_of(self.calls)

    @property
    def characters(self) -> int:
        return sum(row.characters for row in self.recalls)

    @property
    def tokens(self) -> int:
        return sum(row.tokens for row in self.recalls)


def callers_of(calls: "Sequence[LedgerRow]") -> list[Caller]:
    """Whoever made these calls, by name, with what they were handed in all."""
    by_caller: dict[str, list[LedgerRow]] = {}
    for row in calls:
        by_caller.setdefault(row.who, []).append(row)
    return [
        Caller(
            who,
            len({row.session for row in rows}),
            len(rows),
            sum(bool(row.refused) for row in rows),
            sum(row.characters for row in rows),
        )
        for who, rows in sorted(by_caller.items())
    ]


def helped(
    home: Home, *, project: str | None = None, agent: str | None = None, since: str = ""
) -> Helped:
    """Corrections per 100 turns, repeated corrections, and what was recalled before them.

    For a guest only of its own sessions, and what it was told itself.

    Raises:
        InvalidInput: no reader knows that agent.
    """
    from reverie.operations.recalling import ledger
    from reverie.recall.stats import everything, stats
    from reverie.sessions.corrections import corrections
    from reverie.sessions.labels import as_labelled
    from reverie.sessions.readers.agents import by_agent

    slug = home.projects.find(project).slug if project else None
    connection = home.index_database
    seen = home.guest_sees if home.asker.guest else everything
    labels = home.labels.all()
    detected = corrections(connection, projects=[slug] if slug else None, since=since)
    rows = as_labelled(detected, labels)
    calls = ledger(home).rows(project=home.here.slug if home.asker.guest else slug, since=since)
    chosen = [row for row in rows if agent in (None, row.agent) and seen(row.session)]
    if agent and not chosen:
        by_agent(agent)
    counted = stats(connection, chosen, calls, seen)
    periods = [
        period
        for period in counted.periods
        if slug in (None, period.project)
        and agent in (None, period.agent)
        and period.month >= since[:7]
    ]
    return Helped(counted, calls, periods, len(labels))
