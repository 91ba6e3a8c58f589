"""Two servers on one PostgreSQL whose connections are killed, and nothing acknowledged is lost.

Clients read, compare-and-set, move, make and delete a few hot memories, each request at either of
the two servers, and send again what was not answered. Every second the connections that a server
has to the database at that moment are killed, some or all. What clients were told is written down,
and the checker of `bench.chaos` compares it with the database afterwards; besides, no client may
ever read an older version than it has seen before, whichever server it asks.

    python -m bench.chaos_serve [--seconds 60] [--clients 12] [--seed N]
"""

import argparse
import http.client
import json
import os
import random
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bench.chaos import KEYS, check, opened, schema
from bench.postgres import serving
from bench.serve import free_port, running

from reverie.memory import Memory
from reverie.operations.serving.keys import create_key
from reverie.store.keys import SCOPES
from reverie.store.store import Store

_TRIES = 40  # of a request that is not answered
_WAIT = 0.1


class Client:
    """Speaks to both servers with one key, and writes down what it is told."""

    def __init__(self, ports: list[int], key: str, store: str, seed: int) -> None:
        self.random = random.Random(seed)
        self.told: list[dict[str, Any]] = []
        self.seen: dict[str, list[str]] = {}  # memory → versions in the order they were read
        self.answers: Counter[int] = Counter()
        self._ports = ports
        self._key = key
        self._memories = f"/v1/memory_stores/{store}/memories"
        self._open: dict[int, http.client.HTTPConnection] = {}

    def work_until(self, end: float) -> None:
        while time.monotonic() < end:
            self.one_step(f"/hot/{self.random.randrange(KEYS)}")
        for connection in self._open.values():
            connection.close()

    def one_step(self, path: str) -> None:
        status, listed = self.ask("GET", f"{self._memories}?path_prefix=/hot/&limit=100")
        found = {one["path"]: one for one in listed.get("data", [])} if status == 200 else {}
        if path not in found:
            self.note(
                self.ask("POST", self._memories, {"path": path, "content": self.text()}), None
            )
            return
        status, head = self.ask("GET", f"{self._memories}/{found[path]['id']}")
        if status != 200:
            return
        self.seen.setdefault(head["id"], []).append(head["memory_version_id"])
        one, sha = f"{self._memories}/{head['id']}", head["content_sha256"]
        chance = self.random.random()
        if chance < 0.03:
            status, _ = self.ask("DELETE", f"{one}?expected_content_sha256={quote(sha)}")
            if status == 200:
                self.told.append({"deleted": head["id"], "before": ""})
            return
        body: dict[str, Any] = {"precondition": {"type": "content_sha256", "content_sha256": sha}}
        if chance < 0.08:
            body["path"] = f"/hot/{self.random.randrange(KEYS)}"
            # Another may have moved it there first: an answer, but perhaps not this write's.
            self.ask("POST", one, body)
            return
        self.note(self.ask("POST", one, body | {"content": self.text()}), sha)

    def note(self, answer: tuple[int, dict[str, Any]], before: str | None) -> None:
        status, memory = answer
        if status == 200:
            self.told.append(
                {
                    "version": memory["memory_version_id"],
                    "memory": memory["id"],
                    "sha256": memory["content_sha256"],
                    "before": before,
                }
            )

    def text(self) -> str:
        return uuid.UUID(int=self.random.getrandbits(128)).hex * self.random.randrange(1, 20)

    def ask(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """The answer of either server; what is not answered is sent again, there or elsewhere."""
        data = json.dumps(body).encode() if body is not None else None
        for _ in range(_TRIES):
            try:
                status, answer = self._sent(self.random.choice(self._ports), method, path, data)
            except (OSError, http.client.HTTPException):
                status, answer = 0, {}
            self.answers[status] += 1
            if status and status < 500:
                return status, answer
            time.sleep(_WAIT)
        return 0, {}

    def _sent(
        self, port: int, method: str, path: str, data: bytes | None
    ) -> tuple[int, dict[str, Any]]:
        if port not in self._open:
            self._open[port] = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection = self._open[port]
        headers = {"authorization": f"Bearer {self._key}"}
        if data is not None:
            headers["content-type"] = "application/json"
        try:
            connection.request(method, path, data, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        except BaseException:
            self._open.pop(port).close()
            raise


class Killer:
    """Kills connections of the servers to the database, every second some, now and then all."""

    def __init__(self, server: str, mark: str, seed: int) -> None:
        self._server = server
        self._mark = mark
        self._random = random.Random(seed)
        self.kills = 0

    def work_until(self, end: float) -> None:
        import psycopg

        with psycopg.connect(self._server, autocommit=True) as admin:
            while time.monotonic() < end:
                time.sleep(1.0)
                rows = admin.execute(
                    "SELECT pid FROM pg_stat_activity WHERE application_name = %s", (self._mark,)
                ).fetchall()
                victims = [pid for (pid,) in rows]
                if victims and self._random.random() < 0.75:
                    victims = [self._random.choice(victims)]
                for pid in victims:
                    admin.execute("SELECT pg_terminate_backend(%s)", (pid,))
                    self.kills += 1


@contextmanager
def two_servers(url: str, folder: Path, mark: str) -> Generator[tuple[list[int], str, str]]:
    """The ports of both, a key, and the id of a store."""
    environ = {
        **os.environ,
        "REVERIE_HOME": str(folder / "home"),
        "REVERIE_DATABASE_URL": f"{url}&application_name={mark}",
        "REVERIE_SERVER_REQUESTS_PER_SECOND": "0",
    }
    with Memory.open(environ=environ) as memory:
        key = create_key(memory, "chaos", SCOPES, all_stores=True).text
        store = memory.store.create_store("chaos").id
    ports = [free_port(), free_port()]
    with ExitStack() as stack:
        for port in ports:
            command = [sys.executable, "-m", "reverie", "serve", "--port", str(port)]
            stack.enter_context(running([*command, "--dreamers", "0"], port, environ))
        yield ports, key, store


def numbered(store: Store, lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What clients were told, with the numbers that the wire does not have."""
    numbers, ends = _numbers(store)
    for line in lines:
        if "deleted" in line:
            yield line | {"number": ends.get(line["deleted"], 0)}
        else:
            yield line | {"number": numbers.get(line["version"], 0)}


def went_back(store: Store, seen: dict[str, list[str]]) -> Iterator[str]:
    """Where a client read an older version than before."""
    numbers, _ = _numbers(store)
    for memory, versions in seen.items():
        read = [numbers.get(version, 0) for version in versions]
        if 0 in read:
            yield f"a version of {memory} was read that was never written"
        if read != sorted(read):
            yield f"{memory} went back: {read[:50]}"


def _numbers(store: Store) -> tuple[dict[str, int], dict[str, int]]:
    numbers: dict[str, int] = {}
    ends: dict[str, int] = {}
    page: str | None = ""
    while page is not None:
        found = store.versions("chaos", limit=1_000, page=page or None)
        for version in found.items:
            numbers[version.id] = version.number
            if version.operation == "deleted":
                ends[version.memory_id] = version.number
        page = found.next_page
    return numbers, ends


def run(seconds: float, clients: int, seed: int) -> int:
    with (
        tempfile.TemporaryDirectory(prefix="reverie-chaos-") as folder,
        serving(Path(folder) / "pg") as server,
    ):
        url, mark = schema(server), f"chaos{seed}"
        with two_servers(url, Path(folder), mark) as (ports, key, store_id):
            end = time.monotonic() + seconds
            everybody = [Client(ports, key, store_id, seed + n) for n in range(clients)]
            killer = Killer(server, mark, seed)
            threads = [
                threading.Thread(target=one.work_until, args=(end,)) for one in (*everybody, killer)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        store = opened(url)
        lines = [line for one in everybody for line in one.told]
        wrong = check(store, list(numbered(store, lines)))
        wrong += [words for one in everybody for words in went_back(store, one.seen)]
        answers = sum((one.answers for one in everybody), Counter[int]())
        store.close()
    for sentence in wrong[:20]:
        print(sentence, file=sys.stderr)
    told = ", ".join(f"{status or 'none'}: {many}" for status, many in sorted(answers.items()))
    print(f"two servers, {seconds:.0f} s: {sum(answers.values())} answers ({told})")
    print(
        f"two servers: connections killed {killer.kills}, acknowledged {len(lines)},"
        f" violations {len(wrong)}"
    )
    return int(bool(wrong))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--seed", type=int, default=None, help="repeat a run's choices")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.SystemRandom().getrandbits(24)
    print(f"seed {seed}")
    return run(given.seconds, given.clients, seed)


if __name__ == "__main__":
    sys.exit(main())
