"""The measurement of search, on dialogues small enough to check by hand."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Reverie
from tests.measure.test_dialogues import locomo, longmemeval, write

from reverie.measure.dialogues import Unit
from reverie.measure.result import Estimate, Measurement
from reverie.measure.retrieval import BUDGETS, measure_retrieval, ranked, within

KETTLE = {"question": "Which colour has the kettle?", "evidence": ["D1:1"], "category": 4}
ZEBRAS = {"question": "Any zebras?", "evidence": ["D2:1"], "category": 1}


def figures(found: Measurement, title: str, row: str) -> dict[str, float]:
    """The values of one row."""
    (table,) = [one for one in found.tables if one.title == title]
    (cells,) = [one.cells for one in table.rows if one.name == row]
    both = zip(table.columns, cells, strict=True)
    return {name: cell.value for name, cell in both if isinstance(cell, Estimate)}


def test_ranks_are_scored_as_published() -> None:
    recalls = ranked(["a", "x", "b", "y"], frozenset({"x", "y", "z"}))
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    gain = 1 / math.log2(3) + 1 / math.log2(5)
    assert recalls == pytest.approx((0, 2 / 3, 2 / 3, 1 / 2, gain / ideal))
    assert ranked([], frozenset({"x"})) == (0, 0, 0, 0, 0)
    assert ranked(["x"], frozenset({"x"})) == (1, 1, 1, 1, 1)


def test_what_is_too_long_is_passed_over() -> None:
    units = [Unit("a", "s", "1234"), Unit("b", "s", "12345678"), Unit("c", "s", "12")]
    assert within(units, 7) == {"a", "c"}


def test_a_found_turn_counts_and_a_missed_one_does_not(tmp_path: Path) -> None:
    found = measure_retrieval(write(tmp_path, locomo([KETTLE, ZEBRAS])))
    turns = "Turns that answer, searched in its own history"
    assert figures(found, turns, "ours")["recall@10"] == 0.5
    assert figures(found, turns, "… single-hop")["MRR"] == 1.0
    assert figures(found, turns, "… multi-hop")["nDCG@10"] == 0.0
    packed = "Turns that answer, packed in its own history"
    assert figures(found, packed, "BM25 alone")["2,000 characters"] == 0.5
    assert found.notes[0].startswith("2 questions, 1 histories, 3 turns")


def test_in_all_histories_another_dialogue_may_stand_before(tmp_path: Path) -> None:
    samples = locomo([KETTLE]) + locomo([ZEBRAS | {"question": "kettle colour?"}], "two")
    found = measure_retrieval(write(tmp_path, samples))
    title = "Turns that answer, searched in {}"
    alone = figures(found, title.format("its own history"), "ours")
    together = figures(found, title.format("all histories"), "ours")
    assert alone["recall@1"] == together["recall@1"] == 0.5
    assert together["MRR"] <= alone["MRR"]


def test_where_no_turn_is_marked_sessions_are_scored_alone(tmp_path: Path) -> None:
    entry = longmemeval()
    del entry["haystack_sessions"][0][0]["has_answer"]
    found = measure_retrieval(write(tmp_path, [entry]))
    assert [table.title for table in found.tables] == [
        "Sessions that answer, searched in its own history",
        "Sessions that answer, searched in all histories",
    ]
    assert figures(found, found.tables[0].title, "ours")["recall@1"] == 1.0


def outside_score(records: list[dict[str, Any]]) -> dict[tuple[bool, str, str], float]:
    """Recall by somebody who has only the file."""
    values: dict[tuple[bool, str, str], list[float]] = {}
    for record in records:
        wanted = set(record["turns"])
        names = [name for name, _, _ in record["ranking"]]
        shares = {"recall@5": len(wanted & set(names[:5])) / len(wanted)}
        for budget in BUDGETS:
            left, taken = budget, set[str]()
            for name, _, length in record["ranking"]:
                if length <= left:
                    left -= length
                    taken.add(name)
            shares[f"{budget:,} characters"] = len(wanted & taken) / len(wanted)
        for column, share in shares.items():
            values.setdefault((record["pooled"], record["strategy"], column), []).append(share)
    return {key: sum(shares) / len(shares) for key, shares in values.items()}


def test_an_outside_scorer_gets_the_same_figures_from_the_rankings(
    tmp_path: Path, reverie: Reverie
) -> None:
    data = write(tmp_path, locomo([KETTLE, ZEBRAS, KETTLE | {"evidence": ["D1:1", "D2:1"]}]))
    file = tmp_path / "rankings.jsonl"
    call = ("measure", "retrieval", "--data", str(data), "--rankings", str(file), "--json")
    tables: list[dict[str, Any]] = json.loads(reverie(*call))["tables"]
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    scored = outside_score(records)
    checked = 0
    for table in tables:
        if table["title"].startswith("Turns"):
            for row in table["rows"]:
                for column, cell in row["cells"].items():
                    key = (table["title"].endswith("all histories"), row["name"], column)
                    if key in scored:
                        checked += 1
                        assert cell["value"] == pytest.approx(scored[key], abs=1e-6)
    assert checked == len(scored) == 2 * 2 * 5
