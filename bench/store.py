"""The store beside bare SQLite statements that do the same work, in the same run.

Writes are compare-and-set updates, each its own synced transaction with a version row and its
full-text entry; reads are listing pages and searches over 10,000 memories. The bare side runs the
same statements on a file of its own with the same settings, without checks, chain or values.

    python -m bench.store [--memories 10000] [--writes 400] [--json]
"""

import argparse
import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from hashlib import sha256

from reverie.settings import Store as Limits
from reverie.store import rows, search
from reverie.store.model import Actor, Author
from reverie.store.store import Store

# What is measured → the most it may cost, as a multiple of the bare statements.
BUDGET = {"compare-and-set": 3.0, "list": 2.0, "search": 2.0}
PAGE = 100
BUSY_SECONDS = 10.0  # as the store waits for another writer
BY = Author(Actor("agent", "bench"), "bench", "agent")


class Bare:
    """The same statements by hand."""

    def __init__(self, path: str) -> None:
        self.db = sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECONDS)
        for pragma in (
            "journal_mode = WAL",
            "foreign_keys = ON",
            "synchronous = FULL",
            "secure_delete = ON",
            "temp_store = MEMORY",
        ):
            self.db.execute(f"PRAGMA {pragma}")
        self.store_id = self.db.execute("SELECT id FROM stores").fetchone()[0]
        self.count = 0

    def write(self, path: str, content: str, expected: str | None = None) -> bool:
        """Compare and set; False if the content is not what was expected."""
        with self._transaction():
            return self._write(path, content, expected)

    @contextmanager
    def _transaction(self) -> Generator[None]:
        """Whatever fails inside is undone: a transaction left open would keep all others out."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.db.execute("COMMIT")
        except BaseException:
            self.db.execute("ROLLBACK")
            raise

    def _write(self, path: str, content: str, expected: str | None) -> bool:
        run = self.db.execute
        run("SELECT * FROM stores WHERE id = ?", (self.store_id,)).fetchone()
        (old,) = run(
            f"SELECT {rows.MEMORY_COLUMNS} FROM {rows.MEMORY_FROM}"
            " WHERE m.store_id = ? AND m.path = ?",
            (self.store_id, path),
        ).fetchall()
        memory_id, sha, number = old[0], old[4], old[7]
        if expected not in {None, sha}:
            return False
        self.count += 1
        version_id = f"memver_{self.count:024d}"
        new_sha = sha256(content.encode()).hexdigest()
        run(
            "INSERT INTO memory_words (memory_words, rowid, path, content)"
            " SELECT 'delete', seq, path, content FROM heads WHERE id = ?",
            (memory_id,),
        )
        run(
            f"INSERT INTO versions ({rows.VERSION_COLUMNS}, salt, body, previous, commitment)"
            " SELECT ?, store_id, memory_id, (SELECT max(sequence) + 1 FROM versions"
            " WHERE store_id = ?), ?, 'modified', path, ?, ?, ?, actor_kind, actor_id,"
            " reason, trust, valid_from, valid_to, created_at, NULL, NULL, NULL, salt, body,"
            " previous, commitment FROM versions WHERE id = ?",
            (version_id, self.store_id, number + 1, content, new_sha, len(content), old[6]),
        )
        run(
            "UPDATE memories SET version_id = ?, version = ?, content_sha256 = ?, size_bytes = ?"
            " WHERE id = ? AND content_sha256 = ? AND version = ?",
            (version_id, number + 1, new_sha, len(content), memory_id, sha, number),
        )
        run("UPDATE stores SET sequence = sequence + 1 WHERE id = ?", (self.store_id,))
        run(
            "INSERT INTO memory_words (rowid, path, content)"
            " SELECT seq, path, content FROM heads WHERE id = ?",
            (memory_id,),
        )
        return True

    def list(self) -> int:
        count, after = 0, "/"
        while True:
            found = self.db.execute(
                f"SELECT {rows.MEMORY_COLUMNS} FROM {rows.MEMORY_FROM} WHERE m.store_id = ?"
                " AND m.path >= ? AND m.path < '0' ORDER BY m.path LIMIT ?",
                (self.store_id, after, PAGE),
            ).fetchall()
            count += len(found)
            if len(found) < PAGE:
                return count
            after = found[-1][2] + "\x01"

    def search(self, query: str) -> int:
        match = " OR ".join(f'"{term.words}"' for term in search.terms(query))
        found = self.db.execute(
            f"SELECT {rows.MEMORY_COLUMNS}, f.score FROM (SELECT m.seq, -bm25(memory_words) AS"
            " score FROM memory_words JOIN memories m ON m.seq = memory_words.rowid"
            " WHERE memory_words MATCH ? ORDER BY score DESC, m.store_id, m.path LIMIT 20) f"
            " JOIN memories m ON m.seq = f.seq JOIN versions v ON v.id = m.version_id"
            " ORDER BY f.score DESC, m.store_id, m.path",
            (match,),
        ).fetchall()
        return len(found)


def list_all(store: Store) -> int:
    count, page = 0, None
    while True:
        found = store.list("bench", limit=PAGE, page=page)
        count += len(found.items)
        page = found.next_page
        if page is None:
            return count


def fill(store: Store, memories: int, dice: random.Random, words: list[str]) -> None:
    store.create_store("bench")
    with store.database.atomic():
        for number in range(memories):
            text = " ".join(dice.choices(words, k=60))
            store.create("bench", f"/{number % 97:02d}/{number:05d}.md", text, BY)


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measure(memories: int, writes: int) -> dict[str, tuple[float, float]]:
    """Seconds per operation of the store and of the bare statements, interleaved."""
    dice = random.Random(7)
    words = [
        "".join(dice.choices("abcdefghijklmnop", k=dice.randrange(3, 10))) for _ in range(5000)
    ]
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in BUDGET}
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(f"sqlite:///{folder}/store.db", limits=Limits(max_memories=0))
        fill(store, memories, dice, words)
        store.backup(f"{folder}/bare.db")
        bare = Bare(f"{folder}/bare.db")
        paths = [entry.path for entry in store.manifest("bench")]
        for _ in range(writes):
            path, text = dice.choice(paths), " ".join(dice.choices(words, k=60))

            def compare_and_set(path: str = path, text: str = text) -> None:
                head = store.get("bench", path)
                store.update("bench", path, content=text, if_sha256=head.content_sha256, by=BY)

            taken["compare-and-set"].append(
                (seconds(compare_and_set), seconds(lambda p=path, t=text: bare.write(p, t)))
            )
        for _ in range(9):
            taken["list"].append((seconds(lambda: list_all(store)), seconds(bare.list)))
        for _ in range(200):
            query = " ".join(dice.choices(words, k=4))
            taken["search"].append(
                (seconds(lambda q=query: store.search(q)), seconds(lambda q=query: bare.search(q)))
            )
        bare.db.close()
        store.close()
    return {
        name: (
            statistics.median(ours for ours, _ in pairs),
            statistics.median(floor for _, floor in pairs),
        )
        for name, pairs in taken.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--writes", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.memories, options.writes)
    ratios = {name: ours / floor for name, (ours, floor) in found.items()}
    if options.json:
        print(json.dumps({"seconds": found, "ratios": ratios}))
    else:
        print(f"SQLite {sqlite3.sqlite_version}, {options.memories} memories")
        for name, (ours, floor) in found.items():
            per = f"{1 / ours:8.0f}/s  {ours * 1000:8.2f} ms  bare {floor * 1000:8.2f} ms"
            print(f"{name:16} {per}  {ratios[name]:5.2f}×   (at most {BUDGET[name]:.0f}×)")
    over = [name for name, ratio in ratios.items() if ratio > BUDGET[name]]
    if over:
        print(f"over budget: {', '.join(over)}", file=sys.stderr)
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
