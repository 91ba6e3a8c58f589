"""How long a command takes from cold to done, as a multiple of `python -c pass`.

Every command runs in its own process, interleaved with the empty interpreter and with
`import click`, on a home with a few memories. Counted is the processor time of the process, which
is all a cold start is made of and which other work on the machine changes least; medians are
divided.

    python bench/start.py [--runs 25] [--json] [COMMAND…]
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = str(Path(sys.executable).with_name("reverie"))

# What is measured → its arguments and the most it may cost; `None` is only shown.
COMMANDS: dict[str, tuple[list[str], float | None]] = {
    "show": (["show", "keep-lamp"], 8.0),
    "memories": (["memories"], None),
    "recall": (["recall", "lamp"], 10.0),
    "version": (["--version"], None),
}


def seconds(command: list[str], env: dict[str, str], cwd: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr.decode()}")
    return taken


def measure(names: list[str], runs: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "HOME": folder, "REVERIE_HOME": f"{folder}/.reverie"}
        # An installed package has its bytecode; a checkout gets it in the first, uncounted round.
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        for number in range(20):
            text = "Keep the lamp on" if not number else f"Always keep lamp {number} on"
            seconds([SCRIPT, "remember", text], env, folder)
        work = {
            "pass": [sys.executable, "-c", "pass"],
            "import click": [sys.executable, "-c", "import click"],
            **{name: [SCRIPT, *COMMANDS[name][0]] for name in names},
        }
        times: dict[str, list[float]] = {name: [] for name in work}
        for _ in range(runs + 1):
            for name, command in work.items():
                times[name].append(seconds(command, env, folder))
    # The first round fills the caches of the file system and is not counted.
    return {name: statistics.median(taken[1:]) for name, taken in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", default=list(COMMANDS), metavar="COMMAND")
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.names, options.runs)
    floor = found["pass"]
    ratios = {name: taken / floor for name, taken in found.items() if name != "pass"}
    if options.json:
        print(json.dumps({"pass_seconds": floor, "ratios": ratios}))
    else:
        print(f"python -c pass: {floor * 1000:.1f} ms")
        for name, ratio in ratios.items():
            most = COMMANDS[name][1] if name in COMMANDS else None
            print(f"{name:14} {ratio:5.1f}×" + (f"   (at most {most:.0f}×)" if most else ""))
    over = [n for n, r in ratios.items() if n in COMMANDS and (m := COMMANDS[n][1]) and r > m]
    sys.exit(f"over budget: {', '.join(over)}" if over else 0)


if __name__ == "__main__":
    main()
