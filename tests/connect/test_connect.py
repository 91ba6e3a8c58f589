"""Connecting an agent and undoing it, to the byte."""

import io
import json
import os
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest

from reverie.cli.root import run
from reverie.connect.clients import entry

CLAUDE = '{\n  "numStartups": 3,\n  "mcpServers": {\n    "other": {"command": "o"}\n  }\n}'
CODEX = '# mine\nmodel = "o"  # why\n\n[mcp_servers.other]\ncommand = "o"\n'

OPENCODE = CLAUDE.replace("mcpServers", "mcp")

FILES = {
    "claude-code": (".claude.json", CLAUDE),
    "codex": (".codex/config.toml", CODEX),
    "gemini": (".gemini/settings.json", CLAUDE),
    "opencode": (".config/opencode/opencode.json", OPENCODE),
    "copilot": (".copilot/mcp-config.json", CLAUDE),
    "cursor": (".cursor/mcp.json", CLAUDE),
}


def settings(home: Path, agent: str, content: str | None) -> Path:
    file = home / FILES[agent][0]
    file.parent.mkdir(parents=True, exist_ok=True)
    if content is not None:
        file.write_bytes(content.encode())
    return file


def entry_of(agent: str, file: Path) -> object:
    text = file.read_text(encoding="utf-8")
    if agent == "codex":
        return tomllib.loads(text)["mcp_servers"].get("reverie")
    return json.loads(text)["mcp" if agent == "opencode" else "mcpServers"].get("reverie")


@pytest.mark.parametrize("agent", FILES)
@pytest.mark.parametrize("kind", ["present", "absent", "empty", "crlf"])
def test_undo_restores_the_very_bytes(isolated_home: Path, agent: str, kind: str) -> None:
    given = FILES[agent][1]
    content = {"present": given, "absent": None, "empty": "", "crlf": given.replace("\n", "\r\n")}
    file = settings(isolated_home, agent, content[kind])
    before = file.read_bytes() if file.exists() else None
    assert run(["connect", agent, "--yes"]) == 0
    assert entry_of(agent, file)
    assert run(["connect", agent, "--undo", "--yes"]) == 0
    assert (file.read_bytes() if file.exists() else None) == before


@pytest.mark.parametrize("agent", FILES)
def test_connecting_twice_changes_nothing_more(isolated_home: Path, agent: str) -> None:
    file = settings(isolated_home, agent, FILES[agent][1])
    run(["connect", agent, "--yes"])
    once = file.read_bytes()
    run(["connect", agent, "--yes"])
    assert file.read_bytes() == once


@pytest.mark.parametrize("agent", FILES)
def test_what_the_agent_wrote_meanwhile_survives_the_undo(isolated_home: Path, agent: str) -> None:
    file = settings(isolated_home, agent, FILES[agent][1])
    run(["connect", agent, "--yes"])
    if agent == "codex":
        file.write_text(file.read_text() + '\n[tui]\ntheme = "dark"\n')
    else:
        file.write_text(file.read_text().replace('"numStartups": 3', '"numStartups": 4'))
    run(["connect", agent, "--undo", "--yes"])
    text = file.read_text()
    assert entry_of(agent, file) is None
    assert ("dark" if agent == "codex" else '"numStartups": 4') in text
    assert "other" in text


def test_the_diff_is_shown_and_nothing_is_written_without_a_yes(
    isolated_home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = settings(isolated_home, "claude-code", CLAUDE)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert run(["connect", "claude-code"]) == 5
    shown = capsys.readouterr().out
    assert '+    "reverie": {' in shown
    assert file.read_text() == CLAUDE
    assert run(["connect", "claude-code", "--dry-run"]) == 0
    assert file.read_text() == CLAUDE


def test_mode_and_link_of_the_settings_stay(isolated_home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text(CLAUDE)
    real.chmod(0o640)
    (isolated_home / ".claude.json").symlink_to(real)
    run(["connect", "claude-code", "--yes"])
    assert (isolated_home / ".claude.json").is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert "reverie" in real.read_text()


def test_the_backup_is_for_the_user_only(isolated_home: Path) -> None:
    settings(isolated_home, "claude-code", CLAUDE)
    run(["connect", "claude-code", "--yes"])
    backup = isolated_home / ".reverie" / "connections" / "claude-code.before"
    assert backup.read_text() == CLAUDE
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("agent", "content"),
    [
        ("claude-code", "{ not json"),
        ("claude-code", '{"mcpServers": []}'),
        ("codex", "not = = toml"),
        ("codex", "mcp_servers = 1\n"),
    ],
)
def test_settings_that_cannot_be_edited_are_left_alone(
    isolated_home: Path, agent: str, content: str
) -> None:
    file = settings(isolated_home, agent, content)
    assert run(["connect", agent, "--yes"]) == 2
    assert file.read_text() == content


def test_an_unknown_agent_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["connect", "nobody"]) == 3
    assert "one of claude-code, codex" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="the entry starts through a POSIX shell")
def test_a_removed_installation_says_so_in_one_line(tmp_path: Path) -> None:
    gone = str(tmp_path / "venv" / "bin" / "python")
    server = entry("codex", gone, home=str(tmp_path))
    done = subprocess.run([server["command"], *server["args"]], capture_output=True, text=True)
    assert done.returncode == 127
    assert done.stdout == ""
    assert done.stderr == (
        f"reverie: {gone} is gone; reinstall Reverie and run: reverie connect codex\n"
    )


@pytest.mark.parametrize("others", ["", " \n", '{"hooks": []}', "// a comment\n{}"])
def test_a_file_that_was_never_ours_does_not_stop_the_undo(
    isolated_home: Path, others: str
) -> None:
    file = isolated_home / ".claude" / "settings.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(others, encoding="utf-8")
    assert run(["connect", "claude-code", "--yes"]) == 0
    assert run(["connect", "claude-code", "--undo", "--yes"]) == 0
    assert file.read_text(encoding="utf-8") == others


def test_servers_in_an_inline_table_are_joined_by_ours(isolated_home: Path) -> None:
    text = 'mcp_servers = { other = { command = "o" } } # mine\n'
    file = settings(isolated_home, "codex", text)
    assert run(["connect", "codex", "--yes"]) == 0
    servers = tomllib.loads(file.read_text(encoding="utf-8"))["mcp_servers"]
    assert set(servers) == {"other", "reverie"}
    assert run(["connect", "codex", "--undo", "--yes"]) == 0
    assert file.read_text(encoding="utf-8") == text


def test_a_text_that_only_looks_like_our_table_is_never_cut(isolated_home: Path) -> None:
    text = 'note = """\n[mcp_servers.reverie]\nkeep me\n"""\n'
    file = settings(isolated_home, "codex", text)
    assert run(["connect", "codex", "--yes"]) == 0
    assert file.read_text(encoding="utf-8").startswith(text)
    assert run(["connect", "codex", "--undo", "--yes"]) == 0
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.hostile("DO4")
@pytest.mark.parametrize("agent", FILES)
def test_nothing_is_left_of_a_connection_that_was_undone(isolated_home: Path, agent: str) -> None:
    more = {"claude-code": ["--plain", "--hooks"], "codex": ["--hooks", "--hint"]}.get(agent, [])
    before = sorted(isolated_home.rglob("*"))
    assert run(["connect", agent, *more, "--yes"]) == 0
    assert run(["connect", agent, "--undo", "--yes"]) == 0
    assert sorted(isolated_home.rglob("*")) == before


def test_undoing_one_of_two_agents_leaves_what_the_other_needs(isolated_home: Path) -> None:
    for agent in ("codex", "cursor"):
        assert run(["connect", agent, "--yes"]) == 0
    assert run(["connect", "codex", "--undo", "--yes"]) == 0
    assert not (isolated_home / ".codex").exists()
    assert "digest = true" in (isolated_home / ".reverie" / "config.toml").read_text()
    (isolated_home / ".cursor" / "mine.txt").write_text("stays", encoding="utf-8")
    (isolated_home / ".reverie" / "config.toml").write_text(
        "[learn]\njobs = 2\n\n[hooks]\ndigest = true\n", encoding="utf-8"
    )
    assert run(["connect", "cursor", "--undo", "--yes"]) == 0
    assert [path.name for path in (isolated_home / ".cursor").iterdir()] == ["mine.txt"]
    config = (isolated_home / ".reverie" / "config.toml").read_text(encoding="utf-8")
    assert tomllib.loads(config) == {"learn": {"jobs": 2}}


def test_without_hooks_it_is_said_who_learns(
    isolated_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "nothing is learned from your sessions until you run `reverie learn`"
    assert run(["connect", "claude-code", "--plain", "--yes"]) == 0
    told = capsys.readouterr().err
    assert said in told
    assert "reverie schedule install" in told
    assert "reverie connect claude-code --hooks" in told
    assert run(["connect", "cursor", "--yes"]) == 0
    assert "--hooks" not in capsys.readouterr().err
    for _ in range(2):
        assert run(["connect", "claude-code", "--plain", "--hooks", "--yes"]) == 0
        assert said not in capsys.readouterr().err
    # Once there are hooks, connecting again needs no reminder.
    assert run(["connect", "claude-code", "--plain", "--yes"]) == 0
    assert said not in capsys.readouterr().err
