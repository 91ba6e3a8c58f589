"""Time travel in process: only what came before is known, and what is needed is looked for."""

import json
from pathlib import Path

import pytest
from tests.sessions.logs import as_bytes, claude, prompt, reply

from reverie.errors import InvalidInput
from reverie.measure.result import Estimate, Measurement
from reverie.measure.timetravel import measure_timetravel

RULE = (
    "no, that is wrong: from now on always install with the wheelhouse, the proxy blocks the index"
)
ASK = "install the packages of the new service from the index"


def write(corpus: Path, number: int, day: str, *said: str) -> str:
    turns = [turn for text in said for turn in (prompt(text), reply("I installed from the index."))]
    lines = claude(*turns)
    for place, line in enumerate(lines):
        line |= {
            "cwd": "/work/harbour",
            "sessionId": f"s-{number}",
            "timestamp": f"{day}T10:00:{place:02d}.000Z",
        }
    name = f"claude-code/s-{number}.jsonl"
    file = corpus / "team+harbour" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(as_bytes(lines))
    return name


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    write(folder, 1, "2026-03-01", "set it up", RULE, "go on")
    write(folder, 2, "2026-04-01", "paint the buoy red", "thanks")
    write(folder, 3, "2026-05-01", ASK, RULE, "go on")
    return folder


def shares(found: Measurement) -> list[float]:
    cells = [row.cells[0] for row in found.tables[0].rows]
    return [cell.value for cell in cells if isinstance(cell, Estimate)]


@pytest.mark.proves("F3", "F12")
def test_what_was_taught_before_is_handed_over_and_what_comes_later_is_not(
    corpus: Path, tmp_path: Path
) -> None:
    rows = [
        {"id": "P1", "later_at": "2026-05-01T10:00:00.000Z"},
        # Nothing was taught by then: whoever finds it looked into the future.
        {"id": "P2", "later_at": "2026-02-01T10:00:00.000Z"},
        {"id": "C1", "later_at": "2026-05-01T10:00:00.000Z", "kind": "CONTROL"},
    ]
    common = {
        "repo": "team+harbour",
        "kind": "REPEATED",
        "lesson": "Always install with the wheelhouse.",
        "lesson_turns": ["claude-code/s-1.jsonl#2"],
        "needles": ["wheelhouse"],
        "later_session": "claude-code/s-3.jsonl",
        "later_prompt": ASK,
    }
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(common | row) + "\n" for row in rows), encoding="utf-8")
    found = measure_timetravel(corpus, pairs)
    by_id = {record["id"]: record for record in found.records}
    assert by_id["P1"]["started"] and by_id["P1"]["recalled"]
    assert not by_id["P2"]["started"] and not by_id["P2"]["recalled"]
    assert by_id["P2"]["digest"] == 0
    # Of so short a history everything fits, and what is not yet taught nobody has.
    assert shares(found) == [0.5] * 6
    assert by_id["P1"]["listed_size"] == len("Always install with the wheelhouse.")
    assert found.tables[1].title == "1 prompts that needed nothing"
    assert measure_timetravel(corpus, pairs) == found


@pytest.mark.proves("F3")
def test_pairs_come_from_the_logs_alone(corpus: Path) -> None:
    found = measure_timetravel(corpus)
    assert [record["needs"] for record in found.records].count(True) == 1
    assert [record["at"] for record in found.records if not record["needs"]] == [
        "2026-04-01T10:00:00.000Z"
    ]
    assert shares(found) == [1.0] * 6


def test_too_little_to_say_is_said_and_what_is_no_file_of_pairs_refused(
    corpus: Path, tmp_path: Path
) -> None:
    (corpus / "team+harbour" / "claude-code" / "s-3.jsonl").unlink()
    found = measure_timetravel(corpus)
    assert not found.records
    assert found.tables[0].note == "not enough to say: 0 of at least 20"
    odd = tmp_path / "odd.jsonl"
    odd.write_text('{"id": 1}\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match="not a file of pairs"):
        measure_timetravel(corpus, odd)
    odd.write_text("", encoding="utf-8")
    with pytest.raises(InvalidInput, match="no pair fits"):
        measure_timetravel(corpus, odd)
