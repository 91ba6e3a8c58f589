"""Means and their intervals over groups drawn anew."""

from pathlib import Path

import pytest

from reverie.errors import InvalidInput
from reverie.measure.result import (
    Estimate,
    bootstrap,
    draws,
    fingerprint,
    interval,
    read_records,
    shown,
    write_records,
)


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


def test_what_is_not_a_mean_is_drawn_by_whole_groups_too() -> None:
    groups = ["a", "a", "b"]
    everything, *samples = draws(groups, rounds=50, seed=3)
    assert everything == [0, 1, 2]
    assert {tuple(places) for places in samples} == {(0, 1, 0, 1), (0, 1, 2), (2, 0, 1), (2, 2)}
    assert samples == list(draws(groups, rounds=50, seed=3))[1:]


def test_an_interval_holds_95_of_100_draws() -> None:
    assert interval([0.5, *(number / 1000 for number in range(1001))]) == Estimate(
        0.5, 0.025, 0.975
    )
    assert interval([0.5]) == Estimate(0.5, 0.5, 0.5)


def test_figures_are_shown_with_their_interval_and_differences_with_their_sign() -> None:
    assert shown(Estimate(0.5, 0.25, 0.75)) == "0.500 (0.250–0.750)"
    assert shown(Estimate(0.01, -0.02, 0.04)) == "+0.010 (−0.020 to +0.040)"
    assert [shown(cell) for cell in (0.25, 3, "word", None)] == ["0.250", "3", "word", ""]


def test_data_is_known_by_its_bytes_and_not_by_its_place(tmp_path: Path) -> None:
    for folder, text in (("one", "a"), ("two", "a"), ("three", "b")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.txt").write_text(text)
        (tmp_path / folder / "y.txt").write_text("same")
    first, second, third = (
        fingerprint(*(tmp_path / folder).iterdir()) for folder in ("one", "two", "three")
    )
    assert first == second != third
    assert first.startswith("2 files, SHA-256 ")


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    write_records(file, [{"a": "ä"}, {"b": 1}])
    assert read_records(file) == [{"a": "ä"}, {"b": 1}]
    for wrong in ("{", "[1]"):
        file.write_text('{"a": 1}\n' + wrong, encoding="utf-8")
        with pytest.raises(InvalidInput, match="jsonl:2"):
            read_records(file)
