"""A model's server on loopback that speaks as Anthropic and OpenAI do, and fails as they fail.

It is a real server: what is tested are requests that arrive. Each is answered as planned; without
a plan with a lesson that cites the last line it was shown.
"""

import json
import re
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKENS = (120, 30, 50, 10)  # in, out, read from the cache, put into it


@dataclass(frozen=True)
class Reply:
    """How one request is answered."""

    text: str | None = None  # None: a lesson that fits
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None  # instead of an answer
    end: str = "done"  # or "refusal", "too long"
    cut: bool = False  # the connection breaks in the middle
    silent: bool = False  # nothing comes until the server ends
    tokens: tuple[int, int, int, int] | None = TOKENS  # None: it does not count


OK = Reply()
TOO_MANY = Reply(status=429, headers=(("retry-after", "7"),))
OVERLOADED = Reply(status=529)
SLOW = Reply(silent=True)
CUT = Reply(cut=True)
GARBAGE = Reply(body=b"<html>gateway</html>")
REFUSAL = Reply(end="refusal")
TOO_LONG = Reply(end="too long", text='{"lessons": [{"less')
PROSE = Reply(text="I found nothing of note.")
WRONG = Reply(text='{"findings": "nothing of note"}')


@dataclass
class Server:
    """What arrived, and what is planned."""

    url: str
    plan: list[Reply] = field(default_factory=list[Reply])
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    arrived: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    # What was sent together, and whether it is answered.
    batches: dict[str, list[dict[str, Any]]] = field(
        default_factory=dict[str, list[dict[str, Any]]]
    )
    answered: bool = False
    # What is known of a request that was not planned for.
    refuses: Callable[[dict[str, Any]], Reply | None] = lambda request: None

    def texts(self) -> str:
        """All that was sent, as one text."""
        return json.dumps([self.requests, self.headers], ensure_ascii=False)


@contextmanager
def serving() -> Generator[Server]:
    """A server until the end of the block; whoever waits for it then is let go."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    httpd.daemon_threads = True
    server = Server(f"http://127.0.0.1:{httpd.server_address[1]}")
    httpd.model = server  # type: ignore[attr-defined]
    thread = threading.Thread(target=lambda: httpd.serve_forever(0.01), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        httpd.shutdown()
        httpd.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        model: Server = self.server.model  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        model.requests.append({"path": self.path, **body})
        model.headers.append({name.lower(): value for name, value in self.headers.items()})
        model.arrived.set()
        reply = model.refuses(body) or (model.plan.pop(0) if model.plan else OK)
        if reply.silent:
            model.over.wait()
            self.close_connection = True
            return
        if self.path.endswith("/batches") and reply.status == 200:
            name = f"msgbatch_{len(model.batches)}"
            model.batches[name] = body["requests"]
            data = json.dumps({"id": name, "processing_status": "in_progress"}).encode()
        else:
            data = reply.body if reply.body is not None else self._answer(body, reply)
        self._send(data, reply)

    def do_GET(self) -> None:
        model: Server = self.server.model  # type: ignore[attr-defined]
        name = self.path.split("/batches/")[1].removesuffix("/results")
        model.requests.append({"path": self.path})
        if not self.path.endswith("/results"):
            status = "ended" if model.answered else "in_progress"
            self._send(json.dumps({"id": name, "processing_status": status}).encode(), OK)
            return
        lines = [self._result(model, one) for one in reversed(model.batches[name])]
        self._send("\n".join(map(json.dumps, lines)).encode(), OK)

    def _result(self, model: Server, sent: dict[str, Any]) -> dict[str, Any]:
        reply = model.plan.pop(0) if model.plan else OK
        result: dict[str, Any] = {"type": "expired"}
        if not reply.silent:
            text = lesson_for(sent["params"]) if reply.text is None else reply.text
            message = anthropic(sent["params"], text, reply)
            result = {"type": "succeeded", "message": message}
        return {"custom_id": sent["custom_id"], "result": result}

    def _send(self, data: bytes, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, value in reply.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if reply.cut else data)
        self.close_connection = reply.cut

    def _answer(self, body: dict[str, Any], reply: Reply) -> bytes:
        if reply.status != 200:
            said = {"type": "some_error", "message": "said by the server"}
            return json.dumps({"type": "error", "error": said}).encode()
        text = lesson_for(body) if reply.text is None else reply.text
        form = anthropic if self.path.endswith("/messages") else openai
        return json.dumps(form(body, text, reply)).encode()


def lesson_for(body: dict[str, Any]) -> str:
    """An answer that is taken: what the person said last, and a verdict on all else."""
    shown = body["messages"][-1]["content"]
    evidence, said = re.findall(r"^(\w\d+) PERSON: (.*)", shown, re.M)[-1]
    statements = re.findall(r"^(\w\d+\.\d+) ", shown, re.M)
    lesson = {
        "name": f"{said.split()[0].lower()}-commits",
        "title": f"{said.split()[0]} commits stay small",
        "text": f"{said.split(',')[0]}.",
        "why": None,
        "when": None,
        "type": "feedback",
        "kind": "best-practice",
        "scope": "project",
        "standing": True,
        "evidence": [evidence],
    }
    judged = [{"id": one, "lesson": 1, "why": ""} for one in statements]
    return json.dumps({"lessons": [lesson], "statements": judged, "memories": [], "diary": []})


def anthropic(body: dict[str, Any], text: str, reply: Reply) -> dict[str, Any]:
    ends = {"done": "end_turn", "refusal": "refusal", "too long": "max_tokens"}
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens")
    names = (*names, "cache_creation_input_tokens")
    usage = dict(zip(names, reply.tokens, strict=True)) if reply.tokens else None
    return {
        "type": "message",
        "model": body["model"],
        "content": [{"type": "text", "text": text}],
        "stop_reason": ends[reply.end],
        **({"usage": usage} if usage else {}),
    }


def openai(body: dict[str, Any], text: str, reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if reply.end == "refusal":
        message = {"role": "assistant", "content": None, "refusal": "No."}
    asked, answered, cached, _ = reply.tokens or TOKENS
    usage: dict[str, Any] = {
        "prompt_tokens": asked + cached,
        "completion_tokens": answered,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    end = "length" if reply.end == "too long" else "stop"
    return {
        "object": "chat.completion",
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": end}],
        **({"usage": usage} if reply.tokens else {}),
    }
