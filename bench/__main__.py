"""All benches, one after the other, each a program of its own.

    python -m bench [--corpus DIR] [NAME…]

Figures are ratios or CPU-seconds measured within one run. Benches that read logs need a folder
with some (`--corpus`); without one they are left out and named.
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

# name → whether it reads logs, further arguments
BENCHES: dict[str, tuple[bool, tuple[str, ...]]] = {
    "parse": (True, ()),
    "turns": (True, ()),
    "index": (True, ("--redact", "--copies", "6")),
    "learn": (True, ()),
    "growth": (False, ()),
    "dream": (False, ()),
    "redaction": (True, ()),
    "store": (False, ()),
    "start": (False, ()),
    "recall": (False, ()),
    "mounts": (False, ()),
    "mcp": (False, ()),
    "serve": (False, ()),
    "page": (False, ()),
    "hooks": (False, ()),
    "traffic": (False, ()),
    "forms": (True, ()),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    parser.add_argument("--corpus", type=Path, help="a folder with agent logs")
    arguments = parser.parse_args()
    failed: list[str] = []
    for name, (reads_logs, more) in BENCHES.items():
        if arguments.names and name not in arguments.names:
            continue
        if reads_logs and arguments.corpus is None:
            print(f"\n== {name}: left out, it needs --corpus DIR", flush=True)
            continue
        print(f"\n== {name}", flush=True)
        folder = [str(arguments.corpus)] if reads_logs else []
        command = [sys.executable, "-m", f"bench.{name}", *folder, *more]
        if subprocess.run(command, cwd=HERE.parent).returncode:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
