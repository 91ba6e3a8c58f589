"""The real Claude Code client, offline: it connects, calls recall, and gets a correction."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.patience import SECONDS
from tests.serve.http.served import serving as running
from tests.serve.scripted import Api, serving

from reverie.cli.root import run
from reverie.memory import Memory
from reverie.operations.recalling import ledger
from reverie.store.model import Actor, Author

PREFIX = Path(os.environ.get("REVERIE_TEST_CLAUDE", "~/.cache/claude-offline")).expanduser()
NATIVE = PREFIX / "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
CLAUDE = shutil.which("claude") or str(NATIVE)
COMMAND = [
    *(CLAUDE, "-p", "Look up how to install packages", "--verbose"),
    *("--output-format", "stream-json", "--allowedTools", "mcp__reverie__recall"),
]
# By itself the client begins after a few seconds, with or without its servers.
WAITS = {
    "MCP_CONNECTION_NONBLOCKING": "0",
    "MCP_CONNECT_TIMEOUT_MS": str(SECONDS * 1_000),
    "MCP_TIMEOUT": str(SECONDS * 1_000),
}


@pytest.mark.needs("claude")
@pytest.mark.proves("E4")
def test_claude_code_connects_and_recalls_a_correction_of_an_earlier_session(
    memory: Memory, project: Path
) -> None:
    assert run(["connect", "claude-code", "--yes"]) == 0
    api = Api("how to install", "mcp__reverie__recall", {"query": "install packages index"})
    with serving(api):
        done = subprocess.run(
            COMMAND,
            cwd=project,
            env={
                **os.environ,
                "ANTHROPIC_BASE_URL": api.url,
                "ANTHROPIC_API_KEY": "none",
                "DISABLE_AUTOUPDATER": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                **WAITS,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    said = [json.loads(line) for line in done.stdout.splitlines()]
    start = next(m for m in said if m["type"] == "system" and m["subtype"] == "init")
    assert {"name": "reverie", "status": "connected"} in start["mcp_servers"]
    assert "install with the wheelhouse" in api.results()
    session = ledger(memory).rows()[-1]
    assert (session.surface, session.session) == ("mcp", start["session_id"])


@pytest.mark.needs("claude")
@pytest.mark.proves("E4")
def test_claude_code_recalls_from_a_server(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "server") as kept, running(kept) as served:
        store = kept.store.create_store("team")
        by = Author(Actor("agent", "a"), "wrote", "agent")
        kept.store.create(store.id, "/deploys.md", "Deploys need a second reviewer.", by)
        headers = {"Authorization": f"Bearer {served.text}"}
        server = {"type": "http", "url": f"{served.url}/mcp", "headers": headers}
        config = tmp_path / "mcp.json"
        config.write_text(json.dumps({"mcpServers": {"team": server}}))
        api = Api("how deploys work", "mcp__team__recall", {"query": "who reviews deploys?"})
        with serving(api):
            done = subprocess.run(
                [
                    *(CLAUDE, "-p", "Look up how deploys work", "--verbose"),
                    *("--output-format", "stream-json", "--allowedTools", "mcp__team__recall"),
                    *("--mcp-config", str(config), "--strict-mcp-config"),
                ],
                cwd=tmp_path,
                env={
                    **os.environ,
                    "ANTHROPIC_BASE_URL": api.url,
                    "ANTHROPIC_API_KEY": "none",
                    "DISABLE_AUTOUPDATER": "1",
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                    **WAITS,
                },
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        said = [json.loads(line) for line in done.stdout.splitlines()]
        start = next(m for m in said if m["type"] == "system" and m["subtype"] == "init")
        assert {"name": "team", "status": "connected"} in start["mcp_servers"]
        assert "Deploys need a second reviewer" in api.results()
        (row,) = ledger(kept).rows(project=served.key.id)
        assert (row.tool, row.agent) == ("recall", served.key.id)
