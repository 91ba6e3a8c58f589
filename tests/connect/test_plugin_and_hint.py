"""The plugin put in by the client itself, and the hint in Codex's AGENTS.md."""

import json
import os
from pathlib import Path

import pytest
from tests.connect.test_plugin import client

from reverie.cli.root import run
from reverie.connect.hint_files import BEGIN
from reverie.connect.plugin import PLUGIN, installed, marketplace
from reverie.files.managed_block import END, with_line, without_line

MINE = "# My rules\n\nUse tabs.\n"


@pytest.mark.parametrize("before", [None, "", MINE, MINE.rstrip(), MINE.replace("\n", "\r\n")])
def test_the_hint_goes_in_and_out_to_the_byte(isolated_home: Path, before: str | None) -> None:
    file = isolated_home / ".codex" / "AGENTS.md"
    file.parent.mkdir()
    if before is not None:
        file.write_bytes(before.encode())
    assert run(["connect", "codex", "--hint", "--no-digest", "--yes"]) == 0
    written = file.read_bytes().decode()
    assert written.startswith(before or "")
    assert written.count(BEGIN) == written.count(END) == 1
    assert run(["connect", "codex", "--hint", "--no-digest", "--yes"]) == 0
    assert file.read_bytes().decode() == written
    assert run(["connect", "codex", "--undo", "--yes"]) == 0
    assert (file.read_bytes().decode() if file.exists() else None) == before


def test_what_was_written_beside_the_hint_stays(isolated_home: Path) -> None:
    file = isolated_home / ".codex" / "AGENTS.md"
    file.parent.mkdir()
    file.write_text(MINE, encoding="utf-8")
    assert run(["connect", "codex", "--hint", "--no-digest", "--yes"]) == 0
    file.write_text(file.read_text(encoding="utf-8") + "Never push.\n", encoding="utf-8")
    assert run(["connect", "codex", "--undo", "--yes"]) == 0
    assert file.read_text(encoding="utf-8") == MINE + "Never push.\n"


def test_the_hint_and_learned_rules_stand_beside_each_other(isolated_home: Path) -> None:
    file = isolated_home / ".codex" / "AGENTS.md"
    file.parent.mkdir()
    file.write_text(with_line(MINE, "chg_1", "- Tabs."), encoding="utf-8")
    assert run(["connect", "codex", "--hint", "--no-digest", "--yes"]) == 0
    both = with_line(file.read_text(encoding="utf-8"), "chg_2", "- Short answers.")
    assert both.count(BEGIN) == 1 and both.count(END) == 2
    file.write_text(both, encoding="utf-8")
    assert run(["connect", "codex", "--undo", "--yes"]) == 0
    left = without_line(file.read_text(encoding="utf-8"), "chg_1")
    assert without_line(left, "chg_2") == MINE


def test_half_a_block_is_left_to_the_person(isolated_home: Path) -> None:
    file = isolated_home / ".codex" / "AGENTS.md"
    file.parent.mkdir()
    for half in (BEGIN, END):
        file.write_text(f"{MINE}{half}\n", encoding="utf-8")
        assert run(["connect", "codex", "--hint", "--no-digest", "--yes"]) == 2
        assert file.read_text(encoding="utf-8") == f"{MINE}{half}\n"


def test_without_being_asked_no_hint_is_written(isolated_home: Path) -> None:
    assert run(["connect", "codex", "--no-digest", "--yes"]) == 0
    assert not (isolated_home / ".codex" / "AGENTS.md").exists()
    assert run(["connect", "cursor", "--hint", "--no-digest", "--yes"]) == 2


def fake_client(folder: Path, monkeypatch: pytest.MonkeyPatch, code: int = 0) -> Path:
    """A `claude` that writes down what it is asked for."""
    folder.mkdir()
    program = folder / "claude"
    asked = folder / "asked"
    program.write_text(f'#!/bin/sh\necho "$@" >> "{asked}"\nexit {code}\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return asked


def test_the_client_is_asked_to_put_the_plugin_in_and_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolated_home: Path
) -> None:
    asked = fake_client(tmp_path / "bin", monkeypatch)
    assert run(["connect", "claude-code", "--plugin", "--dry-run"]) == 0
    assert not asked.exists()
    assert run(["connect", "claude-code", "--plugin", "--digest", "--yes"]) == 0
    config = (isolated_home / ".reverie" / "config.toml").read_text(encoding="utf-8")
    assert "digest = true" in config
    assert run(["connect", "claude-code", "--plugin", "--undo", "--yes"]) == 0
    assert asked.read_text(encoding="utf-8").splitlines() == [
        f"plugin marketplace add {marketplace()}",
        f"plugin install {PLUGIN}",
        f"plugin uninstall {PLUGIN}",
        "plugin marketplace remove reverie",
    ]
    # The plugin brings the server: it is not entered a second time.
    assert not (isolated_home / ".claude.json").exists()


def test_a_plugin_that_would_not_find_the_command_is_warned_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_client(tmp_path / "bin", monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert run(["connect", "claude-code", "--plugin", "--no-digest", "--yes"]) == 0
    assert "which is not on the PATH" in capsys.readouterr().err
    (tmp_path / "bin" / "reverie-hook").touch(mode=0o755)
    assert run(["connect", "claude-code", "--plugin", "--no-digest", "--yes"]) == 0
    assert "PATH" not in capsys.readouterr().err


def test_undo_takes_a_plugin_out_that_the_client_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolated_home: Path
) -> None:
    asked = fake_client(tmp_path / "bin", monkeypatch)
    listed = isolated_home / ".claude" / "plugins" / "installed_plugins.json"
    assert run(["connect", "claude-code", "--undo", "--yes"]) == 0
    assert not asked.exists()
    listed.parent.mkdir(parents=True)
    listed.write_text(json.dumps({"version": 2, "plugins": {PLUGIN: []}}), encoding="utf-8")
    assert run(["connect", "claude-code", "--undo", "--dry-run"]) == 0
    assert not asked.exists()
    assert run(["connect", "claude-code", "--undo", "--yes"]) == 0
    assert asked.read_text(encoding="utf-8").splitlines()[0] == f"plugin uninstall {PLUGIN}"


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"plugins": null}'])
def test_a_list_of_plugins_that_makes_no_sense_names_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "installed_plugins.json").write_text(text, encoding="utf-8")
    assert not installed({"CLAUDE_CONFIG_DIR": str(tmp_path)})


def test_a_client_that_fails_or_is_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_client(tmp_path / "bin", monkeypatch, code=3)
    assert run(["connect", "claude-code", "--plugin", "--yes"]) == 8
    assert "ended with 3" in capsys.readouterr().err
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(["connect", "claude-code", "--plugin", "--yes"]) == 8
    assert f"claude plugin install {PLUGIN}" in capsys.readouterr().err
    assert run(["connect", "codex", "--plugin", "--yes"]) == 2


@pytest.mark.needs("claude")
def test_the_real_client_takes_the_plugin(
    monkeypatch: pytest.MonkeyPatch, isolated_home: Path, tmp_path: Path
) -> None:
    for name in ("DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "1")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").symlink_to(client())
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    settings = isolated_home / ".claude" / "settings.json"
    assert run(["connect", "claude-code", "--plugin", "--no-digest", "--yes"]) == 0
    assert json.loads(settings.read_text(encoding="utf-8"))["enabledPlugins"] == {PLUGIN: True}
    assert run(["connect", "claude-code", "--plugin", "--undo", "--yes"]) == 0
    assert json.loads(settings.read_text(encoding="utf-8"))["enabledPlugins"] == {}
