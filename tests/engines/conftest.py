"""Shared by the tests of engines: a server, and a home that has learned three sessions."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.connect.logs import LOGS, write_log
from tests.engines.server import Server, serving

from reverie.asker import OWNER
from reverie.memory import Memory

SESSIONS = ("one", "two", "three")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository, the logs of three sessions in it, and a home; nobody writes to them."""
    folder = tmp_path_factory.mktemp("learned")
    root = folder / "shop"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    for number, session in enumerate(SESSIONS):
        write_log(
            folder / LOGS,
            session,
            root,
            ("user", f"Please fix check number {number}."),
            ("assistant", "Fixed, in one commit with the clean-up."),
            ("user", f"Commits like number {number} are too large for me to read."),
        )
    with Memory.open(folder / ".reverie", folder=root, asker=OWNER) as memory:
        memory.learn(folder / LOGS, jobs=1)
    return folder


@pytest.fixture
def project(learned: Path, isolated_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose three sessions were learned; the working directory."""
    shutil.copytree(learned / ".reverie", isolated_home / ".reverie")
    monkeypatch.chdir(learned / "shop")
    return learned / "shop"
