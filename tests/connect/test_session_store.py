"""Transcripts of Agent SDK agents, mirrored: the SDK's own conformance suite, and what is ours."""

import asyncio
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from tests.sessions.logs import SESSION, claude, prompt, reply

from reverie.cli.root import run
from reverie.connect.session_store import MirroredSessions
from reverie.errors import InvalidInput
from reverie.memory import Memory
from reverie.sessions.readers.agents import by_agent

KEY = {"project_key": "-w-app", "session_id": SESSION}
LOG = claude(prompt("use tabs"), reply("Done."), prompt("größer, 日本語"))


@pytest.mark.needs("agent-sdk")
def test_the_official_conformance_suite_passes(tmp_path: Path) -> None:
    from claude_agent_sdk.testing import (  # pyright: ignore[reportMissingImports]
        run_session_store_conformance,
    )

    numbers = itertools.count()
    asyncio.run(
        run_session_store_conformance(lambda: MirroredSessions(tmp_path / str(next(numbers))))  # pyright: ignore[reportArgumentType]
    )
    assert next(numbers) > 10


@pytest.mark.proves("F10")
def test_what_is_mirrored_is_found_and_read_like_a_log(
    isolated_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(MirroredSessions().append(KEY, LOG))
    assert run(["sessions", "list", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["agent"], found["session_id"], found["human_turns"]) == (
        "claude-code",
        SESSION,
        2,
    )


def test_a_memory_of_another_home_mirrors_there(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "other", folder=tmp_path) as memory:
        asyncio.run(MirroredSessions(memory=memory).append(KEY, LOG))
        assert memory.learn().sessions == 1


def test_a_batch_that_comes_twice_is_written_once(tmp_path: Path) -> None:
    async def both() -> list[dict[str, Any]] | None:
        await MirroredSessions(tmp_path).append(KEY, LOG[:2])
        other = MirroredSessions(tmp_path)
        await other.append(KEY, LOG)
        await other.append(KEY, LOG)
        return await other.load(KEY)

    assert asyncio.run(both()) == LOG


def test_a_line_cut_by_a_crash_costs_only_itself(tmp_path: Path) -> None:
    store = MirroredSessions(tmp_path)
    asyncio.run(store.append(KEY, LOG[:1]))
    (file,) = tmp_path.rglob("*.jsonl")
    with file.open("ab") as stream:
        stream.write(b'{"type":"user","cut')
    asyncio.run(store.append(KEY, LOG[1:]))
    assert asyncio.run(MirroredSessions(tmp_path).load(KEY)) == LOG
    turns = by_agent("claude-code").open(file).read()
    assert [turn.text for turn in turns if turn.role == "human"] == ["use tabs", "größer, 日本語"]


@pytest.mark.parametrize("name", ["../../etc", "..", "a/b", "/abs", "nul\0", "C:\\x", "a%2Fb", "."])
def test_no_key_leaves_the_folder_and_none_meets_another(tmp_path: Path, name: str) -> None:
    store = MirroredSessions(tmp_path / "mirror")
    key = {"project_key": name, "session_id": name, "subpath": f"subagents/{name}"}
    asyncio.run(store.append({"project_key": name, "session_id": name}, LOG[:1]))
    asyncio.run(store.append(key, LOG[1:]))
    assert asyncio.run(store.load(key)) == LOG[1:]
    assert [s["session_id"] for s in asyncio.run(store.list_sessions(name))] == [name]
    assert {path.name for path in tmp_path.iterdir()} == {"home", "mirror"}


def test_a_key_too_long_for_a_name_is_refused(tmp_path: Path) -> None:
    store = MirroredSessions(tmp_path)
    with pytest.raises(InvalidInput):
        asyncio.run(store.append({"project_key": "p", "session_id": "s" * 400}, LOG))


def test_transcripts_are_for_the_user_only(tmp_path: Path) -> None:
    asyncio.run(MirroredSessions(tmp_path / "m").append(KEY, LOG))
    for path in (tmp_path / "m").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0
