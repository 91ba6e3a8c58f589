"""The user's own Claude Code as an engine: capped, guarded, and nothing taken on trust."""

import json
import os
import pwd
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from examples.claude_offline import Api, Client, find_client
from tests.patience import SECONDS, eventually

from reverie.clock import fixed
from reverie.config import Engines
from reverie.engines.claude_code import ClaudeCode
from reverie.engines.receipts import Receipts
from reverie.errors import Refused, Unavailable

LIMITS = Engines(max_usd_per_run=0.5, max_usd_per_day=1.0, max_turns=5, timeout_seconds=SECONDS)
GOOD = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "The user wants tabs.",
    "total_cost_usd": 0.02,
    "usage": {"input_tokens": 7, "output_tokens": 5, "cache_read_input_tokens": 900},
}


@pytest.fixture
def receipts(tmp_path: Path) -> Receipts:
    return Receipts(tmp_path / "reverie", fixed("2026-11-15T10:00:00Z"))


def client_that(tmp_path: Path, code: str) -> str:
    """A program in the client's place that runs `code`."""
    program = tmp_path / "claude"
    script = tmp_path / "claude.py"
    script.write_text(f"import json, os, sys, time\n{code}\n", encoding="utf-8")
    # A `#!` line cannot name an interpreter whose path holds a space.
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return str(program)


def engine(
    program: str, tmp_path: Path, receipts: Receipts, limits: Engines = LIMITS
) -> ClaudeCode:
    return ClaudeCode(program, tmp_path / "memory", limits, receipts)


def answers(tmp_path: Path, result: Any) -> str:
    return client_that(tmp_path, f"print({json.dumps(result)!r})")


def test_an_answer_comes_with_its_receipt(tmp_path: Path, receipts: Receipts) -> None:
    answer = engine(answers(tmp_path, GOOD), tmp_path, receipts).ask("s", "What?", tmp_path, {})
    assert answer.text == "The user wants tabs."
    (kept,) = receipts.all()
    assert kept == answer.receipt
    assert (kept.cost_usd, kept.cache_read_tokens, kept.known) == (0.02, 900, True)


@pytest.mark.hostile("R5")
@pytest.mark.parametrize(
    "code",
    [
        "print('not json')",
        "print('[]')",
        'print(\'{"type": "res\')',
        "print(json.dumps({'is_error': True, 'subtype': 'error_during_execution'}))",
        "print(json.dumps({'result': 5}))",
        "print('overloaded', file=sys.stderr); sys.exit(1)",
        "os.kill(os.getpid(), 9)",
        "pass",
    ],
)
def test_a_client_that_fails_is_an_error_and_its_cost_is_counted(
    code: str, tmp_path: Path, receipts: Receipts
) -> None:
    with pytest.raises(Unavailable):
        engine(client_that(tmp_path, code), tmp_path, receipts).ask("s", "What?", tmp_path, {})
    (kept,) = receipts.all()
    assert not kept.known
    assert kept.cost_usd == LIMITS.max_usd_per_run


@pytest.mark.hostile("R5")
def test_a_client_that_hangs_is_ended_with_its_children(tmp_path: Path, receipts: Receipts) -> None:
    code = "child = os.fork()\nopen('pids', 'a').write(f'{os.getpid()} ')\ntime.sleep(10_000)"
    for pid in left_hanging(code, 2, tmp_path, receipts):
        assert eventually(lambda pid=pid: not Path(f"/proc/{pid}/cwd").exists())


def left_hanging(code: str, processes: int, tmp_path: Path, receipts: Receipts) -> list[str]:
    """Have a client ended that hangs; the processes that had put themselves down in `pids`."""
    pids = tmp_path / "pids"
    # On a slow machine a second may be over before the client has begun.
    for seconds in (1, 10, 100):
        pids.write_text("", encoding="utf-8")
        quick = replace(LIMITS, timeout_seconds=seconds, max_usd_per_day=10.0)
        hanging = engine(client_that(tmp_path, code), tmp_path, receipts, quick)
        with pytest.raises(Unavailable, match="longer"):
            hanging.ask("s", "?", tmp_path, {})
        if len(found := pids.read_text(encoding="utf-8").split()) == processes:
            return found
    raise AssertionError("no client ever began")


@pytest.mark.hostile("R5")
def test_what_left_a_hanging_client_keeps_nobody_waiting(
    tmp_path: Path, receipts: Receipts
) -> None:
    code = """
if not os.fork():
    os.setsid()
    open("pids", "a").write(f"{os.getpid()} ")
time.sleep(10_000)
"""
    (pid,) = left_hanging(code, 1, tmp_path, receipts)
    os.kill(int(pid), signal.SIGKILL)


def test_a_missing_client_is_said(tmp_path: Path, receipts: Receipts) -> None:
    with pytest.raises(Unavailable, match="cannot be started"):
        engine(str(tmp_path / "none"), tmp_path, receipts).ask("s", "?", tmp_path, {})


@pytest.mark.proves("F7")
@pytest.mark.hostile("R6")
def test_no_run_begins_that_could_break_the_days_cap(tmp_path: Path, receipts: Receipts) -> None:
    costly = engine(answers(tmp_path, {**GOOD, "total_cost_usd": 0.3}), tmp_path, receipts)
    costly.ask("s", "?", tmp_path, {})
    costly.ask("s", "?", tmp_path, {})
    with pytest.raises(Refused, match="cap"):
        costly.ask("s", "?", tmp_path, {})
    assert len(list(receipts.all())) == 2
    tomorrow = Receipts(tmp_path / "reverie", fixed("2026-11-16T00:00:01Z"))
    engine(answers(tmp_path, GOOD), tmp_path, tomorrow).ask("s", "?", tmp_path, {})


def test_a_receipt_cut_by_a_crash_does_not_hide_the_others(
    tmp_path: Path, receipts: Receipts
) -> None:
    runs = engine(answers(tmp_path, GOOD), tmp_path, receipts)
    runs.ask("s", "?", tmp_path, {})
    with (tmp_path / "reverie" / "receipts.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"at": "2026-11-15T1\n')
    runs.ask("s", "?", tmp_path, {})
    assert len(list(receipts.all())) == 2


def test_hooks_inside_the_run_know_it(tmp_path: Path, receipts: Receipts) -> None:
    code = f"print(json.dumps({{**{GOOD!r}, 'result': os.environ['REVERIE_INSIDE']}}))"
    answer = engine(client_that(tmp_path, code), tmp_path, receipts).ask("s", "?", tmp_path, {})
    assert answer.text == "1"


def without_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_marks(part) for key, part in value.items() if key != "cache_control"}
    return [without_marks(part) for part in value] if isinstance(value, list) else value


@pytest.mark.needs("claude")
@pytest.mark.proves("D7", "D9")
def test_the_real_client_forks_with_the_same_prompt_under_the_guard(
    tmp_path: Path, receipts: Receipts, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The home of the test is empty; the client is looked for in the real one.
    monkeypatch.setenv("HOME", pwd.getpwuid(os.getuid()).pw_dir)
    program = find_client()
    assert program is not None
    memory = tmp_path / "memory"
    memory.mkdir()
    tries = [
        ("Bash", {"command": "touch pwned", "description": "try"}),
        ("Write", {"file_path": str(tmp_path / "pwned.md"), "content": "x"}),
        ("Write", {"file_path": str(memory / "tabs.md"), "content": "Tabs."}),
        ("Bash", {"command": "ls", "description": "look"}),
    ]
    api = Api(("What lasts", ["Trying.", *tries]), (".", ["I will use tabs."]))
    client = Client(program, tmp_path / "client", api)
    session = client.ask("Use tabs here.")["session_id"]
    parent = api.bodies[-1]
    before = len(api.bodies)
    forked = ClaudeCode(program, memory, LIMITS, receipts)
    answer = forked.ask(session, "What lasts of this?", client.project, client.env)
    assert answer.text == "Done."
    first, second = api.with_text("What lasts", before)[:2]
    for part in ("tools", "system"):
        assert without_marks(first[part]) == without_marks(parent[part])
    messages = without_marks(parent["messages"])
    assert without_marks(first["messages"])[: len(messages)] == messages
    assert not (client.project / "pwned").exists()
    assert not (tmp_path / "pwned.md").exists()
    assert (memory / "tabs.md").read_text(encoding="utf-8") == "Tabs."
    contents = [message["content"] for message in second["messages"]]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    refused = [block for block in blocks if block.get("is_error")]
    assert len(refused) == 2
    assert "Reverie's guard" in json.dumps(refused)
    assert len(client.logs()) == 1
