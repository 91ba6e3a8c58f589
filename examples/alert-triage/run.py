"""Two agents triage alerts over one shared memory, and a dream finds what neither could see.

    python examples/alert-triage/run.py

Where Claude Code is installed the agents are two real clients, offline, with a scripted model: one
reaches the stores over MCP, the other in mounted folders. Elsewhere this process plays their part.
"""

import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from agents import Agent, World, on_watch
from watch import Mind

from reverie import OWNER, Memory
from reverie.clock import fixed, iso, system_clock

HERE = Path(__file__).parent
# The story ends about now: the logs of real clients say when they were written.
FIRST = system_clock().replace(hour=9, minute=2, second=0, microsecond=0) - timedelta(days=8)

# When a spike came (hours after the first), how many minutes later the alert, and what else the
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
HOW = "A note in in-flight/ says that a repair is under way; it expires when that is over."
PROMPTS = (
    "The watch is yours now.",
    "Anything going on?",
    "Take over, I am in a meeting.",
    "Have a look at the monitor, will you?",
    "Somebody paged us.",
)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="reverie-triage-", ignore_cleanup_errors=True) as name:
        world = World(Path(name).resolve())
        (dawn, dusk), who = on_watch(world, "dawn", "dusk")
        say(f"On watch: {who}.")
        prepare(world, dawn, dusk)
        first_day(world, dawn, dusk)
        the_week(world, dawn, dusk)
        change = dream(world)
        if change is None:
            print("the dream found no stable delay", file=sys.stderr)
            return 1
        accept(world, change)
        the_next_watch(world, dawn)
    return 0


def prepare(world: World, dawn: Agent, dusk: Agent) -> None:
    """Runbooks that agents may read, and a store that they may write."""
    say("\nTwo stores: the runbooks, which agents may only read, and `triage`, which is theirs.")
    world.commands()
    # The part of the person is played, in a home of its own: what stores are for is their word.
    world.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    (world.home / "config.toml").write_text('[trust]\nscripts = "user"\n', encoding="utf-8")
    for store, about in (("runbooks", "Written by people."), ("triage", "What the watches do.")):
        reverie(world, FIRST, "stores", "create", store, "--description", about)
    with Memory.open(world.home, asker=OWNER, folder=HERE, clock=fixed(iso(FIRST))) as memory:
        for file in sorted((HERE / "runbooks").glob("*.md")):
            by = OWNER.author("runbook")
            memory.store.create("runbooks", f"/{file.name}", file.read_text(encoding="utf-8"), by)
    for agent in (dawn, dusk):
        whom = f"agent:{agent.name}"
        reverie(world, FIRST, "stores", "attach", "runbooks", whom)
        reverie(
            world, FIRST, "stores", "attach", "triage", whom, "--read-write", "--instructions", HOW
        )
    reverie(world, FIRST, "mount", "runbooks", str(world.project / "runbooks"), "--read-only")
    reverie(world, FIRST, "mount", "triage", str(world.project / "triage"))
    say("dawn reaches them over MCP, dusk in folders.")


def first_day(world: World, dawn: Agent, dusk: Agent) -> None:
    say("\nThe first day. Both are paged at once, and one of them rolls the workers.")
    spike, after, other, between = INCIDENTS[0]
    start = FIRST + timedelta(hours=spike)
    now = start + timedelta(minutes=after + 3)
    printed(world, monitor(start, after, other, between))
    with ThreadPoolExecutor(2) as both:
        ends = [both.submit(keep_watch, agent, now, agent is dusk) for agent in (dawn, dusk)]
        for agent, end in zip((dawn, dusk), ends, strict=True):
            tell(agent, now, end.result())
    say(f"           the workers were rolled {times(world.rolls())}")
    for agent in (dawn, dusk):
        if agent.was_told(HOW):
            say(f"           {agent.name} was told: “{HOW}”")
    say("\nForty minutes later the same alert again: the note still holds.")
    now += timedelta(minutes=40)
    printed(world, f"{stamp(now - timedelta(minutes=2))} ALERT QueueBacklog on queue-1\n")
    tell(dusk, now, keep_watch(dusk, now, mounted=True))
    say(f"           the workers were rolled {times(world.rolls())}")


def the_week(world: World, dawn: Agent, dusk: Agent) -> None:
    say("\nThe days after. Notes have expired; each watch leaves a session behind.")
    for number, (spike, after, other, between) in enumerate(INCIDENTS[1:]):
        start = FIRST + timedelta(hours=spike)
        now = start + timedelta(minutes=max(after, between) + 4)
        printed(world, monitor(start, after, other, between))
        agent = dusk if number % 2 == 0 else dawn
        tell(agent, now, keep_watch(agent, now, agent is dusk))
    say(f"           the workers were rolled {times(world.rolls())}")


def keep_watch(agent: Agent, now: datetime, mounted: bool, *, expects: bool = False) -> str:
    mind = Mind(agent.name, now, mounted=mounted, expects=expects)
    return agent.watch(mind, PROMPTS[now.toordinal() % len(PROMPTS)], now)


def printed(world: World, text: str) -> None:
    (world.folder / "monitor.txt").write_text(text, encoding="utf-8")


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


def dream(world: World) -> dict[str, Any] | None:
    """Dream over the logs; the change that tells of a delay, as it waits for a person."""
    say("\nA dream over the sessions of the week proposes:")
    now = system_clock()
    reverie(world, now, "dream", "--logs", str(world.folder), "--json")
    waiting = json.loads(reverie(world, now, "review", "--json"))
    found = next((one for one in waiting if "follows" in one.get("title", "")), None)
    if found is not None:
        say(f"           {found['title']}")
        say(f"           {found['support']}")
        for piece in found["evidence"][:3]:
            say(f"           {piece['at'][:10]}  {piece['quote']}")
    return found


def accept(world: World, change: dict[str, Any]) -> None:
    """What rests on tools alone is never applied unasked; here somebody says yes."""
    say("\nIt rests on what a tool printed, so it waits for a person, who accepts it.")
    with Memory.open(world.home, asker=OWNER, folder=world.folder) as memory:
        memory.review().accept(change["id"])


def the_next_watch(world: World, dawn: Agent) -> None:
    say("\nThe CPU spikes again, and the watch knows what comes.")
    now = system_clock()
    printed(world, f"{stamp(now)} WARN CPU spike on db-2\n")
    tell(dawn, now, keep_watch(dawn, now, mounted=False, expects=True))


def reverie(world: World, now: datetime, *words: str) -> str:
    """Run a command in the scratch home; what it printed."""
    command = [sys.executable, "-m", "reverie", *words]
    done = subprocess.run(
        command, cwd=world.folder, env=world.environ(now), capture_output=True, encoding="utf-8"
    )
    if done.returncode:
        raise SystemExit(f"reverie {' '.join(words)} failed:\n{done.stderr}")
    return done.stdout


def times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def tell(agent: Agent, now: datetime, words: str) -> None:
    say(f"{now:%a %H:%M}  {agent.name}: {words}")


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
