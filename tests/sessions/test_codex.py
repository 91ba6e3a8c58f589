"""Codex rollouts: human words, turns, exit codes, rollbacks, subagents, compression."""

from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.sessions.logs import (
    SESSION,
    Case,
    as_bytes,
    cases,
    codex,
    heard,
    meta,
    spoken,
    turns,
    written,
)

from reverie.sessions.readers.agents import by_agent, reader_for

NAME = f"rollout-2026-06-01T09-00-00-{SESSION}.jsonl"


def said(text: str) -> dict[str, Any]:
    return {"type": "event_msg", "payload": {"type": "user_message", "message": text}}


def item(**payload: Any) -> dict[str, Any]:
    return {"type": "response_item", "payload": payload}


def event(kind: str, **payload: Any) -> dict[str, Any]:
    return {"type": "event_msg", "payload": {"type": kind, **payload}}


@pytest.mark.proves("F10")
@pytest.mark.parametrize("case", cases("codex_human.txt"), ids=lambda case: case.name)
def test_exactly_the_words_a_person_typed_are_human(case: Case, tmp_path: Path) -> None:
    path = written(tmp_path, codex(*case.lines), NAME)
    assert heard(turns(path, "codex")) == case.expected


def test_calls_outputs_and_texts_are_told_once_each(tmp_path: Path) -> None:
    lines = codex(
        said("fix it"),
        event("agent_message", message="Looking."),
        item(
            type="message", role="assistant", content=[{"type": "output_text", "text": "Looking."}]
        ),
        item(type="function_call", name="exec_command", call_id="c1", arguments='{"cmd":"make"}'),
        item(
            type="function_call_output",
            call_id="c1",
            output="Chunk ID: 1\nProcess exited with code 2\nOutput:\nno rule",
        ),
        item(type="custom_tool_call", name="apply_patch", call_id="c2", input="*** Begin Patch"),
        item(type="custom_tool_call_output", call_id="c2", output="Exit code: 0\nOutput:\nok"),
    )
    found = turns(written(tmp_path, [meta(), *lines], NAME), "codex")
    assert [(t.line, t.role, t.kind) for t in found] == [
        (1, "human", "prompt"),
        (2, "agent", "text"),
        (4, "agent", "tool_call"),
        (5, "tool", "tool_result"),
        (6, "agent", "tool_call"),
        (7, "tool", "tool_result"),
    ]
    tools = [t.tool for t in found if t.tool]
    assert [(tool.name, tool.ok, tool.exit_code) for tool in tools[1::2]] == [
        ("exec_command", False, 2),
        ("apply_patch", True, 0),
    ]
    assert tools[0].input == {"cmd": "make"} and tools[2].input == {"input": "*** Begin Patch"}


def test_older_files_say_the_exit_code_in_an_event(tmp_path: Path) -> None:
    lines = codex(
        item(type="function_call", name="shell", call_id="c1", arguments="{}"),
        event("exec_command_end", call_id="c1", exit_code=3),
        item(type="function_call_output", call_id="c1", output="failed"),
        item(type="function_call", name="shell", call_id="c2", arguments="{}"),
        item(
            type="function_call_output",
            call_id="c2",
            output='{"output":"boom","metadata":{"exit_code":4}}',
        ),
    )
    found = turns(written(tmp_path, [meta(), *lines], NAME), "codex")
    ended = [(t.text, t.tool.exit_code) for t in found if t.kind == "tool_result" and t.tool]
    assert ended == [("failed", 3), ("boom", 4)]


def test_the_head_comes_from_the_first_meta_line(tmp_path: Path) -> None:
    git = {"branch": "main", "repository_url": "git@example.org:a/b.git", "commit_hash": "c"}
    again = meta(id="another", cwd="/elsewhere")
    path = written(tmp_path, [meta(git=git), again, *codex(said("hello"))], NAME)
    transcript = by_agent("codex").open(path)
    (turn,) = transcript.read()
    head = transcript.head
    assert (head.session_id, head.cwd, head.version) == (SESSION, "/w/app", "0.140.0")
    assert (head.remote, head.branch) == ("git@example.org:a/b.git", "main")
    assert turn.cwd == "/w/app" and turn.branch == "main"


@pytest.mark.parametrize(
    "mark",
    [
        {"source": {"subagent": "review"}},
        {"source": {"subagent": {"thread_spawn": {"depth": 1}}}},
        {"source": {"internal": "memory_consolidation"}},
        {"thread_source": "subagent"},
        {"thread_source": "memory_consolidation"},
        {"agent_role": "worker"},
        {"agent_nickname": "Ada"},
        {"agent_path": "main/worker"},
    ],
    ids=str,
)
def test_a_subagents_rollout_has_no_human_turns(mark: dict[str, Any], tmp_path: Path) -> None:
    lines = [meta(parent_thread_id="p", **mark), *codex(said("Review the diff"))]
    transcript = by_agent("codex").open(written(tmp_path, lines, NAME))
    found = transcript.read()
    assert [(t.role, t.kind) for t in found] == [("harness", "injected")]
    assert transcript.head.subagent and transcript.head.parent == "p"


@pytest.mark.parametrize("source", ["cli", "vscode", None], ids=str)
@pytest.mark.parametrize("originator", ["codex-tui", "codex_vscode", "Codex Desktop", None])
def test_what_was_typed_into_a_program_with_a_screen_is_the_persons(
    source: Any, originator: Any, tmp_path: Path
) -> None:
    usual = {"forked_from_id": "f", "dynamic_tools": [{"name": "x"}], "multi_agent_version": 2}
    old = None in (source, originator)
    usual |= {"cli_version": "0.40.0"} if old else {}
    known = meta(source=source, originator=originator, thread_source="user", **usual)
    lines = [known, *codex(said("fix it"))]
    path = written(tmp_path, lines, NAME)
    assert heard(turns(path, "codex")) == ["prompt: fix it"]


@pytest.mark.hostile("M1")
@pytest.mark.parametrize("mark", ["source", "originator"])
@pytest.mark.parametrize("value", [None, ""])
def test_a_version_that_says_where_a_session_began_is_not_sure_without_it(
    mark: str, value: str | None, tmp_path: Path
) -> None:
    lines = [meta(**{mark: value}), *codex(said("Always push."))]
    assert heard(turns(written(tmp_path, lines, NAME), "codex")) == ["prompt?: Always push."]


@pytest.mark.hostile("M1")
@pytest.mark.parametrize(
    "mark",
    [
        {"source": "exec"},
        {"source": "mcp"},
        {"source": "something new"},
        {"source": {"custom": "atlas"}},
        {"source": 7},
        {"source": None, "originator": "codex_exec"},
        {"originator": "codex_sdk_ts"},
        {"originator": "my-script"},
        {"originator": ["codex-tui"]},
        {"thread_source": "user", "parent_thread_id": "p"},
        {"thread_source": ["user"]},
        {"relayed_by": "a feature of next year"},
    ],
    ids=str,
)
def test_what_a_script_may_have_sent_is_not_sure_also_after_going_on(
    mark: dict[str, Any], tmp_path: Path
) -> None:
    path = written(tmp_path, [meta(**mark), *codex(said("fix it"))], NAME)
    first = by_agent("codex").open(path)
    assert heard(first.read()) == ["prompt?: fix it"]
    with path.open("ab") as file:
        file.write(as_bytes([{"timestamp": "2026-09-02T00:00:00Z", **said("and push")}]))
    assert heard(by_agent("codex").open(path, first.resume).read()) == ["prompt?: and push"]


def test_turns_rolled_back_are_marked_as_undone(tmp_path: Path) -> None:
    lines = codex(said("one"), said("two"), event("thread_rolled_back", num_turns=1), said("three"))
    found = turns(written(tmp_path, [meta(), *lines], NAME), "codex")
    assert [(t.text, t.undone) for t in found] == [("one", False), ("two", True), ("three", False)]


@pytest.mark.parametrize("count", [0, -1, 99, None, "1"])
def test_a_rollback_of_turns_that_are_not_there_marks_nothing(count: Any, tmp_path: Path) -> None:
    lines = codex(said("one"), event("thread_rolled_back", num_turns=count))
    assert not any(t.undone for t in turns(written(tmp_path, [meta(), *lines], NAME), "codex"))


@pytest.mark.proves("F10")
def test_a_compressed_rollout_reads_as_the_plain_one(tmp_path: Path) -> None:
    lines = [meta(), *codex(said("one"), event("context_compacted"), said("two"))]
    plain = written(tmp_path, lines, NAME)
    packed = tmp_path / "packed" / f"{NAME}.zst"
    packed.parent.mkdir()
    half = len(as_bytes(lines)) // 2
    frames = (as_bytes(lines)[:half], as_bytes(lines)[half:])
    packed.write_bytes(b"".join(zstandard.compress(frame) for frame in frames))
    reader = reader_for(packed)
    assert reader is not None and reader.agent == "codex"
    assert turns(packed, "codex") == turns(plain, "codex")


def test_a_broken_compressed_file_gives_what_comes_before_the_break(tmp_path: Path) -> None:
    lines = [meta(), *codex(*(said(f"prompt {n} " + "x" * n) for n in range(400)))]
    packed = tmp_path / f"{NAME}.zst"
    packed.write_bytes(zstandard.compress(as_bytes(lines)[:9_000]) + b"\x28\xb5\x2f\xfdjunk")
    found = spoken(turns(packed, "codex"))
    assert found[0] == "prompt: prompt 0"
    assert 20 < len(found) < 400


def test_compaction_leaves_a_boundary_and_its_summary(tmp_path: Path) -> None:
    lines = codex(said("one"), {"type": "compacted", "payload": {"message": "so far"}}, said("two"))
    kinds = [t.kind for t in turns(written(tmp_path, lines, NAME), "codex")]
    assert kinds == ["prompt", "boundary", "summary", "prompt"]


@pytest.mark.hostile("M1")
@pytest.mark.parametrize("mark", [{"role": "assistant"}, {"source_agent": "a"}], ids=str)
def test_a_message_that_names_another_speaker_is_not_sure(
    mark: dict[str, Any], tmp_path: Path
) -> None:
    item = {"type": "UserMessage", "content": [{"type": "text", "text": "Never test."}]} | mark
    lines = codex(
        event("user_message", message="Always push.", **mark), event("item_completed", item=item)
    )
    found = turns(written(tmp_path, [meta(), *lines], NAME), "codex")
    assert heard(found) == ["prompt?: Always push.", "prompt?: Never test."]


@pytest.mark.hostile("M1")
def test_a_session_that_goes_on_as_a_subagents_is_not_sure_from_there(tmp_path: Path) -> None:
    again = meta(source={"subagent": "review"})
    lines = [meta(), *codex(said("fix it")), again, *codex(said("Always push."))]
    path = written(tmp_path, lines, NAME)
    assert heard(turns(path, "codex")) == ["prompt: fix it", "prompt?: Always push."]
