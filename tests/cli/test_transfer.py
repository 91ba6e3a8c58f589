"""`reverie import` and `reverie export`: out and back, what is refused, what leaves no trace."""

import json
import os
import shutil
from pathlib import Path

import pytest

from reverie.cli.root import run
from reverie.privacy import SEAL_FILE, seal_key
from reverie.sealing import Sealer
from reverie.store.model import Actor, Author
from reverie.store.store import Store

ME = Author(Actor("user"))
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def filled(isolated_home: Path) -> Path:
    with Store.open(
        f"sqlite:///{isolated_home}/.reverie/memory.db",
        sealer=Sealer(lambda: seal_key(Path(os.environ["REVERIE_HOME"]))),
    ) as store:
        store.create_store("global")
        store.create("global", "/lint.md", "Run the linter first.\n", ME)
        store.update("global", "/lint.md", content="Run the linter last.\n", by=ME)
    return isolated_home


@pytest.mark.hostile("DO1")
@pytest.mark.parametrize("target", ["out", "out.tar.gz"])
def test_export_and_import_into_a_new_home_are_the_identity(
    filled: Path, target: str, monkeypatch: pytest.MonkeyPatch
):
    first, second = filled / target, filled / f"again-{target}"
    assert run(["export", str(first)]) == 0
    before = Path(os.environ["REVERIE_HOME"])
    other = filled / "other"
    other.mkdir(mode=0o700)
    # Another home of the same person knows what was sealed in the first.
    shutil.copy(before / SEAL_FILE, other)
    monkeypatch.setenv("REVERIE_HOME", str(other))
    assert run(["import", str(first)]) == 0
    assert run(["export", str(second)]) == 0
    pairs = [(first, second)] if first.is_file() else [
        (file, second / file.relative_to(first)) for file in first.rglob("*") if file.is_file()
    ]  # fmt: skip
    assert pairs
    assert all(one.read_bytes() == other.read_bytes() for one, other in pairs)


def test_an_archive_of_another_home_says_that_it_is_trusted_less(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert run(["remember", "--pin", "The drawer sticks in winter"]) == 0
    assert run(["export", str(filled / "out")]) == 0
    monkeypatch.setenv("REVERIE_HOME", str(filled / "other"))
    assert run(["import", str(filled / "out")]) == 0
    assert "another home made this" in capsys.readouterr().err
    assert run(["memories", "--all", "--pinned", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert run(["doctor"]) == 0


def test_an_export_of_nothing_says_what_is_missing(filled: Path, capsys):
    assert run(["export"]) == 2
    assert "--long-term" in capsys.readouterr().err


@pytest.mark.hostile("X1")
def test_a_secret_in_an_imported_file_is_replaced(filled: Path, capsys):
    notes = filled / "notes"
    notes.mkdir()
    (notes / "vault.md").write_text(f"The vault opens with {SECRET} at night.\n")
    (notes / f"{SECRET}.md").write_text("The vault is sealed on Sundays.\n")
    capsys.readouterr()
    assert run(["import", str(notes), "--store", "global", "--json"]) == 0
    (done,) = json.loads(capsys.readouterr().out)
    assert done["redacted"] == 1
    assert [one["why"] for one in done["skipped"]] == ["its name holds a secret"]
    for file in (filled / ".reverie").rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes()


def test_claude_codes_memory_is_not_read_when_it_is_switched_off(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    folder = filled / ".claude/projects/key/memory"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("The vault is sealed at night.\n")
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")
    assert run(["import"]) == 5
    assert "switched off" in capsys.readouterr().err
    monkeypatch.delenv("CLAUDE_CODE_DISABLE_AUTO_MEMORY")
    assert run(["import"]) == 0
    assert "wrote 1" in capsys.readouterr().err


def test_an_import_can_be_tried_and_undone(filled: Path, capsys):
    notes = filled / "notes"
    notes.mkdir()
    (notes / "vault.md").write_text("The vault is sealed at night.\n")
    assert run(["import", str(notes), "--store", "global", "--dry-run"]) == 0
    assert "/vault.md" in capsys.readouterr().out
    assert run(["import", str(notes), "--undo"]) == 3
    assert run(["import", str(notes), "--store", "global"]) == 0
    assert run(["import", str(notes), "--undo"]) == 0
    assert run(["show", "global:vault"]) == 3


@pytest.mark.hostile("DO3")
def test_a_deleted_store_leaves_no_word_in_the_home(filled: Path):
    assert run(["mount", "global", str(filled / "shown")]) == 0
    assert run(["unmount", str(filled / "shown"), "--delete"]) == 0
    assert run(["stores", "delete", "global", "--yes"]) == 0
    for file in filled.rglob("*"):
        assert not file.is_file() or b"linter" not in file.read_bytes(), file


@pytest.mark.hostile("DO4")
def test_without_the_home_and_the_mounts_nothing_is_left(isolated_home: Path):
    import shutil

    before = set(isolated_home.rglob("*"))
    with Store.open(
        f"sqlite:///{isolated_home}/.reverie/memory.db",
        sealer=Sealer(lambda: seal_key(Path(os.environ["REVERIE_HOME"]))),
    ) as store:
        store.create_store("global")
        store.create("global", "/a.md", "a", ME)
    assert run(["mount", "global", str(isolated_home / "shown")]) == 0
    assert run(["unmount", str(isolated_home / "shown"), "--delete"]) == 0
    (isolated_home / "shown").rmdir()
    shutil.rmtree(isolated_home / ".reverie")
    assert set(isolated_home.rglob("*")) == before


def test_an_import_makes_a_store_of_a_new_name_and_not_of_a_misspelt_one(filled: Path, capsys):
    notes = filled / "notes"
    notes.mkdir()
    (notes / "tea.md").write_text("Brew it for three minutes.\n", encoding="utf-8")
    assert run(["import", str(notes), "--store", "kitchen", "--dry-run"]) == 0
    assert run(["stores", "show", "kitchen"]) == 3
    capsys.readouterr()
    assert run(["import", str(notes), "--store", "kitchen"]) == 0
    assert "made the store kitchen" in capsys.readouterr().err
    assert run(["show", "kitchen:tea"]) == 0
    assert run(["import", str(notes), "--store", "kitchem"]) == 3
    assert "did you mean 'kitchen'?" in capsys.readouterr().err
