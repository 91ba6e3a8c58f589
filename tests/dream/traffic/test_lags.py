"""Lags: events that follow each other with a stable delay, and events that only seem to."""

import random
import re
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.databases import scratch_index
from tests.dream.weeks import kept, seen, session

from reverie.clock import iso
from reverie.db.database import Database
from reverie.dream.traffic.lags import LEAST, lags, spoken
from reverie.sessions.derived import Chosen
from reverie.sessions.model import Turn
from reverie.sessions.traces import Trace, replace_traces

START = datetime(2026, 3, 1, tzinfo=UTC)
NOISE = ("disk full", "login slow", "cache cold")

Happened = tuple[datetime, str]


def index(days: list[list[Happened]]) -> Database:
    """An index that holds nothing but events, one session per day."""
    database = scratch_index()
    for number, happened in enumerate(days):
        rows = [
            Trace(line, iso(at), "event", kind, data=[kind, "tool"])
            for line, (at, kind) in enumerate(sorted(happened))
        ]
        replace_traces(database, f"claude-code:{number}", "app", rows)
    return database


def planted(seed: int, minutes: float, pairs: int, jitter: float = 0.05) -> list[list[Happened]]:
    """Twenty days of noise; on some of them `late` follows `early`."""
    draw = random.Random(seed)
    chosen = set(draw.sample(range(20), pairs))
    days: list[list[Happened]] = []
    for day in range(20):
        base = START + timedelta(days=day, hours=draw.uniform(0, 8))
        happened = [
            (base + timedelta(minutes=draw.uniform(0, 120)), kind)
            for kind in NOISE
            if draw.random() < 0.6
        ]
        if day in chosen:
            delay = minutes * (1 + draw.uniform(-jitter, jitter))
            happened += [(base, "early"), (base + timedelta(minutes=delay), "late")]
        days.append(happened)
    return days


def found(days: list[list[Happened]]) -> dict[tuple[str, str], float]:
    """(first, second) → the minutes between them."""
    delays: defaultdict[str, list[float]] = defaultdict(list)
    for one in lags(Chosen(index(days))):
        delays[one.text].append(one.cost.minutes)
    named = {tuple(re.findall("“(.*?)”", text)): minutes for text, minutes in delays.items()}
    return {(first, second): median(minutes) for (second, first), minutes in named.items()}


@pytest.mark.proves("A2", "C6")
@pytest.mark.parametrize("minutes", [4, 12, 30, 47, 90, 240])
def test_a_stable_delay_is_found_within_ten_percent(minutes: int) -> None:
    hits = 0
    for seed in range(20):
        delay = found(planted(seed, minutes, pairs=6)).get(("early", "late"))
        if delay is not None:
            hits += 1
            assert abs(delay / minutes - 1) <= 0.1
    assert hits >= 19


@pytest.mark.proves("A7")
def test_events_without_a_cause_in_common_are_rarely_taken_for_a_pair() -> None:
    false: Counter[tuple[str, str]] = Counter()
    for seed in range(40):
        false.update(found(planted(seed, 30, pairs=0)).keys())
    assert false.total() <= 2


@pytest.mark.proves("A7")
@pytest.mark.parametrize("within_a_day", [True, False])
def test_the_same_times_under_shuffled_names_have_no_delay(within_a_day: bool) -> None:
    false: Counter[tuple[str, str]] = Counter()
    for seed in range(15):
        draw = random.Random(seed)
        days = planted(seed, draw.choice([12, 30, 90]), pairs=8)
        names = [[kind for _, kind in day] for day in days]
        if within_a_day:
            for day in names:
                draw.shuffle(day)
        else:
            mixed = [kind for day in names for kind in day]
            draw.shuffle(mixed)
            names = [[mixed.pop() for _ in day] for day in names]
        shuffled = [
            [(at, kind) for (at, _), kind in zip(day, kinds, strict=True)]
            for day, kinds in zip(days, names, strict=True)
        ]
        false.update(found(shuffled).keys())
    assert not false


@pytest.mark.proves("A7")
def test_sessions_at_the_same_hour_each_day_make_no_delay() -> None:
    draw = random.Random(5)
    days: list[list[Happened]] = []
    for day in range(14):
        base = START + timedelta(days=day / 2, minutes=draw.uniform(0, 20))
        days.append([(base + timedelta(minutes=draw.uniform(0, 60)), kind) for kind in NOISE])
    assert found(days) == {}


def test_a_delay_that_goes_through_another_event_is_told_once() -> None:
    draw = random.Random(2)
    days: list[list[Happened]] = []
    for day in range(8):
        base = START + timedelta(days=day, hours=draw.uniform(0, 6))
        second = base + timedelta(minutes=10 * draw.uniform(0.97, 1.03))
        third = second + timedelta(minutes=30 * draw.uniform(0.97, 1.03))
        days.append([(base, "one"), (second, "two"), (third, "three")])
    assert set(found(days)) == {("one", "two"), ("two", "three")}


def test_a_pair_may_lie_in_different_sessions() -> None:
    days: list[list[Happened]] = []
    for day in range(6):
        base = START + timedelta(days=day, hours=3 * (day % 3))
        days += [[(base, "early")], [(base + timedelta(minutes=30), "late")]]
    assert found(days) == {("early", "late"): 30.0}


def test_events_of_different_projects_have_nothing_to_do_with_each_other() -> None:
    database = index([])
    for day in range(6):
        base = START + timedelta(days=day, hours=3 * (day % 3))
        for project, kind, minutes in (("app", "early", 0), ("web", "late", 30)):
            at = iso(base + timedelta(minutes=minutes))
            trace = Trace(0, at, "event", kind, data=[kind, "tool"])
            replace_traces(database, f"claude-code:{project}{day}", project, [trace])
    assert list(lags(Chosen(database))) == []


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 40_000), st.sampled_from(["a b", "c d", "e f"])), max_size=60)
)
def test_any_events_give_pairs_in_order_that_were_seen_often_enough(
    drawn: list[tuple[int, str]],
) -> None:
    days: list[list[Happened]] = [[] for _ in range(6)]
    for minute, kind in drawn:
        days[minute % 6].append((START + timedelta(minutes=minute), kind))
    observed = list(lags(Chosen(index(days))))
    counts = Counter(one.key for one in observed)
    assert all(count >= LEAST for count in counts.values())
    for one in observed:
        assert one.cost.minutes > 0
        assert one.chance is not None
        assert one.chance > 0


@pytest.mark.proves("C6")
def test_what_people_say_about_alerts_is_enough() -> None:
    sessions = [
        session(
            day,
            [
                Turn(0, 0, "human", "prompt", f"2026-09-01T1{day}:00:00.000Z", "CPU spike on db-1"),
                Turn(1, 1, "agent", "text", f"2026-09-01T1{day}:01:00.000Z", "I see."),
                Turn(
                    2,
                    2,
                    "human",
                    "prompt",
                    f"2026-09-01T1{day}:3{day % 3}:00.000Z",
                    "MailLag alert",
                ),
            ],
        )
        for day in range(6)
    ]
    (text,) = seen(kept(sessions), "lag")
    assert text == "“MailLag alert” follows “CPU spike” after about 31 minutes"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (50, "50 seconds"),
        (150, "2.5 minutes"),
        (1860, "31 minutes"),
        (16_200, "4.5 hours (270 minutes)"),
    ],
)
def test_delays_are_told_in_the_unit_people_use(seconds: float, expected: str) -> None:
    assert spoken(seconds) == expected
