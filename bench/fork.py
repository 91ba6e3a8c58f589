"""How much of the prompt an extraction fork shares with its conversation, with the real client.

A stand-in for the Messages API on loopback answers the client and keeps each request in memory. A
conversation is held, once with `-p` and once interactively under tmux; then an extraction run is
forked from it. Compared are tools, system and messages, in the order in which a prompt cache reads
them: the leading bytes that are the same are what the fork need not pay in full. Only lengths and
hashes are printed; no request is ever written to disk.

    python bench/fork.py [--json]        needs Claude Code (REVERIE_TEST_CLAUDE) and tmux
"""

import argparse
import hashlib
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

ANSWER = "I will keep that in mind and use tabs."
PROMPT = "Use tabs in this project, not spaces."
EXTRACT = "Which lasting preferences did the user state in this conversation?"
# The flags an extraction run needs; each is tried alone to see what it costs.
PLAIN = ("--fork-session", "--no-session-persistence")
# A resumed session takes the model from its log, where the variant (`[1m]`) is not written.
SAME = ("--model", "default")
GUARD = '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}'
VARIANTS: dict[str, tuple[str, ...]] = {
    "as it comes": PLAIN,
    "same model": (*PLAIN, *SAME),
    "and turns": (*PLAIN, *SAME, "--max-turns", "6"),
    "and guard": (*PLAIN, *SAME, "--settings", GUARD),
    "and dontAsk": (*PLAIN, *SAME, "--permission-mode", "dontAsk"),
    "and schema": (*PLAIN, *SAME, "--json-schema", '{"type":"object","properties":{}}'),
    "safe mode": (*PLAIN, *SAME, "--safe-mode"),
    "no tools": (*PLAIN, *SAME, "--tools", ""),
}
IN_TERMINAL = ("--fork-session", *SAME, "--settings", GUARD)


class Api(ThreadingHTTPServer):
    """Answers every message with the same words and remembers the bodies."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[dict[str, Any]] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def turns(self) -> list[dict[str, Any]]:
        """Requests of a conversation; titles and probes carry few or no tools."""
        return [body for body in self.bodies if PROMPT in json.dumps(body.get("messages"))]


class Handler(BaseHTTPRequestHandler):
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
        bodies = cast("Api", self.server).bodies
        bodies.append(body)
        usage = {"input_tokens": 10, "output_tokens": 10}
        message: dict[str, Any] = {
            "id": f"msg_{len(bodies)}", "type": "message", "role": "assistant",
            "model": body.get("model"), "content": [], "stop_reason": None, "stop_sequence": None,
            "usage": usage,
        }  # fmt: skip
        if not body.get("stream"):
            message |= {"content": [{"type": "text", "text": ANSWER}], "stop_reason": "end_turn"}
            self.answer(200, json.dumps(message).encode())
            return
        text = {"type": "text_delta", "text": ANSWER}
        events: list[tuple[str, dict[str, Any]]] = [
            ("message_start", {"message": message}),
            ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
            ("content_block_delta", {"index": 0, "delta": text}),
            ("content_block_stop", {"index": 0}),
            ("message_delta", {"delta": {"stop_reason": "end_turn"}, "usage": usage}),
            ("message_stop", {}),
        ]
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


class Client:
    """The real client in a home of its own."""

    def __init__(self, program: str, folder: Path, api: Api) -> None:
        self.program = program
        self.api = api
        self.home = folder / "home"
        self.project = folder / "project"
        for place in (self.home, self.project):
            place.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        trusted = {str(self.project): {"hasTrustDialogAccepted": True, "allowedTools": []}}
        settings = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": ["offline"]},
            "projects": trusted,
        }
        (self.home / ".claude.json").write_text(json.dumps(settings), encoding="utf-8")
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "IS_SANDBOX": "1",
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{api.server_address[1]}",
            "ANTHROPIC_API_KEY": "offline",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

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
            timeout=120,
        )
        return json.loads(done.stdout)

    def version(self) -> str:
        command = [self.program, "--version"]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def open(self, name: str, *arguments: str, **more: str) -> list[str]:
        """Start the client under tmux; the tmux command that reaches it."""
        tmux = ["tmux", "-L", f"reverie-bench-{os.getpid()}"]
        exports = [f"{key}={value}" for key, value in {**self.env, **more}.items()]
        start = ["new-session", "-d", "-s", name, "-x", "160", "-y", "50", "-c", str(self.project)]
        command = [*tmux, *start, "env", "-i", *exports, self.program, *arguments]
        subprocess.run(command, check=True)
        return tmux

    def fork_in_terminal(self, session: str) -> None:
        """A fork that believes it has a user; nested, so that it is not saved."""
        known = len(self.api.bodies)
        arguments = ("--resume", session, *IN_TERMINAL, EXTRACT)
        self.open("fork", *arguments, CLAUDE_CODE_CHILD_SESSION="1")
        self.wait(lambda: any(EXTRACT in json.dumps(b) for b in self.api.bodies[known:]))

    def talk(self, prompt: str) -> str:
        """An interactive session under tmux that stays open; its session id."""
        tmux = self.open("parent")
        self.wait(lambda: "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}" in self.screen())
        subprocess.run([*tmux, "send-keys", "-t", "parent", "-l", prompt], check=True)
        self.wait(lambda: prompt[:20] in self.screen())
        subprocess.run([*tmux, "send-keys", "-t", "parent", "Enter"], check=True)
        self.wait(lambda: ANSWER in self.screen())
        self.wait(lambda: any(ANSWER in f.read_text(encoding="utf-8") for f in self.logs()))
        (log,) = (f for f in self.logs() if ANSWER in f.read_text(encoding="utf-8"))
        return log.stem

    def screen(self) -> str:
        tmux = ["tmux", "-L", f"reverie-bench-{os.getpid()}", "capture-pane", "-p", "-t", "parent"]
        return subprocess.run(tmux, capture_output=True, text=True, check=False).stdout

    def hang_up(self) -> None:
        tmux = ["tmux", "-L", f"reverie-bench-{os.getpid()}", "kill-server"]
        subprocess.run(tmux, check=False, capture_output=True)

    def logs(self) -> list[Path]:
        return sorted((self.home / ".claude" / "projects").glob("*/*.jsonl"))

    def wait(self, ready: Any, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end:
                raise TimeoutError(f"the client did not get there:\n{self.screen()}")
            time.sleep(0.2)


def stripped(value: Any) -> Any:
    """The value without cache marks: they say where to cache, not what."""
    if isinstance(value, dict):
        return {key: stripped(part) for key, part in value.items() if key != "cache_control"}
    return [stripped(part) for part in value] if isinstance(value, list) else value


def shared(parent: dict[str, Any], fork: dict[str, Any]) -> dict[str, Any]:
    """Per part and in all: bytes of the parent, and how many of them lead the fork unchanged."""
    figures: dict[str, Any] = {}
    leading = total = 0
    unbroken = True
    for part in ("tools", "system", "messages"):
        ours, theirs = (
            json.dumps(stripped(body.get(part, [])), ensure_ascii=False)[1:-1].encode()
            for body in (parent, fork)
        )
        same = next(
            (at for at, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b),
            min(len(ours), len(theirs)),
        )
        figures[part] = {
            "bytes": len(ours),
            "same": same,
            "parent_sha256": hashlib.sha256(ours).hexdigest()[:12],
            "fork_sha256": hashlib.sha256(theirs[: len(ours)]).hexdigest()[:12],
        }
        total += len(ours)
        leading += same if unbroken else 0
        unbroken = unbroken and same == len(ours)
    return {**figures, "leading": leading, "total": total, "share": round(leading / total, 4)}


def measure(
    client: Client, session: str, parent: dict[str, Any], *, interactive: bool
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, flags in VARIANTS.items():
        before = len(client.api.bodies)
        client.ask(EXTRACT, "--resume", session, *flags)
        forks = [b for b in client.api.bodies[before:] if EXTRACT in json.dumps(b["messages"])]
        found[name] = shared(parent, forks[0])
    if interactive:
        before = len(client.api.bodies)
        client.fork_in_terminal(session)
        forks = [b for b in client.api.bodies[before:] if EXTRACT in json.dumps(b["messages"])]
        found["in terminal"] = shared(parent, forks[0])
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="Print the figures as JSON.")
    given = parser.parse_args()
    prefix = Path(os.environ.get("REVERIE_TEST_CLAUDE", "~/.cache/claude-offline")).expanduser()
    offline = prefix / "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
    program = str(offline) if offline.exists() else shutil.which("claude")
    if program is None or not shutil.which("tmux"):
        print("skipped: needs Claude Code and tmux", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        figures: dict[str, Any] = {}
        for name in ("print", "interactive"):
            client = Client(program, Path(folder) / name, Api())
            try:
                printing = name == "print"
                session = client.ask(PROMPT)["session_id"] if printing else client.talk(PROMPT)
                parent = client.api.turns()[-1]
                figures[name] = measure(client, session, parent, interactive=not printing)
            finally:
                client.hang_up()
        figures["client"] = client.version()
    print(json.dumps(figures, indent=1) if given.json else table(figures))
    return 0


def table(figures: dict[str, Any]) -> str:
    lines = [figures.pop("client"), "parent       fork          tools  system  messages  leading"]
    for parent, variants in figures.items():
        for variant, found in variants.items():
            parts = [
                f"{found[part]['same']}/{found[part]['bytes']}"
                for part in ("tools", "system", "messages")
            ]
            lines.append(f"{parent:<12} {variant:<12} {' '.join(parts)} = {found['share']:.1%}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
