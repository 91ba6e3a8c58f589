"""What dreaming costs as sessions grow: time over n and 2n sessions, and the peak of memory.

    python -m bench.dream [--sessions 2000 20000] [--json]

Sessions are made up (`tests.dream.planted`) and read once; the figures are CPU-seconds of the
dream alone, in a process of its own over an index that is already there. Linear growth is 2.0.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.dream.planted import plant

BUNCH = 200  # sessions per seed: each bunch has rules of its own


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, nargs="*", default=[2_000, 20_000])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", choices=["read", "dream"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(child(arguments.child, arguments.folder)))
        return
    figures = [measure(count) for count in arguments.sessions]
    if arguments.json:
        print(json.dumps(figures, indent=2))
        return
    for row in figures:
        for name, value in row.items():
            print(f"{name:34} {value}")
        print()


def measure(count: int) -> dict[str, Any]:
    """A dream over `count` sessions, and over half of them."""
    with tempfile.TemporaryDirectory() as scratch:
        costs: list[dict[str, float]] = []
        for size in (count // 2, count):
            folder = Path(scratch) / str(size)
            for number in range(max(1, size // BUNCH)):
                plant(folder / "logs" / str(number), number, sessions=min(BUNCH, size))
            run("read", folder)
            costs.append(run("dream", folder))
    half, whole = costs
    return {
        "sessions": count,
        "remarks": int(whole["observations"]),
        "patterns": int(whole["patterns"]),
        "CPU-s, half of them": round(half["cpu"], 2),
        "CPU-s, all of them": round(whole["cpu"], 2),
        "growth (linear = 2.0)": round(whole["cpu"] / half["cpu"], 2),
        "peak MB": round(whole["peak"], 1),
    }


def run(what: str, folder: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.dream", "--child", what, "--folder", str(folder)]
    env = {**os.environ, "REVERIE_HOME": str(folder / "home")}
    done = subprocess.run(command, env=env, check=True, capture_output=True)
    return json.loads(done.stdout)


def child(what: str, folder: Path) -> dict[str, float]:
    from reverie.dream.model import Ask
    from reverie.dream.run import Dreamer
    from reverie.memory import Memory
    from reverie.operations import learning

    memory = Memory.open()
    begin = time.process_time()
    if what == "read":
        with learning.alone(memory) as keep:
            learning.learner(memory, keep).read(memory.logs(folder / "logs").logs)
        found = None
    else:
        found = Dreamer(memory.store, memory.index, memory.clock).dry(Ask())
    cpu = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return {
        "cpu": cpu,
        "peak": peak,
        "observations": len(found.observations) if found else 0,
        "patterns": sum(one.status == "pattern" for one in found.patterns) if found else 0,
    }


if __name__ == "__main__":
    main()
