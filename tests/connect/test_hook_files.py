"""Hooks in an agent's own settings: beside those of others, and out again to the byte."""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from reverie.cli.root import run
from reverie.config import home_from
from reverie.connect.hook import EVENTS
from reverie.connect.hook_files import hook_command
from reverie.connect.questions import answering

FILES = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json"}
OTHERS = """{
  "model": "opus",
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]
  }
}
"""


def prepared(home: Path, agent: str, content: str | None) -> Path:
    file = home / FILES[agent]
    file.parent.mkdir(exist_ok=True)
    if content is not None:
        file.write_text(content, encoding="utf-8")
    return file


@pytest.mark.parametrize("agent", FILES)
@pytest.mark.parametrize("content", [None, "", "{}", OTHERS])
def test_hooks_come_and_go_without_a_trace(
    isolated_home: Path, agent: str, content: str | None
) -> None:
    file = prepared(isolated_home, agent, content)
    before = file.read_bytes() if file.exists() else None
    assert run(["connect", agent, "--hooks", "--yes"]) == 0
    hooks = json.loads(file.read_text(encoding="utf-8"))["hooks"]
    assert set(EVENTS) <= set(hooks)
    if content == OTHERS:
        assert [group["hooks"][0]["command"] for group in hooks["Stop"]] == [
            "beep",
            hook_command("Stop", home=str(home_from(os.environ))),
        ]
    assert run(["connect", agent, "--undo", "--yes"]) == 0
    assert (file.read_bytes() if file.exists() else None) == before


@pytest.mark.parametrize("agent", FILES)
def test_hooking_twice_changes_nothing_more(isolated_home: Path, agent: str) -> None:
    file = prepared(isolated_home, agent, OTHERS)
    run(["connect", agent, "--hooks", "--yes"])
    once = file.read_bytes()
    run(["connect", agent, "--hooks", "--yes"])
    assert file.read_bytes() == once


@pytest.mark.parametrize("agent", FILES)
def test_hooks_written_before_they_named_a_home_are_replaced_and_undone(
    isolated_home: Path, agent: str
) -> None:
    script = "/opt/reverie/bin/reverie-hook"
    old = {
        event: [
            {"hooks": [{"type": "command", "command": f"[ ! -x {script} ] || {script} {event}"}]}
        ]
        for event in EVENTS
    }
    file = prepared(isolated_home, agent, json.dumps({"hooks": old, "model": "haiku"}))
    assert run(["connect", agent, "--hooks", "--yes"]) == 0
    hooks = json.loads(file.read_text(encoding="utf-8"))["hooks"]
    home = str(home_from(os.environ))
    for event in EVENTS:
        (group,) = hooks[event]
        assert group["hooks"][0]["command"] == hook_command(event, home=home)
    file.write_text(json.dumps({"hooks": old, "model": "haiku"}), encoding="utf-8")
    assert run(["connect", agent, "--undo", "--yes"]) == 0
    assert json.loads(file.read_text(encoding="utf-8")) == {"model": "haiku"}


def test_what_others_wrote_meanwhile_survives_undoing(isolated_home: Path) -> None:
    file = prepared(isolated_home, "claude-code", OTHERS)
    run(["connect", "claude-code", "--hooks", "--yes"])
    settings = json.loads(file.read_text(encoding="utf-8"))
    settings["model"] = "haiku"
    file.write_text(json.dumps(settings), encoding="utf-8")
    assert run(["connect", "claude-code", "--undo", "--yes"]) == 0
    after = json.loads(file.read_text(encoding="utf-8"))
    assert after == {**json.loads(OTHERS), "model": "haiku"}


def test_without_the_flag_no_hook_is_installed(isolated_home: Path) -> None:
    run(["connect", "claude-code", "--yes"])
    assert not (isolated_home / FILES["claude-code"]).exists()


@pytest.mark.parametrize("content", ["{", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}'])
def test_settings_of_another_shape_are_left_alone(isolated_home: Path, content: str) -> None:
    file = prepared(isolated_home, "claude-code", content)
    assert run(["connect", "claude-code", "--hooks", "--yes"]) != 0
    assert file.read_text(encoding="utf-8") == content


def test_a_removed_installation_stays_quiet(tmp_path: Path) -> None:
    command = hook_command("Stop", str(tmp_path / "gone" / "python"), home=str(tmp_path))
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    "before",
    [
        None,
        "",
        "[learn]\njobs = 2\n",
        "[hooks]\nevery_turns = 3 # mine\n\n[learn]\njobs = 2\n",
        "[hooks]\ndigest = false\n",
        "[hooks]\nstanding_rules = true\n",
        "[learn]\njobs = 2",
    ],
)
def test_the_answer_is_written_beside_other_settings_and_instead_of_an_earlier_one(
    before: str | None, tmp_path: Path
) -> None:
    file = tmp_path / "config.toml"
    if before is not None:
        file.write_text(before, encoding="utf-8")
    change = answering(file, True)
    assert change.after is not None
    after = tomllib.loads(change.after.decode())
    assert after["hooks"]["digest"] is True
    assert "standing_rules" not in after["hooks"]
    for section, values in tomllib.loads(before or "").items():
        for key, value in values.items():
            assert key in {"digest", "standing_rules"} or after[section][key] == value


def test_it_is_set_in_whatever_way_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("hooks = {digest = false} # mine\n", encoding="utf-8")
    assert answering(file, True).after == b"hooks = {digest = true} # mine\n"
