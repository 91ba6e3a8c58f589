"""Two agents triage alerts over one shared memory, and a dream finds what neither could see.

    python examples/alert-triage/run.py

The agents are scripts; the store, its access rights, the session logs and the dream are real.
"""

import json
import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from watch import RUNBOOKS, TRIAGE, Clock, Watch

from reverie import OWNER, Memory
from reverie.clock import iso
from reverie.store.model import Actor, Author, Principal
from reverie.store.store import Store

HERE = Path(__file__).parent
MONDAY = datetime(2026, 9, 7, 9, 2, tzinfo=UTC)

# When a spike came (hours after Monday 09:02), how many minutes later the alert, and what else the
# monitor printed in between: the delay is never the same, and some spikes have no alert after them.
INCIDENTS: tuple[tuple[float, float, str, float], ...] = (
    (0.0, 31.0, "disk warning", 12.0),
    (24.6, 29.5, "", 0.0),
    (49.1, 32.4, "certificate renewed", 55.0),
    (75.0, 0.0, "disk warning", 33.0),
    (98.2, 30.2, "disk warning", 71.0),
    (121.9, 31.8, "", 0.0),
    (146.3, 28.9, "certificate renewed", 8.0),
)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="reverie-triage-") as scratch:
        home = Path(scratch)
        clock = Clock(MONDAY)
        (home / ".reverie").mkdir(mode=0o700)
        with Store.open(f"sqlite:///{home / '.reverie' / 'memory.db'}", clock=clock) as store:
            prepare(store)
            first_day(store, clock, home / "logs")
            the_week(store, clock, home / "logs")
        change = dream(home, clock)
        if change is None:
            print("the dream found no stable delay", file=sys.stderr)
            return 1
        accept(home, clock, change)
        with Store.open(f"sqlite:///{home / '.reverie' / 'memory.db'}", clock=clock) as store:
            the_next_watch(store, clock, home / "logs", change["store"])
    return 0


def prepare(store: Store) -> None:
    """Runbooks that agents may read, and a store that they may write."""
    say("Two stores: the runbooks, which agents may only read, and `triage`, which is theirs.")
    store.create_store(RUNBOOKS, "written by people")
    store.create_store(TRIAGE, "shared by the watches")
    for file in sorted((HERE / "runbooks").glob("*.md")):
        by = Author(Actor("user"), "runbook")
        store.create(RUNBOOKS, f"/{file.name}", file.read_text(encoding="utf-8"), by)
    for agent in ("dawn", "dusk"):
        store.attach(RUNBOOKS, Principal("agent", agent), "read_only")
        store.attach(TRIAGE, Principal("agent", agent), "read_write")


def first_day(store: Store, clock: Clock, logs: Path) -> None:
    say("\nMonday. A fix is in flight, and the other agent sees it.")
    spike, after, other, between = INCIDENTS[0]
    start = MONDAY + timedelta(hours=spike)
    clock.now = start + timedelta(minutes=after + 3)
    dawn = Watch("dawn", store, clock, logs, say)
    dawn.handle(monitor(start, after, other, between))
    dawn.correct_runbook()
    clock.now += timedelta(minutes=40)
    again = clock.now - timedelta(minutes=2)
    Watch("dusk", store, clock, logs, say).handle(f"{stamp(again)} ALERT QueueBacklog on queue-1\n")


def the_week(store: Store, clock: Clock, logs: Path) -> None:
    say("\nTuesday to Sunday. Notes expire; each watch leaves a session behind.")
    for number, (spike, after, other, between) in enumerate(INCIDENTS[1:]):
        start = MONDAY + timedelta(hours=spike)
        clock.now = start + timedelta(minutes=max(after, between) + 4)
        name = "dusk" if number % 2 == 0 else "dawn"
        Watch(name, store, clock, logs, say).handle(monitor(start, after, other, between))


def monitor(start: datetime, after: float, other: str, between: float) -> str:
    """What the monitor printed during an incident, in order of time."""
    lines = [(start, "WARN CPU spike on db-2")]
    if other:
        lines.append((start + timedelta(minutes=between), f"INFO {other} on db-1"))
    if after:
        lines.append((start + timedelta(minutes=after), "ALERT QueueBacklog on queue-1"))
    return "".join(f"{stamp(at)} {line}\n" for at, line in sorted(lines))


def stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def dream(home: Path, clock: Clock) -> dict[str, Any] | None:
    """Dream over the logs; the change that tells of a delay, as it waits for a person."""
    say("\nSunday night. A dream over the week's sessions proposes:")
    clock.now = MONDAY + timedelta(days=6, hours=14)
    reverie(home, clock, "dream", "--logs", str(home / "logs"), "--json")
    waiting = json.loads(reverie(home, clock, "review", "--json"))
    found = next((one for one in waiting if "follows" in one.get("title", "")), None)
    if found is not None:
        say(f"           {found['title']}")
        say(f"           {found['support']}")
        for piece in found["evidence"][:3]:
            say(f"           {piece['at'][:10]}  {piece['quote']}")
    return found


def accept(home: Path, clock: Clock, change: dict[str, Any]) -> None:
    """What rests on tools alone is never applied unasked; here somebody says yes."""
    say("\nIt rests on what a tool printed, so it waits for a person, who accepts it.")
    with Memory.open(home / ".reverie", asker=OWNER, folder=home, clock=clock) as memory:
        memory.review().accept(change["id"])


def reverie(home: Path, clock: Clock, *words: str) -> str:
    """Run a command in the scratch home; what it printed."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG") if name in os.environ}
    environment = kept | {
        "HOME": str(home),
        "REVERIE_HOME": str(home / ".reverie"),
        "REVERIE_NOW": iso(clock.now),
        "PYTHONIOENCODING": "utf-8",
    }
    command = [sys.executable, "-m", "reverie", *words]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise SystemExit(f"reverie {' '.join(words)} failed:\n{done.stderr}")
    return done.stdout


def the_next_watch(store: Store, clock: Clock, logs: Path, learned: str) -> None:
    say("\nMonday again. The CPU spikes, and the watch knows what comes.")
    clock.now = MONDAY + timedelta(days=7)
    store.attach(learned, Principal("agent", "dusk"), "read_only")
    Watch("dusk", store, clock, logs, say).expect("CPU spike", learned)


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
