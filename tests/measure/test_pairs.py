"""Recall on question–answer pairs, on a corpus of two small sessions."""

import json
from pathlib import Path

import pytest
from tests.sessions.logs import claude

from reverie.cli.root import run
from reverie.errors import InvalidInput
from reverie.measure.pairs import ASKED, UNASKED, measure_pairs
from reverie.measure.result import Estimate, Measurement

FIX = "no, that is wrong: don't use the public index, use the wheelhouse instead"
OTHER = "no, wrong again: don't paint the buoy blue, use red instead"


def says(text: str) -> dict[str, object]:
    return {"type": "user", "message": {"role": "user", "content": text}}


def answers(text: str) -> dict[str, object]:
    content = [{"type": "text", "text": text}]
    return {"type": "assistant", "message": {"role": "assistant", "id": "m", "content": content}}


@pytest.fixture
def corpus(tmp_path: Path) -> tuple[Path, Path]:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name, held, fix in (
        ("one", "I will install the packages from the public index.", FIX),
        ("two", "I painted the buoy blue.", OTHER),
    ):
        lines = claude(says("please go on with the harbour"), answers(held), says(fix))
        text = "".join(json.dumps({**line, "sessionId": name}) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text)
    pair = {"transcript": "one.jsonl", "question": "Where do packages come from?"}
    labels = tmp_path / "labels.jsonl"
    records = [{**pair, "span": "use the wheelhouse instead"}, {**pair, "question": None}]
    labels.write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder, labels


def answered(found: Measurement) -> set[float]:
    """The shares of the table without the question."""
    cells = [row.cells[0] for row in found.tables[0].rows]
    return {cell.value for cell in cells if isinstance(cell, Estimate)}


def test_both_tables_hold_every_strategy_and_repeat_to_the_digit(corpus: tuple[Path, Path]) -> None:
    found = measure_pairs(*corpus)
    assert "1 questions, 1 answered by one of 2 learned corrections" in found.notes[0]
    unasked, asked = found.tables
    assert tuple(row.name for row in unasked.rows) == UNASKED
    assert tuple(row.name for row in asked.rows) == ASKED
    assert answered(found) == {1.0}
    assert found == measure_pairs(*corpus)


def test_an_outside_scorer_finds_the_same_in_what_was_handed_over(
    corpus: tuple[Path, Path],
) -> None:
    found = measure_pairs(*corpus)
    for asked, table in zip((False, True), found.tables, strict=True):
        for row in table.rows:
            mine = [r for r in found.records if (r["asked"], r["strategy"]) == (asked, row.name)]
            share = sum(r["span"] in r["context"] for r in mine) / len(mine)
            assert isinstance(row.cells[0], Estimate)
            assert row.cells[0].value == share


def test_a_folder_may_be_named_from_where_one_stands(
    corpus: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, labels = corpus
    (folder.parent / "here").mkdir()
    monkeypatch.chdir(folder.parent / "here")
    assert answered(measure_pairs(Path("..") / folder.name, labels)) == {1.0}


def test_a_budget_that_holds_nothing_finds_nothing(corpus: tuple[Path, Path]) -> None:
    assert answered(measure_pairs(*corpus, budget=20)) == {0.0}


def test_labels_of_other_logs_are_an_error(corpus: tuple[Path, Path]) -> None:
    folder, labels = corpus
    labels.write_text(labels.read_text().replace("one.jsonl", "three.jsonl"))
    with pytest.raises(InvalidInput, match="belongs to a log"):
        measure_pairs(folder, labels)


def test_one_kind_of_data_has_to_be_named(corpus: tuple[Path, Path]) -> None:
    assert run(["measure", "retrieval"]) == 2
    assert run(["measure", "retrieval", "--corpus", str(corpus[0])]) == 2
