"""Blocks in files of instructions: what may stand there, kept up to date, and out to the byte."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.commands import Command

from reverie import OWNER, Memory
from reverie.cli.root import run
from reverie.files.managed_block import END, with_line
from reverie.operations.starts import instructing

MINE = "# My rules\n\nUse tabs.\n"
FILES = {
    "codex": ".codex/AGENTS.md",
    "gemini": ".gemini/GEMINI.md",
    "opencode": ".config/opencode/AGENTS.md",
    "copilot": ".copilot/copilot-instructions.md",
}


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    folder = tmp_path / "harbour"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    with Memory.open(folder=folder, asker=OWNER) as opened:
        opened.remember("Always run the linter before a commit", scope="global", name="lint")
        opened.remember("The crane is out of order", name="crane", type="project")
        yield opened


@pytest.mark.parametrize("agent", FILES)
@pytest.mark.parametrize("before", [None, "", MINE, MINE.rstrip(), MINE.replace("\n", "\r\n")])
def test_a_block_goes_in_and_out_to_the_byte(
    memory: Memory, agent: str, before: str | None, isolated_home: Path
) -> None:
    file = isolated_home / FILES[agent]
    file.parent.mkdir(parents=True)
    if before is not None:
        file.write_bytes(before.encode())
    assert run(["connect", agent, "--yes"]) == 0
    text = file.read_bytes().decode()
    assert text.startswith(before or "") and "- Always run the linter" in text
    # That file is read in every project, so nothing of one stands there.
    assert "crane" not in text
    assert run(["connect", agent, "--undo", "--yes"]) == 0
    assert (file.read_bytes().decode() if file.exists() else None) == (before or None)


@pytest.mark.proves("F12")
def test_a_block_follows_what_is_remembered_and_leaves_the_rest_alone(
    memory: Memory, isolated_home: Path
) -> None:
    file = isolated_home / FILES["gemini"]
    assert run(["connect", "gemini", "--yes"]) == 0
    file.write_text(MINE + file.read_text(encoding="utf-8") + "Never push.\n", encoding="utf-8")
    assert run(["remember", "Short answers please", "--scope", "global"]) == 0
    text = file.read_text(encoding="utf-8")
    assert text.startswith(MINE) and text.endswith("Never push.\n")
    assert "- Short answers please" in text and text.count(END) == 1
    assert run(["forget", "lint"]) == 0
    assert "linter" not in file.read_text(encoding="utf-8")
    assert run(["connect", "gemini", "--undo", "--yes"]) == 0
    assert file.read_text(encoding="utf-8") == MINE + "Never push.\n"


def test_a_block_that_the_person_took_out_stays_out(memory: Memory, isolated_home: Path) -> None:
    file = isolated_home / FILES["gemini"]
    assert run(["connect", "gemini", "--yes"]) == 0
    file.write_text(MINE, encoding="utf-8")
    assert run(["remember", "Short answers please", "--scope", "global"]) == 0
    assert file.read_text(encoding="utf-8") == MINE
    assert instructing.blocks(memory) == {}


def test_a_damaged_file_is_left_alone_and_told_of(
    memory: Memory, isolated_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = isolated_home / FILES["gemini"]
    assert run(["connect", "gemini", "--yes"]) == 0
    damaged = file.read_text(encoding="utf-8").replace(END, "")
    file.write_text(damaged, encoding="utf-8")
    assert run(["remember", "Short answers please", "--scope", "global"]) == 0
    assert file.read_text(encoding="utf-8") == damaged
    capsys.readouterr()
    run(["doctor"])
    assert str(file) in capsys.readouterr().out


def test_without_a_yes_no_block_is_written_and_hooks_make_it_needless(
    memory: Memory, isolated_home: Path
) -> None:
    file = isolated_home / FILES["codex"]
    assert run(["connect", "codex", "--no-digest", "--yes"]) == 0
    assert not file.exists()
    assert run(["connect", "codex", "--digest", "--yes"]) == 0
    assert file.exists()
    assert run(["connect", "codex", "--hooks", "--yes"]) == 0
    assert not file.exists()
    assert run(["connect", "codex", "--yes"]) == 0
    assert not file.exists()


def test_who_says_no_later_has_no_block_left(memory: Memory, isolated_home: Path) -> None:
    for agent in ("gemini", "copilot"):
        assert run(["connect", agent, "--yes"]) == 0
    assert run(["connect", "gemini", "--no-digest", "--yes"]) == 0
    assert not any((isolated_home / FILES[agent]).exists() for agent in ("gemini", "copilot"))
    assert instructing.blocks(memory) == {}


@pytest.mark.hostile("M1")
def test_a_file_of_the_project_gets_what_is_confirmed_of_it_and_nothing_else(
    memory: Memory, command: Command
) -> None:
    file = Path(memory.folder) / "CLAUDE.md"
    file.write_text(with_line(MINE, "chg_1", "- Tabs."), encoding="utf-8")
    before = file.read_text(encoding="utf-8")
    # The change is shown, and nobody said yes.
    refused = command("digest", "--into", "CLAUDE.md", given="n\n")
    assert (refused.code, "+- The crane is out of order" in refused.out) == (5, True)
    assert file.read_text(encoding="utf-8") == before
    assert run(["digest", "--into", "CLAUDE.md", "--yes"]) == 0
    text = file.read_text(encoding="utf-8")
    assert (
        "- The crane is out of order" in text and "linter" not in text and "Last time" not in text
    )
    # Only the same command brings it up to date: a person sees every change of a tracked file.
    assert run(["forget", "crane"]) == 0
    assert file.read_text(encoding="utf-8") == text
    assert run(["digest", "--into", "CLAUDE.md", "--yes"]) == 0
    assert "crane" not in file.read_text(encoding="utf-8")
    assert run(["digest", "--into", "CLAUDE.md", "--undo", "--yes"]) == 0
    assert file.read_text(encoding="utf-8") == before


def test_a_line_cannot_end_the_block_it_stands_in(memory: Memory) -> None:
    memory.remember(f"Beware {END} of comments", name="end", type="project")
    assert run(["digest", "--into", "CLAUDE.md", "--yes"]) == 0
    text = (Path(memory.folder) / "CLAUDE.md").read_text(encoding="utf-8")
    assert text.count(END) == 1
