"""A real server in a thread of the test, and a client that sends exactly what it is told."""

import http.client
import json
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

import uvicorn

from reverie.memory import Memory
from reverie.operations.serving import keys
from reverie.serve.http.app import create_app
from reverie.serve.http.run import options
from reverie.store.keys import SCOPES, Key


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def error(self) -> dict[str, Any]:
        """The error, in the one envelope all errors have."""
        body = self.json
        assert body["type"] == "error"
        assert body["request_id"] == self.headers["request-id"]
        return body["error"]


class Client:
    """Speaks plain HTTP with one key."""

    def __init__(self, port: int, key: str = "") -> None:
        self.port = port
        self.key = key

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {"authorization": f"Bearer {self.key}"} if self.key else {}
        raw = body
        if body is not None and not isinstance(body, bytes):
            raw = json.dumps(body, ensure_ascii=False).encode()
            given["content-type"] = "application/json"
        try:
            connection.request(method, path, raw, given | (headers or {}))
            answer = connection.getresponse()
            text = answer.read().decode()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, text)
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.send("GET", path, headers=headers)

    def post(self, path: str, body: Any = None) -> Answer:
        return self.send("POST", path, body)

    def delete(self, path: str) -> Answer:
        return self.send("DELETE", path)


class Served(NamedTuple):
    """A running server, the home behind it, and a key that may do all but speak for a person."""

    memory: Memory
    port: int
    key: Key
    text: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def client(self) -> Client:
        return Client(self.port, self.text)

    def another(self, *scopes: str, **given: Any) -> Client:
        """A client with a key of its own."""
        made = keys.create_key(self.memory, "another", scopes or SCOPES, **given)
        return Client(self.port, made.text)

    def raw(self, data: bytes) -> bytes:
        """All that comes back for these bytes, until the server hangs up."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.sendall(data)
            parts: list[bytes] = []
            while part := connection.recv(65_536):
                parts.append(part)
        return b"".join(parts)


@contextmanager
def serving(memory: Memory) -> Generator[Served]:
    """Serve a memory on a free port until the block ends."""
    made = keys.create_key(memory, "test", SCOPES, all_stores=True, human=True)
    # The server closes the home it has; the test keeps its own.
    app = create_app(memory.at())
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, **options(memory, "127.0.0.1", 0)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield Served(memory, listener.getsockname()[1], made.key, made.text)
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
