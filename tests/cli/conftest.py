"""Shared by the tests of commands: a repository to run them in."""

from pathlib import Path

import pytest
from tests.commands import repository


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository, as the working directory."""
    root = repository(tmp_path / "shop")
    monkeypatch.chdir(root)
    return root
