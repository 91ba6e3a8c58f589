"""Benches as a measurement; the benches have tests of their own."""

from pathlib import Path

import pytest

import reverie
from reverie.errors import Unavailable
from reverie.measure import speed
from reverie.measure.result import Estimate

BENCH = """
import json, sys
assert sys.argv[1:] == ["--json"]
print(json.dumps({"ratios": {"a": 2.0, "b": {"c": 3}}, "seconds": {"a": 1}}))
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source tree with one bench."""
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "start.py").write_text(BENCH, encoding="utf-8")
    monkeypatch.setattr(reverie, "__file__", str(tmp_path / "src" / "reverie" / "__init__.py"))
    return tmp_path


@pytest.mark.usefixtures("tree")
def test_ratios_are_told_and_seconds_are_not() -> None:
    (once,) = speed.measure_speed(names=("start",)).tables
    assert [(row.name, row.cells) for row in once.rows] == [("a", (2.0,)), ("b c", (3.0,))]
    (thrice,) = speed.measure_speed(names=("start",), runs=3).tables
    assert thrice.rows[0].cells == (Estimate(2.0, 2.0, 2.0),)


def test_a_bench_that_fails_says_why(tree: Path) -> None:
    (tree / "bench" / "start.py").write_text("raise SystemExit('no room')", encoding="utf-8")
    with pytest.raises(Unavailable, match="start ended with 1: no room"):
        speed.measure_speed(names=("start",))


def test_without_a_source_tree_that_is_said(tree: Path) -> None:
    (tree / "bench").rename(tree / "elsewhere")
    with pytest.raises(Unavailable, match="source tree"):
        speed.measure_speed()
