"""What indexing costs: CPU per session, peak memory, and a second run with nothing new.

    python bench/index.py DIR [--copies N] [--redact]

Beside it, in the same run, FTS5 alone: the same searchable texts, already read, put into one
full-text table. DIR is any folder with agent logs; with --copies each log is taken N times under
other session ids, to reach a given number of sessions.
"""

import argparse
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from reverie.privacy import redactor_for
from reverie.sessions.index import Index
from reverie.sessions.logs.discover import logs_under
from reverie.settings import Privacy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with agent logs")
    parser.add_argument("--copies", type=int, default=1, help="take each log so many times")
    parser.add_argument("--redact", action="store_true", help="redact with the real rules")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(options.folder, options.child, options.redact)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder
        if options.copies > 1:
            folder = multiplied(folder, Path(scratch) / "logs", options.copies)
        # A process of its own, so that peak memory is that of indexing and of nothing else.
        command = [sys.executable, __file__, str(folder), "--child", scratch]
        command += ["--redact"] if options.redact else []
        report(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))


def measure(folder: Path, scratch: Path, redact: bool) -> dict[str, float]:
    """One index from nothing, one update with nothing new, then FTS5 alone."""
    (scratch / "home").mkdir(mode=0o700)
    rules: Callable[[str], str] = str
    if redact:
        rules = redactor_for(scratch / "home", Privacy()).redact
    files = logs_under(folder)
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with Index.open(scratch / "home" / "index.db") as index:
        start = time.process_time()
        index.update(files, redact=rules)
        cpu = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        start = time.perf_counter()
        again = index.update(logs_under(folder), redact=rules)
        second = time.perf_counter() - start
        assert again.unchanged == len(files)
        sessions = len(index.sessions(subagents=True))
        texts = index.database.query("SELECT text FROM turns WHERE searchable = 1")
    return {
        "sessions": sessions,
        "megabytes": sum(file.size for file in files) / 1e6,
        "cpu": cpu,
        "second": second,
        "base": base,
        "peak": peak,
        "fts": full_text_alone(scratch / "fts.db", texts),
    }


def full_text_alone(file: Path, texts: list[tuple[str]]) -> float:
    """CPU seconds to put the same texts into a full-text table and nothing more."""
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (text, tokenize = 'porter unicode61')")
    start = time.process_time()
    with connection:
        connection.executemany("INSERT INTO t VALUES (?)", texts)
    spent = time.process_time() - start
    connection.close()
    return spent


def multiplied(folder: Path, target: Path, copies: int) -> Path:
    """Every log `copies` times; ids get a suffix, times another year, so that each is a session."""
    for log in logs_under(folder):
        data = log.path.read_bytes()
        for number in range(copies):
            path = target / str(number) / log.relative
            path.parent.mkdir(parents=True, exist_ok=True)
            name = log.path.name.split(".")[0].encode()
            moved = data.replace(name, name[:-3] + f"{number:03}".encode())
            moved = moved.replace(b'"timestamp":"20', f'"timestamp":"{30 + number}'.encode())
            path.write_bytes(moved)
    return target


def report(found: dict[str, float]) -> None:
    sessions = found["sessions"]
    print(f"{sessions:.0f} sessions, {found['megabytes']:.0f} MB")
    rows = [
        ("CPU per session, index", f"{found['cpu'] / sessions:.4f} s"),
        ("CPU per session, FTS5 alone", f"{found['fts'] / sessions:.4f} s"),
        ("index against FTS5 alone", f"{found['cpu'] / found['fts']:.1f}×"),
        ("read and indexed", f"{found['megabytes'] / found['cpu']:.0f} MB/s"),
        ("second run, nothing new", f"{found['second']:.3f} s"),
        ("peak memory", f"{found['peak']:.0f} MB ({found['base']:.0f} MB before)"),
    ]
    for label, value in rows:
        print(f"  {label:<30} {value}")


if __name__ == "__main__":
    main()
