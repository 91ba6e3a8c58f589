"""Memory inside the real Codex client, end to end and without a network.

    python examples/inside_codex.py

A session in which the user states a rule ends; its hook stages it and a worker learns from it. The
next session's model asks the MCP server and receives the rule. The model is a script on loopback;
the client, its hooks, its rollout and its MCP call are real. `--dangerously-bypass-hook-trust`
stands for the person who would trust the hooks once in `/hooks`. Skips where the client is not
installed (`npm install --prefix ~/.cache/codex-offline @openai/codex`).
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

RULE = "No. From now on always run make lint before you commit anything."
QUESTION = "What do I have to do before a commit here?"
EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
CONFIG = """
model = "scripted"
model_provider = "offline"
[model_providers.offline]
name = "offline"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
env_key = "OFFLINE_KEY"
[projects.{project}]
trust_level = "trusted"
[mcp_servers.reverie]
command = {python}
args = ["-P", "-m", "reverie", "mcp", "--agent", "codex"]
env_vars = ["HOME"]
"""


class Api(ThreadingHTTPServer):
    """Answers "OK."; a question is first answered with a call of the recall tool."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.outputs: list[str] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def item(self, body: dict[str, Any]) -> dict[str, Any]:
        items: list[dict[str, Any]] = body.get("input", [])
        last = items[-1] if items else {}
        if last.get("type") == "function_call_output":
            self.outputs.append(json.dumps(last.get("output"), ensure_ascii=False))
        elif QUESTION in json.dumps(last):
            given = json.dumps({"query": "before commit lint"})
            call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "arguments": given}
            return {**call, "name": "recall", "namespace": "mcp__reverie"}
        text = {"type": "output_text", "text": "OK."}
        return {"type": "message", "role": "assistant", "id": "msg_1", "content": [text]}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        return

    def do_GET(self) -> None:
        self.answer(404, b"{}", "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        item = cast("Api", self.server).item(body)
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        done = {"id": "resp_1", "output": [item], "usage": usage}
        events: list[dict[str, Any]] = [
            {"type": "response.created", "response": {"id": "resp_1"}},
            {"type": "response.output_item.done", "item": item},
            {"type": "response.completed", "response": done},
        ]
        stream = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)
        self.answer(200, stream.encode(), "text/event-stream")

    def answer(self, status: int, payload: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


def main() -> int:
    offline = Path("~/.cache/codex-offline/node_modules/.bin/codex").expanduser()
    program = shutil.which("codex") or (str(offline) if offline.exists() else None)
    if program is None:
        print("skipped: needs the Codex client", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        play(program, Path(folder))
    return 0


def play(program: str, folder: Path) -> None:
    api = Api()
    home, project = folder / "home", folder / "project"
    (home / ".codex").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    config = CONFIG.format(
        port=api.server_address[1],
        project=json.dumps(str(project)),
        python=json.dumps(sys.executable),
    )
    (home / ".codex" / "config.toml").write_text(config, encoding="utf-8")
    hooks = {
        event: [{"hooks": [{"type": "command", "command": f"reverie-hook {event}"}]}]
        for event in EVENTS
    }
    (home / ".codex" / "hooks.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {"HOME": str(home), "PATH": path, "OFFLINE_KEY": "offline"}

    def codex(prompt: str) -> None:
        command = [program, "exec", "--dangerously-bypass-hook-trust", prompt]
        subprocess.run(
            command, cwd=project, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=True
        )

    codex(RULE)
    wait_for_worker(home / ".reverie")
    listed = subprocess.run(
        ["reverie", "memories", "--json"], env=env, cwd=project, capture_output=True, check=True
    )
    memories = [memory["description"] for memory in json.loads(listed.stdout)]
    print("learned:", "; ".join(memories))
    if not any("make lint" in memory for memory in memories):
        raise SystemExit("error: the rule was not learned")
    codex(QUESTION)
    received = "\n".join(api.outputs)
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
