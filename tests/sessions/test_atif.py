"""ATIF: what is exported is valid, and comes back as the same session."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.sessions.logs import SESSION, call, claude, prompt, refused, reply, result, written

from reverie.cli.root import run
from reverie.sessions.logs.atif import trajectory
from reverie.sessions.model import Head, Turn
from reverie.sessions.readers.agents import by_agent

LOG = claude(
    prompt("use tabs"),
    reply("I will."),
    call("Bash", "t1", command="make test"),
    result("t1", "Exit code 2\nno rule", failed=True),
    reply("It failed."),
    {"type": "attachment", "attachment": {"type": "queued_command", "commandMode": "prompt",
     "prompt": "stop, wrong branch", "origin": {"kind": "human"}}},
    call("Edit", "t2", file_path="a.py"),
    refused("t2", "not that"),
    prompt("[Request interrupted by user]"),
)  # fmt: skip


def read(path: Path, agent: str) -> tuple[Head, list[Turn]]:
    transcript = by_agent(agent).open(path)
    turns = transcript.read()
    return transcript.head, turns


def exported(tmp_path: Path) -> tuple[list[Turn], dict[str, Any]]:
    head, turns = read(written(tmp_path, LOG), "claude-code")
    return turns, trajectory(head, turns)


@pytest.mark.needs("atif")
def test_the_formats_own_package_accepts_the_export(tmp_path: Path) -> None:
    from atif import Trajectory  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

    _, document = exported(tmp_path)
    model = Trajectory.model_validate(document)  # pyright: ignore[reportUnknownMemberType]
    assert len(model.steps) == len(document["steps"])


def test_steps_are_numbered_and_calls_stand_beside_their_results(tmp_path: Path) -> None:
    _, document = exported(tmp_path)
    steps = document["steps"]
    assert [step["step_id"] for step in steps] == list(range(1, len(steps) + 1))
    answer = steps[1]
    assert (answer["source"], answer["message"]) == ("agent", "I will.")
    assert answer["tool_calls"][0]["arguments"] == {"command": "make test"}
    (seen,) = answer["observation"]["results"]
    assert seen["source_call_id"] == "t1"
    assert seen["extra"]["reverie"]["ok"] is False
    assert steps[2]["message"] == "It failed."


@pytest.mark.proves("F10")
def test_an_export_comes_back_with_the_same_words_and_meanings(tmp_path: Path) -> None:
    turns, document = exported(tmp_path)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document))
    head, again = read(path, "atif")
    assert (head.session_id, head.cwd) == (SESSION, "/w/app")

    def meaning(found: list[Turn]) -> list[tuple[str, str, str]]:
        return [(t.role, t.kind, t.text) for t in found if t.role in ("human", "tool")]

    assert meaning(again) == meaning(turns)
    # Anybody can write such a file.
    assert {turn.typed for turn in again if turn.role == "human"} == {"probable"}
    kinds = [kind for role, kind, _ in meaning(again) if role == "human"]
    assert kinds == ["prompt", "steer", "reject_feedback", "interrupt"]


def test_a_foreign_trajectory_is_read_with_doubt(tmp_path: Path) -> None:
    steps: list[dict[str, Any]] = [
        {"step_id": 1, "source": "system", "message": "be nice"},
        {"step_id": 2, "source": "user", "message": [{"type": "text", "text": "solve it"}]},
        {"step_id": 3, "source": "user", "message": "an old part", "is_copied_context": True},
        {"step_id": 4, "source": "agent", "message": "", "reasoning_content": "hm"},
    ]
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"schema_version": "ATIF-v1.6", "steps": steps, "session_id": "s"}))
    _, turns = read(path, "atif")
    assert [(t.role, t.kind, t.typed) for t in turns if t.role == "human"] == [
        ("human", "prompt", "probable")
    ]
    assert [t.line for t in turns] == [0, 1, 2, 3]


def test_show_prints_a_session_as_a_trajectory_without_its_secrets(
    isolated_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    folder = isolated_home / ".claude" / "projects" / "-w-app"
    written(folder, claude(prompt(f"the token is {secret}"), reply("Noted.")))
    assert run(["sessions", "show", SESSION[:8], "--atif"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema_version"] == "ATIF-v1.8"
    assert document["agent"]["name"] == "claude-code"
    assert secret not in json.dumps(document)
    assert "[redacted:" in document["steps"][0]["message"]
