"""Homes for the tests of operations: a memory in a folder of its own, as somebody sees it."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.commands import repository

from reverie.asker import OWNER, Asker
from reverie.clock import fixed
from reverie.memory import Memory

NOW = "2026-11-18T09:30:00Z"


def shop(tmp_path: Path) -> Path:
    """The repository whose project is `shop`."""
    root = tmp_path / "shop"
    return root if root.is_dir() else repository(root)


@contextmanager
def memory(
    tmp_path: Path, asker: Asker = OWNER, *, folder: Path | None = None, now: str = NOW
) -> Generator[Memory]:
    """The memory of one test, as its owner or another asker sees it from the shop."""
    where = folder or shop(tmp_path)
    home = tmp_path / "home" / ".reverie"
    with Memory.open(home, asker=asker, folder=where, clock=fixed(now)) as opened:
        yield opened
