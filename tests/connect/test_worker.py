"""The worker of the hooks: what it learns counts like what a person has learned."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.connect.logs import LOGS, write_log

from reverie.clock import fixed
from reverie.connect import spool
from reverie.connect.worker import run
from reverie.db import leases
from reverie.memory import Memory
from reverie.operations import learning
from reverie.operations.starting import read_due

RULE = "From now on always run make lint before you commit anything."


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("REVERIE_DUE_SESSIONS", "2")
    monkeypatch.setenv("HOME", str(tmp_path))
    with Memory.open(tmp_path / "home", clock=fixed("2026-11-15T09:31:00Z")) as opened:
        yield opened


def ended(memory: Memory, folder: Path, session: str, *said: str) -> Path:
    """A session has ended, and its hook left what the worker needs."""
    turns = [(who, text) for text in said for who, text in (("user", text), ("assistant", "Done."))]
    log = write_log(folder / LOGS, session, folder / "project", *turns)
    os.utime(log, (1, 1))
    home = str(memory.make_home())
    return Path(spool.stage(home, "app", {"session": session, "transcript": str(log)}))


def test_what_hooks_learn_is_marked_counted_as_due_and_the_next_session_is_reminded(
    memory: Memory, tmp_path: Path
) -> None:
    for number in (1, 2):
        ended(memory, tmp_path, f"s{number}", f"Please fix check {number}.", RULE)
    run(memory, "app")
    assert sorted(memory.marks.learned_at) == ["claude-code:s1", "claude-code:s2"]
    assert memory.marks.pending(memory.index.days()) == []
    due = memory.due()
    assert (due.due, due.sessions) == (True, 2)
    assert read_due(memory) == due.sentence
    with Memory.open(memory.config.home) as later:
        assert sorted(later.marks.learned_at) == ["claude-code:s1", "claude-code:s2"]


def test_a_session_that_goes_on_is_marked_again_and_stays_one_session(
    memory: Memory, tmp_path: Path
) -> None:
    ended(memory, tmp_path, "s1", "Please fix the check.", RULE)
    run(memory, "app")
    ended(memory, tmp_path, "s1", "Please fix the check.", RULE, "And never push on a Friday.")
    run(memory, "app")
    assert memory.marks.pending(memory.index.days()) == []
    assert memory.due().sessions == 1


@pytest.mark.proves("D10")
def test_it_waits_in_silence_for_who_learns_and_loses_nothing(
    memory: Memory,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = f"learn {socket.gethostname()}:{memory.config.index_db}"
    lease = leases.take(memory.database, memory.clock, name, "box:17", doing="learning")
    staged = ended(memory, tmp_path, "s1", "Please fix the check.", RULE)
    looks: list[float] = []

    def sleep(seconds: float) -> None:
        looks.append(seconds)
        leases.give_back(memory.database, lease)

    monkeypatch.setattr(learning.time, "sleep", sleep)
    run(memory, "app")
    assert len(looks) == 1
    assert not staged.exists()
    assert len(memory.index.sessions()) == 1
    assert capsys.readouterr().err == ""
