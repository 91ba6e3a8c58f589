"""Whose logs they are: known by their place, and by who names another one."""

import subprocess
from pathlib import Path

import pytest
from tests.commands import let_scripts_speak
from tests.sessions.logs import claude, prompt, reply, written

from reverie.memory import Memory
from reverie.operations import learning
from reverie.sessions.logs.vouching import Tracked

RULE = "No, that's wrong. Never use npm in this repo, always use `crate` to install packages."


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of the user's account, whatever a variable says."""
    home = tmp_path / "account"
    home.mkdir()
    monkeypatch.setattr("reverie.config.account", lambda _: {"HOME": str(home)})
    return home


def log_in(root: Path) -> Path:
    lines = claude(prompt("please install the packages"), reply("npm install"), prompt(RULE))
    written(root / "projects" / "-w-app", lines)
    return root


def learned(memory: Memory, logs: Path | None = None, *, mine: bool = False) -> list[str]:
    """Learn, and say with which trust, and what became of it."""
    report = learning.learn(memory, logs, jobs=1, mine=mine)
    return [f"{candidate.trust} {outcome.action}" for candidate, outcome in report.outcomes]


def in_a_shell(memory: Memory) -> Memory:
    memory.agent_above = lambda: "claude-code"
    return memory


@pytest.mark.hostile("M1")
@pytest.mark.parametrize("way", ["--logs", "CLAUDE_CONFIG_DIR", "HOME"])
def test_an_agents_shell_names_no_place_of_logs(
    way: str, account: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = log_in(tmp_path / "evil" / (".claude" if way == "HOME" else ""))
    if way != "--logs":
        monkeypatch.setenv(way, str(tmp_path / "evil"))
    with in_a_shell(Memory.open()) as memory:
        assert learned(memory, evil if way == "--logs" else None) == ["agent queued"]


@pytest.mark.hostile("M1")
def test_a_variable_of_an_agents_shell_names_no_folder_of_settings(
    account: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_SESSIONS_ROOTS", str(log_in(tmp_path / "evil")))
    with in_a_shell(Memory.open()) as memory:
        assert learned(memory) == ["agent queued"]


def test_an_agents_shell_learns_from_the_account_s_own_places(
    account: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_in(account / ".claude")
    monkeypatch.setenv("HOME", str(account))
    with in_a_shell(Memory.open()) as memory:
        assert learned(memory) == ["user created"]


def test_what_a_person_learned_from_is_known_to_an_agents_shell(
    account: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = tmp_path / "moved"
    moved.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(moved))
    (moved / "history.jsonl").write_text('{"display":"hi","project":"/w","sessionId":"s"}\n')
    with Memory.open() as memory:
        memory.learn(jobs=1)
    log_in(moved)
    with in_a_shell(Memory.open()) as memory:
        assert learned(memory) == ["user created"]


def test_a_folder_that_a_person_or_a_script_names_is_believed(
    account: Path, tmp_path: Path
) -> None:
    with Memory.open() as memory:
        assert learned(memory, log_in(tmp_path / "logs")) == ["user created"]


@pytest.mark.hostile("M1")
def test_what_grows_after_it_was_doubted_is_still_doubted(account: Path, tmp_path: Path) -> None:
    evil = tmp_path / "evil"
    first = claude(prompt("please install the packages"), reply("npm install"))
    log = written(evil / "projects" / "-w-app", first)
    with in_a_shell(Memory.open()) as memory:
        learning.learn(memory, evil, jobs=1)
    log_in(evil)
    assert log.is_file()
    with Memory.open() as memory:
        assert learned(memory, evil) == ["agent queued"]


def commit(root: Path, *files: str) -> None:
    for words in (["init", "-q"], ["add", "-f", *files]):
        subprocess.run(["git", "-C", str(root), *words], check=True)


@pytest.mark.hostile("M1")
@pytest.mark.parametrize("linked", [".claude", ".claude/projects"])
def test_a_place_of_logs_that_is_a_link_into_a_work_tree_is_nobodys(
    linked: str, account: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = log_in(tmp_path / "tree")
    commit(tree, ".")
    place = account / linked
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(tree / "projects" if "/" in linked else tree)
    monkeypatch.setenv("HOME", str(account))
    with Memory.open() as memory:
        assert learned(memory) == ["agent queued"]


@pytest.mark.hostile("M1")
@pytest.mark.parametrize("mode", [0o602, 0o666, 0o622])
def test_a_log_that_others_may_write_is_nobodys(
    mode: int, account: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = next(log_in(account / ".claude").rglob("*.jsonl"))
    log.chmod(mode)
    monkeypatch.setenv("HOME", str(account))
    with Memory.open() as memory:
        assert learned(memory) == ["agent queued"]


def test_a_log_that_the_persons_own_group_may_write_is_theirs(
    account: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = next(log_in(account / ".claude").rglob("*.jsonl"))
    log.chmod(0o660)
    monkeypatch.setattr("reverie.sessions.logs.vouching._is_of_one", lambda _: True)
    monkeypatch.setenv("HOME", str(account))
    with Memory.open() as memory:
        assert learned(memory) == ["user created"]


@pytest.mark.hostile("M1")
def test_a_log_of_another_account_is_nobodys(
    account: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_in(account / ".claude")
    monkeypatch.setenv("HOME", str(account))
    monkeypatch.setattr("reverie.sessions.logs.vouching._me", lambda: 54_321)
    monkeypatch.setattr("reverie.sessions.logs.vouching._ROOT", 54_322)
    with Memory.open() as memory:
        assert learned(memory) == ["agent queued"]


@pytest.mark.hostile("M1")
def test_logs_that_git_tracks_are_of_whoever_committed_them(account: Path, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    log_in(repo / "evil")
    commit(repo, "evil")
    with Memory.open() as memory:
        report = learning.learn(memory, repo, jobs=1)
        assert [path.is_relative_to(repo) for path in report.index.doubted] == [True]
        assert [candidate.trust for candidate, _ in report.outcomes] == ["agent"]
        # A person says that it is theirs, once, and need not say so again.
        assert learned(memory, repo, mine=True) == ["user created"]
        assert learned(memory, repo) == []


@pytest.mark.hostile("M1")
@pytest.mark.parametrize("way", ["--logs", "CLAUDE_CONFIG_DIR"])
def test_logs_that_lie_in_a_repository_are_nobody_s_until_a_person_says_so(
    way: str, account: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = tmp_path / "repo"
    log_in(repo / "unpacked")
    (repo / "README").write_text("hello")
    commit(repo, "README")
    if way != "--logs":
        monkeypatch.setenv(way, str(repo / "unpacked"))
    named = repo if way == "--logs" else None
    with Memory.open() as memory:
        assert learned(memory, named) == ["agent queued"]
        assert learned(memory, named) == []
        assert learned(memory, repo, mine=True) == ["user created"]


def test_a_folder_that_the_settings_name_may_lie_in_a_repository(
    account: Path, isolated_home: Path, tmp_path: Path
) -> None:
    repo = tmp_path / "repo"
    log_in(repo / "own")
    (repo / "README").write_text("hello")
    commit(repo, "README")
    home = isolated_home / ".reverie"
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(f'[sessions]\nroots = ["{repo / "own"}"]\n')
    with Memory.open() as memory:
        assert learned(memory) == ["user created"]


@pytest.mark.parametrize("version", ["2", "4"])
def test_what_git_tracks_is_read_from_its_index(version: str, tmp_path: Path) -> None:
    for name in ("chat.json", "a/chat.json", "long/" + "x" * 200 + "/chat.json", "a/other.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    commit(tmp_path, "a/chat.json", "long")
    update = ["git", "-C", str(tmp_path), "update-index", "--index-version", version]
    subprocess.run(update, check=True)
    tracked = Tracked()
    assert tracked(tmp_path / "a/chat.json")
    assert tracked(tmp_path / "long" / ("x" * 200) / "chat.json")
    # Names of version 4 are not whole: what cannot be told is taken for tracked.
    assert tracked(tmp_path / "chat.json") is (version == "4")
    assert tracked(tmp_path / "a/other.json") is (version == "4")


def test_a_script_speaks_for_the_person_by_their_file_alone(
    isolated_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_TRUST_SCRIPTS", "user")
    with Memory.open() as memory:
        assert memory.settings.trust.scripts == "agent"
        let_scripts_speak(memory.config.home)
    with Memory.open() as memory:
        assert memory.settings.trust.scripts == "user"
    monkeypatch.setenv("REVERIE_TRUST_SCRIPTS", "agent")
    with Memory.open() as memory:
        assert memory.settings.trust.scripts == "agent"
