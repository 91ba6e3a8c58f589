"""The server as a process: many clients at once, and how it stops."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest
from tests.serve.http.served import Client, Served

from reverie.memory import Memory
from reverie.operations.serving.keys import create_key
from reverie.store.keys import SCOPES

STORES = "/v1/memory_stores"


@pytest.mark.proves("C3")
@pytest.mark.hostile("CC1")
def test_a_thousand_clients_count_one_memory_up(served: Served, store_id: str) -> None:
    client = served.client
    folder = f"{STORES}/{store_id}/memories"
    one = f"{folder}/{client.post(folder, {'path': '/n', 'content': '0'}).json['id']}"

    def count(number: int) -> bool:
        seen = client.get(one).json["content"]
        asked = {"type": "content_sha256", "content_sha256": sha256(seen.encode()).hexdigest()}
        content = f"{int(seen.split()[0]) + 1} by {number}"
        answer = client.post(one, {"content": content, "precondition": asked})
        if answer.status == 409:
            assert answer.error["type"] == "memory_precondition_failed_error"
        else:
            assert answer.status == 200
        return answer.status == 200

    with ThreadPoolExecutor(16) as pool:
        done = sum(pool.map(count, range(1_000)))
    assert done > 0
    assert client.get(one).json["content"].split()[0] == str(done)
    assert served.memory.store.find_store(store_id).versions == done + 1
    assert served.memory.store.verify(store_id) == []


@pytest.fixture
def process(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Client]]:
    """`reverie serve` on a home of its own, and a client with its key."""
    home = tmp_path / "served"
    with Memory.open(home) as memory:
        text = create_key(memory, "test", SCOPES, all_stores=True).text
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    command = [sys.executable, "-m", "reverie", "serve", "--port", str(port)]
    environ = {**os.environ, "REVERIE_HOME": str(home)}
    started = subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True)
    client = Client(port, text)
    while True:
        try:
            client.get("/healthz")
            break
        except OSError:
            assert started.poll() is None, started.communicate()
            time.sleep(0.05)
    yield started, client
    started.kill()
    started.communicate()


@pytest.mark.hostile("K9")
def test_a_request_that_is_under_way_is_answered_before_the_server_ends(
    process: tuple[subprocess.Popen[str], Client],
) -> None:
    started, client = process
    body = b'{"name": "notes"}'
    head = (
        f"POST {STORES} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {client.key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", client.port), timeout=60) as connection:
        connection.sendall(head.encode() + body[:5])
        # Answered: the server has seen the other connection, too.
        assert client.get("/healthz").status == 200
        started.send_signal(signal.SIGTERM)
        while _listens(client.port):
            time.sleep(0.02)
        connection.sendall(body[5:])
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200")
    _, said = started.communicate(timeout=60)
    assert started.returncode == 0, said
    assert client.key not in said
    assert f"POST {STORES} apikey_" in said


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
