"""When a memory leaves: the rules as a table, and that a stronger one never fades faster."""

from dataclasses import fields, replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.clock import parse_iso
from reverie.config import Decay, Forget
from reverie.errors import InvalidInput
from reverie.forget.decay import Life, fate, purge_on, rate, rates

FIXTURE = Path(__file__).parent / "fixtures" / "decay.txt"
TODAY = date(2026, 6, 30)


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
    )
    assert fate(life, date.fromisoformat(today), Forget()).action == wanted


def test_the_days_are_settings() -> None:
    life = Life(written="2026-06-01")
    assert fate(life, TODAY, Forget(archive_after_days=10)).action == "archive"
    assert fate(life, TODAY, Forget(archive_after_days=90)).action == "keep"
    assert purge_on("2026-01-01", Forget()) == "2027-01-02"
    assert purge_on("2026-01-01", Forget(purge_after_days=0)) == "2026-01-02"


def test_the_day_it_will_leave_is_said_beforehand() -> None:
    kept = fate(Life(written="2026-06-10"), TODAY, Forget())
    assert (kept.action, kept.leaves) == ("keep", "2026-07-11")
    assert fate(Life(written="2026-06-10"), date(2026, 7, 10), Forget()).action == "keep"
    assert fate(Life(written="2026-06-10"), date(2026, 7, 11), Forget()).action == "archive"


DAYS = st.dates(date(2025, 1, 1), date(2026, 6, 30)).map(date.isoformat)
LIVES = st.builds(
    Life,
    written=DAYS,
    seen=st.one_of(st.just(""), DAYS),
    useful=st.one_of(st.just(""), DAYS),
    touched=st.one_of(st.just(""), DAYS),
    uses=st.integers(0, 50),
    support=st.integers(0, 50),
    projects=st.integers(0, 5),
    cost=st.integers(0, 20),
    pinned=st.booleans(),
    protected=st.booleans(),
)


def stronger(one: Life, other: Life) -> Life:
    """A life with, of everything that speaks for a memory, the more of two."""
    return Life(**{f.name: max(getattr(one, f.name), getattr(other, f.name)) for f in fields(Life)})


@pytest.mark.proves("B8")
@given(LIVES, LIVES)
def test_a_stronger_memory_never_fades_faster(one: Life, other: Life) -> None:
    strong = stronger(one, other)
    for day in (TODAY, TODAY + timedelta(days=45), TODAY + timedelta(days=400)):
        weak_fate, strong_fate = fate(one, day, Forget()), fate(strong, day, Forget())
        assert not (weak_fate.action == "keep" and strong_fate.action == "archive")
        if weak_fate.leaves and strong_fate.leaves:
            assert weak_fate.leaves <= strong_fate.leaves


@given(LIVES, st.integers(0, 500))
def test_once_it_is_time_to_go_waiting_does_not_save_it(life: Life, days: int) -> None:
    if fate(life, TODAY, Forget()).action == "archive":
        assert fate(life, TODAY + timedelta(days=days), Forget()).action == "archive"


@pytest.mark.proves("E3")
def test_a_correction_counts_91_50_and_5_percent_after_a_day_a_week_and_a_month() -> None:
    found = rates(["2026-06-29T12:00:00Z"], parse_iso("2026-06-30T12:00:00Z"), Decay())
    assert [(days, round(value, 2)) for days, value in found.after] == [
        (1, 0.91), (7, 0.50), (30, 0.05)
    ]  # fmt: skip
    assert (found.corrections, round(found.mean, 2)) == (1, 0.91)


@given(st.floats(0, 5000), st.floats(0, 5000), st.floats(0.1, 400), st.floats(0.1, 400))
def test_rates_fall_with_age_and_rise_with_the_half_life(
    age: float, older: float, half_life: float, longer: float
) -> None:
    assert rate(age + older, half_life) <= rate(age, half_life) <= 1.0
    assert rate(age, half_life) <= rate(age, half_life + longer)


def test_times_that_cannot_be_read_and_a_half_life_of_nothing() -> None:
    now = parse_iso("2026-06-30T12:00:00Z")
    assert rates(["", "yesterday"], now, Decay()).mean == 1.0
    assert rates([], now, Decay()).corrections == 0
    with pytest.raises(InvalidInput):
        rates([], now, Decay(half_life_days=0))


def test_a_memory_without_a_date_is_kept_until_it_has_one() -> None:
    bare = Life(seen="2020-01-01")
    assert fate(bare, TODAY, Forget()).action == "date"
    assert fate(replace(bare, written=TODAY.isoformat()), TODAY, Forget()).action == "keep"
