"""General rules of damage: it costs at most the damaged records and never adds a human turn."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sessions.logs import (
    SESSION,
    as_bytes,
    call,
    claude,
    codex,
    heard,
    meta,
    prompt,
    refused,
    reply,
    result,
    time_of,
    turns,
)

from reverie.sessions.readers.agents import by_agent

QUEUED: dict[str, Any] = {"type": "queue-operation", "operation": "enqueue", "content": "queued it"}
NESTED = {"type": "user", "message": {"role": "user", "content": "a model wrote this"}}
CLAUDE = claude(
    {"type": "mode", "mode": "default"},
    prompt("the first prompt"),
    reply('I read `{"type":"user"}` in {"parentUuid": null}'),
    call("Bash", "t1", command='echo \'{"type":"user","sessionId":"x"}\''),
    result("t1", '{"type":"user","message":{"content":"from a file"}}\n' * 3),
    {"type": "progress", "data": {"message": NESTED, "type": "agent_progress"}},
    prompt("<task-notification>done</task-notification>"),
    prompt("zweiter Wunsch: größer, 日本語 🙂"),
    QUEUED,
    {"type": "queue-operation", "operation": "remove"},
    prompt("a skill's body", isMeta=True),
    refused("t2", "rather not"),
    prompt("the last prompt"),
)
CODEX = [
    meta(),
    *codex(
        {"type": "event_msg", "payload": {"type": "user_message", "message": "first of all"}},
        {"type": "event_msg", "payload": {"type": "agent_message", "message": '{"payload":{}}'}},
        {"type": "response_item", "payload": {"type": "reasoning", "summary": []}},
        {"type": "compacted", "payload": {"replacement_history": [NESTED, NESTED]}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "and größer"}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "last of all"}},
    ),
]


def numbered(clock: str, *lines: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"id": f"e-{n}", clock: time_of(n), **line} for n, line in enumerate(lines)]


COPILOT = numbered(
    "timestamp",
    {"type": "session.start", "data": {"sessionId": SESSION, "context": {"cwd": "/w"}}},
    {"type": "user.message", "data": {"content": "first of all"}},
    {"type": "hook.start", "data": {"input": {"prompt": "first of all", "type": "user.message"}}},
    {"type": "assistant.message", "data": {"content": '{"type":"user.message","data":{}}'}},
    {"type": "user.message", "data": {"content": "an agent's", "source": "agent-1"}},
    {"type": "user.message", "data": {"content": "und größer", "delivery": "steering"}},
)
PI = [
    {"type": "session", "id": SESSION, "timestamp": time_of(0), "cwd": "/w"},
    *numbered(
        "timestamp",
        {"type": "message", "message": {"role": "user", "content": "first of all"}},
        {"type": "custom", "data": {"message": {"role": "user", "content": "nested"}}},
        {"type": "message", "message": {"role": "user", "content": "und größer"}},
    ),
]
GEMINI = [
    {"sessionId": SESSION, "projectHash": "h", "startTime": time_of(0)},
    *numbered(
        "timestamp",
        {"type": "user", "content": [{"text": "first of all"}]},
        {"type": "gemini", "content": "", "toolCalls": [{"id": "c", "args": {"type": "user"}}]},
        {"type": "user", "content": "und größer"},
    ),
]
MANAGED = numbered(
    "processed_at",
    {"type": "user.message", "content": [{"type": "text", "text": "first of all"}]},
    {"type": "agent.tool_use", "name": "n", "input": {"message": {"type": "text", "text": "x"}}},
    {"type": "user.message", "content": [{"type": "text", "text": "und größer"}]},
)
CHAT = numbered(
    "timestamp",
    {"role": "user", "content": "first of all"},
    {"role": "assistant", "content": [{"type": "text", "text": '{"role":"user"}'}]},
    {"role": "user", "content": "und größer"},
)
LOGS = {
    "chat": CHAT,
    "claude-code": CLAUDE,
    "codex": CODEX,
    "copilot-cli": COPILOT,
    "gemini-cli": GEMINI,
    "managed-agent": MANAGED,
    "pi": PI,
}
AGENTS = st.sampled_from(sorted(LOGS))


def human(agent: str, data: bytes) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{SESSION}.jsonl"
        path.write_bytes(data)
        transcript = by_agent(agent).open(path)
        return [turn.text for turn in transcript.read() if turn.role == "human"]


ALONE = {agent: [human(agent, as_bytes([line])) for line in lines] for agent, lines in LOGS.items()}
SAID = {agent: [text for texts in alone for text in texts] for agent, alone in ALONE.items()}


def without(agent: str, hurt: set[int]) -> list[str]:
    """What people said on all lines but these."""
    return [text for n, texts in enumerate(ALONE[agent]) if n not in hurt for text in texts]


def spans(agent: str) -> list[tuple[int, int]]:
    """First and last byte of each line, its newline included."""
    ends: list[tuple[int, int]] = []
    at = 0
    for line in LOGS[agent]:
        size = len(as_bytes([line]))
        ends.append((at, at + size))
        at += size
    return ends


def touched(agent: str, start: int, stop: int) -> set[int]:
    """Lines that lose a byte of their record when [start, stop) is damaged."""
    return {n for n, (first, end) in enumerate(spans(agent)) if first < stop and start < end - 1}


def assert_kept(agent: str, data: bytes, hurt: set[int]) -> None:
    found = human(agent, data)
    kept = without(agent, hurt)
    remaining = iter(found)
    assert all(text in remaining for text in kept), (found, kept)
    assert not set(found) - set(SAID[agent])


def test_the_sample_logs_hold_what_the_rules_are_about() -> None:
    assert SAID["claude-code"] == [
        "the first prompt",
        "zweiter Wunsch: größer, 日本語 🙂",
        "queued it",
        "rather not",
        "the last prompt",
    ]
    assert SAID["codex"] == ["first of all", "and größer", "last of all"]
    for agent in LOGS.keys() - {"claude-code", "codex"}:
        assert SAID[agent] == ["first of all", "und größer"]
    for agent, lines in LOGS.items():
        assert human(agent, as_bytes(lines)) == SAID[agent]


@pytest.mark.hostile("L1")
@given(agent=AGENTS, data=st.data())
def test_a_log_cut_anywhere_keeps_what_comes_before(agent: str, data: st.DataObject) -> None:
    whole = as_bytes(LOGS[agent])
    start = data.draw(st.integers(0, len(whole)))
    assert_kept(agent, whole[:start], touched(agent, start, len(whole)))


@pytest.mark.hostile("L2")
@given(agent=AGENTS, data=st.data())
def test_a_record_cut_short_costs_itself_and_not_the_next(agent: str, data: st.DataObject) -> None:
    """The writer died or was overtaken; the next record follows, with or without a newline."""
    whole = as_bytes(LOGS[agent])
    first, end = data.draw(st.sampled_from(spans(agent)))
    start = data.draw(st.integers(first, end))
    stop = data.draw(st.sampled_from([end - 1, *(a for a, _ in spans(agent) if a >= start)]))
    stop = max(start, stop)
    assert_kept(agent, whole[:start] + whole[stop:], touched(agent, start, stop))


@given(agent=AGENTS, data=st.data())
def test_bytes_taken_out_of_the_middle_leave_the_other_records_alone(
    agent: str, data: st.DataObject
) -> None:
    # Two halves can make one valid record; then nothing can tell. The others are untouched.
    whole = as_bytes(LOGS[agent])
    start = data.draw(st.integers(0, len(whole)))
    stop = data.draw(st.integers(start, len(whole)))
    found = human(agent, whole[:start] + whole[stop:])
    remaining = iter(found)
    assert all(text in remaining for text in without(agent, touched(agent, start, stop)))
    assert len(set(found) - set(SAID[agent])) <= 1


@pytest.mark.hostile("L2")
@given(agent=AGENTS, data=st.data())
def test_a_record_spliced_into_another_costs_only_the_other(
    agent: str, data: st.DataObject
) -> None:
    whole = as_bytes(LOGS[agent])
    line = data.draw(st.sampled_from(LOGS[agent]))
    at = data.draw(st.integers(0, len(whole)))
    newline = data.draw(st.booleans())
    piece = as_bytes([line]) if newline else as_bytes([line])[:-1]
    found = human(agent, whole[:at] + piece + whole[at:])
    assert set(without(agent, touched(agent, at, at))) <= set(found) <= set(SAID[agent])
    assert len(found) == len(set(found))


@pytest.mark.hostile("L7")
@given(agent=AGENTS, data=st.data())
def test_lines_told_twice_are_heard_once(agent: str, data: st.DataObject) -> None:
    lines = list(LOGS[agent])
    for index in sorted(data.draw(st.sets(st.integers(0, len(lines) - 1))), reverse=True):
        lines.insert(index + 1, lines[index])
    assert human(agent, as_bytes(lines)) == SAID[agent]


@pytest.mark.hostile("L3", "L4")
@given(agent=AGENTS, data=st.data(), byte=st.sampled_from([0x00, 0x07, 0xC0, 0xFF]))
def test_bytes_written_over_cost_at_most_the_records_they_hit(
    agent: str, data: st.DataObject, byte: int
) -> None:
    # A letter changed into another letter leaves a valid record; nothing can tell.
    whole = as_bytes(LOGS[agent])
    start = data.draw(st.integers(0, len(whole) - 1))
    stop = min(start + data.draw(st.integers(1, 400)), len(whole))
    hurt = bytes([byte]) * (stop - start)
    assert_kept(agent, whole[:start] + hurt + whole[stop:], touched(agent, start, stop))


@pytest.mark.hostile("L4")
def test_a_mark_of_the_harness_with_a_damaged_name_makes_no_human_turn() -> None:
    whole = as_bytes(LOGS["claude-code"])
    assert b'"isMeta"' in whole
    for damaged in (b'"isM\xc0ta"', b'"isM\xffta"', b'"isM\x00ta"', b'"isM\x07ta"'):
        found = human("claude-code", whole.replace(b'"isMeta"', damaged))
        assert found == SAID["claude-code"]


@given(agent=AGENTS, data=st.binary(max_size=2_000))
def test_any_bytes_at_all_are_read_without_an_error(agent: str, data: bytes) -> None:
    assert human(agent, data) == []


@given(agent=AGENTS, data=st.data())
def test_reading_a_growing_log_in_steps_gives_the_same_turns(
    agent: str, data: st.DataObject
) -> None:
    whole = as_bytes(LOGS[agent])
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    reader = by_agent(agent)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{SESSION}.jsonl"
        resume = None
        turns: list[Any] = []
        transcript = reader.open(path, None)
        for cut in [*cuts, len(whole)]:
            path.write_bytes(whole[:cut])
            transcript = reader.open(path, resume)
            if resume is not None:
                turns = [turn for turn in turns if turn.offset < resume.offset]
            turns += transcript.read()
            resume = type(transcript.resume).from_json(transcript.resume.to_json())
        at_once = reader.open(path)
        assert turns == at_once.read()
        assert transcript.head == at_once.head
        assert transcript.damage == at_once.damage


@pytest.mark.hostile("L2", "M1")
def test_words_out_of_a_broken_record_are_not_sure_and_those_of_glued_ones_are(
    tmp_path: Path,
) -> None:
    first, second, nested = claude(prompt("one"), prompt("two"), prompt("Always push to main."))
    glued = as_bytes([first])[:-1] + as_bytes([second])
    cut = b'{"type":"user","toolUseResult":{"structured":' + as_bytes([nested])
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(glued + cut)
    assert heard(turns(path)) == ["prompt: one", "prompt: two", "prompt?: Always push to main."]


@pytest.mark.hostile("L2", "M1")
def test_words_out_of_a_broken_document_are_not_sure(tmp_path: Path) -> None:
    messages = GEMINI[1:]
    path = tmp_path / "session-a.json"
    whole = json.dumps({"sessionId": "s", "projectHash": "h", "messages": messages})
    path.write_text(whole)
    assert heard(turns(path, "gemini-cli")) == ["prompt: first of all", "prompt: und größer"]
    path.write_text(whole[:-3])
    assert heard(turns(path, "gemini-cli")) == ["prompt?: first of all"]
