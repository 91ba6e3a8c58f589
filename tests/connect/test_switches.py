"""The chain: environment off > bare mode > no persistent storage > settings > on."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from reverie.config import home_from
from reverie.connect.switches import (
    DEFAULTS,
    LOG_FOLDERS,
    MAX_FILE,
    MOST_FILES,
    home_of,
    settings,
    trusted,
    why_off,
)
from reverie.sessions.readers.agents import READERS
from reverie.settings import Hooks


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "reverie"
    place.mkdir()
    return place


def configure(home: Path, text: str) -> None:
    (home / "config.toml").write_text(text, encoding="utf-8")


def test_the_defaults_are_those_of_the_settings() -> None:
    assert asdict(Hooks()) == DEFAULTS


def test_the_home_is_the_one_every_command_uses(tmp_path: Path) -> None:
    for env in ({"HOME": "/x"}, {"HOME": "/x", "REVERIE_HOME": str(tmp_path)}):
        assert home_of(env) == str(home_from(env))
    assert home_of({"REVERIE_HOME": "relative"}) == ""


@pytest.mark.proves("D11")
def test_hooks_are_on_when_nothing_says_otherwise(home: Path) -> None:
    assert why_off({}, str(home)) == ""
    assert why_off({}, str(home / "not" / "yet" / "made")) == ""


@pytest.mark.proves("D11")
def test_the_first_reason_of_the_chain_is_the_one_that_is_given(home: Path) -> None:
    configure(home, "[hooks]\nenabled = false\n")
    env: dict[str, str] = {}
    assert "hooks.enabled" in why_off(env, str(home))
    env["CLAUDE_CODE_REMOTE"] = "true"
    assert "persistent" in why_off(env, str(home))
    env["CLAUDE_CODE_SIMPLE"] = "1"
    assert "bare" in why_off(env, str(home))
    env["CLAUDE_CODE_DISABLE_AUTO_MEMORY"] = "1"
    assert "AUTO_MEMORY" in why_off(env, str(home))
    env["REVERIE_DISABLE"] = "1"
    assert "REVERIE_DISABLE" in why_off(env, str(home))
    env["REVERIE_INSIDE"] = "1"
    assert "our own" in why_off(env, str(home))


def test_a_switch_set_to_no_is_not_a_yes(home: Path) -> None:
    env = {"REVERIE_DISABLE": "0", "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "false"}
    assert why_off(env, str(home)) == ""


def test_a_remote_machine_with_a_home_of_its_own_keeps_memory(home: Path) -> None:
    env = {"CLAUDE_CODE_REMOTE": "true", "REVERIE_HOME": str(home)}
    assert why_off(env, str(home)) == ""


def test_a_home_that_cannot_be_made_is_no_storage(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    file.chmod(0o444)
    if os.geteuid():
        assert "persistent" in why_off({}, str(file / "home"))
    assert "persistent" in why_off({}, "")


def test_settings_are_read_again_when_the_file_changes(home: Path) -> None:
    configure(home, "[hooks]\nevery_turns = 3\n")
    assert settings({}, str(home))["every_turns"] == 3
    assert (home / "hooks.json").stat().st_mode & 0o077 == 0
    configure(home, "[hooks]\nevery_turns = 12\n")
    assert settings({}, str(home))["every_turns"] == 12
    (home / "hooks.json").write_text("{broken", encoding="utf-8")
    assert settings({}, str(home))["every_turns"] == 12
    (home / "config.toml").unlink()
    assert settings({}, str(home)) == DEFAULTS


def test_variables_win_over_the_file(home: Path) -> None:
    configure(home, "[hooks]\nevery_turns = 3\ndigest = true\n")
    env = {"REVERIE_HOOKS_EVERY_TURNS": "5", "REVERIE_HOOKS_DIGEST": "no"}
    found = settings(env, str(home))
    assert (found["every_turns"], found["digest"]) == (5, False)


@pytest.mark.parametrize("text", ["[hooks]\nevery_turns = 'x'\n", "not toml", "[other]\na = 1\n"])
def test_settings_that_make_no_sense_count_as_not_given(text: str, home: Path) -> None:
    configure(home, text)
    assert settings({}, str(home)) == DEFAULTS


SET = {
    "REVERIE_HOME": "/evil",
    "REVERIE_DATABASE_URL": "postgresql://evil/x",
    "REVERIE_PRIVACY_REDACT": "0",
    "REVERIE_DISABLE": "1",
    "PATH": "/bin",
}


@pytest.mark.proves("D6")
@pytest.mark.hostile("T5")
def test_an_entry_that_names_its_home_listens_to_no_variable_that_turns_something_on() -> None:
    kept = {"REVERIE_HOME": "/mine", "REVERIE_DISABLE": "1", "PATH": "/bin"}
    assert trusted(SET, "/mine") == kept


@pytest.mark.proves("D6")
@pytest.mark.hostile("T5")
@pytest.mark.parametrize(
    ("file", "text"),
    [
        (".claude/settings.json", '{"env": {"REVERIE_HOME": "/evil"}}'),
        (".claude/settings.local.json", '{"env": {"REVERIE_HOME": "/evil"}}'),
        (".claude/settings.json", '{"env": {"REVERIE\\u005fHOME": "/evil"}}'),
        (".claude/settings.json", " " * (MAX_FILE + 1)),
        (".gemini/.env", "REVERIE_HOME=/evil"),
        (".env", "export REVERIE_HOME=/evil"),
    ],
)
@pytest.mark.parametrize("above", [True, False])
def test_variables_a_project_speaks_of_do_not_count(
    tmp_path: Path, file: str, text: str, above: bool
) -> None:
    inside = tmp_path / "repo" / "src"
    place = (tmp_path / "repo" if above else inside) / file
    place.parent.mkdir(parents=True)
    inside.mkdir(parents=True, exist_ok=True)
    kept = {"REVERIE_DISABLE": "1", "PATH": "/bin"}
    assert trusted(SET, folder=str(inside)) == SET
    place.write_text(text, encoding="utf-8")
    assert trusted(SET, folder=str(inside)) == kept
    # Hooks run where the agent went, not where the client was started.
    started = {"CLAUDE_PROJECT_DIR": str(inside)}
    assert trusted(SET | started, folder="/") == kept | started


@pytest.mark.proves("D6")
@pytest.mark.hostile("T5")
@pytest.mark.parametrize(
    "file",
    [
        "opencode.json", ".opencode/opencode.jsonc", ".vscode/settings.json", ".vscode/mcp.json",
        ".cursor/mcp.json", ".envrc", "mise.toml", "mise/config.toml", ".config/mise/config.toml",
        ".config/mise/conf.d/a.toml", ".devcontainer/devcontainer.json", ".devcontainer/x/y.json",
        ".env.local", ".env.development.local", ".idea/workspace.xml", "shop.code-workspace",
        ".github/copilot/settings.json", ".worktreeinclude", "flake.nix", "compose.yaml",
        ".profile",
        ".a-client-of-tomorrow/anything.json",
    ],
)  # fmt: skip
def test_no_settings_of_a_repository_name_our_variables(tmp_path: Path, file: str) -> None:
    repository = tmp_path / "repo"
    (repository / ".git").mkdir(parents=True)
    inside = repository / "src"
    inside.mkdir()
    place = repository / file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text('MINE = "$HOME" # XDG_HOME_CONFIG, CODEX_HOMES', encoding="utf-8")
    moved = SET | {"HOME": "/moved", "CODEX_HOME": "/c", "HTTPS_PROXY": "http://x"}
    assert trusted(moved, folder=str(inside)) == moved
    place.write_text('{"env": {"REVERIE_HOME": "/evil"}}', encoding="utf-8")
    assert not trusted(moved, folder=str(inside)).keys() & {"REVERIE_HOME"}
    place.write_text("&#82;EVERIE\\x5fHOME=/evil", encoding="utf-8")
    assert "REVERIE_HOME" not in trusted(moved, folder=str(inside))
    place.write_text('HOME = "/x"\nCODEX_HOME: /y\nHTTPS_PROXY=http://y', encoding="utf-8")
    found = trusted(moved, folder=str(inside))
    assert found["HOME"] != "/moved" and not found.keys() & {"CODEX_HOME", "HTTPS_PROXY"}


@pytest.mark.hostile("T5")
def test_what_is_no_setting_may_speak_of_our_variables(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name in (
        *("README.md", "src/a.json", "package-lock.json", ".git/config", "main.py", "Makefile"),
        *(".ci/run", ".a_cache/x.json", ".venv/pyvenv.cfg"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("REVERIE_HOME", encoding="utf-8")
    assert trusted(SET, folder=str(tmp_path)) == SET


@pytest.mark.hostile("T5")
def test_more_settings_than_are_read_may_say_anything(tmp_path: Path) -> None:
    (tmp_path / ".many").mkdir()
    for number in range(MOST_FILES + 2):
        (tmp_path / ".many" / f"{number}.json").touch()
    assert "REVERIE_HOME" not in trusted(SET, folder=str(tmp_path))


@pytest.mark.hostile("T5")
def test_a_project_cannot_move_the_users_own_folder(tmp_path: Path) -> None:
    moved = {"HOME": str(tmp_path)}
    assert trusted(moved, folder=str(tmp_path)) == moved
    (tmp_path / ".env").write_text(f"HOME={tmp_path}\n", encoding="utf-8")
    assert trusted(moved, folder=str(tmp_path))["HOME"] != str(tmp_path)


@pytest.mark.hostile("T5")
@pytest.mark.parametrize("home", ["", "/mine"])
def test_a_project_cannot_say_where_an_agent_keeps_its_logs(tmp_path: Path, home: str) -> None:
    moved = {"CLAUDE_CONFIG_DIR": str(tmp_path), "CODEX_HOME": str(tmp_path), "PATH": "/bin"}
    rest = {"PATH": "/bin"} | ({"REVERIE_HOME": home} if home else {})
    assert trusted(moved, home, str(tmp_path)) == moved | rest
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"env": {"CLAUDE_CONFIG_DIR": "evil"}}', encoding="utf-8")
    assert trusted(moved, home, str(tmp_path)) == rest
    here = {"HOME": str(tmp_path)}
    settings.write_text('{"env": {"HOME": "evil"}}', encoding="utf-8")
    assert trusted(here, home, str(tmp_path))["HOME"] != str(tmp_path)


def test_every_variable_that_readers_find_logs_by_is_known_here() -> None:
    class Asked(dict[str, str]):
        def __missing__(self, name: str) -> str:
            raise KeyError(name)

        def get(self, key: str, default: Any = None) -> Any:
            asked.add(key)
            return "/there"

    asked: set[str] = set()
    for reader in READERS:
        reader.roots(Asked())
    # `HOME` is judged on its own, `USERPROFILE` stands in for it.
    assert asked - {"HOME"} == set(LOG_FOLDERS) - {"USERPROFILE"}


@pytest.mark.hostile("R3")
def test_a_pipe_among_the_settings_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".env")
    assert trusted(SET, folder=str(tmp_path)) == SET
