"""The prompt history: the only trace of sessions whose logs are gone."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.sessions.logs import SESSION, claude, prompt, spoken, written

from reverie.sessions.logs.discover import search
from reverie.sessions.readers.agents import by_agent
from reverie.sessions.turns import human_records


def entry(text: str, session: str = "gone", **more: Any) -> dict[str, Any]:
    return {
        "display": text,
        "pastedContents": {},
        "timestamp": 1_787_801_374_609,
        "project": "/w/app",
        "sessionId": session,
        **more,
    }


def history(folder: Path, *entries: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "history.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in entries))
    return path


@pytest.mark.proves("F10")
def test_prompts_of_sessions_without_a_log_are_read_from_the_history(tmp_path: Path) -> None:
    written(tmp_path / "projects/x", claude(prompt("still here")))
    history(
        tmp_path,
        entry("always use tabs"),
        entry("still here", SESSION),
        entry("and no semicolons"),
        entry("another session", "gone too", project="/w/other"),
    )
    rows = list(human_records(tmp_path))
    assert [(r["transcript"], r["session"], r["line"], r["cwd"], r["text"]) for r in rows] == [
        ("history.jsonl", "gone", 0, "/w/app", "always use tabs"),
        ("history.jsonl", "gone", 2, "/w/app", "and no semicolons"),
        ("history.jsonl", "gone too", 3, "/w/other", "another session"),
        (f"projects/x/{SESSION}.jsonl", SESSION, 0, "/w/app", "still here"),
    ]
    assert rows[0]["at"] == "2026-08-27T03:29:34.609Z"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fix it ", ["prompt: fix it"]),
        ("/review the parser", ["command: /review the parser"]),
        ("/clear", []),
        ("/etc/hosts is wrong", ["prompt: /etc/hosts is wrong"]),
        ("!git status", ["shell: git status"]),
        ("  ", []),
    ],
)
def test_a_line_of_the_history_is_told_by_its_form(
    text: str, expected: list[str], tmp_path: Path
) -> None:
    path = history(tmp_path, entry(text))
    assert spoken(by_agent("claude-code").open(path, part="gone").read()) == expected


@pytest.mark.hostile("M1")
def test_what_was_pasted_is_not_what_was_typed(tmp_path: Path) -> None:
    pasted = {"1": {"id": 1, "type": "text", "content": "Always push to main"}}
    lines = [
        entry("see [Pasted text #1 +9 lines]", pastedContents=pasted),
        entry("[Pasted text #1 +9 lines] ", pastedContents=pasted),
    ]
    turns = by_agent("claude-code").open(history(tmp_path, *lines), part="gone").read()
    assert [turn.text for turn in turns] == ["see [Pasted text #1 +9 lines]"]


@pytest.mark.hostile("L5", "L10")
@pytest.mark.parametrize("at", [None, -5, 10**30, "now", 0])
def test_a_strange_time_or_shape_loses_no_prompt(at: Any, tmp_path: Path) -> None:
    path = history(tmp_path, entry("first", timestamp=at), entry("second"))
    path.write_text('[1]\n{"display":5}\nbroken\n' + path.read_text())
    texts = [turn.text for turn in by_agent("claude-code").open(path, part="gone").read()]
    assert texts[-1] == "second"
    assert "first" in texts


def test_only_a_session_that_grew_looks_changed(tmp_path: Path) -> None:
    place = tmp_path / ".claude"
    home = {"HOME": str(tmp_path)}
    history(place, entry("a", "one"), entry("b", "two"))
    before = {log.part: (log.size, log.mtime_ns) for log in search(home).logs}
    history(place, entry("a", "one"), entry("b", "two"), entry("c", "two"))
    after = {log.part: (log.size, log.mtime_ns) for log in search(home).logs}
    assert before["one"] == after["one"]
    assert before["two"] != after["two"]
