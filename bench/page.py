"""The server's time for each page, at 10,000 memories and 20,000 sessions.

    python -m bench.page [--memories 10000] [--sessions 20000] [--rounds 9] [--json]

The sample's sessions are copied over five hundred days, with what is known of each and made-up
words in what was said; memories are made up. Judged by the processor time of all threads, which
other work on the machine changes less than the time that passed; that is told as well. Both the
first look at each page, which fills what is kept, and the median of those after it have to hold.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bench.recall import fill, sentence, vocabulary
from starlette.testclient import TestClient

from reverie.asker import Asker
from reverie.clock import fixed
from reverie.db.database import Database
from reverie.memory import Memory
from reverie.recall.repeating import note_repeats
from reverie.sample import NOW, place
from reverie.serve.page.app import application
from reverie.serve.page.login import COOKIE, Visitors
from reverie.serve.page.memories import place_of
from reverie.serve.page.serving import get_ready
from reverie.serve.page.sessions import place_of as session_place

MOST_MS = 50.0
HOST = "127.0.0.1:8000"
# What a copy of a row differs in; all other columns are as they were.
_LATER = "strftime('%Y-%m-%dT%H:%M:%S.000Z', {0}, '-' || (n % 500) || ' days')"
_COPIES: dict[str, dict[str, str]] = {
    "sessions": {
        "id": "id + n * 1000",
        "key": "key || '-' || n",
        "session_id": "session_id || '-' || n",
        "started": _LATER.format("started"),
        "ended": _LATER.format("ended"),
    },
    "turns": {
        "id": "id + n * 10000",
        "session": "session + n * 1000",
        "at": _LATER.format("at"),
    },
    "corrections": {
        "row": "row + n * 1000",
        "id": "replace(id, '#', '-' || n || '#')",
        "session": "session || '-' || n",
        "at": _LATER.format("at"),
    },
    "diaries": {"session": "session || '-' || n", "started": _LATER.format("started")},
    "fixes": {"id": "id || '-' || n", "session": "session || '-' || n"},
}


class Timed(NamedTuple):
    """One page: milliseconds of processor and of time that passed, and its size."""

    place: str
    first: float
    processor: float
    passed: float
    kilobytes: float


def multiply(memory: Memory, sessions: int) -> None:
    """Copy what the index knows until it has so many sessions."""
    index = memory.index_database
    copies = sessions // index.query("SELECT count(*) FROM sessions")[0][0]
    with index.atomic():
        for table, differs in _COPIES.items():
            columns = [row[1] for row in index.query(f"PRAGMA table_info({table})")]
            values = ", ".join(differs.get(name, f'"{name}"') for name in columns)
            index.query(
                f"WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers"
                f" WHERE n < {copies - 1})"
                f" INSERT INTO {table} SELECT {values} FROM {table}, numbers"
            )
    _vary(index)
    note_repeats(index)  # as learning does
    index.query("ANALYZE")


def _vary(index: Database) -> None:
    """Give copied turns words of their own: no word stands in one of sixteen."""
    dice = random.Random(7)
    words = vocabulary(dice)
    with index.atomic():
        found = index.query("SELECT id FROM turns WHERE id >= 10000 AND role IN ('human', 'agent')")
        index.execute_many(
            "UPDATE turns SET text = ? WHERE id = ?",
            [(sentence(dice, words, 20), row[0]) for row in found],
        )
        for table in ("turns_fts", "corrections_fts"):
            index.query(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")


def places(memory: Memory) -> list[str]:
    """Every page, in its usual and in its worst form."""
    item = memory.library.documents("shop-api")[0]
    many = memory.library.find("global:m0")
    session = memory.index_database.query("SELECT key FROM sessions ORDER BY turns DESC LIMIT 1")
    return [
        "/",
        "/memories",
        "/memories?q=kalo",
        "/memories?type=feedback&trust=user&author=user",
        "/memories?from=9000",
        place_of(item),
        place_of(many),
        f"{place_of(item)}/history",
        f"{place_of(item)}/edit",
        "/review",
        "/sessions",
        "/sessions?from=15000",
        "/sessions?project=shop-api&agent=codex",
        "/sessions?q=refund",
        session_place(session[0][0]),
        "/playground",
        "/playground?project=shop-api&prompt=how+do+I+store+money",
        "/insight",
        "/insight?project=shop-api",
        "/stores",
        f"/stores/{memory.store.find_store('global').id}",
    ]


def timed(client: TestClient, place: str, rounds: int) -> Timed:
    passed: list[float] = []
    processor: list[float] = []
    size = 0.0
    for _ in range(rounds + 1):
        begun, worked = time.perf_counter(), time.process_time()
        answer = client.get(place)
        processor.append((time.process_time() - worked) * 1000)
        passed.append((time.perf_counter() - begun) * 1000)
        if answer.status_code != 200:
            raise SystemExit(f"{place}: {answer.status_code}")
        size = len(answer.content) / 1000
    return Timed(
        place, processor[0], statistics.median(processor[1:]), statistics.median(passed[1:]), size
    )


def measure(scratch: Path, memories: int, sessions: int, rounds: int) -> list[Timed]:
    code = place(scratch)
    environ = {"HOME": str(scratch), "REVERIE_HOME": str(scratch / ".reverie")}
    asker = Asker("page", trust="user")
    folder, clock = code / "shop-api", fixed(NOW)
    with Memory.open(folder=folder, asker=asker, clock=clock, environ=environ) as memory:
        memory.learn(jobs=1)
        memory.dream()
        fill(memory, memories, 0)
        multiply(memory, sessions)
        visitors = Visitors(memory.clock)
        app = application(memory, visitors, [HOST])
        get_ready(memory)  # as serving does
        with TestClient(app, base_url=f"http://{HOST}") as client:
            client.cookies.set(COOKIE, visitors.enter(visitors.invite()) or "")
            return [timed(client, one, rounds) for one in places(memory)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--sessions", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="reverie-bench-") as scratch:
        found = measure(Path(scratch).resolve(), given.memories, given.sessions, given.rounds)
    slow = [one.place for one in found if max(one.first, one.processor) > MOST_MS]
    if given.json:
        print(json.dumps([one._asdict() for one in found]))
    else:
        print(f"{'page':<58} {'first':>8} {'CPU ms':>8} {'passed':>8} {'kB':>7}")
        for one in found:
            print(
                f"{one.place[:58]:<58} {one.first:8.1f} {one.processor:8.1f} {one.passed:8.1f}"
                f" {one.kilobytes:7.1f}"
            )
        print(f"slower than {MOST_MS:.0f} ms: {', '.join(slow) or 'none'}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
