"""Diaries measured against summaries that lie beside logs."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.sessions.logs import SESSION, claude, prompt, reply, written

from reverie.errors import NotFound
from reverie.measure.diaries import measure_diaries
from reverie.measure.result import Estimate

OTHER = SESSION.replace("0a", "0b")


def corpus(folder: Path, summary: Mapping[str, object]) -> Path:
    """Two sessions, of which the second has a summary."""
    first = claude(prompt("Please tidy the garden shed door."), reply("Painted the door green."))
    second = claude(
        prompt("Please add a health endpoint to the server."),
        reply("Added a health endpoint that answers with the version."),
    )
    written(folder, first)
    text = json.dumps(second).replace(SESSION, OTHER)
    written(folder, json.loads(text), f"{OTHER}.jsonl")
    meta = {"_summaries": [{"summary": summary}]} if summary else {}
    (folder / f"{OTHER}.meta.json").write_text(json.dumps(meta), encoding="utf-8")
    return folder


def test_words_of_a_summary_are_found_in_the_diary(tmp_path: Path) -> None:
    summary = {
        "intent": "Add a health endpoint to the server",
        "learnings": {
            "repo": ["Elephants migrate through savanna"],
            "code": [{"path": "server", "finding": "health endpoint answers"}],
        },
    }
    found = measure_diaries(corpus(tmp_path, summary))
    assert found.notes[0].startswith("2 diaries of 2 sessions")
    assert "0 break an invariant; 1 sessions" in found.notes[0]
    rows = {row.name: row.cells for row in found.tables[0].rows}
    assert rows["intent"][0] == Estimate(1.0, 1.0, 1.0)
    assert isinstance(rows["intent"][1], Estimate)
    assert rows["intent"][1].value < 0.5
    assert rows["code"][3:] == (Estimate(1.0, 1.0, 1.0), 1)
    assert rows["repo"][0] == Estimate(0.0, 0.0, 0.0)
    assert [(miss["share"], miss["part"]) for miss in found.records] == [(0.0, "repo")]


def test_a_folder_without_summaries_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        measure_diaries(corpus(tmp_path, {}))
