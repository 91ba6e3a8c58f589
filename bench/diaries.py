"""What learning costs with diaries: CPU per session and peak memory, beside learning without.

    python bench/diaries.py DIR

DIR is any folder with agent logs. Each side runs in a process of its own on an empty home, with
the real secret rules; the one without leaves out the write-up of tasks and nothing else.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from reverie.clock import system_clock
from reverie.learn import run
from reverie.learn.detect.judge import Judge
from reverie.learn.diary.diaries import Diarist
from reverie.learn.memories.queue import Queue
from reverie.learn.memories.writing import Writer
from reverie.learn.run import Learner
from reverie.privacy import redactor_for
from reverie.sessions.diaries import DiaryRow
from reverie.sessions.fixes import FixRow
from reverie.sessions.index import Index
from reverie.sessions.logs.discover import logs_under
from reverie.settings import Learn, Privacy
from reverie.settings import Store as Limits
from reverie.store.store import Store

MEAN_MEGABYTES = 0.5  # the session the budget is stated for


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with agent logs")
    parser.add_argument("--child", choices=["with", "without"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(options.folder, options.child == "with")))
        return
    found = {side: child(options.folder, side) for side in ("without", "with")}
    report(found["without"], found["with"])


def child(folder: Path, side: str) -> dict[str, float]:
    """A process of its own, so that peak memory is that of one side."""
    command = [sys.executable, __file__, str(folder), "--child", side]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def measure(folder: Path, diaries: bool) -> dict[str, float]:
    """Learn everything under `folder` from nothing."""
    if not diaries:
        run.written_up = keep_none
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        home.mkdir(mode=0o700)
        store = Store.open(f"sqlite:///{home / 'memory.db'}", clock=system_clock, limits=Limits())
        files = logs_under(folder)
        with Index.open(home / "index.db") as index:
            learner = Learner(
                index=index,
                writer=Writer(store, Queue(store.database, system_clock)),
                judge=Judge.load(Learn()),
                redact=redactor_for(home, Privacy()),
                diarist=Diarist(store),
            )
            start = time.process_time()
            found = learner.learn(files)
            cpu = time.process_time() - start
        store.close()
    return {
        "sessions": found.sessions,
        "diaries": found.diaries,
        "megabytes": sum(file.size for file in files) / 1e6,
        "cpu": cpu,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def keep_none(*_: object) -> tuple[list[DiaryRow], list[FixRow]]:
    """Stands in for the write-up of a session."""
    return [], []


def report(without: dict[str, float], found: dict[str, float]) -> None:
    sessions, megabytes = found["sessions"], found["megabytes"]
    print(f"{sessions:.0f} sessions, {megabytes:.0f} MB, {found['diaries']:.0f} diaries")
    per_session = found["cpu"] / sessions
    rows = [
        ("CPU per session, without diaries", f"{without['cpu'] / sessions:.4f} s"),
        ("CPU per session, with diaries", f"{per_session:.4f} s"),
        ("with against without", f"{found['cpu'] / without['cpu']:.2f}×"),
        ("at 0.5 MB per session", f"{found['cpu'] / megabytes * MEAN_MEGABYTES:.4f} s"),
        ("peak memory, without → with", f"{without['peak']:.0f} → {found['peak']:.0f} MB"),
    ]
    for label, value in rows:
        print(f"  {label:<34} {value}")


if __name__ == "__main__":
    main()
