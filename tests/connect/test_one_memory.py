"""The guide "one memory for Claude Code and Codex", followed to the letter."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.patience import SECONDS
from tests.sessions.logs import SESSION, as_bytes, claude, codex, meta, prompt, reply

from reverie.cli.root import run

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "one-memory-two-agents.md"


def commands() -> list[list[str]]:
    """The commands of the guide, in order."""
    lines = re.findall(r"^\$ reverie (.*)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    return [[word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)] for line in lines]


def asked(agent: str, question: str, folder: Path) -> str:
    """What the server tells an agent that recalls."""
    requests: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
         "capabilities": {}, "clientInfo": {"name": agent, "version": "1"}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call",
         "params": {"name": "recall", "arguments": {"query": question}}},
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-P", "-m", "reverie", "mcp", "--agent", agent],
        input="".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in requests),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    return done.stdout


@pytest.mark.proves("F10")
def test_what_one_agent_was_told_the_other_one_recalls(
    isolated_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "app"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    monkeypatch.chdir(repository)
    for line in (log := claude(
        prompt("add a test for the parser"),
        reply("I ran npm test and added it."),
        prompt("no, we use pnpm here, never npm"),
    )):  # fmt: skip
        line["cwd"] = str(repository)
    first = isolated_home / ".claude" / "projects" / "-app" / f"{SESSION}.jsonl"
    said = {"type": "user_message", "message": "always sign off the commits with -s"}
    second = isolated_home / ".codex" / "sessions" / "2026" / "09" / "01" / "rollout-s-2.jsonl"
    rollout = [meta(cwd=str(repository)), *codex({"type": "event_msg", "payload": said})]
    for path, lines in ((first, log), (second, rollout)):
        path.parent.mkdir(parents=True)
        path.write_bytes(as_bytes(lines))

    followed = commands()
    assert ["connect", "codex"] in followed and ["learn"] in followed
    for command in followed:
        answered = ["--yes"] if command[0] == "connect" else []
        assert run([*command, *answered]) == 0, command

    run(["review", "--accept-all"])
    assert "pnpm" in asked("codex", "which package manager", repository)
    assert "sign off" in asked("claude-code", "how to commit", repository)
