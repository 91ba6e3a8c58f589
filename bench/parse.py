"""How fast logs are read, beside the floor and the obvious way, in one run.

    python bench/parse.py DIR [--agent claude-code] [--rounds 3]

Three passes over the same files, best of N each: iterating lines only; `json.loads` of each line;
the reader with all its turns. GB/s of log bytes per core, CPU time of this process.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

from reverie.sessions.logs.discover import LogFile, logs_under
from reverie.sessions.readers.agents import by_agent


def iterate(logs: list[LogFile]) -> int:
    count = 0
    for log in logs:
        with open(log.path, "rb") as file:
            for _ in file:
                count += 1
    return count


def plain_json(logs: list[LogFile]) -> int:
    count = 0
    for log in logs:
        with open(log.path, "rb") as file:
            for line in file:
                try:
                    json.loads(line)
                except ValueError:
                    continue
                count += 1
    return count


def read(logs: list[LogFile]) -> int:
    count = 0
    for log in logs:
        for _ in by_agent(log.agent).open(log.path):
            count += 1
    return count


def best(
    passes: Callable[[list[LogFile]], int], logs: list[LogFile], rounds: int
) -> tuple[float, int]:
    times: list[float] = []
    count = 0
    for _ in range(rounds):
        start = time.process_time()
        count = passes(logs)
        times.append(time.process_time() - start)
    return min(times), count


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--agent", default="claude-code")
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    logs = [log for log in logs_under(given.folder) if log.agent == given.agent]
    size = sum(log.size for log in logs)
    print(f"{len(logs)} {given.agent} logs, {size / 1e6:.1f} MB, best of {given.rounds}")
    for name, passes, unit in (
        ("iterate lines", iterate, "lines"),
        ("json.loads", plain_json, "records"),
        ("reverie reader", read, "turns"),
    ):
        seconds, count = best(passes, logs, given.rounds)
        print(f"{name:16} {size / seconds / 1e9:6.2f} GB/s  {seconds:6.3f} s  {count} {unit}")


if __name__ == "__main__":
    main()
