"""Curves: weeks while months are few, no more names on the axis than there is room for."""

from collections import Counter
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from reverie.serve.page.curves import Curve, curve
from reverie.serve.page.insight import _spans

DAYS = st.lists(st.integers(0, 700), min_size=1, max_size=60)


def counted(days: list[int]) -> Counter[str]:
    return Counter((date(2026, 1, 1) + timedelta(days=day)).isoformat() for day in days)


@given(DAYS)
def test_nothing_is_lost_when_days_are_counted_together(days: list[int]) -> None:
    made = counted(days)
    span, (together,) = _spans(made)
    assert together.total() == made.total()
    months = {day[:7] for day in made}
    assert span == ("week of" if len(months) < 4 else "month")
    if span == "week of":
        assert all(date.fromisoformat(name).weekday() == 0 for name in together)


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=80))
def test_every_value_is_a_point_within_the_drawing(values: list[float]) -> None:
    names = [f"2026-{number:03d}" for number in range(len(values))]
    drawn = str(curve(Curve(names, values, "memories", "month")))
    assert drawn.count('class="point"') == len(values)
    assert 1 <= drawn.count('class="span"') <= 5
    assert "nan" not in drawn
    assert 'cy="-' not in drawn


def test_one_span_draws_no_curve() -> None:
    assert curve(Curve(["2026-01"], [1.0], "memories", "month")) == ""
