"""The user's own Claude Code as an engine: capped, guarded, and nothing taken on trust."""

import json
import os
import pwd
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from examples.claude_offline import Api, Client, find_client
from tests.patience import SECONDS

from reverie.clock import fixed
from reverie.engines.claude_code import (
    OPENING,
    ClaudeCode,
    ClaudeFailed,
    Conversation,
    is_cheaper,
    question,
    still_cached,
)
from reverie.engines.protocol import Limits, Prompt
from reverie.errors import CallFailed

LIMITS = Limits(usd=0.5, output_tokens=3_000, seconds=SECONDS, turns=5)
PROMPT = Prompt(
    id="w-1",
    kind="session",
    version="1",
    instructions="What lasts of this?",
    material="[1] person: Use tabs.",
    schema={"type": "object", "properties": {"lessons": {"type": "array"}}},
    session="claude-code:s",
)
GOOD = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": '{"lessons": []}',
    "total_cost_usd": 0.02,
    "usage": {"input_tokens": 7, "output_tokens": 5, "cache_read_input_tokens": 900},
    "modelUsage": {"claude-opus-4-8[1m]": {}},
}


def client_that(tmp_path: Path, code: str) -> str:
    """A program in the client's place that runs `code`."""
    program = tmp_path / "claude"
    script = tmp_path / "claude.py"
    script.write_text(f"import json, os, sys, time\n{code}\n", encoding="utf-8")
    # A `#!` line cannot name an interpreter whose path holds a space.
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return str(program)


def answers(tmp_path: Path, result: Any) -> str:
    return client_that(tmp_path, f"print({json.dumps(result)!r})")


def engine(program: str, tmp_path: Path) -> ClaudeCode:
    (tmp_path / "engine").mkdir()
    return ClaudeCode(program, tmp_path / "engine", {"PATH": os.environ["PATH"]})


def test_an_answer_comes_with_its_receipt_and_leaves_nothing(tmp_path: Path) -> None:
    answer = engine(answers(tmp_path, GOOD), tmp_path).answer(PROMPT, LIMITS)
    assert answer.text == '{"lessons": []}'
    paid = answer.receipt
    assert (paid.cost_usd, paid.known, paid.tokens) == (0.02, True, 912)
    assert (paid.cache_read_tokens, paid.model) == (900, "claude-opus-4-8[1m]")
    assert (paid.session, paid.purpose) == ("claude-code:s", "session")
    assert not list((tmp_path / "engine").iterdir())


def test_a_structured_answer_is_taken_before_words(tmp_path: Path) -> None:
    given = {**GOOD, "result": "Done.", "structured_output": {"lessons": [1]}}
    answer = engine(answers(tmp_path, given), tmp_path).answer(PROMPT, LIMITS)
    assert json.loads(answer.text) == {"lessons": [1]}


def test_a_price_that_nobody_tells_is_not_known(tmp_path: Path) -> None:
    silent = {**GOOD, "total_cost_usd": None}
    assert not engine(answers(tmp_path, silent), tmp_path).answer(PROMPT, LIMITS).receipt.known


@pytest.mark.hostile("R5")
@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("print('not json')", "no result"),
        ("print('[]')", "no result"),
        ('print(\'{"type": "res\')', "no result"),
        ("print(json.dumps({'type': 'result', 'is_error': True, 'subtype': 'x'}))", "failed: x"),
        ("print(json.dumps({'type': 'result', 'result': 5}))", "something else: 5"),
        ("print(json.dumps({'type': 'result', 'result': 'No.'}))", "something else: No."),
        ("print(json.dumps({'type': 'result', 'stop_reason': 'refusal'}))", "refuses"),
        ("print('overloaded', file=sys.stderr); sys.exit(1)", "ended with 1.*overloaded"),
        ("os.kill(os.getpid(), 9)", "no result"),
        ("pass", "no result"),
    ],
)
def test_a_client_that_fails_is_an_error_that_says_why(code: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(CallFailed, match=why):
        engine(client_that(tmp_path, code), tmp_path).answer(PROMPT, LIMITS)
    assert not list((tmp_path / "engine").iterdir())


def test_a_failure_that_tells_its_cost_is_charged_with_that(tmp_path: Path) -> None:
    over = {**GOOD, "is_error": True, "result": "", "errors": ["Reached maximum budget"]}
    with pytest.raises(ClaudeFailed, match="budget") as failed:
        engine(answers(tmp_path, over), tmp_path).answer(PROMPT, LIMITS)
    assert (failed.value.receipt.cost_usd, failed.value.used) == (0.02, (7, 5, 900, 0))


def test_a_client_that_is_too_old_is_said_to_be(tmp_path: Path) -> None:
    code = "print(\"error: unknown option '--safe-mode'\", file=sys.stderr); sys.exit(1)"
    with pytest.raises(CallFailed) as failed:
        engine(client_that(tmp_path, code), tmp_path).answer(PROMPT, LIMITS)
    assert (failed.value.hint, failed.value.whole) == ("`claude update`", True)


def test_nothing_of_a_piece_stands_in_the_command_line(tmp_path: Path) -> None:
    code = f"print(json.dumps({{**{GOOD!r}, 'result': json.dumps({{'seen': sys.argv[1:]}})}}))"
    answer = engine(client_that(tmp_path, code), tmp_path).answer(PROMPT, LIMITS)
    arguments: Sequence[str] = json.loads(answer.text)["seen"]
    assert PROMPT.instructions in arguments
    assert not any("Use tabs" in argument for argument in arguments)


LONG = replace(PROMPT, material="\n".join(f"[{n}] person: " + "word " * 400 for n in range(5)))


def test_a_fork_is_asked_for_ids_by_the_beginnings_of_lines() -> None:
    asked = question(LONG)
    assert PROMPT.instructions in asked and '"lessons"' in asked
    lines = asked.splitlines()[-5:]
    assert [line[:3] for line in lines] == ["[0]", "[1]", "[2]", "[3]", "[4]"]
    assert {len(line) for line in lines} == {OPENING}


@pytest.mark.parametrize(
    ("prompt", "tokens", "cheaper"),
    [(LONG, 20_000, True), (LONG, 60_000, False), (PROMPT, 20_000, False)],
)
def test_a_conversation_is_forked_only_where_that_costs_less(
    prompt: Prompt, tokens: int, cheaper: bool
) -> None:
    conversation = Conversation("s", Path("/"), tokens)
    assert is_cheaper(conversation, prompt, question(prompt)) is cheaper


@pytest.mark.parametrize(
    ("changed", "cached"),
    [
        ({}, True),
        ({"entrypoint": "cli"}, False),
        ({"entrypoint": None}, False),
        ({"timestamp": "2026-11-15T09:54:59Z"}, False),
        ({"timestamp": "soon"}, False),
        ({"cwd": "/nowhere/at/all"}, False),
    ],
)
def test_only_what_a_program_asked_a_moment_ago_is_still_cached(
    changed: dict[str, Any], cached: bool, tmp_path: Path
) -> None:
    usage = {"input_tokens": 3, "cache_read_input_tokens": 20_000, "cache_creation_input_tokens": 7}
    record = {
        "type": "assistant",
        "sessionId": "s",
        "cwd": str(tmp_path),
        "entrypoint": "sdk-cli",
        "timestamp": "2026-11-15T09:58:00Z",
        "message": {"usage": usage},
    }
    log = tmp_path / "log.jsonl"
    lines = [json.dumps({**record, **changed}), json.dumps({"type": "user"}), '{"type": "assis']
    log.write_text("\n".join(lines), encoding="utf-8")
    found = still_cached(log, fixed("2026-11-15T10:00:00Z")())
    assert found == (Conversation("s", tmp_path, 20_010) if cached else None)
    assert still_cached(tmp_path / "gone.jsonl", fixed("2026-11-15T10:00:00Z")()) is None


def sent(body: dict[str, Any]) -> str:
    """What a model reads of a request, in the order in which it is cached."""
    return "".join(
        json.dumps(without_marks(body[part])) for part in ("tools", "system", "messages")
    )


def without_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_marks(part) for key, part in value.items() if key != "cache_control"}
    return [without_marks(part) for part in value] if isinstance(value, list) else value


@pytest.mark.needs("claude")
@pytest.mark.proves("D7", "D9")
def test_the_real_client_forks_with_the_same_prompt_under_the_guard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The home of the test is empty; the client is looked for in the real one.
    monkeypatch.setenv("HOME", pwd.getpwuid(os.getuid()).pw_dir)
    program = find_client()
    assert program is not None
    tries = [
        ("Bash", {"command": "touch pwned", "description": "try"}),
        ("Write", {"file_path": str(tmp_path / "pwned.md"), "content": "x"}),
        ("Bash", {"command": "ls", "description": "look"}),
    ]
    api = Api(("What lasts", ["Trying.", *tries]), (".", ["I will use tabs."]))
    client = Client(program, tmp_path / "client", api)
    session = client.ask("Use tabs here.")["session_id"]
    parent = api.bodies[-1]
    before = len(api.bodies)
    (tmp_path / "engine").mkdir()
    forked = ClaudeCode(
        program,
        tmp_path / "engine",
        client.env,
        lambda key: Conversation(key.partition(":")[2], client.project, 100),
    )
    with pytest.raises(CallFailed, match="something else: Done"):
        forked.answer(replace(LONG, session=f"claude-code:{session}"), LIMITS)
    first, second = api.with_text("What lasts", before)[:2]
    for part in ("tools", "system"):
        assert without_marks(first[part]) == without_marks(parent[part])
    messages = without_marks(parent["messages"])
    assert without_marks(first["messages"])[: len(messages)] == messages
    # Of all that is sent, this much stood in the conversation's own request before it.
    share = len(sent(parent)) / len(sent(first))
    assert share > 0.95
    assert not (client.project / "pwned").exists()
    assert not (tmp_path / "pwned.md").exists()
    contents = [message["content"] for message in second["messages"]]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    refused = [block for block in blocks if block.get("is_error")]
    assert len(refused) == 2
    assert "Reverie's guard" in json.dumps(refused)
    assert len(client.logs()) == 1
    assert not list((tmp_path / "engine").iterdir())
