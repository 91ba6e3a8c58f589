"""Shared by the tests of engines: a server, and a home that has learned three sessions."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.connect.logs import LOGS, write_log
from tests.engines.server import Server, serving

from reverie.asker import OWNER
from reverie.memory import Memory

PROJECTS = ("shop", "depot", "feed")  # each has a piece of its own


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three repositories, the log of a session in each, and a home; nobody writes to them."""
    folder = tmp_path_factory.mktemp("learned")
    for name in PROJECTS:
        root = folder / name
        (root / ".git").mkdir(parents=True)
        (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        write_log(
            folder / LOGS,
            f"in-{name}",
            root,
            ("user", f"Please fix the check of the {name}."),
            ("assistant", "Fixed, in one commit with the clean-up."),
            ("user", f"{name.title()} commits must stay small, I have to read them all."),
        )
    where = folder / PROJECTS[0]
    with Memory.open(folder / ".reverie", folder=where, asker=OWNER) as memory:
        memory.learn(folder / LOGS, jobs=1)
    return folder


@pytest.fixture
def project(learned: Path, isolated_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One of three repositories whose sessions were learned; the working directory."""
    shutil.copytree(learned / ".reverie", isolated_home / ".reverie")
    monkeypatch.chdir(learned / PROJECTS[0])
    return learned / PROJECTS[0]
