"""Shared by the tests of operations: logs of two projects, the bundled sample, and memories."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.operations import homes
from tests.sessions.worklogs import lines, write

from reverie.asker import OWNER
from reverie.clock import fixed
from reverie.memory import Memory
from reverie.operations import learning
from reverie.sample import NOW, place

TALK = (("you", "use tabs here"), ("agent", "I will use spaces"), ("you", "no, tabs please"))


@pytest.fixture
def logs(isolated_home: Path) -> Path:
    """Two sessions of two projects on two days, where Claude Code puts them."""
    folder = isolated_home / ".claude" / "projects"
    write(folder / "-w-app" / "aaaa-1.jsonl", lines("aaaa-1", *TALK))
    other = (("you", "rename the printer"), ("error", "Exit code 2\nprinter: not found"))
    write(folder / "-w-tool" / "bbbb-2.jsonl", lines("bbbb-2", *other, cwd="/w/tool", day=1))
    return folder


@pytest.fixture
def read(logs: Path, tmp_path: Path) -> Iterator[Memory]:
    with homes.memory(tmp_path) as opened:
        learning.read(opened)
        yield opened


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
