"""What learning costs: CPU per session and per megabyte, peak memory, and a second run.

    python -m bench.learn DIR [--json]

DIR is any folder with agent logs. Each run is a process of its own with a new home; the figures are
CPU-seconds of that process, start-up included, with the bytecode that an installed program has.
Beside it, in the same run, FTS5 alone: the same searchable texts, already read, put into one
full-text table.
"""

import argparse
import compileall
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import reverie

MEAN_BYTES = 500_000  # a session of this size is what the budget is about


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", choices=["fts"], help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(full_text_only(arguments.home)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        figures = measure(arguments.folder, Path(scratch) / "home")
    if arguments.json:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:38} {value}")


def measure(folder: Path, home: Path) -> dict[str, Any]:
    compileall.compile_dir(Path(reverie.__file__).parent, quiet=2)
    first, report = learned(folder, home)
    again, _ = learned(folder, home)
    sessions = max(report["sessions"], 1)
    size = sum(f.stat().st_size for f in folder.rglob("*.json*") if f.is_file())
    size -= sum(f.stat().st_size for f in folder.rglob("*.meta.json"))
    command = [
        sys.executable,
        "-m",
        "bench.learn",
        str(folder),
        "--child",
        "fts",
        "--home",
        str(home),
    ]
    alone = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return {
        "sessions": sessions,
        "megabytes": round(size / 1e6, 1),
        "CPU-s per session": round(first["cpu"] / sessions, 4),
        "CPU-s per session of 0.5 MB": round(first["cpu"] / size * MEAN_BYTES, 4),
        "FTS5 alone, CPU-s per session": round(alone["cpu"] / sessions, 4),
        "peak MB": round(first["peak"] / 1e3, 1),
        "nothing new, seconds": round(again["wall"], 3),
        "nothing new, CPU-s": round(again["cpu"], 3),
    }


def learned(folder: Path, home: Path) -> tuple[dict[str, float], dict[str, Any]]:
    """Run `reverie learn` once; CPU, wall and peak of that process alone."""
    env = {**os.environ, "REVERIE_HOME": str(home)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "reverie.cli", "learn", "--logs", str(folder), "--json"]
    begin = time.perf_counter()
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"learn failed with {process.returncode}")
    wall = time.perf_counter() - begin
    cpu = usage.ru_utime + usage.ru_stime
    return {"cpu": cpu, "wall": wall, "peak": usage.ru_maxrss}, json.loads(printed)


def full_text_only(home: Path) -> dict[str, float]:
    """Put the same texts into one FTS5 table."""
    import sqlite3

    source = sqlite3.connect(home / "index.db")
    texts = source.execute("SELECT text FROM turns WHERE said IS NOT NULL").fetchall()
    begin = time.process_time()
    target = sqlite3.connect(home / "alone.db")
    target.execute("CREATE VIRTUAL TABLE alone USING fts5 (text, tokenize = 'porter unicode61')")
    target.executemany("INSERT INTO alone VALUES (?)", texts)
    target.commit()
    return {"cpu": time.process_time() - begin}


if __name__ == "__main__":
    main()
