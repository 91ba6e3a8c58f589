"""A stand-in for the Messages API on loopback: answers by a script, remembers what it was asked."""

import json
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Block = dict[str, Any]


class Api:
    """Calls `tool` with `arguments` at the first prompt that holds `cue`, else says "Done."."""

    def __init__(self, cue: str, tool: str, arguments: dict[str, Any]) -> None:
        self.cue, self.tool, self.arguments = cue, tool, arguments
        self.requests: list[dict[str, Any]] = []
        self.url = ""

    def reply(self, body: dict[str, Any]) -> list[Block]:
        self.requests.append(body)
        spoken = [m for m in body.get("messages", []) if m["role"] == "user"]
        last = json.dumps(spoken[-1:])
        # Small requests of the client's own (a title, a topic) come without tools.
        if "tool_result" in last or self.cue not in last or not body.get("tools"):
            return [{"type": "text", "text": "Done."}]
        return [{"type": "tool_use", "id": "toolu_1", "name": self.tool, "input": self.arguments}]

    def results(self) -> str:
        """Everything tools answered, as the client sent it back."""
        return "".join(
            json.dumps(block, ensure_ascii=False)
            for body in self.requests
            for message in body.get("messages", [])
            if isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == "tool_result"
        )


def events(blocks: list[Block], model: str) -> Iterator[tuple[str, dict[str, Any]]]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": model}
    start = {**message, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield "message_start", {"message": start}
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield "content_block_start", {"index": index, "content_block": empty}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    stop = "tool_use" if any(b["type"] == "tool_use" for b in blocks) else "end_turn"
    yield "message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}
    yield "message_stop", {}


@contextmanager
def serving(api: Api) -> Generator[Api]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            return None

        def do_POST(self) -> None:
            size = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(size) or b"{}")
            if not self.path.startswith("/v1/messages") or "count_tokens" in self.path:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for name, data in events(api.reply(body), str(body.get("model"))):
                line = json.dumps({"type": name, **data})
                self.wfile.write(f"event: {name}\ndata: {line}\n\n".encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    api.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
