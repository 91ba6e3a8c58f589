"""Does memory help? What had to be said again, before and after memory, in one's own logs.

A repeat is a correction that says what an earlier session of the same project was told already.
Two comparisons: sessions before and after memory was connected, by the turns a person took; and,
since then, lessons that a session was told against lessons it was not, by the chances there were to
say them again. Neither is an experiment, and too little to say anything is said as that.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reverie.home import Home
from reverie.measure.result import (
    ROUNDS,
    SEED,
    Cell,
    Estimate,
    Measurement,
    Row,
    Table,
    draws,
    interval,
)
from reverie.operations import recalling
from reverie.operations.starts import telling
from reverie.recall.ledger import LedgerRow
from reverie.recall.stats import CONFOUNDERS, Repeat, repeats, told_in
from reverie.sessions.corrections import CorrectionRow, corrections
from reverie.sessions.query import SessionRow, sessions

FEWEST_SESSIONS = 20  # on each side, to say anything
FEWEST_REPEATS = 5  # on both sides together
_TELLING = ("mcp", "hook")  # surfaces through which an agent is told
_MORE = (
    "projects mature, people learn what to say first, and small numbers swing",
    "what a session was told was chosen because it seemed to matter there, which raises its rate",
)


class Share(NamedTuple):
    """How often something happened in a session, and how often it could have."""

    times: int = 0
    chances: int = 0


class Pair(NamedTuple):
    """One session on both sides of a comparison; most are on one of them only."""

    without: Share
    with_memory: Share


class Comparison(NamedTuple):
    """Two rates per hundred, and whether they differ by more than chance."""

    without: Estimate | None
    with_memory: Estimate | None
    difference: Estimate | None
    verdict: str


class Effect(NamedTuple):
    """Both comparisons, and since when memory is connected in each project."""

    since: Mapping[str, str]
    by_time: Sequence[Pair]
    by_lesson: Sequence[Pair]


def effect(
    home: Home, *, project: str | None = None, since: str = "", seed: int = SEED
) -> Measurement:
    """Compare sessions before and after memory was connected, or before and after a day.

    Raises:
        NotFound, Ambiguous: no project of that name, or several.
    """
    counts = counted(home, project=project, since=since)
    by_time, by_lesson = compared(counts.by_time, seed=seed), compared(counts.by_lesson, seed=seed)
    names = ("before memory", "since memory is connected", "difference")
    lessons = ("lessons the session was not told", "lessons it was told", "difference")
    return Measurement(
        "effect",
        (
            _table("said again, per 100 of your turns", "turns", names, counts.by_time, by_time),
            _table("said again, per 100 chances", "chances", lessons, counts.by_lesson, by_lesson),
        ),
        seed,
        {"sessions": str(len(counts.by_time)), "projects with memory": str(len(counts.since))},
        ("what this does not show:", *(f"- {line}" for line in (*CONFOUNDERS, *_MORE))),
    )


def counted(home: Home, *, project: str | None = None, since: str = "") -> Effect:
    """What was said again in which session, and what it had been told."""
    telling.enter_told(home)
    slug = home.projects.find(project).slug if project else None
    index = home.index_database
    rows = [
        row for row in corrections(index, projects=[slug] if slug else None) if row.label != "none"
    ]
    calls = [row for row in recalling.ledger(home).rows(project=slug) if row.entries]
    connected = _connected(calls)
    chosen = [
        session
        for session in sessions(index)
        if session.human_turns and slug in (None, session.project)
    ]
    starts = {session.project: since or connected.get(session.project, "") for session in chosen}
    lessons = _Lessons(rows, repeats(rows, ()), calls)
    by_time: list[Pair] = []
    by_lesson: list[Pair] = []
    for session in sorted(chosen, key=lambda session: (session.started, session.key)):
        turns = Share(min(len(lessons.again(session)), session.human_turns), session.human_turns)
        start = starts[session.project]
        later = bool(start) and session.started >= start
        by_time.append(Pair(Share(), turns) if later else Pair(turns, Share()))
        if later:
            by_lesson.append(lessons.chances(session))
    return Effect(connected, by_time, by_lesson)


def compared(pairs: Sequence[Pair], *, rounds: int = ROUNDS, seed: int = SEED) -> Comparison:
    """Rates of both sides per hundred, their intervals over sessions, and what they allow to say.

    Where little happened the rates are given, and no difference is claimed.
    """
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    some = [sum(1 for share in side if share.chances) for side in sides]
    happened = sum(share.times for side in sides for share in side)
    drawn: list[tuple[float | None, float | None]] = [
        (_rate(sides[0], places), _rate(sides[1], places))
        for places in draws(range(len(pairs)), rounds=rounds, seed=seed)
    ]
    rates = [_estimate([draw[side] for draw in drawn]) for side in (0, 1)]
    both = [b - a if a is not None and b is not None else None for a, b in drawn]
    if min(some) < FEWEST_SESSIONS or happened < FEWEST_REPEATS:
        verdict = (
            f"not enough to say: {some[0]} and {some[1]} sessions, {happened} said again;"
            f" {FEWEST_SESSIONS} on each side and {FEWEST_REPEATS} in all are the least"
        )
        return Comparison(rates[0], rates[1], None, verdict)
    difference = _estimate(both)
    assert difference is not None  # both sides have sessions
    if difference.low <= 0 <= difference.high:
        verdict = "no difference that chance would not explain"
    else:
        verdict = "said again less often" if difference.value < 0 else "said again more often"
    return Comparison(rates[0], rates[1], difference, verdict)


class _Lessons:
    """What was corrected, each with all that says the same, and who was told it."""

    def __init__(
        self,
        rows: Sequence[CorrectionRow],
        said_again: Iterable[Repeat],
        calls: Iterable[LedgerRow],
    ) -> None:
        self._first: dict[str, str] = {row.id: row.id for row in rows}
        self._again: dict[str, set[str]] = defaultdict(set)  # session → lessons said again in it
        for repeat in said_again:  # in order of time, so that the first has its own first already
            self._first[repeat.again.id] = self._first[repeat.first.id]
            self._again[repeat.again.session].add(self._first[repeat.first.id])
        self._known: dict[str, list[str]] = defaultdict(list)  # project → when each was first said
        self._at: dict[str, tuple[str, str]] = {}
        for row in rows:
            if self._first[row.id] == row.id:
                self._known[row.project].append(row.at)
                self._at[row.id] = row.project, row.at
        for times in self._known.values():
            times.sort()
        self._told: dict[str, set[str]] = defaultdict(set)  # session, by its bare id → lessons
        for call in calls:
            self._told[call.session.rpartition(":")[2]] |= {
                self._first[name] for name in told_in(call) if name in self._first
            }

    def again(self, session: SessionRow) -> set[str]:
        """The lessons that had to be said again in a session."""
        return self._again.get(session.key, set())

    def chances(self, session: SessionRow) -> Pair:
        """Of the lessons that were known when a session began: those it was told, and the rest."""
        known = bisect_left(self._known[session.project], session.started)
        lessons_told = {
            lesson
            for lesson in self._told.get(session.session_id, ())
            if self._at[lesson][0] == session.project and self._at[lesson][1] < session.started
        }
        again = {name for name in self.again(session) if self._at[name][1] < session.started}
        heard = len(again & lessons_told)
        return Pair(
            Share(len(again) - heard, known - len(lessons_told)), Share(heard, len(lessons_told))
        )


def _connected(calls: Iterable[LedgerRow]) -> dict[str, str]:
    """When memory first told something to an agent of each project."""
    connected: dict[str, str] = {}
    for call in calls:
        if call.surface in _TELLING:
            connected.setdefault(call.project, call.at)
    return connected


def _rate(side: Sequence[Share], places: Sequence[int]) -> float | None:
    chances = sum(side[place].chances for place in places)
    return 100 * sum(side[place].times for place in places) / chances if chances else None


def _estimate(values: Sequence[float | None]) -> Estimate | None:
    """Of samples that missed one side altogether nothing is known."""
    if not values or values[0] is None:
        return None
    return interval([value for value in values if value is not None])


def _table(
    title: str, of: str, names: Sequence[str], pairs: Sequence[Pair], comparison: Comparison
) -> Table:
    def cells(side: int) -> tuple[Cell, ...]:
        shares = [pair[side] for pair in pairs if pair[side].chances]
        times, chances = (
            sum(share.times for share in shares),
            sum(share.chances for share in shares),
        )
        return len(shares), chances, times, comparison[side]

    rows = [Row(name, cells(side)) for side, name in enumerate(names[:2])]
    rows.append(Row(names[2], (None, None, None, comparison.difference)))
    return Table(title, ("sessions", of, "said again", "per 100"), tuple(rows), comparison.verdict)
