"""Memory inside the real Codex client, end to end and without a network.

    python examples/inside_codex.py

A session in which the user states a rule ends; its hook stages it and a worker learns from it. The
next session's model asks the MCP server and receives the rule. The model is a script on loopback;
the client, its hooks, its rollout and its MCP call are real. `--dangerously-bypass-hook-trust`
stands for the person who would trust the hooks once in `/hooks`. Skips where the client or tmux
is not installed (`npm install --prefix ~/.cache/agent-clients @openai/codex`).
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from examples.codex_offline import Api, Client, find_codex, newest

FIRST = "Please fix the failing check."
RULE = "No. From now on always run make lint before you commit anything."
QUESTION = "What do I have to do before a commit here?"
EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
SERVER = """
[mcp_servers.reverie]
command = {python}
args = ["-P", "-m", "reverie", "mcp", "--agent", "codex"]
env_vars = ["HOME"]
"""


class Model:
    """Says "OK."; a question is first answered with a call of the recall tool."""

    def __init__(self) -> None:
        self.outputs: list[str] = []

    def __call__(self, body: dict[str, Any]) -> str | dict[str, Any]:
        last = newest(body)
        if last.get("type") == "function_call_output":
            self.outputs.append(json.dumps(last.get("output"), ensure_ascii=False))
        elif QUESTION in json.dumps(last):
            given = json.dumps({"query": "before commit lint"})
            call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "arguments": given}
            return {**call, "name": "recall", "namespace": "mcp__reverie"}
        return "OK."


def main() -> int:
    program = find_codex()
    if program is None or not shutil.which("tmux"):
        print("skipped: needs Codex and tmux", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        play(program, Path(folder))
    return 0


def play(program: str, folder: Path) -> None:
    model = Model()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    client = Client(program, folder, Api(model), path)
    with (client.codex / "config.toml").open("a", encoding="utf-8") as file:
        file.write(SERVER.format(python=json.dumps(sys.executable)))
    hooks = {
        event: [{"hooks": [{"type": "command", "command": f"reverie-hook {event}"}]}]
        for event in EVENTS
    }
    (client.codex / "hooks.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
    client.converse(FIRST, RULE)
    wait_for_worker(client.home / ".reverie")
    listed = subprocess.run(
        ["reverie", "memories", "--json"],
        env=client.env,
        cwd=client.project,
        capture_output=True,
        check=True,
    )
    memories = [memory["description"] for memory in json.loads(listed.stdout)]
    print("learned:", "; ".join(memories))
    if not any("make lint" in memory for memory in memories):
        raise SystemExit("error: the rule was not learned")
    client.converse(QUESTION)
    received = "\n".join(model.outputs)
    if "make lint" not in received:
        raise SystemExit(f"error: recall did not bring the rule back: {received[:300]}")
    print("received by the next session:", " ".join(received.split())[:160])


def wait_for_worker(home: Path) -> None:
    end = time.monotonic() + 60
    while not (home / "memory.db").exists() or list(home.glob("spool/*/*.json")):
        if time.monotonic() > end:
            raise TimeoutError("the worker did not finish")
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main())
