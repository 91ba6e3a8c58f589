"""The machine contract: human turns with their verdicts."""

import json
from pathlib import Path

import pytest
from tests.sessions.logs import claude, prompt, reply, written

from reverie.errors import NotFound
from reverie.learn.detect.judge import Judge
from reverie.learn.detect.records import judged_logs
from reverie.sessions.turns import human_records, logs_below
from reverie.settings import Learn


@pytest.mark.proves("E1")
def test_a_record_is_the_one_of_sessions_turns_plus_both_verdicts(tmp_path: Path) -> None:
    written(
        tmp_path,
        claude(
            prompt("Start it."),
            reply("It runs on port 8080."),
            prompt("no, that is wrong, the port should be 8443 instead of 8080"),
            reply("You're right."),
        ),
    )
    judged = list(judged_logs(logs_below(tmp_path, None), Judge.load(Learn())))
    assert [
        {key: record[key] for key in plain}
        for record, plain in zip(judged, human_records(tmp_path), strict=True)
    ] == [dict(plain) for plain in human_records(tmp_path)]
    first, second = judged
    assert first["correction"] == {
        "score": first["correction"]["score"],
        "label": "none",
        "premise": None,
        "premise_line": None,
        "span": None,
    }
    assert second["correction"]["label"] == "explicit"
    assert second["correction"]["premise"] == "It runs on port 8080."
    assert second["correction"]["span"] in second["text"]
    assert set(second["durable"]) == {
        "score",
        "label",
        "write",
        "type",
        "kind",
        "lesson",
        "why",
        "quote",
    }
    assert json.loads(json.dumps(judged)) == judged


def test_nothing_is_written(tmp_path: Path) -> None:
    written(tmp_path, claude(prompt("always use tabs in this project"), reply("Ok.")))
    before = sorted(tmp_path.rglob("*"))
    list(judged_logs(logs_below(tmp_path, None), Judge.load(Learn())))
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        list(logs_below(tmp_path / "none", None))
