"""Means and their intervals over groups drawn anew."""

import pytest

from reverie.measure.result import Estimate, bootstrap


def test_the_mean_stands_inside_its_interval_and_is_the_same_at_every_run() -> None:
    values, groups = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0], ["a", "a", "b", "c", "d", "d"]
    first = bootstrap(values, groups)
    assert first.value == pytest.approx(4 / 6)
    assert 0 <= first.low < first.value < first.high <= 1
    assert bootstrap(values, groups) == first


def test_values_of_one_group_are_drawn_together() -> None:
    values = [1.0, 0.0] * 20
    apart = bootstrap(values, range(40))
    together = bootstrap(sorted(values), [place // 20 for place in range(40)])
    assert together == Estimate(0.5, 0.0, 1.0)
    assert apart.high - apart.low < 0.5


def test_nothing_has_no_mean() -> None:
    with pytest.raises(ValueError, match="no values"):
        bootstrap([], [])
