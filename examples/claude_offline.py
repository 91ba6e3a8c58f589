"""The real Claude Code client without a network: a scripted model on loopback, a home of its own.

Used by the examples and benchmarks beside it. Requests are kept in memory and never written.
"""

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

from examples.terminal import Terminal

# A rule is a pattern and what the model answers: texts, and tool calls as (name, input), or what
# makes these of the words it matched.
Block = str | tuple[str, dict[str, Any]]
Rule = tuple[str, Sequence[Block] | Callable[[str], Sequence[Block]]]


def find_client() -> str | None:
    """The client's program: an offline installation, else the one on the path."""
    prefix = Path(os.environ.get("REVERIE_TEST_CLAUDE", "~/.cache/claude-offline")).expanduser()
    offline = prefix / "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
    return str(offline) if offline.exists() else shutil.which("claude")


class Api(ThreadingHTTPServer):
    """Answers by rules, tried in order against the newest words of the user; else "OK."."""

    def __init__(self, *rules: Rule) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.rules = rules
        self.bodies: list[dict[str, Any]] = []
        self.stop_reason = ""  # in place of the true one
        self.status = 200
        self.held = threading.Event()  # until it is set, everybody waits
        self.held.set()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def with_text(self, text: str, since: int = 0) -> list[dict[str, Any]]:
        """The requests, from one number on, whose messages hold `text`."""
        found = json.dumps(text)[1:-1]
        return [b for b in self.bodies[since:] if found in json.dumps(b.get("messages"))]

    def says(self, body: dict[str, Any]) -> Sequence[Block]:
        """What the model says to a request; after a tool's result it is done."""
        said, after_tool = _newest(body.get("messages", []))
        if after_tool:
            return ("Done.",)
        given = next((b for p, b in self.rules if re.search(p, said)), ("OK.",))
        return given(said) if callable(given) else given

    def blocks(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """The same as the protocol writes it."""
        answer = self.says(body)
        number = len(self.bodies)
        return [
            {"type": "text", "text": block}
            if isinstance(block, str)
            else {
                "type": "tool_use",
                "id": f"toolu_{number}_{at}",
                "name": block[0],
                "input": block[1],
            }
            for at, block in enumerate(answer)
        ]


def _newest(messages: list[dict[str, Any]]) -> tuple[str, bool]:
    for message in reversed(messages):
        content = message["content"]
        if message["role"] != "user":
            continue
        if isinstance(content, str):
            return content, False
        blocks = cast("list[dict[str, Any]]", content)
        texts = [block.get("text", "") for block in blocks if block["type"] == "text"]
        own = [text for text in texts if not text.lstrip().startswith("<system-reminder>")]
        return "\n".join(own), any(block["type"] == "tool_result" for block in blocks)
    return "", False


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        return

    def do_GET(self) -> None:
        self.answer(404, b"{}")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body: dict[str, Any] = json.loads(raw or b"{}")
        if "count_tokens" in self.path:
            self.answer(200, b'{"input_tokens": 10}')
            return
        api = cast("Api", self.server)
        api.bodies.append(body)
        api.held.wait()
        if api.status != 200:
            self.answer(api.status, b'{"type": "error", "error": {"type": "x", "message": "no"}}')
            return
        blocks = api.blocks(body)
        called = any(block["type"] == "tool_use" for block in blocks)
        stop = api.stop_reason or ("tool_use" if called else "end_turn")
        usage = {"input_tokens": 10, "output_tokens": 10}
        message: dict[str, Any] = {
            "id": f"msg_{len(api.bodies)}", "type": "message", "role": "assistant",
            "model": body.get("model"), "content": [], "stop_reason": None, "stop_sequence": None,
            "usage": usage,
        }  # fmt: skip
        if not body.get("stream"):
            message |= {"content": blocks, "stop_reason": stop}
            self.answer(200, json.dumps(message).encode())
            return
        events = [("message_start", {"message": message})]
        for at, block in enumerate(blocks):
            events += _streamed(at, block)
        delta = {"delta": {"stop_reason": stop}, "usage": usage}
        events += [("message_delta", delta), ("message_stop", {})]
        stream = "".join(
            f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"
            for kind, data in events
        )
        self.answer(200, stream.encode(), "text/event-stream")

    def answer(self, status: int, payload: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


def _streamed(at: int, block: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    begin: dict[str, Any]
    if block["type"] == "text":
        begin, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        begin = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        ("content_block_start", {"index": at, "content_block": begin}),
        ("content_block_delta", {"index": at, "delta": delta}),
        ("content_block_stop", {"index": at}),
    ]


class Client(Terminal):
    """The real client in a home of its own."""

    mark = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"

    def __init__(
        self, program: str, folder: Path, api: Api, path: str = "", project: Path | None = None
    ) -> None:
        self.program = program
        self.api = api
        self.home = folder / "home"
        self.project = project or folder / "project"
        for place in (self.home, self.project):
            place.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        settings: dict[str, Any] = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": ["offline"]},
            "projects": {str(self.project): {"hasTrustDialogAccepted": True, "allowedTools": []}},
        }
        (self.home / ".claude.json").write_text(json.dumps(settings), encoding="utf-8")
        self.env = {
            "HOME": str(self.home),
            "PATH": path or os.environ["PATH"],
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "IS_SANDBOX": "1",
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{api.server_address[1]}",
            "ANTHROPIC_API_KEY": "offline",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    def version(self) -> str:
        command = [self.program, "--version"]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def ask(self, prompt: str, *flags: str) -> dict[str, Any]:
        """One `-p` run; its JSON answer."""
        done = subprocess.run(
            [self.program, "-p", prompt, "--output-format", "json", *flags],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
        return json.loads(done.stdout)

    def logs(self) -> list[Path]:
        return sorted((self.home / ".claude" / "projects").glob("*/*.jsonl"))
