"""The one question about the digest: asked once, answered yes unless somebody says no."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command

from reverie import OWNER, Memory
from reverie.cli.root import run
from reverie.handover import ELSEWHERE, prepared, project_key

CONNECT = ("connect", "claude-code", "--plain", "--hooks")
QUESTION = "May a short digest of what you taught (up to 2,000 characters) be shown"


def hooks(home: Path) -> dict[str, Any]:
    file = home / ".reverie" / "config.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))["hooks"] if file.exists() else {}


@pytest.mark.parametrize(
    ("answers", "expected"),
    [("y\ny\n\n", True), ("y\ny\ny\n", True), ("y\ny\nn\n", False), ("y\ny\n", None)],
)
@pytest.mark.proves("F12")
def test_the_question_is_asked_with_yes_as_its_answer(
    command: Command, isolated_home: Path, answers: str, expected: bool | None
) -> None:
    ran = command(*CONNECT, given=answers)
    assert ran.code == 0, ran.err
    assert QUESTION in ran.err and "[Y/n]" in ran.err
    assert hooks(isolated_home).get("digest") is expected


def test_it_is_asked_once(command: Command, isolated_home: Path) -> None:
    command(*CONNECT, given="y\ny\nn\n")
    again = command("connect", "codex", given="y\n")
    assert (again.code, QUESTION in again.err) == (0, False)
    assert command("connect", "codex", "--yes").code == 0
    assert hooks(isolated_home)["digest"] is False
    assert command("connect", "codex", "--digest", "--yes").code == 0
    assert hooks(isolated_home)["digest"] is True


@pytest.mark.proves("F12")
def test_a_yes_to_the_standing_rules_of_an_earlier_version_is_asked_about_again(
    command: Command, isolated_home: Path
) -> None:
    config = isolated_home / ".reverie" / "config.toml"
    config.parent.mkdir()
    config.write_text("[hooks]\nstanding_rules = true\nevery_turns = 4\n", encoding="utf-8")
    assert command(*CONNECT, "--dry-run").code == 0
    told = command("doctor").out
    assert "your yes to standing rules is none to the digest" in told
    assert "ask: `reverie connect" in told
    with Memory.open(asker=OWNER) as memory:
        assert not memory.settings.hooks.digest
        steps = memory.status(["claude-code"]).next
    assert "`reverie connect claude-code` asks whether a digest" in steps[0] or len(steps) == 2
    ran = command(*CONNECT, given="y\ny\n\n")
    assert QUESTION in ran.err
    assert hooks(isolated_home) == {"digest": True, "every_turns": 4}
    assert "standing rules" not in command("doctor").out


@pytest.mark.proves("F12")
def test_the_first_session_after_connecting_has_it_in_a_known_project_and_elsewhere(
    isolated_home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "harbour"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    with Memory.open(folder=folder, asker=OWNER) as memory:
        memory.remember("Always run the linter before a commit", scope="global")
        memory.remember("The crane is out of order", type="project")
    home = str(isolated_home / ".reverie")
    assert not Path(prepared(home, ELSEWHERE)).exists()
    assert run([*CONNECT, "--yes"]) == 0
    assert "crane" in Path(prepared(home, project_key(str(folder)))).read_text(encoding="utf-8")
    elsewhere = Path(prepared(home, ELSEWHERE)).read_text(encoding="utf-8")
    assert "linter" in elsewhere and "crane" not in elsewhere
    assert run(["connect", "claude-code", "--no-digest", "--yes"]) == 0
    assert not Path(prepared(home, ELSEWHERE)).exists()


def test_a_home_without_memories_is_not_filled_by_connecting(isolated_home: Path) -> None:
    assert run([*CONNECT, "--yes"]) == 0
    assert not (isolated_home / ".reverie" / "memory.db").exists()
    assert not (isolated_home / ".reverie" / "index.db").exists()
