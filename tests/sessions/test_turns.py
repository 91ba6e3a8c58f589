"""The contract for machines: one object per human turn, in order, and nothing written."""

import os
from pathlib import Path
from typing import Any

import pytest
from tests.sessions.logs import SESSION, claude, codex, meta, prompt, reply, time_of, written

from reverie.sessions.logs.discover import Skipped
from reverie.sessions.turns import human_records

OTHER = SESSION.replace("a", "b")


@pytest.mark.proves("F10")
def test_each_human_turn_is_one_record_with_its_place(tmp_path: Path) -> None:
    written(tmp_path, claude(reply("Hello."), prompt("be brief")), f"one/{SESSION}.jsonl")
    said = {"type": "event_msg", "payload": {"type": "user_message", "message": "go on"}}
    written(tmp_path, [meta(id=OTHER), *codex(said)], "two/rollout.jsonl")
    assert list(human_records(tmp_path)) == [
        {
            "transcript": f"one/{SESSION}.jsonl",
            "agent": "claude-code",
            "session": SESSION,
            "line": 1,
            "turn": "prompt",
            "at": time_of(1),
            "cwd": "/w/app",
            "text": "be brief",
        },
        {
            "transcript": "two/rollout.jsonl",
            "agent": "codex",
            "session": OTHER,
            "line": 1,
            "turn": "prompt",
            "at": time_of(0),
            "cwd": "/w/app",
            "text": "go on",
        },
    ]


@pytest.mark.hostile("L8", "L9")
def test_a_forked_log_tells_only_what_is_new_in_it(tmp_path: Path) -> None:
    shared = claude(prompt("first"), reply("Done."), prompt("second"))
    fresh = claude(prompt("x"), reply("y"), prompt("z"), prompt("third"))[3:]
    written(tmp_path, shared, f"{SESSION}.jsonl")
    written(tmp_path, [*shared, *fresh], f"{OTHER}.jsonl")
    assert [(r["session"], r["text"]) for r in human_records(tmp_path)] == [
        (SESSION, "first"),
        (SESSION, "second"),
        (OTHER, "third"),
    ]


@pytest.mark.hostile("L9")
def test_a_fork_that_copies_its_parent_with_new_times_tells_only_what_is_new(
    tmp_path: Path,
) -> None:
    def said(*texts: str) -> list[dict[str, Any]]:
        return codex(
            *({"type": "event_msg", "payload": {"type": "user_message", "message": text}}
              for text in texts)
        )  # fmt: skip

    written(tmp_path, [meta(), *said("first", "second", "third")], "a/rollout-1.jsonl")
    copied = [{**line, "timestamp": "2026-10-01T00:00:00Z"} for line in said("first", "second")]
    again = [{**line, "timestamp": "2026-10-01T00:05:00Z"} for line in said("third")]
    fork = meta(id=OTHER, forked_from_id=SESSION)
    written(tmp_path, [fork, meta(), *copied, *again], "b/rollout-2.jsonl")
    assert [(r["session"], r["text"]) for r in human_records(tmp_path)] == [
        (SESSION, "first"),
        (SESSION, "second"),
        (SESSION, "third"),
        (OTHER, "third"),
    ]


def test_a_copied_turn_is_known_by_its_id_when_its_time_is_another(tmp_path: Path) -> None:
    one = "11111111-2222-4333-8444-555555555555"
    written(tmp_path, claude(prompt("first", uuid=one)), f"{SESSION}.jsonl")
    copy = prompt("first", uuid=one, timestamp="2026-10-01T00:00:00Z")
    written(tmp_path, claude(copy, prompt("second")), f"{OTHER}.jsonl")
    assert [r["text"] for r in human_records(tmp_path)] == ["first", "second"]


def test_what_is_skipped_is_reported(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.jsonl")
    skipped: list[Skipped] = []
    assert list(human_records(tmp_path, skipped.append)) == []
    assert [item.reason for item in skipped] == ["not a regular file"]


def test_reading_writes_nothing(tmp_path: Path) -> None:
    written(tmp_path, claude(prompt("hi")))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    list(human_records(tmp_path))
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
