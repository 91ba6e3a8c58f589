"""The types of the fixtures that run commands (`tests/conftest.py`), and a place to run them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Ran(NamedTuple):
    """What one command came back with."""

    code: int
    out: str
    err: str


Command = Callable[..., Ran]
Reverie = Callable[..., str]
Answer = Callable[..., Any]


def repository(root: Path) -> Path:
    """An empty git repository, as far as Reverie looks at one."""
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return root
