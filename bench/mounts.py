"""How long a mounted folder of 10,000 files takes when nothing changed, beside a bare stat walk.

python -m bench.mounts [--files 10000]
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from reverie.mounts import table as mounts
from reverie.mounts.sync import sync
from reverie.store.model import Actor, Author
from reverie.store.store import Store

BUDGET_MS = 100.0
BUDGET_RATIO = 3.5
RUNS = 9


def unchanged(text: str) -> str:
    return text


def stat_walk(folder: str) -> int:
    """The floor: every name and its stat, and nothing else."""
    count = 0
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    count += 1
    return count


def median_ms(step: Callable[[], object]) -> float:
    taken: list[float] = []
    for _ in range(RUNS):
        started = time.perf_counter()
        step()
        taken.append((time.perf_counter() - started) * 1_000)
    return statistics.median(taken)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=int, default=10_000, help="memories in the store")
    files: int = parser.parse_args().files
    with tempfile.TemporaryDirectory() as name:
        folder = Path(os.path.realpath(name))
        with Store.open(f"sqlite:///{folder}/memory.db") as store:
            store.create_store("many")
            by = Author(Actor("user", "bench"), "bench")
            with store.database.atomic():
                for number in range(files):
                    store.create("many", f"/{number % 50}/{number}.md", f"fact {number}\n", by)
            mount = mounts.add(store, "many", str(folder / "shown"), "read_write")
            started = time.perf_counter()
            sync(store, mount, redact=unchanged)
            first = time.perf_counter() - started
            time.sleep(0.1)
            sync(store, mount, redact=unchanged)
            idle = median_ms(lambda: sync(store, mount, redact=unchanged))
            walk = median_ms(lambda: stat_walk(str(folder / "shown")))
            one = folder / "shown" / "0" / "0.md"

            def edited() -> None:
                with one.open("a") as file:
                    file.write("more\n")
                sync(store, mount, redact=unchanged)

            change = median_ms(edited)
    print(f"{files} files: first sync {first:.1f} s")
    print(f"nothing changed {idle:.0f} ms = {idle / walk:.1f}x a bare stat walk ({walk:.0f} ms)")
    print(f"one file edited, with its index line {change:.0f} ms")
    # The budget is for a quiet machine; on a busy one the walk beside it takes longer as well.
    return 0 if idle <= BUDGET_MS or idle <= BUDGET_RATIO * walk else 1


if __name__ == "__main__":
    sys.exit(main())
