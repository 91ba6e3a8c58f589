"""What `connect` asks: once each, answered yes unless somebody says no, taken back by `--undo`."""

import io
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command, Ran

from reverie import OWNER, Memory
from reverie.cli.root import run
from reverie.handover import ELSEWHERE, prepared, project_key

CONNECT = ("connect", "claude-code", "--plain", "--hooks")
QUESTION = "May a short digest of what you taught (up to 2,000 characters) be shown"


def settings(home: Path, section: str) -> dict[str, Any]:
    file = home / ".reverie" / "config.toml"
    found = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found.get(section, {})


def hooks(home: Path) -> dict[str, Any]:
    return settings(home, "hooks")


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


FOLLOW = "May what Claude Code and Codex save as their own memory be taken over"


@pytest.mark.parametrize(
    ("answers", "expected"),
    [("y\ny\n\n\n", True), ("y\ny\ny\ny\n", True), ("y\ny\ny\nn\n", False), ("y\ny\ny\n", None)],
)
@pytest.mark.proves("D8")
def test_agents_own_memory_is_asked_about_once_and_undone_with_the_last_agent(
    command: Command, isolated_home: Path, answers: str, expected: bool | None
) -> None:
    def answer() -> bool | None:
        return settings(isolated_home, "learn").get("agent_memory")

    ran = command(*CONNECT, given=answers)
    assert ran.code == 0, ran.err
    assert ran.err.count(FOLLOW) == 1
    assert ("--follow or --no-follow" in ran.err) is (expected is None)
    assert answer() is expected
    assert FOLLOW not in command("connect", "gemini", "--yes").err
    assert answer() is expected
    if expected is not None:
        assert FOLLOW not in command("connect", "codex", given="y\n").err
        assert command("connect", "codex", "--yes").code == 0
        assert answer() is expected
    assert command("connect", "codex", "--follow", "--yes").code == 0
    assert answer() is True
    for agent in ("claude-code", "codex", "gemini"):
        assert command("connect", agent, "--undo", "--yes").code == 0
    assert not (isolated_home / ".reverie").exists()


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


ENGINE = "May Reverie let Claude Code distil lessons when a session ends"


class Typist(io.StringIO):
    """A terminal at which the answers are typed."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(command: Command, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run a command at a terminal, with answers to what it asks."""

    def call(*arguments: str, answers: str) -> Ran:
        monkeypatch.setattr("sys.stdin", Typist(answers))
        return command(*arguments)

    return call


def engine(home: Path) -> str | None:
    return settings(home, "engines").get("default")


# Two files, the digest and agents' own memory are asked about before.
BEFORE = "y\ny\ny\ny\n"


@pytest.mark.parametrize(
    ("answers", "expected", "times"),
    [
        ("y\n", "claude-code", 1),
        ("n\n", "rules", 1),
        ("\n\nyes\n", "claude-code", 3),
        ("perhaps\nno\n", "rules", 2),
        ("", None, 1),
        ("\n\n", None, 3),
    ],
)
@pytest.mark.proves("D7")
def test_whether_an_agent_may_think_is_asked_without_an_answer_of_its_own(
    typed: Callable[..., Ran], isolated_home: Path, answers: str, expected: str | None, times: int
) -> None:
    ran = typed(*CONNECT, answers=BEFORE + answers)
    assert ran.code == 0, ran.err
    assert ran.err.count(ENGINE) == times
    cost = "about 6,000 tokens a session, counted against your plan or bill"
    assert f"{ENGINE} ({cost}, at most" in ran.err
    assert "20 sessions, 200,000 tokens or $1 a day)? [y/n]" in ran.err
    assert engine(isolated_home) == expected


@pytest.mark.proves("D7")
def test_neither_yes_nor_a_pipe_nor_an_agent_can_agree_to_it(
    command: Command,
    typed: Callable[..., Ran],
    isolated_home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for ran in (
        command(*CONNECT, "--yes"),
        command(*CONNECT, given="y\ny\ny\ny\ny\ny\ny\n"),
        command("connect", "codex", "--hooks", "--yes"),
    ):
        assert ran.code == 0, ran.err
        assert "distil lessons when a session ends (" not in ran.err
        assert "lets it distil lessons" in ran.err
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "distil lessons when a session ends (" not in typed(*CONNECT, answers="y\n" * 9).err
    refused = command("engines", "use", "claude-code")
    assert (refused.code, engine(isolated_home)) == (5, None)


def test_a_yes_of_an_agent_answers_nothing_for_the_person(
    command: Command, isolated_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    ran = command(*CONNECT, "--yes")
    assert ran.code == 0, ran.err
    assert "not answered for you: --digest or --no-digest" in ran.err
    assert "not answered for you: --follow or --no-follow" in ran.err
    assert not (isolated_home / ".reverie" / "config.toml").exists()


def test_it_is_asked_once_of_each_client_and_undone_with_it(
    typed: Callable[..., Ran], command: Command, isolated_home: Path
) -> None:
    codex = ("connect", "codex", "--hooks")
    typed(*CONNECT, answers=BEFORE + "y\n")
    assert ENGINE not in typed(*CONNECT, answers="").err
    ran = typed(*codex, answers="y\ny\ny\n")
    assert "May Reverie let Codex distil lessons" in ran.err
    assert engine(isolated_home) == "own"
    assert "distil" not in typed(*codex, answers="").err
    assert command("connect", "claude-code", "--undo", "--yes").code == 0
    assert engine(isolated_home) == "codex"
    assert command("connect", "codex", "--undo", "--yes").code == 0
    assert engine(isolated_home) is None
    assert not (isolated_home / ".reverie").exists()


def test_a_no_is_a_no_to_the_other_client_too(
    typed: Callable[..., Ran], isolated_home: Path
) -> None:
    typed(*CONNECT, answers=BEFORE + "n\n")
    assert "distil" not in typed("connect", "codex", "--hooks", answers="y\ny\n").err
    assert engine(isolated_home) == "rules"


def test_without_hooks_nobody_knows_that_a_session_ended_and_nothing_is_asked(
    typed: Callable[..., Ran], isolated_home: Path
) -> None:
    ran = typed("connect", "claude-code", "--plain", answers="y\ny\ny\nn\n")
    assert ran.code == 0, ran.err
    assert "distil" not in ran.err


@pytest.mark.parametrize("chosen", ["claude-code", "codex", "own", "anthropic", "rules"])
def test_it_can_be_changed_later(command: Command, isolated_home: Path, chosen: str) -> None:
    assert command("engines", "use", chosen).code == 0
    assert engine(isolated_home) == chosen
    with Memory.open(asker=OWNER) as memory:
        assert memory.settings.engines.default == chosen
    assert command("engines", "use", "gpt").code == 2
    assert engine(isolated_home) == chosen
