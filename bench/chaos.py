"""Kill writers with −9 and prove that nothing acknowledged was lost: `make chaos`.

Several processes hammer a few hot memories with compare-and-set updates, renames and deletes.
They die at random moments and at named points: before a write, after it and before the commit,
after the commit and before the answer, in the middle of a migration. Each writes down what it was
told succeeded, and afterwards a checker compares that with the database. Not covered: power loss
(the machine stays up), and a kill of the PostgreSQL server itself.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bench.postgres import serving

from reverie.db import points
from reverie.errors import Busy, Conflict, NotFound, Unavailable
from reverie.store.model import Actor, Author, Memory, Version
from reverie.store.store import Store

WORKERS = 6
KEYS = 4
POINTS = "before_write=0.01,after_write=0.01,after_commit=0.01"
MIGRATION_POINTS = "mid_migration=0.15"
LIMIT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run on one database came to."""

    kills: int
    acknowledged: int
    unanswered: int
    violations: list[str]

    def line(self, name: str) -> str:
        return (
            f"{name}: kills {self.kills}, acknowledged {self.acknowledged},"
            f" violations {len(self.violations)}"
        )


class Worker:
    """One life of one writer; everything it was promised goes to its log first thing."""

    def __init__(self, url: str, log: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.by = Author(Actor("agent", f"worker-{seed}"), "chaos", "agent")
        self.log = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        self.store = opened(url)
        self.seen: dict[str, int] = {}

    def work_for_ever(self) -> None:
        while True:
            try:
                self.one_step(f"/hot/{self.random.randrange(KEYS)}")
            except (Conflict, NotFound, Busy):
                continue

    def one_step(self, path: str) -> None:
        try:
            head = self.store.get("chaos", path)
        except NotFound:
            self.note(self.store.create("chaos", path, self.text(), self.by), None)
            return
        if head.version < self.seen.get(head.id, 0):
            self.write({"violation": f"{head.id} went back to version {head.version}"})
        self.seen[head.id] = head.version
        chance = self.random.random()
        if chance < 0.02:
            self.store.delete("chaos", head.id, if_version=head.version, by=self.by)
            self.write({"deleted": head.id, "number": head.version + 1, "before": ""})
        elif chance < 0.06:
            there = f"/hot/{self.random.randrange(KEYS)}"
            moved = self.store.update(
                "chaos", head.id, path=there, if_version=head.version, by=self.by
            )
            # Another may have moved it there first, which is an answer but not our write.
            ours = self.store.version(moved.version_id).actor == self.by.actor
            if ours and moved.version_id != head.version_id:
                self.note(moved, head)
        elif chance < 0.5:
            self.note(self.change(head, if_version=head.version), head)
        else:
            self.note(self.change(head, if_sha256=head.content_sha256), head)

    def change(self, head: Memory, **expected: Any) -> Memory:
        return self.store.update("chaos", head.id, content=self.text(), by=self.by, **expected)

    def text(self) -> str:
        return uuid.UUID(int=self.random.getrandbits(128)).hex * self.random.randrange(1, 20)

    def note(self, memory: Memory, before: Memory | None) -> None:
        self.write(
            {
                "version": memory.version_id,
                "memory": memory.id,
                "number": memory.version,
                "sha256": memory.content_sha256,
                "before": before.content_sha256 if before else None,
            }
        )

    def write(self, line: dict[str, Any]) -> None:
        os.write(self.log, json.dumps(line).encode() + b"\n")


def opened(url: str) -> Store:
    """The store, once those who are bringing it up or were killed in it let go."""
    while True:
        try:
            return Store.open(url)
        except Unavailable as error:
            if url.startswith("sqlite") and not isinstance(error, Busy):
                raise
            time.sleep(0.01)


def check(store: Store, log: list[dict[str, Any]]) -> list[str]:
    """Every promise in the log against the history; one sentence for each that was broken."""
    wrong = [f"damage: {found}" for found in store.database.damage()]
    wrong += [f"chain: {p.subject} {p.message}" for p in store.verify()]
    history = list(_history(store))
    by_id = {version.id: version for version in history}
    numbers: dict[str, dict[int, Version]] = {}
    for version in history:
        numbers.setdefault(version.memory_id, {})[version.number] = version
    for memory, found in numbers.items():
        if sorted(found) != list(range(1, len(found) + 1)):
            wrong.append(f"{memory} has versions {sorted(found)}")
    told: set[tuple[str, int]] = set()
    for line in log:
        if "violation" in line:
            wrong.append(line["violation"])
            continue
        memory, number = line.get("memory") or line["deleted"], line["number"]
        if (memory, number) in told:
            wrong.append(f"two writers were told they wrote version {number} of {memory}")
        told.add((memory, number))
        version = numbers.get(memory, {}).get(number)
        if version is None or ("version" in line and by_id.get(line["version"]) != version):
            wrong.append(f"acknowledged version {number} of {memory} is not there")
        elif "deleted" in line and version.operation != "deleted":
            wrong.append(f"acknowledged deletion {number} of {memory} is something else")
        elif "version" in line and version.content_sha256 != line["sha256"]:
            wrong.append(f"acknowledged version {number} of {memory} has other content")
        elif line["before"] and numbers[memory][number - 1].content_sha256 != line["before"]:
            wrong.append(f"version {number} of {memory} was written over something unseen")
    return wrong


def _history(store: Store) -> Iterator[Version]:
    page: str | None = None
    while True:
        found = store.versions("chaos", limit=1_000, page=page)
        yield from found.items
        page = found.next_page
        if page is None:
            return


def let_write(writer: int, log: Path, deadline: float) -> None:
    """Wait until a writer has been promised something, or is gone."""
    while time.monotonic() < deadline and not (log.exists() and log.stat().st_size):
        if os.waitid(os.P_PID, writer, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return
        time.sleep(0.001)


class Herd:
    """Forked writers, and the one who kills them."""

    def __init__(self, url: str, folder: Path, seed: int, pause: float) -> None:
        self.url, self.folder, self.pause = url, folder, pause
        self.random = random.Random(seed)
        # process → what it was promised so far
        self.alive: dict[int, Path] = {}
        self.kills = 0
        self.started = 0

    def fork(self, life: Callable[[], None], armed: str, log: Path) -> None:
        child = os.fork()
        if child:
            self.alive[child] = log
            return
        ended = 1
        try:
            points.arm(armed)
            random.seed()
            life()
            ended = 0
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(ended)

    def start_writer(self) -> None:
        self.started += 1
        seed = self.random.getrandbits(60)
        log = self.folder / f"{self.started}.log"
        self.fork(lambda: Worker(self.url, log, seed).work_for_ever(), POINTS, log)

    def reap(self, *, block: bool = False) -> None:
        for child in list(self.alive):
            ended, status = os.waitpid(child, 0 if block else os.WNOHANG)
            if ended:
                del self.alive[child]
                code = os.waitstatus_to_exitcode(status)
                self.kills += code == -signal.SIGKILL
                if code > 0:
                    raise SystemExit(f"a writer failed with exit code {code}: see above")

    def hammer(self, kills: int, deadline: float) -> None:
        while self.kills < kills and time.monotonic() < deadline:
            while len(self.alive) < WORKERS:
                self.start_writer()
            time.sleep(self.random.uniform(0.001, self.pause))
            self.reap()
            if self.alive and self.random.random() < 0.7:
                victim = self.random.choice(sorted(self.alive))
                # Some die as they start; on a slow machine all of them would.
                if self.random.random() < 0.5:
                    let_write(victim, self.alive[victim], deadline)
                os.kill(victim, signal.SIGKILL)
        for child in self.alive:
            os.kill(child, signal.SIGKILL)
        self.reap(block=True)

    def migrate(self, fresh: Callable[[], str], kills: int, deadline: float) -> list[str]:
        """Kill processes that bring new databases up; another one must always finish the job."""
        wrong: list[str] = []
        target = self.kills + kills
        while self.kills < target and time.monotonic() < deadline:
            url = fresh()
            for _ in range(4):
                self.fork(lambda url=url: opened(url).close(), MIGRATION_POINTS, self.folder)
            self.reap(block=True)
            with opened(url) as store:
                store.ensure_store("after")
                if store.verify() or store.database.damage():
                    wrong.append("a database is damaged after a kill in a migration")
        return wrong


def run(url: str, fresh: Callable[[], str], kills: int, seed: int, pause: float = 0.03) -> Outcome:
    """Hammer one database until so many writers have died, then check every promise.

    `pause` is the longest wait between two kills, in seconds.
    """
    deadline = time.monotonic() + LIMIT_SECONDS
    with tempfile.TemporaryDirectory() as folder:
        with Store.open(url) as store:
            store.ensure_store("chaos")
        herd = Herd(url, Path(folder), seed, pause)
        wrong = herd.migrate(fresh, kills // 8, deadline)
        herd.hammer(kills, deadline)
        log = [
            json.loads(line)
            for file in sorted(Path(folder).iterdir())
            for line in file.read_bytes().splitlines()
        ]
        with Store.open(url) as store:
            wrong += check(store, log)
            written = store.find_store("chaos").versions
    promised = [line for line in log if "violation" not in line]
    if herd.kills < kills:
        wrong.append(f"only {herd.kills} of {kills} kills in {LIMIT_SECONDS:.0f} s")
    return Outcome(herd.kills, len(promised), written - len(promised), wrong)


def run_sqlite(kills: int, seed: int) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        counter = iter(range(10**9))
        return run(
            f"sqlite:///{folder}/memory.db",
            lambda: f"sqlite:///{folder}/fresh-{next(counter)}.db",
            kills,
            seed,
        )


def run_postgres(kills: int, seed: int) -> Outcome:
    # A connection takes longer to make than a file to open, and a writer should get to write.
    with (
        tempfile.TemporaryDirectory(prefix="reverie-chaos-") as folder,
        serving(Path(folder) / "pg") as server,
    ):
        return run(schema(server), lambda: schema(server), kills, seed, pause=0.15)


def schema(server: str) -> str:
    """A new, empty schema of its own; the URL that leads into it."""
    import psycopg

    name = f"c{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"CREATE SCHEMA {name}".encode())
    return f"{server}&options={quote(f'-csearch_path={name}')}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sqlite", type=int, default=500, help="kills on SQLite")
    parser.add_argument("--postgres", type=int, default=200, help="kills on PostgreSQL")
    parser.add_argument("--seed", type=int, default=None, help="repeat a run's choices")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.SystemRandom().getrandbits(32)
    print(f"seed {seed}")
    lines: list[str] = []
    failed = False
    for name, kills, go in (
        ("sqlite", given.sqlite, run_sqlite),
        ("postgresql", given.postgres, run_postgres),
    ):
        if not kills:
            continue
        began = time.monotonic()
        outcome = go(kills, seed)
        for sentence in outcome.violations[:20]:
            print(f"{name}: {sentence}", file=sys.stderr)
        print(
            f"{name}: {time.monotonic() - began:.0f} s,"
            f" {outcome.unanswered} written whose answer was lost"
        )
        lines.append(outcome.line(name))
        failed |= bool(outcome.violations)
    print("\n".join(lines))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
