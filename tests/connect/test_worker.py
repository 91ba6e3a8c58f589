"""The worker of the hooks: what it learns counts like what a person has learned."""

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.connect.logs import LOGS, write_log

from reverie.asker import OWNER
from reverie.clock import fixed
from reverie.connect import spool
from reverie.connect.stretches import troubles
from reverie.connect.worker import run
from reverie.db import leases
from reverie.memory import Memory
from reverie.operations import learning, syncing
from reverie.operations.starts.starting import read_due

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


CORRECTED = "Berth one of the quay is at its north end, that is how the harbour map has it."
LESSON = "Berth one of the quay is at its north end, as the harbour map has it."
ROOT = Path(__file__).parent.parent.parent
CLIENT = f"""
import json, os, sys
sys.path.insert(0, {str(ROOT)!r})
from tests.engines.lessons import answer_to
with open(os.environ["HOME"] + "/asked", "a") as file:
    file.write(os.path.basename(sys.argv[0]) + " ")
answer = answer_to(sys.stdin.read(), "north end", {LESSON!r})
usage = {{"input_tokens": 900, "output_tokens": 80}}
result = {{"type": "result", "structured_output": answer, "total_cost_usd": 0.01, "usage": usage}}
print(json.dumps(result))
"""


@pytest.fixture
def thinking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Memory]:
    """Opens a memory whose engine is a program in the place of Claude Code."""
    monkeypatch.setenv("HOME", str(tmp_path))
    programs = tmp_path / "bin"
    programs.mkdir()

    def opened(engine: str = "claude-code", code: str = CLIENT, **settings: str) -> Memory:
        (programs / "client.py").write_text(code, encoding="utf-8")
        start = f'#!/bin/sh\nexec "{sys.executable}" "{programs}/client.py" "$@"\n'
        (programs / "claude").write_text(start, encoding="utf-8")
        (programs / "claude").chmod(0o755)
        monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("REVERIE_ENGINES_DEFAULT", engine)
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        return Memory.open(tmp_path / "home", clock=fixed("2026-11-15T09:31:00Z"))

    return opened


def calls(folder: Path) -> int:
    asked = folder / "asked"
    return len(asked.read_text(encoding="utf-8").split()) if asked.exists() else 0


def over(memory: Memory, folder: Path, session: str, *said: str, event: str = "SessionEnd") -> None:
    """A hook has fired in a session in which somebody said something."""
    turns = [(who, text) for text in said for who, text in (("user", text), ("assistant", "Done."))]
    log = write_log(folder / LOGS, session, folder / "project", *turns)
    os.utime(log, (1, 1))
    call = {"session": session, "transcript": str(log), "event": event}
    spool.stage(str(memory.make_home()), "app", call)
    run(memory, "app")


def known(memory: Memory) -> list[str]:
    return [item.document.description for item in memory.memories(everywhere=True)]


@pytest.mark.proves("D7", "D10")
def test_an_engine_thinks_about_a_session_once_when_it_is_over(
    thinking: Callable[..., Memory], tmp_path: Path
) -> None:
    with thinking() as memory:
        for event in ("Stop", "PreCompact"):
            over(memory, tmp_path, "s1", "Number the berths.", CORRECTED, event=event)
            assert (calls(tmp_path), known(memory)) == (0, [])
        over(memory, tmp_path, "s1", "Number the berths.", CORRECTED)
        assert calls(tmp_path) == 1
        (description,) = known(memory)
        assert description.startswith("Berth one of the quay is at its north end")
        over(memory, tmp_path, "s1", "Number the berths.", CORRECTED)
        assert calls(tmp_path) == 1
        assert troubles(memory.config.home) == []
        line = (memory.config.home / "remembered" / "app.json").read_text(encoding="utf-8")
        assert "Remembered: Berth one of the quay" in line


@pytest.mark.parametrize(
    "settings",
    [
        {"engine": "rules"},
        {"engine": "codex"},
        {"REVERIE_ENGINES_IGNORE_PROJECTS": "project"},
        {"REVERIE_ENGINES_MAX_SESSIONS_PER_DAY": "0"},
        {"REVERIE_ENGINES_MAX_TOKENS_PER_DAY": "1000"},
        {"REVERIE_ENGINES_MAX_USD_PER_DAY": "0"},
    ],
)
@pytest.mark.proves("F7")
def test_nothing_is_asked_that_was_not_allowed_or_is_over_a_cap(
    thinking: Callable[..., Memory], tmp_path: Path, settings: dict[str, str]
) -> None:
    with thinking(**settings) as memory:
        over(memory, tmp_path, "s1", CORRECTED, "Run the tests.", RULE)
        assert calls(tmp_path) == 0
        assert any("make lint" in one for one in known(memory))
        assert troubles(memory.config.home) == []


@pytest.mark.hostile("R5")
def test_a_client_that_fails_is_told_by_doctor_and_the_rules_stand(
    thinking: Callable[..., Memory], tmp_path: Path
) -> None:
    with thinking(code="import sys; sys.exit('Not logged in')") as memory:
        over(memory, tmp_path, "s1", CORRECTED, "Run the tests.", RULE)
        assert any("make lint" in one for one in known(memory))
        (trouble,) = troubles(memory.config.home)
        assert "claude-code: Claude Code ended with 1" in trouble


@pytest.mark.hostile("R5")
def test_answers_that_are_not_taken_are_told_with_what_was_received(
    thinking: Callable[..., Memory], tmp_path: Path
) -> None:
    with thinking(
        code=CLIENT.replace("print(", "answer['lessons'][0]['evidence'] = ['z9']; print(")
    ) as memory:
        over(memory, tmp_path, "s1", RULE, CORRECTED)
        assert calls(tmp_path) == 3
        (trouble,) = troubles(memory.config.home)
        assert "answers were not taken" in trouble and "z9" in trouble


@pytest.mark.hostile("T5")
def test_a_repository_cannot_say_which_program_thinks(
    thinking: Callable[..., Memory], tmp_path: Path
) -> None:
    settings = tmp_path / "project" / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"env": {"PATH": "./evil"}}', encoding="utf-8")
    with thinking() as memory:
        over(memory, tmp_path, "s1", RULE, CORRECTED)
        assert calls(tmp_path) == 0
        assert "speaks of PATH" in troubles(memory.config.home)[0]


@pytest.mark.proves("D8")
def test_what_the_agent_saved_itself_is_passed_over(
    thinking: Callable[..., Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reverie.connect.worker.saved_between", lambda *_: True)
    with thinking() as memory:
        over(memory, tmp_path, "s1", "Number the berths.", CORRECTED, event="Stop")
        monkeypatch.setattr("reverie.connect.worker.saved_between", lambda *_: False)
        over(memory, tmp_path, "s1", "Number the berths.", CORRECTED, "Thanks.")
        assert calls(tmp_path) == 0
        over(memory, tmp_path, "s1", "Number the berths.", CORRECTED, "Thanks.", "And the crane.")
        assert calls(tmp_path) == 1


@pytest.fixture
def linked(memory: Memory, tmp_path: Path) -> Path:
    """A remote that a person chose."""
    remote = tmp_path / "remote"
    syncing.sync_with(memory, str(remote))
    return remote


def test_a_worker_syncs_only_where_that_was_allowed(
    memory: Memory, linked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended(memory, tmp_path, "s1", "Please fix the check.", RULE)
    run(memory, "app")
    assert list(linked.rglob("*.pack")) == []
    monkeypatch.setenv("REVERIE_SYNC_AUTO", "true")
    with Memory.open(memory.config.home) as allowed:
        run(allowed, "app")
    assert list(linked.rglob("*.pack"))


def test_what_came_from_another_machine_is_told_to_the_next_session(
    memory: Memory, linked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_SYNC_AUTO", "true")
    with Memory.open(tmp_path / "desk", asker=OWNER) as desk:
        desk.remember("Answer in short sentences", scope="global")
        syncing.sync_with(desk, str(linked), key=syncing.key_of(memory))
    with Memory.open(memory.config.home) as allowed:
        run(allowed, "app")
        assert [item.document.description for item in allowed.library.documents("global")] == [
            "Answer in short sentences"
        ]


def test_a_remote_that_fails_keeps_nothing_from_being_learned(
    memory: Memory, linked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_SYNC_AUTO", "true")
    linked.rename(tmp_path / "away")
    for number in (1, 2):
        ended(memory, tmp_path, f"s{number}", f"Please fix check {number}.", RULE)
    with Memory.open(memory.config.home, clock=memory.clock) as allowed:
        run(allowed, "app")
        assert sorted(allowed.marks.learned_at) == ["claude-code:s1", "claude-code:s2"]
        assert read_due(allowed) == allowed.due().sentence
        assert "is not there" in syncing.remotes(allowed)[0].trouble


def test_what_the_next_session_is_told_waits_for_no_remote(
    memory: Memory, linked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_SYNC_AUTO", "true")
    for number in (1, 2):
        ended(memory, tmp_path, f"s{number}", f"Please fix check {number}.", RULE)
    told: list[str] = []
    with Memory.open(memory.config.home, clock=memory.clock) as allowed:

        def late(_: Memory) -> list[object]:
            told.append(read_due(allowed))
            return []

        monkeypatch.setattr(syncing, "sync_remotes", late)
        run(allowed, "app")
        assert told == [allowed.due().sentence]
