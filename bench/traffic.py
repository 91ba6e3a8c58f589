"""What tool traffic costs: to keep it when a session is learned, to read it when a dream begins.

    python -m bench.traffic [--sessions N] [--json]

Sessions are made up from a seed. Each figure is CPU-seconds in a process of its own, over N and
over 2N sessions; their ratio should stay near 2.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

CALLS = 40  # of one session
START = datetime(2026, 1, 5, 8, tzinfo=UTC)
PARTS = tuple(f"part{number}" for number in range(400))
COMMANDS = (
    "make test",
    "make lint",
    "npm run build",
    "go vet ./...",
    "git add .",
    "git commit -m x",
)
EVENTS = tuple(f"Sensor{number} alert" for number in range(60))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=2_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(measure(arguments.child)))
        return
    once, twice = child(arguments.sessions), child(2 * arguments.sessions)
    figures = {
        "sessions": arguments.sessions,
        "keep, CPU-ms per session": round(1e3 * once["keep"] / arguments.sessions, 3),
        "keep, 2N / N": round(twice["keep"] / once["keep"], 2),
        "gather, CPU-s": round(once["gather"], 3),
        "gather, 2N / N": round(twice["gather"] / once["gather"], 2),
        "observations": once["observations"],
        "peak MB at 2N": round(twice["peak"] / 1e3, 1),
    }
    if arguments.json:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:38} {value}")


def child(sessions: int) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.traffic", "--child", str(sessions)]
    done = subprocess.run(
        command, check=True, capture_output=True, cwd=Path(__file__).parent.parent
    )
    return json.loads(done.stdout)


def measure(sessions: int) -> dict[str, float]:
    import tempfile

    from reverie.dream.steps.gather import traffic
    from reverie.learn.traffic.traces import traces
    from reverie.sessions.derived import Chosen
    from reverie.sessions.schema import open_tables
    from reverie.sessions.traces import replace_traces

    folder = tempfile.TemporaryDirectory()
    database = open_tables(f"sqlite:///{folder.name}/index.db")
    draw = random.Random(7)
    keep = 0.0
    for number in range(sessions):
        read = made_up(number, draw)
        begin = time.process_time()
        with database.atomic():
            replace_traces(database, read.key, read.project.slug, traces(read))
        keep += time.process_time() - begin
    begin = time.process_time()
    observations = sum(1 for _ in traffic(Chosen(database)))
    gather = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"keep": keep, "gather": gather, "observations": observations, "peak": peak}


def made_up(number: int, draw: random.Random) -> Any:
    """A session with reads, commands that fail or work, a question and two events."""
    from reverie.clock import iso
    from reverie.sessions.index import SessionRead
    from reverie.sessions.model import Head, Tool, Turn
    from reverie.sessions.projects import ProjectId

    at = START + timedelta(hours=5 * number + draw.random())
    turns: list[Turn] = [Turn(0, 0, "human", "prompt", iso(at), f"work on {draw.choice(PARTS)}")]

    def add(role: Any, kind: Any, text: str, tool: Tool | None = None) -> None:
        nonlocal at
        at += timedelta(seconds=draw.randint(5, 60))
        turns.append(Turn(len(turns), 0, role, kind, iso(at), text, cwd="/w/app", tool=tool))

    for call in range(CALLS):
        identity, part = f"t{call}", draw.choice(PARTS)
        ok = draw.random() > 0.2
        if draw.random() < 0.5:
            name, given = "Read", {"file_path": f"/w/app/src/{part}.py"}
        else:
            name, given = "Bash", {"command": f"{draw.choice(COMMANDS)} {part}"}
        add("agent", "tool_call", "", Tool(name, identity, given))
        output = "done" if ok else f"error: unknown option --{part}"
        add("tool", "tool_result", output, Tool(name, identity, {}, ok, 0 if ok else 2))
    for _ in range(2):
        add("human", "prompt", draw.choice(EVENTS))
    add("agent", "text", f"Done. Which colour should {draw.choice(PARTS)} have?")
    add("human", "prompt", "blue")
    head = Head("claude-code", f"s{number}", "/w/app")
    project = ProjectId("app", "/w/app", "")
    return SessionRead(head, turns, project, Path("x"), f"claude-code:s{number}", grown=False)


if __name__ == "__main__":
    main()
