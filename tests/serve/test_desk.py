"""What leaves through a tool: exact budgets, the session's sum, a person's yes, and who asked."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.serve.test_stdio import HELLO, SERVER, call, exchange, parameters
from tests.sessions.logs import as_bytes, claude, prompt, reply

from reverie.asker import Asker
from reverie.errors import InvalidInput, NotFound, Refused
from reverie.memory import Memory
from reverie.operations import allowing, reach, recalling
from reverie.serve.desk import fitted
from reverie.serve.tools import Tools
from reverie.store.model import Actor, Author

USER = Author(Actor("user"), "said so")
LARGE = {"command": "view", "path": "/memories/harbour/large.md", "budget_chars": 60_000}
SIZE = len(f"Content of {LARGE['path']} with line numbers:") + 300 * len(
    "\n     1\t" + "chain " * 20
)


@pytest.fixture
def full(memory: Memory, project: Path, tmp_path: Path) -> str:
    """The project with sessions, and files of every size; returns the name of a session."""
    for number in range(30):
        body = f"Quay {number}: " + " ".join(f"crane{number}x{n}" for n in range(60))
        memory.store.create("harbour", f"/quay-{number}.md", body, USER)
    memory.store.create("harbour", "/long.md", "anchor " * 3_000, USER)
    memory.store.create("harbour", "/large.md", "\n".join(["chain " * 20] * 300), USER)
    turns = [turn for n in range(20) for turn in (prompt(f"quay {n} {'x ' * 400}"), reply("yes"))]
    lines = claude(*turns)
    for line in lines:
        line["cwd"] = str(project)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "s.jsonl").write_bytes(as_bytes(lines))
    memory.learn(tmp_path / "logs")
    return memory.index.sessions()[0].key


def readings(session: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("recall", {"query": "quay crane", "sessions": True}),
        ("recall", {}),
        ("recall", {"query": "nothing of the kind"}),
        ("search_sessions", {"query": "quay", "limit": 50}),
        ("search_sessions", {"query": "zeppelin"}),
        ("read_session", {"session": session, "turns": 100}),
        ("read_session", {"session": f"{session}#999999"}),
        ("why", {"memory": "quay-1"}),
        ("memory", {"command": "view"}),
        ("memory", {"command": "view", "path": "/memories/harbour"}),
        ("memory", {"command": "view", "path": "/memories/harbour/long.md"}),
        ("memory", {"command": "view", "path": "/memories/harbour/quay-1.md"}),
    ]


@pytest.mark.proves("E4")
@pytest.mark.hostile("T6")
@given(budget=st.integers(1, 9_000), window=st.sampled_from([1, 10**8]), place=st.integers(0, 11))
@settings(
    max_examples=80,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
def test_no_answer_has_a_character_more_than_its_budget(
    full: str, agent: Memory, budget: int, window: int, place: int
) -> None:
    tools = Tools(agent)
    tools.call("recall", {"window_tokens": window})
    name, arguments = readings(full)[place]
    text = tools.call(name, arguments | {"budget_chars": budget})
    assert len(text) <= budget
    assert recalling.ledger(agent).rows()[-1][7:9] == (budget, len(text))


@given(parts=st.lists(st.text(max_size=30), min_size=1, max_size=8), room=st.integers(0, 120))
def test_parts_are_whole_or_left_out_and_counted(parts: list[str], room: int) -> None:
    text, taken = fitted(parts, room)
    assert len(text) <= room
    if len("\n".join(parts)) <= room:
        assert (text, taken) == ("\n".join(parts), len(parts))
    elif taken > 1:
        assert text == "\n".join([*parts[:taken], f"({len(parts) - taken} more left out)"])


@pytest.mark.proves("E4")
def test_every_call_is_in_the_audit_log_with_its_size_or_why_it_got_nothing(
    full: str, agent: Memory
) -> None:
    tools = Tools(agent)
    asked = [*readings(full), ("remember", {"text": "The north quay is closed on Sundays."})]
    sizes = [len(tools.call(name, arguments)) for name, arguments in asked]
    refused: list[tuple[str, dict[str, Any], type[Exception], str]] = [
        ("recall", {"budget_chars": 0}, InvalidInput, "InvalidInput: budget_chars"),
        ("read_session", {"session": "nobody"}, NotFound, "NotFound: no session"),
        ("memory", {"command": "view", "path": "/memories/x/y"}, NotFound, "NotFound: there is no"),
        ("memory", LARGE, Refused, "Refused: this answer has"),
        ("fly", {}, KeyError, "InvalidInput: no such tool"),
    ]
    for name, arguments, error, _ in refused:
        with pytest.raises(error):
            tools.call(name, arguments)
    lines = (agent.config.home / "audit.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    handed, not_handed = found[: len(asked)], found[len(asked) :]
    assert [one["tool"] for one in handed] == [name for name, _ in asked]
    assert [one["characters"] for one in handed] == sizes
    assert all(one["tokens"] >= one["characters"] // 4 for one in handed)
    assert [(one["tool"], one["characters"], one["entries"]) for one in not_handed] == [
        (name if error is not KeyError else "unknown", 0, []) for name, _, error, _ in refused
    ]
    for one, (_, _, _, reason) in zip(not_handed, refused, strict=True):
        assert one["refused"].startswith(reason)
    rows = recalling.ledger(agent).rows()
    assert [row.tool for row in rows] == [one["tool"] for one in found]
    read = next(row for row in rows if row.tool == "read_session")
    assert read.entries[0].entry.startswith(f"{full}#")


@pytest.mark.proves("E4")
def test_what_is_written_stands_in_the_store_alone(agent: Memory) -> None:
    words = "The north quay is closed on Sundays."
    Tools(agent).call("remember", {"text": words})
    file = {"path": "/memories/harbour/tide-tables.md"}
    Tools(agent).call("memory", {"command": "create", "file_text": words, **file})
    log = (agent.config.home / "audit.jsonl").read_text(encoding="utf-8")
    assert "Sundays" not in log and "tide-tables" not in log


@pytest.mark.proves("E4")
def test_the_sum_of_a_session_is_warned_about_whatever_tools_it_used(
    full: str, agent: Memory
) -> None:
    agent.asker = agent.asker._replace(session="s-1")
    tools = Tools(agent)
    view = {"command": "view", "path": "/memories/harbour/long.md"}
    first = tools.call("memory", view)
    assert len(first) == 12_000 and "warning" not in first
    # About 3,000 tokens each: with the third it is more than 70 % of 10,000.
    tools.call("recall", {"query": "quay", "window_tokens": 10_000, "budget_chars": 10})
    assert "warning" not in tools.call("memory", view)
    warned = tools.call("memory", view)
    assert len(warned) == 12_000
    assert warned.startswith("warning: memory takes about 9")
    assert "of 10000 tokens of this session, more than 70%" in warned
    # Another server of the same session knows of it; another session does not.
    same = Tools(agent).call("recall", {"query": "quay", "window_tokens": 10_000})
    assert same.startswith("warning: ")
    agent.asker = agent.asker._replace(session="s-2")
    assert "warning" not in Tools(agent).call("recall", {"query": "quay", "window_tokens": 10_000})


@pytest.mark.proves("E4")
@pytest.mark.hostile("T6")
def test_a_large_hand_over_needs_a_person_and_no_argument_is_one(full: str, agent: Memory) -> None:
    tools = Tools(agent)
    with pytest.raises(InvalidInput):
        tools.call("recall", {"budget_chars": 90_000, "confirm": True})
    with pytest.raises(Refused, match="limit without a person's yes: 20000") as refusal:
        tools.call("memory", LARGE)
    assert "`reverie allow 3" in str(refusal.value.hint)
    with pytest.raises(Refused, match="and the person said no"):
        tools.call("memory", LARGE, lambda *_: False)
    asked: list[str] = []

    def yes(question: str, characters: int) -> bool:
        asked.append(question)
        return True

    assert len(tools.call("memory", LARGE, yes)) > 30_000
    assert asked == [
        f"claude-code asks Reverie (memory) for {SIZE:,} characters of your memory at once."
        " Hand them over?"
    ]


@pytest.mark.proves("E4")
def test_a_person_allows_more_for_a_while(full: str, agent: Memory) -> None:
    tools = Tools(agent)
    allowing.allow(agent, 30_000)
    with pytest.raises(Refused, match="yes: 30000"):
        tools.call("memory", LARGE)
    allowing.allow(agent, 50_000, "30m")
    assert len(tools.call("memory", LARGE)) > 30_000
    assert allowing.end(agent) and not allowing.end(agent)
    with pytest.raises(Refused):
        tools.call("memory", LARGE)
    for odd in ("", "all forever", "50000", "50000 1"):
        (agent.config.home / "allowed").write_text(odd, encoding="utf-8")
        assert allowing.limit(agent) == 20_000


async def view_large(project: Path, mode: Any, action: Any) -> tuple[str, list[str]]:
    """The answer to a large view, and what the person was asked."""
    asked: list[str] = []

    async def person(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action=action, content={} if action == "accept" else None)

    async with Client(
        stdio_client(parameters(project)),
        mode=mode,
        elicitation_callback=person if action else None,
        client_info=types.Implementation(name="harbourmaster", version="7.1"),
    ) as client:
        found = await client.call_tool("memory", LARGE)
        return getattr(found.content[0], "text", ""), asked


@pytest.mark.proves("E4")
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("action", ["accept", "decline", "cancel", None])
def test_the_official_client_asks_its_person(
    full: str, memory: Memory, project: Path, mode: str, action: str | None
) -> None:
    text, asked = anyio.run(view_large, project, mode, action)
    assert len(asked) == (1 if action else 0)
    assert all(f"harbourmaster/7.1 asks Reverie (memory) for {SIZE:,}" in one for one in asked)
    row = recalling.ledger(memory).rows()[-1]
    assert (row.agent, row.client) == ("claude-code", "harbourmaster/7.1")
    if action == "accept":
        assert len(text) == row.characters == SIZE and not row.refused
    else:
        assert text.startswith(f"error: this answer has {SIZE} characters")
        assert ("the person said no" in text) == bool(action)
        assert row.refused.startswith(f"Refused: this answer has {SIZE}")


def test_what_a_client_says_while_its_person_thinks_is_answered_afterwards(
    full: str, memory: Memory, project: Path
) -> None:
    hello = json.loads(json.dumps(HELLO))
    hello["params"]["capabilities"] = {"elicitation": {}}
    answers = exchange(
        project,
        hello,
        call(1, "memory", LARGE),
        {"jsonrpc": "2.0", "id": 2, "method": "ping"},
        call(3, "recall", {"query": "staging port"}),
        {"jsonrpc": "2.0", "id": "reverie-1", "result": {"action": "accept", "content": {}}},
    )
    assert [answer.get("id") for answer in answers] == [0, "reverie-1", 2, 1, 3]
    assert answers[1]["method"] == "elicitation/create"
    assert len(answers[3]["result"]["content"][0]["text"]) == SIZE
    for last in (
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": "reverie-1", "error": {"code": -32601, "message": "what?"}},
        {"jsonrpc": "2.0", "id": "reverie-1", "result": ["accept"]},
    ):
        *_, refused = exchange(project, hello, call(1, "memory", LARGE), last)
        assert refused["result"]["isError"]
    *_, hung_up = exchange(project, hello, call(1, "memory", LARGE))
    assert hung_up["result"]["isError"]


@pytest.fixture
def servers(project: Path) -> Iterator[list[StdioServerParameters]]:
    """Two servers as two agents are connected to them, and one that is connected by hand."""
    made = [parameters(project) for _ in range(3)]
    made[1].args = [*SERVER[1:-1], "codex"]
    made[2].args = SERVER[1:-2]
    made[0].env = {**(made[0].env or {}), "CLAUDE_CODE_SESSION_ID": "5e55-1"}
    for one in made[1:]:
        one.env = {k: v for k, v in (one.env or {}).items() if not k.startswith("CLAUDE")}
    yield made


async def write_note(server: StdioServerParameters, name: str, mode: Any) -> None:
    info = types.Implementation(name=name, version="1.2/3")
    async with Client(stdio_client(server), mode=mode, client_info=info) as client:
        file = {"path": f"/memories/harbour/{name}.md", "file_text": f"by {name}"}
        await client.call_tool("memory", {"command": "create", **file})


@pytest.mark.proves("E4", "C4")
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_two_agents_are_told_apart_in_versions_ledger_and_audit(
    memory: Memory, servers: list[StdioServerParameters], mode: str
) -> None:
    for server, name in zip(servers, ("first", "second", "third"), strict=True):
        anyio.run(write_note, server, name, mode)
    rows = recalling.ledger(memory).rows()
    clients = ["first/1.2-3", "second/1.2-3", "third/1.2-3"]
    assert [row.agent for row in rows] == ["claude-code", "codex", ""]
    assert [row.client for row in rows] == clients
    assert rows[0].session == "5e55-1"
    assert all(row.session.startswith("connection-") for row in rows[1:])
    by = [memory.store.get("harbour", f"/{name}.md") for name in ("first", "second", "third")]
    actors = [memory.store.version(one.version_id).actor for one in by]
    assert [actor.kind for actor in actors] == ["agent"] * 3
    assert actors[0].id == "claude-code:5e55-1"
    assert [actor.id for actor in actors[1:]] == [
        f"codex:{rows[1].session}",
        f"third:{rows[2].session}",
    ]
    lines = (memory.config.home / "audit.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["client"] for line in lines] == clients


@pytest.mark.hostile("T6")
def test_what_a_client_calls_itself_gives_it_no_right_and_no_line_of_its_own(
    memory: Memory, project: Path
) -> None:
    memory.store.ensure_store("secret")
    hello = json.loads(json.dumps(HELLO))
    hello["params"]["clientInfo"] = {"name": "a\n\x1b[2J\u202eb" + "c" * 500, "version": ["1"]}
    _, denied = exchange(
        project, hello, call(1, "memory", {"command": "view", "path": "/memories/secret/"})
    )
    assert denied["result"]["isError"]
    row = recalling.ledger(memory).rows()[-1]
    assert row.client.isprintable() and len(row.client) < 130
    assert reach.stores(memory.at(asker=Asker("mcp", agent="x", client="secret/1")))
