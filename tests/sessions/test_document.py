"""Logs that are one JSON document: general rules of damage, limits, and what is left alone."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sessions.logs import time_of

from reverie.sessions.logs import document
from reverie.sessions.readers.agents import by_agent, reader_for

NESTED = {"role": "user", "content": [{"type": "text", "text": "from a file"}]}
GEMINI = {
    "sessionId": "s-1",
    "projectHash": "h",
    "messages": [
        {"id": "m1", "timestamp": time_of(1), "type": "user", "content": "first of all"},
        {
            "id": "m2",
            "timestamp": time_of(2),
            "type": "gemini",
            "content": 'a {"type":"user"}',
            "toolCalls": [{"id": "c", "name": "n", "args": {"m": NESTED}, "status": "success"}],
        },
        {"id": "m3", "timestamp": time_of(3), "type": "user", "content": "und größer"},
    ],
}
OPENCODE = {
    "info": {"id": "ses_1", "directory": "/w", "title": "t"},
    "messages": [
        {"info": {"id": "m1", "role": "user"}, "parts": [{"type": "text", "text": "first of all"}]},
        {
            "info": {"id": "m2", "role": "assistant"},
            "parts": [{"type": "tool", "state": {"status": "completed", "input": {"m": NESTED}}}],
        },
        {"info": {"id": "m3", "role": "user"}, "parts": [{"type": "text", "text": "und größer"}]},
    ],
}
ATIF = {
    "schema_version": "ATIF-v1.8",
    "session_id": "s-1",
    "agent": {"name": "a", "version": "1"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "first of all"},
        {
            "step_id": 2,
            "source": "agent",
            "message": "",
            "tool_calls": [{"tool_call_id": "c", "function_name": "f", "arguments": {"m": NESTED}}],
        },
        {"step_id": 3, "source": "user", "message": "und größer"},
    ],
}
DOCUMENTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "gemini-cli": ("session-1.json", GEMINI, "messages"),
    "opencode": ("ses_1.json", OPENCODE, "messages"),
    "atif": ("run.json", ATIF, "steps"),
}
AGENTS = st.sampled_from(sorted(DOCUMENTS))
SAID = ["first of all", "und größer"]


def written(agent: str, indent: int | None) -> bytes:
    return json.dumps(DOCUMENTS[agent][1], ensure_ascii=False, indent=indent).encode()


def heard(agent: str, data: bytes) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / DOCUMENTS[agent][0]
        path.write_bytes(data)
        return [t.text for t in by_agent(agent).open(path).read() if t.role == "human"]


def place(agent: str, number: int, data: bytes, indent: int | None) -> tuple[int, int]:
    """First and last byte of a message, found by its own words."""
    words = SAID[number].encode()
    at = data.index(words)
    return at, at + len(words)


@pytest.mark.parametrize("agent", DOCUMENTS)
@pytest.mark.parametrize("indent", [None, 2])
def test_messages_have_their_index_and_the_agent_is_recognised(
    agent: str, indent: int | None, tmp_path: Path
) -> None:
    path = tmp_path / DOCUMENTS[agent][0]
    path.write_bytes(b"\xef\xbb\xbf" + written(agent, indent) + b"\n")
    reader = reader_for(path)
    assert reader is not None and reader.agent == agent
    transcript = reader.open(path)
    said = [(t.line, t.text) for t in transcript.read() if t.role == "human"]
    assert said == [(0, SAID[0]), (2, SAID[1])]
    assert transcript.damage.bad_lines == 0


@pytest.mark.hostile("L1")
@given(agent=AGENTS, indent=st.sampled_from([None, 2]), data=st.data())
def test_a_document_cut_anywhere_keeps_the_messages_before(
    agent: str, indent: int | None, data: st.DataObject
) -> None:
    whole = written(agent, indent)
    cut = data.draw(st.integers(0, len(whole)))
    found = heard(agent, whole[:cut])
    assert found == SAID[: len(found)]
    # The next message after the first one has begun: the first is whole.
    if cut > whole.index(b"m2" if agent != "atif" else b'"step_id": 2'):
        assert found[:1] == SAID[:1]


@pytest.mark.hostile("L3", "L4")
@given(
    agent=AGENTS,
    indent=st.sampled_from([None, 2]),
    number=st.sampled_from([0, 1]),
    byte=st.sampled_from([0x00, 0xFF, 0xC0]),
)
def test_bytes_written_over_cost_the_message_they_hit(
    agent: str, indent: int | None, number: int, byte: int
) -> None:
    whole = bytearray(written(agent, indent))
    first, last = place(agent, number, bytes(whole), indent)
    whole[first:last] = bytes([byte]) * (last - first)
    assert heard(agent, bytes(whole)) == [SAID[1 - number]]


@given(agent=AGENTS, data=st.binary(max_size=500))
def test_any_bytes_are_read_without_an_error(agent: str, data: bytes) -> None:
    assert heard(agent, data) == []


@pytest.mark.hostile("L5")
def test_absurd_nesting_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "session-1.json"
    path.write_bytes(b'{"sessionId":"s","messages":' + b"[" * 100_000)
    transcript = by_agent("gemini-cli").open(path)
    assert transcript.read() == []
    assert transcript.damage.bad_lines == 1


@pytest.mark.hostile("L6")
def test_a_document_too_large_to_hold_is_counted_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document, "MAX_DOCUMENT", 100)
    path = tmp_path / "session-1.json"
    path.write_bytes(written("gemini-cli", None))
    transcript = by_agent("gemini-cli").open(path)
    assert transcript.read() == []
    assert transcript.damage.reasons == {"too long": 1}


def test_a_damaged_document_still_names_its_session(tmp_path: Path) -> None:
    path = tmp_path / "session-1.json"
    path.write_bytes(written("gemini-cli", 2)[:-20])
    transcript = by_agent("gemini-cli").open(path)
    transcript.read()
    assert transcript.head.session_id == "s-1"
