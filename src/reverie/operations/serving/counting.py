"""Counting what insight shows, without reading what was said: by day, project and agent."""

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from reverie.home import Home
from reverie.operations.figures import Caller, callers_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reverie.recall.ledger import LedgerRow


Key = TypeVar("Key")


class Group(NamedTuple):
    """One agent in one project."""

    project: str
    agent: str
    sessions: int
    turns: int
    corrections: int

    @property
    def per_100_turns(self) -> float:
        return 100.0 * self.corrections / self.turns if self.turns else 0.0


class Counts(NamedTuple):
    """How often people corrected agents, and what of it came back."""

    turns: Counter[str]  # by day
    corrections: Counter[str]
    repeats: Counter[str]
    groups: list[Group]
    repeat_rate: float | None  # of the corrections that were handed over; None: none were
    recalls: int
    tokens: int
    callers: list[Caller]


def counted(home: Home, project: str = "", agent: str = "") -> Counts:
    """What is counted of one project, one agent, or all.

    Raises:
        NotFound: there is no such project.
        InvalidInput: no reader knows that agent.
    """
    from reverie.operations.recalling import ledger
    from reverie.sessions.corrections import corrections_by_day
    from reverie.sessions.labels import Labels
    from reverie.sessions.query import sessions_by_day
    from reverie.sessions.readers.agents import by_agent
    from reverie.sessions.repeats import repeats_by_day

    slug = home.projects.find(project).slug if project else ""
    if agent:
        by_agent(agent)
    index = home.index_database

    def chosen(of_project: str, of_agent: str) -> bool:
        return slug in ("", of_project) and agent in ("", of_agent)

    labels = Labels(home.database).all()
    judged = {label.evidence: label.correction != "none" for label in labels.values()}
    days = [tally for tally in sessions_by_day(index) if chosen(tally.project, tally.agent)]
    wrong = [*corrections_by_day(index), *_otherwise(home, judged)]
    wrong = [row for row in wrong if chosen(row[0], row[1])]
    again = [row for row in repeats_by_day(index) if chosen(row[0], row[1])]
    turns = Counter[str]()
    sessions = Counter[tuple[str, str]]()
    spoken = Counter[tuple[str, str]]()
    for tally in days:
        turns[tally.day] += tally.human_turns
        sessions[tally.project, tally.agent] += tally.sessions
        spoken[tally.project, tally.agent] += tally.human_turns
    corrected = _summed((row[:2], row[3]) for row in wrong)
    calls = ledger(home).rows(project=slug or None)
    recalls = [row for row in calls if row.strategy and not row.refused]
    places = sorted(sessions, key=lambda place: (-spoken[place], place))
    return Counts(
        turns,
        _summed((row[2], row[3]) for row in wrong),
        _summed((row[2], row[3]) for row in again),
        [Group(*place, sessions[place], spoken[place], corrected[place]) for place in places],
        _repeat_rate(home, calls, judged, agent),
        len(recalls),
        sum(row.tokens for row in recalls),
        callers_of(calls),
    )


def _summed(pairs: "Iterable[tuple[Key, int]]") -> "Counter[Key]":
    total: Counter[Key] = Counter()
    for key, count in pairs:
        total[key] += int(count)
    return total


def _otherwise(home: Home, judged: dict[str, bool]) -> list[tuple[str, str, str, int]]:
    """What a person judged otherwise than the detector, to be added or taken off."""
    from reverie.sessions.corrections import named

    return [
        (row.project, row.agent, row.at[:10], 1 if judged[row.id] else -1)
        for row in named(home.index_database, judged)
        if judged[row.id] != (row.label != "none")
    ]


def _repeat_rate(
    home: Home, calls: "Sequence[LedgerRow]", judged: dict[str, bool], agent: str
) -> float | None:
    """Of the corrections that were handed over, how many came again after it."""
    from reverie.recall.stats import told_in
    from reverie.sessions.corrections import named
    from reverie.sessions.repeats import repeated

    handed = [(row, told_in(row)) for row in calls]
    known = named(
        home.index_database, {name for _, names in handed for name in names if "#" in name}
    )
    real = {
        row.id
        for row in known
        if agent in ("", row.agent) and judged.get(row.id, row.label != "none")
    }
    again = {
        repeat.first
        for repeat in repeated(home.index_database, real)
        for row, names in handed
        if repeat.first in names
        and row.project == repeat.project
        and repeat.said < row.at <= repeat.again
    }
    return len(again) / len(real) if real else None
