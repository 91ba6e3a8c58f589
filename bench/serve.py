"""The server under 64 clients, beside a bare Starlette route that runs the same statements.

Each client reads memories and counts them up by compare-and-set, over one connection. What is
counted in the end has to be what was acknowledged, on either side. The bare side is the same
framework, server, threads and database settings with the statements of `bench.store` by hand: no
keys, checks, chain or values. A bare side that errs is no yardstick, and fails the bench. Both run
in turns within one run. Then one server answers many requests while its memory is watched.

    python -m bench.serve [--seconds 30] [--clients 64] [--requests 100000] [--json]
"""

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from bench.store import BY, Bare

from reverie.memory import Memory
from reverie.operations.serving.keys import create_key
from reverie.settings import Server
from reverie.store import rows
from reverie.store.keys import SCOPES

LEAST_SHARE = 0.6  # of the bare route's throughput
MOST_GROWTH = 1.10  # of the memory of the server, from a fifth of the requests to all
MEMORIES = 64
WRITES = 0.3  # of all requests
PADDING = " x" * 200


class Result(NamedTuple):
    """What one run of all clients came to."""

    requests: int
    seconds: float
    p50: float
    p99: float
    conflicts: int
    errors: int
    lost: int
    cpu: float  # seconds that the server computed

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds


class Target(NamedTuple):
    """A running server, and how a memory is named there."""

    port: int
    head: str  # headers of every request
    paths: list[str]
    process: subprocess.Popen[bytes]


class Client:
    """One connection that speaks just enough HTTP."""

    def __init__(self, target: Target) -> None:
        self.target = target

    async def __aenter__(self) -> "Client":
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.target.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()

    async def send(self, method: str, path: str, body: bytes = b"") -> tuple[int, Any]:
        length = (
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n" if body else ""
        )
        request = f"{method} {path} HTTP/1.1\r\n{self.target.head}{length}\r\n"
        self.writer.write(request.encode() + body)
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            # Whoever hangs up has erred; the client goes on over a new connection.
            await self.__aenter__()
            return 599, {}
        status = int(head[9:12])
        at = head.lower().index(b"content-length:") + 15
        answer = await self.reader.readexactly(int(head[at : head.index(b"\r", at)]))
        # A fault of the bare side is told in plain words.
        return status, json.loads(answer) if status < 500 else {}


class Run:
    """All clients, until a time or a number of requests."""

    def __init__(self, target: Target, clients: int) -> None:
        self.target = target
        self.clients = clients
        self.acknowledged = dict.fromkeys(target.paths, 0)
        self.taken: list[float] = []
        self.conflicts = self.errors = 0

    async def go(self, seconds: float, requests: int = 0) -> Result:
        before = await self._counts()
        computed = cpu_of(self.target.process)
        began = time.perf_counter()
        end = began + seconds if seconds else float("inf")
        most = requests or sys.maxsize
        await asyncio.gather(*(self._client(n, end, most) for n in range(self.clients)))
        took = time.perf_counter() - began
        computed = cpu_of(self.target.process) - computed
        after = await self._counts()
        lost = sum(abs(before[p] + self.acknowledged[p] - after[p]) for p in self.target.paths)
        ordered = statistics.quantiles(self.taken, n=100)
        figures = (len(self.taken), took, ordered[49], ordered[98])
        return Result(*figures, self.conflicts, self.errors, lost, computed)

    async def _client(self, number: int, end: float, most: int) -> None:
        dice = random.Random(number)
        async with Client(self.target) as client:
            while time.perf_counter() < end and len(self.taken) < most:
                path = dice.choice(self.target.paths)
                began = time.perf_counter()
                status, answer = await client.send("GET", path)
                self.taken.append(time.perf_counter() - began)
                self.errors += status != 200
                if status == 200 and dice.random() < WRITES / (1 - WRITES):
                    began = time.perf_counter()
                    await self._count_up(client, path, answer["content"], number)
                    self.taken.append(time.perf_counter() - began)

    async def _count_up(self, client: Client, path: str, content: str, number: int) -> None:
        asked = {"type": "content_sha256", "content_sha256": sha256(content.encode()).hexdigest()}
        # With its author: who asks for what is there already is told of a success.
        more = f"{int(content.split()[0]) + 1} by {number}{PADDING}"
        body = json.dumps({"content": more, "precondition": asked}).encode()
        status, _ = await client.send("POST", path, body)
        self.acknowledged[path] += status == 200
        self.conflicts += status == 409
        self.errors += status not in (200, 409)

    async def _counts(self) -> dict[str, int]:
        async with Client(self.target) as client:
            found = [(await client.send("GET", path))[1] for path in self.target.paths]
        counts = [int(one["content"].split()[0]) for one in found]
        return dict(zip(self.target.paths, counts, strict=True))


# The two sides


@contextmanager
def ours(folder: str) -> Generator[Target]:
    home = Path(folder) / "ours"
    with Memory.open(home) as memory:
        ids = filled(memory)
        made = create_key(memory, "bench", SCOPES, all_stores=True)
        store_id = memory.store.find_store("bench").id
    port = free_port()
    environ = {
        **os.environ,
        "REVERIE_HOME": str(home),
        "REVERIE_SERVER_REQUESTS_PER_SECOND": "0",
    }
    command = [sys.executable, "-m", "reverie", "serve", "--port", str(port)]
    head = f"host: localhost\r\nauthorization: Bearer {made.text}\r\n"
    paths = [f"/v1/memory_stores/{store_id}/memories/{one}" for one in ids]
    with running(command, port, environ) as process:
        yield Target(port, head, paths, process)


@contextmanager
def bare(folder: str) -> Generator[Target]:
    home = Path(folder) / "bare"
    with Memory.open(home) as memory:
        filled(memory)
        paths = [entry.path for entry in memory.store.manifest("bench")]
    port = free_port()
    command = [sys.executable, "-m", "bench.serve", "--bare", str(home / "memory.db"), str(port)]
    with running(command, port, dict(os.environ)) as process:
        yield Target(port, "host: localhost\r\n", paths, process)


def filled(memory: Memory) -> list[str]:
    memory.store.create_store("bench")
    return [
        memory.store.create("bench", f"/m/{n:02}", f"0{PADDING}", BY).id for n in range(MEMORIES)
    ]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextmanager
def running(
    command: list[str], port: int, environ: dict[str, str]
) -> Generator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def serve_bare(file: str, port: int) -> None:
    """The floor: Starlette, uvicorn, threads, and the statements by hand."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    # As the other side: so many threads that read, and one that writes.
    readers = ThreadPoolExecutor(Server().threads)
    writers = ThreadPoolExecutor(1)
    connections = threading.local()

    def database() -> Bare:
        if not hasattr(connections, "bare"):
            connections.bare = Bare(file)
        return connections.bare

    def head(path: str) -> tuple[Any, ...]:
        sql = f"SELECT {rows.MEMORY_COLUMNS} FROM {rows.MEMORY_FROM} WHERE m.path = ?"
        return database().db.execute(sql, (path,)).fetchone()

    def compare_and_set(path: str, content: str, expected: str) -> bool:
        return database().write(path, content, expected)

    async def read(request: Request) -> JSONResponse:
        loop = asyncio.get_running_loop()
        row = await loop.run_in_executor(readers, head, request.url.path)
        return JSONResponse({"id": row[0], "content": row[3], "content_sha256": row[4]})

    async def write(request: Request) -> JSONResponse:
        body = await request.json()
        asked = (request.url.path, body["content"], body["precondition"]["content_sha256"])
        loop = asyncio.get_running_loop()
        done = await loop.run_in_executor(writers, compare_and_set, *asked)
        return JSONResponse({"id": request.url.path}, status_code=200 if done else 409)

    routes = [
        Route("/m/{name}", read, methods=["GET"]),
        Route("/m/{name}", write, methods=["POST"]),
    ]
    uvicorn.run(
        Starlette(routes=routes), port=port, http="h11", access_log=False, log_level="error"
    )


def cpu_of(process: subprocess.Popen[bytes]) -> float:
    """The seconds that a process has computed."""
    fields = (
        Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    )
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(process: subprocess.Popen[bytes]) -> int:
    """The memory of a process, in kB."""
    text = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(text.partition("VmRSS:")[2].split()[0])


def measure(seconds: float, clients: int) -> dict[str, Result]:
    """Both sides, in turns, so that a busy moment falls on both."""
    found: dict[str, list[Result]] = {"ours": [], "bare": []}
    with tempfile.TemporaryDirectory() as folder, ours(folder) as left, bare(folder) as right:
        for _ in range(3):
            for name, target in (("ours", left), ("bare", right)):
                found[name].append(asyncio.run(Run(target, clients).go(seconds / 3)))
    return {name: joined(results) for name, results in found.items()}


def joined(results: list[Result]) -> Result:
    def total(name: str) -> float:
        return sum(getattr(result, name) for result in results)

    return Result(
        int(total("requests")),
        total("seconds"),
        statistics.median(result.p50 for result in results),
        max(result.p99 for result in results),
        int(total("conflicts")),
        int(total("errors")),
        int(total("lost")),
        total("cpu"),
    )


def watch(requests: int, clients: int) -> tuple[int, int, Result]:
    """The memory after a fifth of the requests, after all of them, and how they went."""
    with tempfile.TemporaryDirectory() as folder, ours(folder) as target:
        asyncio.run(Run(target, clients).go(0, requests // 5))
        early = resident(target.process)
        rest = asyncio.run(Run(target, clients).go(0, requests - requests // 5))
        return early, resident(target.process), rest


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--bare", nargs=2, metavar=("FILE", "PORT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bare:
        serve_bare(options.bare[0], int(options.bare[1]))
        return 0
    found = measure(options.seconds, options.clients)
    share = found["ours"].per_second / found["bare"].per_second
    early, late, rest = watch(options.requests, options.clients)
    problems = [
        *(["slower than its budget"] if share < LEAST_SHARE else []),
        *(["memory grows"] if late > early * MOST_GROWTH else []),
        *(["errors"] if found["ours"].errors or rest.errors else []),
        *(["lost updates"] if found["ours"].lost or rest.lost else []),
        *(["the bare side errs"] if found["bare"].errors or found["bare"].lost else []),
    ]
    if options.json:
        told = {name: result._asdict() for name, result in found.items()}
        print(json.dumps({**told, "share": share, "memory_kb": [early, late]}))
    else:
        for name, one in found.items():
            print(
                f"{name:5} {one.per_second:7.0f} requests/s  p50 {one.p50 * 1e3:6.1f} ms"
                f"  p99 {one.p99 * 1e3:6.1f} ms  conflicts {one.conflicts}  errors {one.errors}"
                f"  lost {one.lost}  CPU {one.cpu / one.requests * 1e3:.2f} ms/request"
            )
        print(f"share {share:.2f} of the bare route (at least {LEAST_SHARE})")
        print(f"memory after {options.requests // 5} requests {early / 1024:.1f} MB,", end=" ")
        print(f"after {options.requests}: {late / 1024:.1f} MB")
    if problems:
        print(f"not as promised: {', '.join(problems)}", file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
