"""When a memory leaves: the rules as a table, and that a stronger one never fades faster."""

from dataclasses import fields, replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.clock import parse_iso, rate
from reverie.forget.decay import Fate, fate, purge_on, quiet_days, rates
from reverie.forget.life import Life, WorkedDays
from reverie.settings import Decay, Forget

FIXTURE = Path(__file__).parent / "fixtures" / "decay.txt"
TODAY = date(2026, 6, 30)
CALENDAR = Forget(clock="calendar")


def decided(
    life: Life, today: date, settings: Forget = CALENDAR, worked: WorkedDays | None = None
) -> Fate:
    """The fate of a memory of `shop`."""
    quiet = quiet_days(life, "shop", worked or WorkedDays({}), today, settings)
    return fate(life, quiet, settings)


def cases() -> list[list[str]]:
    lines = FIXTURE.read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line.strip() and not line.startswith("#")]


@pytest.mark.proves("B8")
@pytest.mark.parametrize("case", cases(), ids=" ".join)
def test_the_fate_of_a_memory_is_as_the_table_says(case: list[str]) -> None:
    written, seen, useful, touched, flags, today, wanted = case
    days = [("" if day == "-" else day) for day in (written, seen, useful, touched)]
    life = Life(
        written=days[0],
        seen=days[1],
        useful=days[2],
        touched=days[3],
        pinned=flags == "pinned",
        protected=flags == "protected",
        kept="you accepted it" if flags == "kept" else "",
    )
    assert decided(life, date.fromisoformat(today)).action == wanted


@pytest.mark.proves("B8")
def test_the_days_are_settings() -> None:
    life = Life(written="2026-06-01")
    for days, action in ((10, "archive"), (90, "keep")):
        settings = Forget(archive_after_days=days, clock="calendar")
        assert decided(life, TODAY, settings).action == action
    assert purge_on("2026-01-01", Forget()) == "2027-01-02"
    assert purge_on("2026-01-01", Forget(purge_after_days=0)) == "2026-01-02"


def test_how_many_days_it_has_left_is_said_beforehand() -> None:
    kept = decided(Life(written="2026-06-10"), TODAY)
    assert (kept.action, kept.leaves_in) == ("keep", 11)
    assert decided(Life(written="2026-06-10"), date(2026, 7, 10)).action == "keep"
    assert decided(Life(written="2026-06-10"), date(2026, 7, 11)).action == "archive"


@pytest.mark.proves("B8")
def test_only_days_on_which_its_project_was_worked_on_count() -> None:
    january = [f"2026-01-{day:02}" for day in range(1, 32)]
    worked = WorkedDays.of([("shop", day) for day in january] + [("other", "2026-05-01")])
    old, today = Life(written="2025-06-01"), date(2026, 6, 30)
    told = decided(old, today, Forget(), worked)
    assert told.action == "archive"
    assert told.why == "dated 2025-06-01, nothing spoke for it in 31 days of work"
    assert decided(Life(written="2026-01-02"), today, Forget(), worked).leaves_in == 2
    assert decided(old, date(2026, 1, 30), Forget(), worked).leaves_in == 1
    assert decided(old, today, Forget(), WorkedDays({})).action == "keep"
    assert worked.since("global", date(2026, 1, 1), today) == 31


@pytest.mark.proves("B8")
def test_a_project_without_sessions_counts_the_days_of_all_others() -> None:
    worked = WorkedDays.of([("shop", "2026-11-02"), ("tool", "2026-11-03"), ("shop", "2026-11-03")])
    first, today = date(2026, 11, 1), date(2026, 11, 15)
    assert worked.since("imported", first, today) == 2
    assert worked.since("tool", first, today) == 1
    assert WorkedDays({}).since("imported", first, today) == 0


@pytest.mark.proves("B8")
def test_old_words_count_from_the_day_they_were_learned() -> None:
    life = Life(written="2020-01-01", seen="2020-01-01", learned="2026-06-29")
    assert decided(life, TODAY).leaves_in == 30
    assert decided(life, date(2026, 8, 1)).why.startswith("learned on 2026-06-29, ")


DAYS = st.dates(date(2025, 1, 1), date(2026, 6, 30)).map(date.isoformat)
LIVES = st.builds(
    Life,
    written=DAYS,
    seen=st.one_of(st.just(""), DAYS),
    useful=st.one_of(st.just(""), DAYS),
    touched=st.one_of(st.just(""), DAYS),
    learned=st.one_of(st.just(""), DAYS),
    kept=st.sampled_from(["", "", "you wrote it"]),
    uses=st.integers(0, 50),
    support=st.integers(0, 50),
    projects=st.integers(0, 5),
    cost=st.integers(0, 20),
    pinned=st.booleans(),
    protected=st.booleans(),
)


# Every third day somebody works.
WORKED = WorkedDays.of(
    ("shop", (date(2025, 1, 1) + timedelta(days=3 * step)).isoformat()) for step in range(600)
)


def stronger(one: Life, other: Life) -> Life:
    """A life with, of everything that speaks for a memory, the more of two."""
    return Life(**{f.name: max(getattr(one, f.name), getattr(other, f.name)) for f in fields(Life)})


@pytest.mark.proves("B8")
@given(LIVES, LIVES)
def test_a_stronger_memory_never_fades_faster(one: Life, other: Life) -> None:
    strong = stronger(one, other)
    for day in (TODAY, TODAY + timedelta(days=45), TODAY + timedelta(days=400)):
        for settings in (CALENDAR, Forget()):
            weak_fate = decided(one, day, settings, WORKED)
            strong_fate = decided(strong, day, settings, WORKED)
            assert not (weak_fate.action == "keep" and strong_fate.action == "archive")
            if weak_fate.leaves_in is not None and strong_fate.leaves_in is not None:
                assert weak_fate.leaves_in <= strong_fate.leaves_in


@given(LIVES, st.integers(0, 500), st.sampled_from([CALENDAR, Forget()]))
def test_once_it_is_time_to_go_waiting_does_not_save_it(
    life: Life, days: int, settings: Forget
) -> None:
    if decided(life, TODAY, settings, WORKED).action == "archive":
        later = TODAY + timedelta(days=days)
        assert decided(life, later, settings, WORKED).action == "archive"


@pytest.mark.proves("B8")
@given(LIVES, st.lists(DAYS), st.integers(0, 5000))
def test_nobody_loses_a_memory_by_being_away(life: Life, days: list[str], away: int) -> None:
    worked = WorkedDays.of(("shop", day) for day in days)
    before = decided(life, TODAY, Forget(), worked)
    after = decided(life, TODAY + timedelta(days=away), Forget(), worked)
    assert (after.action, after.leaves_in) == (before.action, before.leaves_in)


@pytest.mark.proves("B8")
@given(LIVES, st.integers(0, 5000), st.sampled_from([CALENDAR, Forget()]))
def test_what_a_person_keeps_no_day_takes_away(life: Life, days: int, settings: Forget) -> None:
    kept = replace(life, kept="you said it as a standing rule")
    assert decided(kept, TODAY + timedelta(days=days), settings, WORKED).action == "keep"


@pytest.mark.proves("E3")
def test_a_correction_counts_91_50_and_5_percent_after_a_day_a_week_and_a_month() -> None:
    said = [("2026-06-29T12:00:00Z", False), ("2026-01-01", True)]
    found = rates(said, parse_iso("2026-06-30T12:00:00Z"), Decay())
    assert [(days, round(value, 2)) for days, value in found.after] == [
        (1, 0.91), (7, 0.50), (30, 0.05)
    ]  # fmt: skip
    assert (found.corrections, found.standing, round(found.mean, 2)) == (1, 1, 0.91)


@given(st.floats(0, 5000), st.floats(0, 5000), st.floats(0.1, 400), st.floats(0.1, 400))
def test_rates_fall_with_age_and_rise_with_the_half_life(
    age: float, older: float, half_life: float, longer: float
) -> None:
    assert rate(age + older, half_life) <= rate(age, half_life) <= 1.0
    assert rate(age, half_life) <= rate(age, half_life + longer)


def test_corrections_whose_time_cannot_be_read_do_not_fade() -> None:
    now = parse_iso("2026-06-30T12:00:00Z")
    assert rates([("", False), ("yesterday", False)], now, Decay()).mean == 1.0
    assert rates([], now, Decay()).corrections == 0


def test_a_memory_without_a_date_is_kept_until_it_has_one() -> None:
    bare = Life(seen="2020-01-01")
    assert decided(bare, TODAY).action == "date"
    assert decided(replace(bare, written=TODAY.isoformat()), TODAY).action == "keep"
