"""Shared by the tests of operations: a memory that has learned the bundled sample."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.asker import OWNER
from reverie.clock import fixed
from reverie.memory import Memory
from reverie.sample import NOW, place


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs of two agents, two projects, and a home that learned them; nobody writes to it."""
    folder = tmp_path_factory.mktemp("sample")
    place(folder)
    with Memory.open(folder / ".reverie", folder=folder, asker=OWNER, clock=fixed(NOW)) as memory:
        memory.learn(folder, jobs=1)
    return folder


@pytest.fixture
def memory(sample: Path, tmp_path: Path) -> Iterator[Memory]:
    """A home of its own that has learned the sample, seen from one of its projects."""
    home = tmp_path / "learned"
    shutil.copytree(sample / ".reverie", home)
    folder = sample / "code" / "shop-api"
    with Memory.open(home, folder=folder, asker=OWNER, clock=fixed(NOW)) as opened:
        yield opened


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Memory]:
    """A memory in which nothing was stored yet."""
    (tmp_path / "elsewhere").mkdir()
    where = tmp_path / "elsewhere"
    with Memory.open(tmp_path / "new", folder=where, asker=OWNER, clock=fixed(NOW)) as opened:
        yield opened
