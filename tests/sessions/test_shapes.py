"""Records of any shape: nothing a log holds may stop its reading or make a person say something."""

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sessions.logs import time_of

from reverie.sessions.model import SPOKEN
from reverie.sessions.readers.agents import by_agent

ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**63) | st.text(max_size=5) | st.floats(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)

CLAUDE: list[dict[str, Any]] = [
    {"type": "summary", "summary": "t", "leafUuid": "x"},
    {
        "type": "user",
        "sessionId": "s",
        "origin": {"kind": "human"},
        "message": {"content": [{"type": "text", "text": "said"}]},
    },
    {
        "type": "assistant",
        "sessionId": "s",
        "message": {"content": [{"type": "tool_use", "id": "c", "name": "Edit", "input": {}}]},
    },
    {
        "type": "user",
        "sessionId": "s",
        "toolUseResult": {"userModified": True},
        "message": {
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c",
                    "is_error": True,
                    "content": [
                        {"type": "text", "text": "The user doesn't want to. the user said:said"}
                    ],
                }
            ]
        },
    },
    {"type": "queue-operation", "sessionId": "s", "operation": "enqueue", "content": "said"},
    {
        "type": "attachment",
        "sessionId": "s",
        "attachment": {
            "type": "queued_command",
            "prompt": [{"type": "text", "text": "said"}],
            "origin": {"kind": "human"},
        },
    },
    {"type": "attachment", "attachment": {"type": "hook_success", "content": ["x"]}},
    {"type": "system", "sessionId": "s", "subtype": "away_summary", "content": "x"},
]
CODEX: list[dict[str, Any]] = [
    {"type": "session_meta", "payload": {"id": "s", "cwd": "/w", "git": {"branch": "main"}}},
    {"type": "turn_context", "payload": {"cwd": "/w"}},
    {"type": "event_msg", "payload": {"type": "user_message", "message": "said"}},
    {
        "type": "event_msg",
        "payload": {
            "type": "item_completed",
            "item": {"type": "UserMessage", "content": [{"type": "text", "text": "said"}]},
        },
    },
    {
        "type": "response_item",
        "payload": {"type": "function_call", "name": "n", "call_id": "c", "arguments": "{}"},
    },
    {"type": "event_msg", "payload": {"type": "exec_command_end", "call_id": "c", "exit_code": 1}},
    {
        "type": "response_item",
        "payload": {"type": "function_call_output", "call_id": "c", "output": "x"},
    },
    {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}},
    {"type": "compacted", "payload": {"message": "x", "replacement_history": []}},
]
COPILOT: list[dict[str, Any]] = [
    {"type": "session.start", "data": {"sessionId": "s", "context": {"cwd": "/w"}}},
    {"type": "user.message", "data": {"content": "said", "delivery": "idle"}},
    {"type": "assistant.message", "data": {"content": "a", "toolRequests": [{"toolCallId": "c"}]}},
    {"type": "tool.execution_complete", "data": {"toolCallId": "c", "error": {"code": "denied"}}},
    {"type": "permission.completed", "data": {"result": {"kind": "denied-by-user"}}},
    {"type": "session.compaction_complete", "data": {"summaryContent": "x"}},
    {"type": "session.snapshot_rewind", "data": {"upToEventId": "e-1"}},
]
PI: list[dict[str, Any]] = [
    {"type": "session", "id": "s", "cwd": "/w", "version": 3},
    {"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": "said"}]}},
    {
        "type": "message",
        "message": {
            "role": "assistant",
            "stopReason": "aborted",
            "content": [{"type": "toolCall", "id": "c", "name": "n", "arguments": {}}],
        },
    },
    {"type": "message", "message": {"role": "toolResult", "content": [], "isError": True}},
    {"type": "message", "message": {"role": "bashExecution", "command": "said", "exitCode": 1}},
]
GEMINI: list[dict[str, Any]] = [
    {"sessionId": "s", "projectHash": "h", "startTime": "t", "kind": "main", "directories": ["/w"]},
    {"type": "user", "content": [{"text": "said"}], "displayContent": [{"text": "said"}]},
    {
        "type": "gemini",
        "content": "a",
        "thoughts": [{"subject": "s", "description": "d"}],
        "toolCalls": [{"id": "c", "name": "n", "args": {}, "status": "error", "result": [{}]}],
    },
    {"$set": {"messages": [{"id": "x"}], "summary": "t"}},
    {"$rewindTo": "e-1"},
]
OPENCODE: list[dict[str, Any]] = [
    {"info": {"role": "user", "time": {"created": 1}}, "parts": [{"type": "text", "text": "said"}]},
    {
        "info": {"role": "assistant", "error": {"name": "X", "data": {"message": "m"}}},
        "parts": [
            {"type": "tool", "tool": "t", "state": {"status": "error", "input": {}, "error": "e"}}
        ],
    },
]
MANAGED: list[dict[str, Any]] = [
    {"type": "user.message", "content": [{"type": "text", "text": "said"}]},
    {"type": "agent.tool_use", "name": "n", "input": {}},
    {"type": "agent.tool_result", "tool_use_id": "e-1", "content": [], "is_error": True},
    {"type": "session.error", "error": {"message": "m"}},
]
ATIF: list[dict[str, Any]] = [
    {"step_id": 1, "source": "user", "message": "said", "extra": {"reverie": {"kind": "prompt"}}},
    {
        "step_id": 2,
        "source": "agent",
        "message": "a",
        "tool_calls": [{"tool_call_id": "c", "function_name": "n", "arguments": {}}],
        "observation": {"results": [{"source_call_id": "c", "content": "x"}]},
    },
]
CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "said"}]},
    {"role": "assistant", "content": "a", "tool_calls": [{"id": "c", "function": {"name": "n"}}]},
    {"role": "tool", "tool_call_id": "c", "content": "x"},
]
CURSOR: list[dict[str, Any]] = [
    {"role": "user", "message": {"content": [{"type": "text", "text": "said"}]}},
    {"role": "assistant", "message": {"content": [{"type": "tool_use", "name": "n", "input": {}}]}},
]
# agent → (file, member that holds the list or "" for lines, records)
LOGS: dict[str, tuple[str, str, list[dict[str, Any]]]] = {
    "claude-code": ("a.jsonl", "", CLAUDE),
    "codex": ("a.jsonl", "", CODEX),
    "copilot-cli": ("a.jsonl", "", COPILOT),
    "pi": ("a.jsonl", "", PI),
    "gemini-cli": ("a.jsonl", "", GEMINI),
    "opencode": ("ses_a.json", "messages", OPENCODE),
    "managed-agent": ("a.json", "data", MANAGED),
    "atif": ("a.json", "steps", ATIF),
    "chat": ("a.json", "messages", CHAT),
    "cursor": ("a.jsonl", "", CURSOR),
}


def filled(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"id": f"e-{n}", "timestamp": time_of(n), "processed_at": time_of(n), **record}
        for n, record in enumerate(records)
    ]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value inside a value."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    found = [path] if path else []
    for key, item in inner:
        found += places(item, (*path, key))
    return found


def heard(agent: str, records: list[Any], outer: dict[str, Any] | None = None) -> list[str]:
    name, member, _ = LOGS[agent]
    if member:
        text = json.dumps({**(outer or {}), member: records})
    else:
        text = "".join(json.dumps(record) + "\n" for record in records)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        transcript = by_agent(agent).open(path)
        turns = transcript.read()
        assert transcript.head.agent == agent
        assert all(isinstance(turn.text, str) and isinstance(turn.at, str) for turn in turns)
        return [turn.text for turn in turns if turn.role == "human" and turn.kind in SPOKEN]


@pytest.mark.parametrize("agent", LOGS)
def test_the_samples_are_heard_as_they_are(agent: str) -> None:
    assert set(heard(agent, filled(LOGS[agent][2]))) == {"said"}


@pytest.mark.hostile("L5")
@given(agent=st.sampled_from(sorted(LOGS)), data=st.data())
def test_any_value_may_have_any_shape(agent: str, data: st.DataObject) -> None:
    records = copy.deepcopy(filled(LOGS[agent][2]))
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(places(records)))
        holder: Any = records
        for key in way:
            holder = holder[key]
        holder[last] = data.draw(ANY)
    outer = {name: data.draw(ANY) for name in ("info", "agent", "extra", "session", "id")}
    heard(agent, records, outer)
