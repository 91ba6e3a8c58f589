"""Diaries measured against summaries that lie beside logs."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.sessions.logs import SESSION, claude, prompt, reply, written

from reverie.errors import NotFound
from reverie.measure.diaries import measure_diaries

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
    report = measure_diaries(corpus(tmp_path, summary))
    assert (report.sessions, report.diaries, report.broken, report.summarised) == (2, 2, 0, 1)
    assert report.parts["intent"].ours == 1.0
    assert report.parts["intent"].other < 0.5
    assert report.parts["code"].covered == 1
    assert report.parts["repo"].ours == 0.0
    assert [(share, miss.part) for share, miss in report.misses] == [(0.0, "repo")]


def test_a_folder_without_summaries_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        measure_diaries(corpus(tmp_path, {}))
