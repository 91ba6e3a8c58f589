"""The server as a process: its pipes, the official client, two at once, no network."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp.client.session
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from tests.patience import SECONDS

from reverie.memory import Memory

SERVER = [sys.executable, "-P", "-m", "reverie", "mcp", "--agent", "claude-code"]
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}},
}


def call(number: int, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def exchange(
    project: Path, *messages: object, command: list[str] | None = None
) -> list[dict[str, Any]]:
    """Send everything, hang up, and parse every line that came out."""
    text = "".join(json.dumps(message) + "\n" for message in messages)
    done = subprocess.run(
        command or SERVER, input=text, capture_output=True, text=True, cwd=project, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def parameters(project: Path) -> StdioServerParameters:
    return StdioServerParameters(
        command=SERVER[0], args=SERVER[1:], env=dict(os.environ), cwd=project
    )


async def ask(project: Path, mode: Any) -> tuple[str, list[str], str]:
    async with Client(stdio_client(parameters(project)), mode=mode) as client:
        listed = await client.list_tools()
        found = await client.call_tool("recall", {"query": "staging port"})
        return (
            client.protocol_version,
            [tool.name for tool in listed.tools],
            getattr(found.content[0], "text", ""),
        )


@pytest.mark.proves("E4")
@pytest.mark.parametrize("version", [*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS])
def test_the_official_client_works_in_every_version_it_knows(
    memory: Memory, project: Path, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = version if version in MODERN_PROTOCOL_VERSIONS else "legacy"
    # The client always offers its newest handshake; older ones are what an older client offers.
    monkeypatch.setattr(mcp.client.session, "LATEST_HANDSHAKE_VERSION", version, raising=True)
    agreed, names, text = anyio.run(ask, project, mode)
    assert agreed == version
    assert names == ["recall", "remember", "search_sessions", "read_session", "why", "memory"]
    assert "8443" in text


def test_the_official_client_finds_the_newest_version_by_itself(
    memory: Memory, project: Path
) -> None:
    assert anyio.run(ask, project, "auto")[0] == MODERN_PROTOCOL_VERSIONS[-1]


NOISY = """
import os, subprocess, sys
from reverie.serve.mcp import Server, own_stdout
sink = own_stdout()
print("a banner at import")

class Noisy:
    instructions = ""
    def listed(self):
        return []
    def meet(self, client):
        pass
    def call(self, name, arguments, confirm):
        print("progress 50 %")
        sys.stdout.write("no newline")
        sys.stdout.flush()
        os.write(1, b"straight to the descriptor\\n")
        subprocess.run(["echo", "from a child"])
        return "done"

Server(Noisy(), sys.stdin.buffer, sink, sys.stderr).run()
"""


@pytest.mark.hostile("T2")
def test_nothing_but_json_rpc_reaches_the_client_whatever_is_printed(tmp_path: Path) -> None:
    answers = exchange(
        tmp_path, HELLO, call(1, "x", {}), call(2, "x", {}), command=[sys.executable, "-c", NOISY]
    )
    assert [answer["id"] for answer in answers] == [0, 1, 2]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)


@pytest.mark.hostile("T3")
def test_a_cancelled_call_leaves_the_session_usable(memory: Memory, project: Path) -> None:
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    answers = exchange(
        project, HELLO, call(1, "recall", {}), cancelled, call(2, "recall", {"query": "port"})
    )
    assert [answer["id"] for answer in answers] == [0, 1, 2]


@pytest.mark.proves("C2")
@pytest.mark.hostile("T3")
def test_two_servers_write_to_one_store_and_nothing_is_lost(memory: Memory, project: Path) -> None:
    def messages(who: str) -> bytes:
        calls = [
            call(
                n,
                "memory",
                {
                    "command": "create",
                    "path": f"/memories/harbour/{who}-{n}.md",
                    "file_text": f"{who} {n}",
                },
            )
            for n in range(15)
        ]
        return b"".join(json.dumps(m).encode() + b"\n" for m in [HELLO, *calls])

    servers = {
        who: subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project)
        for who in ("one", "two")
    }
    for who, server in servers.items():
        assert server.stdin
        server.stdin.write(messages(who))
        server.stdin.flush()
    for server in servers.values():
        out, _ = server.communicate(timeout=SECONDS)
        assert sum(b'"isError":false' in line for line in out.splitlines()) == 15
    kept = {entry.path for entry in memory.store.manifest("harbour")}
    assert kept >= {f"/{who}-{n}.md" for who in servers for n in range(15)}
    assert memory.store.verify() == []


@pytest.mark.hostile("T3")
def test_a_client_gone_in_the_middle_of_a_write_leaves_a_whole_store(
    memory: Memory, project: Path
) -> None:
    server = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project)
    assert server.stdin and server.stdout
    file = {"command": "create", "path": "/memories/harbour/late.md", "file_text": "late"}
    half = json.dumps(call(2, "recall", {})).encode()[:20]
    server.stdin.write(json.dumps(call(1, "memory", file)).encode() + b"\n" + half)
    server.stdin.close()
    server.stdout.close()
    assert server.wait(timeout=SECONDS) == 0
    assert memory.store.verify() == []
    assert memory.store.get("harbour", "/late.md").content == "late"
    # A restart goes on where the last one stopped.
    answers = exchange(project, HELLO, call(1, "memory", {**file, "command": "view"}))
    assert "late" in answers[1]["result"]["content"][0]["text"]


def test_a_module_in_the_working_directory_is_never_imported(memory: Memory, project: Path) -> None:
    (project / "json.py").write_text("raise SystemExit('a repository ran its code')")
    (project / "reverie.py").write_text("raise SystemExit('a repository ran its code')")
    assert exchange(project, HELLO)[0]["result"]["serverInfo"]["name"] == "reverie"


@pytest.mark.needs("unshare")
@pytest.mark.proves("E6")
@pytest.mark.hostile("DO7")
def test_recall_works_without_any_network(memory: Memory, project: Path) -> None:
    command = ["unshare", "-n", "--", *SERVER]
    answers = exchange(
        project, HELLO, call(1, "recall", {"query": "staging port"}), command=command
    )
    assert "8443" in answers[1]["result"]["content"][0]["text"]


@pytest.mark.proves("E4")
def test_an_answer_keeps_to_its_budget_and_does_not_depend_on_what_was_asked_before(
    memory: Memory, project: Path
) -> None:
    asked = call(9, "recall", {"query": "staging port", "budget_chars": 600})
    first = exchange(project, HELLO, asked)[1]["result"]
    other = call(3, "recall", {"query": "how are invoices rounded"})
    again = exchange(project, HELLO, other, asked, asked)
    assert [one["result"] for one in again if one["id"] == 9] == [first, first]
    text = first["content"][0]["text"]
    assert "8443" in text and len(text) <= 600


@pytest.mark.proves("E6")
def test_a_server_leaves_no_process_behind_and_stays_small(memory: Memory, project: Path) -> None:
    server = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project)
    assert server.stdin and server.stdout
    for number in range(20):
        server.stdin.write(json.dumps(call(number, "recall", {"query": "port"})).encode() + b"\n")
        server.stdin.flush()
        assert b"8443" in server.stdout.readline()
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children")
    if children.exists():
        assert children.read_text(encoding="utf-8") == ""
        status = Path(f"/proc/{server.pid}/status").read_text(encoding="utf-8")
        kilobytes = int(next(x for x in status.splitlines() if x.startswith("VmRSS")).split()[1])
        assert kilobytes <= 33 * 1024
    server.communicate(timeout=SECONDS)
    assert server.returncode == 0


@pytest.mark.proves("D6")
@pytest.mark.hostile("T5")
def test_a_repository_cannot_name_another_home(
    memory: Memory, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = str(memory.config.home)
    ask = call(1, "recall", {"query": "staging port"})
    monkeypatch.setenv("REVERIE_HOME", str(tmp_path / "evil"))
    monkeypatch.setenv("REVERIE_DATABASE_URL", f"sqlite:///{tmp_path}/evil.db")
    monkeypatch.setenv("REVERIE_NO_SUCH_SETTING", "1")
    (answer,) = exchange(project, ask, command=[*SERVER, "--home", home])
    assert "8443" in answer["result"]["content"][0]["text"]
    assert not list(tmp_path.glob("evil*"))


def test_a_server_started_by_hand_takes_the_home_of_its_environment(
    memory: Memory, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = call(1, "recall", {"query": "staging port"})
    monkeypatch.setenv("REVERIE_HOME", str(tmp_path / "other"))
    (answer,) = exchange(project, ask)
    assert "8443" not in answer["result"]["content"][0]["text"]
    monkeypatch.setenv("REVERIE_HOME", str(memory.config.home))
    (answer,) = exchange(project, ask)
    assert "8443" in answer["result"]["content"][0]["text"]
