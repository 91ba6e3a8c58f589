"""Entries in the settings of other agents: their form, and that the real clients take them."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import client_of
from tests.patience import SECONDS

from reverie.cli.root import run

FORMS = {
    "gemini": (".gemini/settings.json", "mcpServers", "gemini-cli"),
    "opencode": (".config/opencode/opencode.json", "mcp", "opencode"),
    "copilot": (".copilot/mcp-config.json", "mcpServers", "copilot-cli"),
    "cursor": (".cursor/mcp.json", "mcpServers", "cursor"),
}


def written(home: Path, agent: str) -> dict[str, Any]:
    name, member, _ = FORMS[agent]
    return json.loads((home / name).read_text(encoding="utf-8"))[member]["reverie"]


@pytest.mark.parametrize("agent", FORMS)
def test_the_entry_starts_the_server_as_this_agent(isolated_home: Path, agent: str) -> None:
    assert run(["connect", agent, "--yes"]) == 0
    entry = written(isolated_home, agent)
    line = entry["command"] if agent == "opencode" else [entry["command"], *entry["args"]]
    home = str(isolated_home / ".reverie")
    assert line[-8:-2] == ["-P", "-m", "reverie", "mcp", "--agent", FORMS[agent][2]]
    assert line[-2:] == ["--home", home]
    assert sys.executable in line
    assert f"reverie connect {agent}" in line[2], "how to mend it names the command's own agent"


def test_each_client_gets_the_fields_it_wants(isolated_home: Path) -> None:
    for agent in FORMS:
        run(["connect", agent, "--yes"])
    assert written(isolated_home, "opencode").keys() == {"type", "command", "enabled"}
    assert written(isolated_home, "copilot")["tools"] == ["*"]
    assert written(isolated_home, "gemini").keys() == {"command", "args"}
    assert written(isolated_home, "cursor").keys() == {"command", "args"}


def test_hooks_are_refused_for_an_agent_that_has_none(
    isolated_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["connect", "cursor", "--hooks", "--yes"]) != 0
    assert "has no hooks" in capsys.readouterr().err
    assert not (isolated_home / ".cursor").exists()


def asked(home: Path, *command: str) -> str:
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "REVERIE_HOME": str(home / "r")}
    done = subprocess.run(
        command,
        env=environment | {"GEMINI_CLI_TRUST_WORKSPACE": "true", "NO_COLOR": "1"},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.stdout + done.stderr


def reached(home: Path, *command: str) -> bool:
    """Whether a client lists the server as reached; each gives it seconds, which may be too few."""
    for _ in range(20):
        said = asked(home, *command)
        if "reverie" in said and re.search("(?<!dis)connected", said, re.IGNORECASE):
            return True
    return False


@pytest.mark.needs("gemini")
def test_gemini_reaches_the_server(isolated_home: Path) -> None:
    run(["connect", "gemini", "--yes"])
    node = shutil.which("node") or "node"
    assert reached(isolated_home, node, client_of("gemini"), "mcp", "list")


@pytest.mark.needs("opencode")
def test_opencode_reaches_the_server(isolated_home: Path) -> None:
    run(["connect", "opencode", "--yes"])
    assert reached(isolated_home, client_of("opencode"), "mcp", "list")


@pytest.mark.needs("copilot")
def test_copilot_knows_the_server(isolated_home: Path) -> None:
    run(["connect", "copilot", "--yes"])
    said = asked(isolated_home, client_of("copilot"), "mcp", "get", "reverie")
    assert "Status: Enabled" in said and "--agent copilot-cli" in said
