"""How long `reverie sync` takes between two homes of 10,000 memories, as a whole command.

python -m bench.sync [--memories 10000] [--git]
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from reverie.asker import OWNER
from reverie.documents.document import Document
from reverie.memory import Memory
from reverie.operations import syncing
from reverie.store.model import Actor, Author

IDLE_SECONDS = 1.0
NEW_SECONDS = 3.0
NEW = 100
RUNS = 3
BY = Author(Actor("user"), "bench")
_NOUNS = "crane lever hull mast rudder galley fender anchor winch cable lantern ballast".split()


def text(number: int, chance: random.Random) -> str:
    """A short rule, as they are learned."""
    first, second, third = chance.sample(_NOUNS, 3)
    rule = f"Check {first} {number} before {second} {number % 97}, and never touch {third} first"
    return Document(
        name=f"rule-{number}", description=rule, type="feedback", body=f"{rule}.\n"
    ).text()


def fill(memory: Memory, numbers: range) -> None:
    chance = random.Random(numbers.start)
    memory.store.ensure_store("global")
    with memory.database.atomic():
        for number in numbers:
            memory.store.create("global", f"/rule-{number}.md", text(number, chance), BY)


def command(home: Path, *words: str) -> float:
    """The seconds a whole command takes."""
    environ = {**os.environ, "REVERIE_HOME": str(home), "HOME": str(home.parent)}
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "reverie", "sync", *words],
        env=environ, check=True, capture_output=True, cwd=home.parent,
    )  # fmt: skip
    return time.perf_counter() - started


def best(step: Callable[[], float]) -> float:
    return min(step() for _ in range(RUNS))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--git", action="store_true", help="through a bare git repository")
    asked = parser.parse_args()
    count: int = asked.memories
    with tempfile.TemporaryDirectory() as name:
        folder = Path(os.path.realpath(name))
        remote = folder / "remote"
        if asked.git:
            subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
        homes = [folder / "one", folder / "two"]
        with Memory.open(homes[0], asker=OWNER, folder=folder) as memory:
            fill(memory, range(count))
            key = syncing.key_of(memory)
            started = time.perf_counter()
            syncing.sync_with(memory, str(remote))
            first = time.perf_counter() - started
        with Memory.open(homes[1], asker=OWNER, folder=folder) as memory:
            started = time.perf_counter()
            syncing.sync_with(memory, str(remote), key=key)
            second = time.perf_counter() - started
        idle = best(lambda: max(command(home) for home in homes))
        sent: list[float] = []
        taken: list[float] = []
        for run in range(RUNS):
            with Memory.open(homes[0], asker=OWNER, folder=folder) as memory:
                fill(memory, range(count + run * NEW, count + (run + 1) * NEW))
            sent.append(command(homes[0]))
            taken.append(command(homes[1]))
        with Memory.open(homes[1], asker=OWNER, folder=folder) as memory:
            there = memory.store.find_store("global").memories
            # A few rules may say the same, and were joined.
            assert count <= there <= count + RUNS * NEW, there
    print(f"first exchange of {count}: {first:.1f} s out, {second:.1f} s in")
    print(f"nothing new: {idle:.2f} s (budget {IDLE_SECONDS:.0f} s)")
    print(f"{NEW} new: {min(sent):.2f} s out, {min(taken):.2f} s in (budget {NEW_SECONDS:.0f} s)")
    return int(idle > IDLE_SECONDS or max(min(sent), min(taken)) > NEW_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
