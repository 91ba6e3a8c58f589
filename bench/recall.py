"""How long a recall takes, warm and cold, at 10,000 memories and 100,000 turns.

    python -m bench.recall [--memories 10000] [--turns 100000] [--json]

Warm: questions in one process, ledger entry included; besides the time that passed, the processor
time of this process, which other work on the machine changes less. Cold: the processor time of
`reverie recall QUESTION` beside that of `python -c pass`, interleaved, medians.
"""

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from typing import NamedTuple

from bench.start import SCRIPT, seconds

from reverie import config
from reverie.asker import Asker
from reverie.db.database import Database
from reverie.documents.document import Document
from reverie.memory import Memory
from reverie.operations import reach
from reverie.operations.recalling import recall
from reverie.recall.recall import Request
from reverie.sessions.corrections import CorrectionRow, replace_session
from reverie.store.model import Actor, Author

USER = Author(Actor("user"), "bench")


def vocabulary(dice: random.Random) -> list[str]:
    """Made-up words, the most common first."""
    sounds = ["ka", "lo", "mi", "ren", "tos", "ba", "du", "shi", "vel", "gra", "pon", "ex"]
    return ["".join(dice.choices(sounds, k=dice.randint(2, 4))) for _ in range(8_000)]


def sentence(dice: random.Random, words: list[str], length: int) -> str:
    """Zipf's law without the 50 most common words, which a question's stop words stand for."""
    top = 50
    spread = len(words) / top
    return " ".join(words[int(top * spread ** dice.random()) - 1] for _ in range(length))


def fill(memory: Memory, memories: int, turns: int) -> list[str]:
    dice = random.Random(7)
    words = vocabulary(dice)
    slug = memory.here.slug
    info = reach.make_store(memory, slug)
    shared = reach.make_store(memory, "global")
    with memory.store.database.atomic():
        for number in range(memories):
            text = sentence(dice, words, 24)
            document = Document(
                name=f"m{number}",
                description=text[:80],
                type=dice.choice(["feedback", "project", "reference"]),
                scope=slug,
                created=f"2026-{dice.randint(1, 10):02d}-{dice.randint(1, 28):02d}",
                trust=dice.choice(["user", "agent"]),
                support=dice.randint(1, 5),
                body=text + "\n",
            )
            store = info.id if number % 5 else shared.id
            memory.store.create(store, f"/m{number}.md", document.text(), USER)
    fill_index(memory, dice, words, turns)
    return [sentence(dice, words, dice.randint(3, 9)) for _ in range(400)]


def fill_index(memory: Memory, dice: random.Random, words: list[str], turns: int) -> None:
    index, slug = memory.index_database, memory.here.slug
    with index.atomic():
        fill_tables(index, slug, dice, words, turns)


def fill_tables(
    index: Database, slug: str, dice: random.Random, words: list[str], turns: int
) -> None:
    for number in range(turns):
        session, seq = divmod(number, 100)
        at = f"2026-{1 + session % 10:02d}-{1 + session % 28:02d}T10:00:00.000Z"
        values = {
            "id": number,
            "session": session,
            "seq": seq,
            "said": seq,
            "line": seq,
            "offset": 0,
            "role": "human" if seq % 2 == 0 else "agent",
            "kind": "prompt" if seq % 2 == 0 else "text",
            "at": at,
            "text": sentence(dice, words, 30),
            "tool": "",
            "typed": "typed",
            "undone": 0,
            "copied": 0,
            "searchable": 1,
        }
        names = ", ".join(f'"{name}"' for name in values)
        marks = ", ".join("?" * len(values))
        index.query(f"INSERT INTO turns ({names}) VALUES ({marks})", list(values.values()))
    index.query("INSERT INTO turns_fts (turns_fts) VALUES ('rebuild')")
    for session in range(turns // 100):
        key = f"claude-code:{session}"
        rows = [
            CorrectionRow(
                id=f"{key}#{line}",
                session=key,
                agent="claude-code",
                line=line,
                at=f"2026-{1 + session % 10:02d}-{1 + session % 28:02d}T10:00:00.000Z",
                project=slug,
                text=sentence(dice, words, 18),
                label="explicit",
                score=dice.random(),
                signals={"misstep": 0.5},
            )
            for line in range(3)
        ]
        replace_session(index, key, rows)


class Times(NamedTuple):
    """Milliseconds of some recalls, shortest first."""

    passed: list[float]
    processor: list[float]


def timed(memory: Memory, requests: list[Request]) -> Times:
    passed: list[float] = []
    processor: list[float] = []
    for request in requests:
        start, busy = time.perf_counter(), time.process_time()
        recall(memory, request)
        passed.append(1000 * (time.perf_counter() - start))
        processor.append(1000 * (time.process_time() - busy))
    return Times(sorted(passed), sorted(processor))


def median(values: list[float]) -> float:
    return values[len(values) // 2]


def cold(memory: Memory, query: str, runs: int) -> tuple[float, float]:
    env = {**os.environ, "REVERIE_HOME": str(memory.config.home)}
    floor: list[float] = []
    full: list[float] = []
    for _ in range(runs):
        floor.append(seconds([sys.executable, "-c", "pass"], env, str(memory.config.home)))
        full.append(seconds([SCRIPT, "recall", query], env, str(memory.config.home)))
    return statistics.median(floor), statistics.median(full)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = config.load({"REVERIE_HOME": folder})
        memory = Memory(settings, folder=folder, asker=Asker("bench"))
        queries = fill(memory, options.memories, options.turns)
        timed(memory, [Request(query=query) for query in queries[:20]])
        warm = timed(memory, [Request(query=query) for query in queries[20:]])
        sessions = timed(memory, [Request(query=q, sessions=True) for q in queries[20:120]])
        unasked = timed(memory, [Request() for _ in range(20)])
        floor, full = cold(memory, queries[0], 11)
        memory.close()
    figures = {
        "warm_p50_ms": median(warm.passed),
        "warm_p99_ms": warm.passed[int(len(warm.passed) * 0.99)],
        "warm_cpu_p50_ms": median(warm.processor),
        "with_sessions_p50_ms": median(sessions.passed),
        "with_sessions_p99_ms": sessions.passed[-1],
        "without_question_p50_ms": median(unasked.passed),
        "python_pass_ms": 1000 * floor,
        "cold_ms": 1000 * full,
        "cold_ratio": full / floor,
    }
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:26} {value:8.2f}")


if __name__ == "__main__":
    main()
