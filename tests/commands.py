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


def let_scripts_speak(home: Path) -> None:
    """What is started without a terminal has the word of the person whose home this is."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    (home / "config.toml").write_text('[trust]\nscripts = "user"\n', encoding="utf-8")
