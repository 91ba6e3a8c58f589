"""The real Codex client without a network: a scripted model on loopback, a home of its own.

Used by the example beside it and by tests. Requests are kept in memory and never written.
"""

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

from examples.terminal import Terminal

# What the model answers to a request: words, or an item such as a tool call.
Model = Callable[[dict[str, Any]], str | dict[str, Any]]
_PROGRAM = "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
CONFIG = """
model = "scripted"
model_provider = "offline"
[model_providers.offline]
name = "offline"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
env_key = "OFFLINE_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects.{project}]
trust_level = "trusted"
"""


def find_codex() -> str | None:
    """The client's program: an offline installation, else the one on the path."""
    prefix = Path(os.environ.get("REVERIE_TEST_CLIENTS", "~/.cache/agent-clients")).expanduser()
    offline = prefix / "node_modules" / _PROGRAM
    return str(offline) if offline.exists() else shutil.which("codex")


class Api(ThreadingHTTPServer):
    """Answers what a model says, or with an error; `held` makes it wait until it is set."""

    def __init__(self, model: Model) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model
        self.bodies: list[dict[str, Any]] = []
        self.status = 200
        self.held = threading.Event()
        self.held.set()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def was_sent(self, text: str) -> bool:
        """Whether a request held these words."""
        return any(json.dumps(text)[1:-1] in json.dumps(body) for body in self.bodies)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        return

    def do_GET(self) -> None:
        self.answer(404, b"{}", "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        api = cast("Api", self.server)
        api.bodies.append(body)
        api.held.wait()
        if api.status != 200:
            self.answer(api.status, b'{"error": {"message": "no"}}', "application/json")
            return
        said = api.model(body)
        item = said if isinstance(said, dict) else message(said)
        usage = {
            "input_tokens": 1000, "input_tokens_details": {"cached_tokens": 300},
            "output_tokens": 50, "total_tokens": 1050,
        }  # fmt: skip
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


def message(text: str, kind: str = "output_text") -> dict[str, Any]:
    """An answer in words; `refusal` is another kind of it."""
    part = {"type": kind, "text" if kind == "output_text" else "refusal": text}
    return {"type": "message", "role": "assistant", "id": "msg_1", "content": [part]}


def newest(body: dict[str, Any]) -> dict[str, Any]:
    """The last item of a request."""
    items: list[dict[str, Any]] = body.get("input", [])
    return items[-1] if items else {}


class Client(Terminal):
    """The real client in a home of its own."""

    mark = "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"

    def __init__(self, program: str, folder: Path, api: Api, path: str = "") -> None:
        self.program = program
        self.api = api
        self.home, self.project = folder / "home", folder / "project"
        self.codex = self.home / ".codex"
        self.codex.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        config = CONFIG.format(
            port=api.server_address[1], project=json.dumps(str(self.project.resolve()))
        )
        (self.codex / "config.toml").write_text(config, encoding="utf-8")
        self.env = {
            "HOME": str(self.home),
            "PATH": path or os.environ["PATH"],
            "OFFLINE_KEY": "offline",
        }

    def converse(self, *prompts: str, watch: Callable[[], None] = lambda: None) -> None:
        """An interactive session, from its beginning to its end; its hooks count as trusted.

        Args:
            watch: Called when the first answer is there.
        """
        self.open("codex", "--dangerously-bypass-hook-trust", TERM="xterm-256color")
        try:
            for prompt in prompts:
                self.ready("codex")
                self.say("codex", prompt, lambda said=prompt: self.api.was_sent(said))
                self.wait(lambda: "Worked for" in self.screen("codex"), "codex")
            watch()
            self.say("codex", "/quit", lambda: not self.is_open("codex"))
        finally:
            self.hang_up()

    def logs(self) -> list[Path]:
        return sorted((self.codex / "sessions").rglob("*.jsonl"))
