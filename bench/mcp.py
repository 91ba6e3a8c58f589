"""How soon the MCP server answers `initialize`, and what it weighs.

Ratios within one run: the server's start beside `python -c pass`, interleaved, medians. Its memory
on an empty home, and on one with 10,000 memories and 100,000 turns, from the very first recall on.

    python -m bench.mcp [--runs 15] [--json]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from bench.recall import fill

from reverie import config
from reverie.memory import Memory

HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "claude-code", "version": "2.1.3"},
    },
}
SESSION = "0b6f3b1e-4a3c-4d52-9c5e-1f0f8f3a2b11"


def python_pass() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - start


class Client:
    """One server process, spoken to by hand."""

    def __init__(self, home: Path) -> None:
        script = Path(sys.executable).with_name("reverie")
        self.process = subprocess.Popen(
            [str(script), "mcp", "--agent", "claude-code"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "REVERIE_HOME": str(home), "CLAUDE_CODE_SESSION_ID": SESSION},
            cwd=home,
        )

    def ask(self, message: Mapping[str, object]) -> dict[str, object]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def recall(self, number: int, query: str) -> dict[str, object]:
        params = {"name": "recall", "arguments": {"query": query}}
        return self.ask({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

    def resident_mb(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def close(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def ready(home: Path) -> float:
    start = time.perf_counter()
    client = Client(home)
    answer = client.ask(HELLO)
    taken = time.perf_counter() - start
    assert "result" in answer, answer
    client.close()
    return taken


def weight(home: Path, questions: list[str]) -> tuple[float, float]:
    """Megabytes before the first recall and after the last."""
    client = Client(home)
    client.ask(HELLO)
    idle = client.resident_mb()
    for number, question in enumerate(questions, start=1):
        answer = client.recall(number, question)
        assert "result" in answer, answer
    after = client.resident_mb()
    client.close()
    return idle, after


def filled(home: Path) -> list[str]:
    """A home with much in it; questions about it."""
    home.mkdir()
    memory = Memory(config.load({"REVERIE_HOME": str(home)}), folder=str(home))
    questions = fill(memory, memories=10_000, turns=100_000)
    memory.close()
    return questions


def measure(runs: int, home: Path) -> dict[str, float]:
    passes: list[float] = []
    starts: list[float] = []
    for _ in range(runs):
        passes.append(python_pass())
        starts.append(ready(home))
    questions = [f"which port does service {number % 7} use" for number in range(100)]
    idle, after = weight(home, questions)
    large = home / "large"
    _, after_large = weight(large, filled(large)[:100])
    floor = statistics.median(passes)
    return {
        "python_pass_ms": 1000 * floor,
        "ready_ms": 1000 * statistics.median(starts),
        "ready_ratio": statistics.median(starts) / floor,
        "idle_mb": idle,
        "after_100_recalls_mb": after,
        "after_100_recalls_large_mb": after_large,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(options.runs, Path(folder))
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:24} {value:8.2f}")


if __name__ == "__main__":
    main()
