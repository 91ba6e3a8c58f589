"""Tokens, where a log counts them: each message once, cached input not."""

from pathlib import Path
from typing import Any

from tests.sessions.logs import (
    SESSION,
    as_bytes,
    call,
    claude,
    codex,
    meta,
    prompt,
    reply,
    result,
    turns,
    written,
)

from reverie.sessions.readers.agents import by_agent

NAME = f"rollout-2026-06-01T09-00-00-{SESSION}.jsonl"


def counted(line: dict[str, Any], name: str, **usage: Any) -> dict[str, Any]:
    return {**line, "message": {**line["message"], "id": name, "usage": usage}}


LINES = claude(
    prompt("build it"),
    counted(
        reply("Looking."),
        "m1",
        input_tokens=10,
        cache_creation_input_tokens=300,
        cache_read_input_tokens=9000,
        output_tokens=5,
    ),
    # The second block of the same message, written on since.
    counted(
        call("Bash", "c1", command="make"),
        "m1",
        input_tokens=10,
        cache_creation_input_tokens=300,
        output_tokens=25,
    ),
    result("c1", "done"),
    counted(reply("Built."), "m2", input_tokens=4, output_tokens=6),
)


def test_a_message_of_several_lines_is_counted_once(tmp_path: Path) -> None:
    found = turns(written(tmp_path, LINES))
    assert [turn.tokens for turn in found] == [0, 315, 20, 0, 10]


def test_reading_on_counts_what_reading_at_once_does(tmp_path: Path) -> None:
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(as_bytes(LINES[:2]))
    reader = by_agent("claude-code")
    begun = reader.open(path)
    first = begun.read()
    path.write_bytes(as_bytes(LINES))
    rest = reader.open(path, begun.resume).read()
    assert [turn.tokens for turn in first + rest] == [0, 315, 20, 0, 10]


def test_a_count_that_is_no_number_is_no_count(tmp_path: Path) -> None:
    lines = claude(prompt("go"), counted(reply("Yes."), "m1", input_tokens="many", output_tokens=3))
    assert [turn.tokens for turn in turns(written(tmp_path, lines))] == [0, 3]


def test_codex_counts_after_each_request(tmp_path: Path) -> None:
    usage = {"input_tokens": 900, "cached_input_tokens": 800, "output_tokens": 30}
    lines = codex(
        {"type": "event_msg", "payload": {"type": "user_message", "message": "build it"}},
        {
            "type": "response_item",
            "payload": {
                "type": "function_call", "name": "exec_command", "call_id": "c1",
                "arguments": '{"cmd":"make"}',
            },
        },
        {
            "type": "event_msg",
            "payload": {"type": "token_count", "info": {"last_token_usage": usage}},
        },
        {"type": "event_msg", "payload": {"type": "token_count", "info": None}},
        {
            "type": "response_item",
            "payload": {"type": "function_call_output", "call_id": "c1", "output": "done"},
        },
    )  # fmt: skip
    found = turns(written(tmp_path, [meta(), *lines], NAME), "codex")
    assert [(turn.kind, turn.tokens) for turn in found] == [
        ("prompt", 0),
        ("tool_call", 0),
        ("tool_result", 130),
    ]
