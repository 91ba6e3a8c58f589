"""Taking Reverie off a machine: all of it is listed, asked about, and gone; nothing else is."""

import json
from pathlib import Path

import pytest
from tests.commands import Command

from reverie import OWNER, Memory
from reverie.cli.root import run
from reverie.operations import stores


@pytest.fixture
def lived_in(isolated_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that is connected, mounted, and in a file of a project; returns the project."""
    folder = tmp_path / "harbour"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    (isolated_home / ".gemini").mkdir()
    (isolated_home / ".gemini" / "GEMINI.md").write_text("Use tabs.\n", encoding="utf-8")
    with Memory.open(folder=folder, asker=OWNER) as memory:
        memory.remember("The crane is out of order", name="crane", type="project")
        stores.mount(memory, "harbour", str(tmp_path / "shown"))
        stores.sync_mounts(memory)
    for agent in (["claude-code", "--plain", "--hooks"], ["codex", "--hint"], ["gemini"]):
        assert run(["connect", *agent, "--yes"]) == 0
    assert run(["digest", "--into", "CLAUDE.md", "--yes"]) == 0
    return folder


def files(*roots: Path) -> set[str]:
    found = (path for root in roots for path in root.rglob("*") if path.is_file())
    return {str(path) for path in found if ".git/" not in str(path)}


def test_everything_is_listed_and_nothing_goes_without_a_yes(
    lived_in: Path, isolated_home: Path, command: Command, tmp_path: Path
) -> None:
    before = files(tmp_path)
    listed = command("connect", "--undo", "--everything", "--dry-run").out
    for place in (
        isolated_home / ".claude.json",
        isolated_home / ".claude" / "settings.json",
        isolated_home / ".codex" / "config.toml",
        isolated_home / ".codex" / "AGENTS.md",
        isolated_home / ".gemini" / "GEMINI.md",
        lived_in / "CLAUDE.md",
        tmp_path / "shown",
        isolated_home / ".reverie",
    ):
        assert str(place) in listed
    assert command("connect", "--undo", "--everything", given="n\n").code == 5
    assert command("connect", "--undo", "--everything", given="").code == 5
    assert files(tmp_path) == before


def test_with_a_yes_only_what_is_not_ours_is_left(
    lived_in: Path, isolated_home: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (isolated_home / ".reverie" / "my-notes.txt").write_text("mine", encoding="utf-8")
    assert run(["connect", "--undo", "--everything", "--yes"]) == 0
    assert "my-notes.txt" in capsys.readouterr().err
    left = files(tmp_path)
    assert left == {
        str(isolated_home / ".gemini" / "GEMINI.md"),
        str(isolated_home / ".reverie" / "my-notes.txt"),
    }
    assert (isolated_home / ".gemini" / "GEMINI.md").read_text(encoding="utf-8") == "Use tabs.\n"
    (isolated_home / ".reverie" / "my-notes.txt").unlink()
    (isolated_home / ".reverie").rmdir()
    assert run(["connect", "--undo", "--everything", "--yes"]) == 0
    assert "nothing of Reverie's" in capsys.readouterr().err
    assert not (isolated_home / ".reverie").exists()


def test_a_home_that_is_a_folder_of_somebodys_stays(
    isolated_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REVERIE_HOME", str(isolated_home))
    assert run(["remember", "The till counts in cents", "--scope", "global"]) == 0
    (isolated_home / "backups").mkdir(exist_ok=True)
    assert run(["connect", "claude-code", "--plain", "--yes"]) == 0
    assert run(["connect", "--undo", "--everything", "--yes"]) == 0
    assert "is not Reverie's alone" in capsys.readouterr().err
    assert (isolated_home / "memory.db").exists() and (isolated_home / "backups").exists()
    assert not (isolated_home / ".claude.json").exists()


def test_everything_goes_with_undo_and_without_an_agent() -> None:
    assert run(["connect", "--everything"]) == 2
    assert run(["connect", "codex", "--undo", "--everything", "--yes"]) == 2
    assert run(["connect"]) == 2


def test_other_entries_of_the_same_files_stay(lived_in: Path, isolated_home: Path) -> None:
    file = isolated_home / ".claude.json"
    settings = json.loads(file.read_text(encoding="utf-8"))
    settings["mcpServers"]["other"] = {"command": "o"}
    file.write_text(json.dumps(settings), encoding="utf-8")
    assert run(["connect", "--undo", "--everything", "--yes"]) == 0
    assert list(json.loads(file.read_text(encoding="utf-8"))["mcpServers"]) == ["other"]
