"""Shared by the tests of operations: logs of two projects, and a memory that read them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.operations.homes import memory
from tests.sessions.worklogs import lines, write

from reverie.memory import Memory

TALK = (("you", "use tabs here"), ("agent", "I will use spaces"), ("you", "no, tabs please"))


@pytest.fixture
def logs(isolated_home: Path) -> Path:
    """Two sessions of two projects on two days, where Claude Code puts them."""
    folder = isolated_home / ".claude" / "projects"
    write(folder / "-w-app" / "a.jsonl", lines("aaaa-1", *TALK))
    other = (("you", "rename the printer"), ("error", "Exit code 2\nprinter: not found"))
    write(folder / "-w-tool" / "b.jsonl", lines("bbbb-2", *other, cwd="/w/tool", day=1))
    return folder


@pytest.fixture
def read(logs: Path, tmp_path: Path) -> Iterator[Memory]:
    with memory(tmp_path) as opened:
        opened.read()
        yield opened
