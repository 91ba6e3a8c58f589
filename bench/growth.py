"""What learning costs while one session grows: CPU of each `learn` by the size it has reached.

    python -m bench.growth [--records 1600] [--profile]

One exchange (a prompt, an answer, an edit, a check) is added before every run, as a hook would
find it. All runs share one process, so the figures are those of learning, not of starting up.
Flat is the goal: what is new costs the same whatever stands before it.
"""

import argparse
import cProfile
import json
import pstats
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from reverie.clock import iso
from reverie.memory import Memory

MARKS = (100, 200, 400, 800, 1600, 3200)
SESSION = "6f0c9d1e-0000-4000-8000-000000000001"
START = datetime(2026, 9, 1, 8, 0, tzinfo=UTC)
PROMPTS = (
    "add a column for the {n}th invoice field to the export",
    "no, not like that: field {n} must stay a string, the importer reads it",
    "please always run the linter before you commit field {n}",
    "looks good, go on with number {n}",
    "why does test {n} fail on an empty list?",
    "use the helper in lib/format{n}.py instead of writing your own",
    "yes",
)

Record = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1600)
    parser.add_argument("--profile", action="store_true", help="show where the last runs spent it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measure(Path(scratch), options.records, options.profile)


def measure(scratch: Path, most: int, profiled: bool) -> None:
    work = scratch / "work"
    work.mkdir()
    log = scratch / "logs" / "-work" / f"{SESSION}.jsonl"
    log.parent.mkdir(parents=True)
    profile = cProfile.Profile()
    spent: list[tuple[int, float]] = []
    records = number = 0
    moment = START

    def learned() -> float:
        begin = time.process_time()
        memory.learn(log.parent.parent)
        return time.process_time() - begin

    with Memory.open(scratch / "home", folder=work, clock=lambda: moment) as memory:
        while records < most:
            added = exchange(number, str(work))
            with log.open("a", encoding="utf-8") as stream:
                stream.writelines(json.dumps(record) + "\n" for record in added)
            records += len(added)
            number += 1
            moment = START + timedelta(minutes=2 * number)
            if profiled and records > 0.9 * most:
                profile.enable()
            spent.append((records, learned()))
            profile.disable()
        quiet = learned()
        while_open = counted(memory)
        moment += timedelta(hours=2)
        settled = learned()
        at_the_end = counted(memory)
    if profiled:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(60)
    for mark in (mark for mark in MARKS if mark <= most):
        near = [cpu for size, cpu in spent if mark * 0.9 <= size <= mark * 1.1]
        print(f"{mark:6} records: {sum(near) / len(near):.4f} CPU-s per exchange")
    print(f"all {len(spent)} runs: {sum(cpu for _, cpu in spent):.1f} CPU-s; quiet: {quiet:.4f}")
    print(f"two hours later, whole: {settled:.4f} CPU-s")
    print(f"versions: {while_open} while it grew, {at_the_end} at the end")


def counted(memory: Memory) -> str:
    ((versions,),) = memory.database.query("SELECT count(*) FROM versions")
    ((memories,),) = memory.database.query("SELECT count(*) FROM memories")
    return f"{versions} of {memories} memories"


def exchange(number: int, cwd: str) -> list[Record]:
    """The records of one exchange of a Claude Code session."""
    file = f"{cwd}/src/export{number % 9}.py"
    failing = number % 5 == 2
    answer = "1 failed: AssertionError: empty list" if failing else "12 passed"
    edit = {"file_path": file, "old_string": "a", "new_string": f"b{number}"}
    check = {"command": f"pytest tests/test_export{number % 9}.py"}
    reads = f"The exporter reads field {number} because the schema says so. I'll change it now."
    done = f"Done. Field {number} is now written as the importer expects, and the tests pass."
    said: list[tuple[str, Any]] = [
        ("user", PROMPTS[number % len(PROMPTS)].format(n=number)),
        ("assistant", [{"type": "text", "text": reads}]),
        *called("Edit", f"edit-{number}", edit, f"The file {file} has been updated.", False),
        *called("Bash", f"check-{number}", check, answer, failing),
        ("assistant", [{"type": "text", "text": done}]),
    ]
    return [
        {
            "type": role,
            "sessionId": SESSION,
            "uuid": f"{number:08x}-0000-4000-8000-{place:012x}",
            "timestamp": iso(START + timedelta(minutes=2 * number, seconds=10 * place)),
            "cwd": cwd,
            "version": "2.0.0",
            "message": {"role": role, "content": content},
        }
        for place, (role, content) in enumerate(said)
    ]


def called(
    name: str, identity: str, given: Record, answer: str, failed: bool
) -> list[tuple[str, Any]]:
    result: Record = {"type": "tool_result", "tool_use_id": identity, "content": answer}
    return [
        ("assistant", [{"type": "tool_use", "id": identity, "name": name, "input": given}]),
        ("user", [{**result, "is_error": True} if failed else result]),
    ]


if __name__ == "__main__":
    main()
