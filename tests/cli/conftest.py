"""Shared by the tests of commands: places to run them in."""

from pathlib import Path

import pytest
from tests.commands import repository

from reverie.cli.root import run
from reverie.sample import NOW, place


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository, as the working directory."""
    root = repository(tmp_path / "shop")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def learned_sample(
    isolated_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bundled sessions, learned on a Monday; one of their projects is the working directory."""
    monkeypatch.setenv("REVERIE_NOW", NOW)
    monkeypatch.chdir(place(isolated_home) / "shop-api")
    assert run(["learn"]) == 0
    capsys.readouterr()
