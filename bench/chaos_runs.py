"""Kill `learn`, `dream` and `sync` with −9, run them again, and compare with a run nobody killed.

    python -m bench.chaos_runs [--kills 240] [--seed N]

A small home is brought to the same state again and again: nothing learned yet, sessions that have
grown, a dream due, a mounted folder changed on both sides. From there a run is killed a few times,
at random moments and at named points, and then let finish. Afterwards both databases, the marks and
the mounted files must hold what they hold after a clean run, and `doctor` must find nothing more.
Ids that are drawn by chance and counters of writes are left out of the comparison.
"""

import argparse
import os
import random
import re
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reverie.asker import OWNER
from reverie.clock import fixed
from reverie.db import points
from reverie.memory import Memory
from reverie.operations import checking, dreaming, learning, stores
from reverie.sample import NOW, place
from reverie.store.model import Actor, Author

LATER = "2026-03-17T08:00:00Z"
STORE = "shop-api"
LIVES = 9  # at most so many kills before a run may finish
LATE = "Typed after the kill."
# A life ends at one of these with that chance at each pass, or at a random moment.
POINTS = {
    "learn": "before_write after_write after_commit learn_read learn_written learn_marked followed",
    "dream": "dream_begun dream_group dream_check dream_offered after_write after_commit",
    "sync": "before_write after_write after_commit sync_file sync_shown",
}
CHANCES = (0.03, 0.2, 1.0)
_IDS = re.compile(r"\b(mem|memver|memstore|import|drm|prp|prop|chg|mount|mnt)_[0-9A-Za-z]{8,}")
_TABLES_OUT = re.compile(r"leases|index_writes|.*_(?:data|idx|docsize|config|head)|sqlite_.*")
# What a file looked like is noted only once it is old enough to be trusted.
_CHANCE = frozenset(
    "seq sequence row token salt body previous commitment seal description_seal inputs inode size"
    " mtime_ns ctime_ns visited taken_at expires_at holder".split()
)

State = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Run:
    """One thing that is killed: from which state, and what finishes it."""

    name: str
    kind: str  # whose points
    go: Callable[[Memory], object]
    now: str = NOW
    grown: bool = False
    times: int = 1  # that it takes until nothing is left to do


@dataclass(slots=True)
class Outcome:
    """What all trials came to."""

    kills: Counter[str] = field(default_factory=Counter[str])
    trials: int = 0
    violations: list[str] = field(default_factory=list[str])


def learn(memory: Memory) -> object:
    return learning.learn(memory, jobs=1)


def dream(memory: Memory) -> object:
    return dreaming.dream(memory, dreaming.asked(memory), apply=True, jobs=1)


def sync(memory: Memory) -> object:
    return stores.sync_mounts(memory)


RUNS = (
    Run("learn", "learn", learn),
    Run("learn what has grown", "learn", learn, now=LATER, grown=True),
    Run("dream", "dream", dream, now=LATER, grown=True),
    Run("sync", "sync", sync, now=LATER, grown=True, times=3),
)


class Scene:
    """A user's folder with logs, projects, an agent's notes, a home and a mounted folder."""

    def __init__(self, root: Path) -> None:
        self.root, self.home, self.shown = root, root / ".reverie", root / "shown"
        self.code = place(root)
        self.env = {"HOME": str(root), "PATH": os.environ["PATH"]}
        self.grown = sorted((root / ".claude" / "projects").rglob("*.jsonl"))[-2:]
        self.whole = {log: log.read_bytes() for log in self.grown}
        notes = self.grown[0].parent / "memory"
        notes.mkdir()
        for name in ("port", "queue"):
            text = f"The {name} of the {name} service is chosen by the operator, not by us.\n"
            (notes / f"{name}.md").write_text(text, encoding="utf-8")
        self.home.mkdir(mode=0o700)
        config = self.home / "config.toml"
        config.write_text("[learn]\nagent_memory = true\n", encoding="utf-8")
        config.chmod(0o600)
        self.states = root.parent / "states"
        with self.memory(NOW) as memory:
            memory.redact("token ghp_" + "0Aa1Bb2Cc3Dd4Ee5Ff6G" * 2)  # with a key drawn by chance
        self.grow(whole=False)

    def grow(self, *, whole: bool) -> None:
        """Let two sessions be as they are at their end, or half as long; in place."""
        for number, (log, data) in enumerate(self.whole.items()):
            lines = data.splitlines(keepends=True)
            text = data if whole else b"".join(lines[: len(lines) // 2])
            with log.open("r+b") as file:
                file.truncate(0)
                file.write(text)
            os.utime(log, ns=(10**18 + number, 10**18 + number + whole))

    def memory(self, now: str) -> Memory:
        return Memory.open(
            self.home, asker=OWNER, folder=self.code / STORE, clock=fixed(now), environ=self.env
        )

    def keep(self, name: str) -> None:
        """Note the state of home and mounted folder."""
        for place_ in (self.home, self.shown):
            if place_.is_dir():
                shutil.copytree(place_, self.states / name / place_.name, symlinks=True)

    def back(self, name: str) -> None:
        """Bring home and mounted folder back into a state."""
        for place_ in (self.home, self.shown):
            shutil.rmtree(place_, ignore_errors=True)
            if (kept := self.states / name / place_.name).is_dir():
                shutil.copytree(kept, place_, symlinks=True)

    def change_both_sides(self) -> None:
        """Mount a store, and change files and memories so that each way of merging is met."""
        by = Author(Actor("user"), "chaos")
        with self.memory(LATER) as memory:
            stores.mount(memory, STORE, str(self.shown))
            stores.sync_mounts(memory)
            names = sorted(one.path for one in memory.store.manifest(STORE))
            files = [self.shown / name.lstrip("/") for name in names]
            for number, (name, file) in enumerate(zip(names, files, strict=True)):
                if number % 3 == 0:
                    file.write_text(file.read_text() + "On disk.\n", encoding="utf-8")
                if number % 4 == 0:
                    head = memory.store.get(STORE, name)
                    memory.store.update(STORE, head.id, content=f"{head.content}Here.\n", by=by)
            (self.shown / "fresh.md").write_text("A file of mine.\n", encoding="utf-8")
            files[1].unlink()
            memory.store.delete(STORE, names[2], by=by)
            memory.store.create(STORE, "/made.md", "A memory of mine.\n", by)

    def state(self, now: str) -> State:
        """All that must be the same however often a run was killed."""
        with self.memory(now) as memory:
            found = Counter(
                (one.check, one.level, one.message)
                for one in checking.check(memory)
                if one.level != "ok"
            )
        state: State = {"doctor": found}
        for name in ("memory.db", "index.db"):
            with closing(sqlite3.connect(self.home / name)) as database:
                state |= {f"{name} {table}": rows for table, rows in _tables(database)}
        # A dream whose changes were made in part is followed by one about the rest.
        state.pop("memory.db dreams")
        state.pop("memory.db proposals")
        offers = state["memory.db proposal_changes"]
        state["memory.db proposal_changes"] = {row[5] for row in offers if row[3] == "pending"}
        marks = self.home / "processed.jsonl"
        lines = marks.read_text(encoding="utf-8").splitlines() if marks.exists() else []
        # A mark that was cut is made again on a line of its own.
        state["marks"] = {line for line in lines if line.endswith("}")}
        for name in ("projects.json", "followed.json"):
            state[name] = (self.home / name).read_text(encoding="utf-8")
        state["files"] = {
            str(file.relative_to(self.shown)): file.read_text(encoding="utf-8")
            for file in sorted(self.shown.rglob("*"))
            if file.is_file()
        }
        return state


def _tables(database: sqlite3.Connection) -> Iterator[tuple[str, Counter[Any]]]:
    names = [
        str(name)
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]
    for name in sorted(names):
        if _TABLES_OUT.fullmatch(name):
            continue
        rows = database.execute(f'SELECT * FROM "{name}"')
        columns = [column[0] for column in rows.description]
        yield (
            name,
            Counter(
                tuple(
                    _without_ids(value)
                    for column, value in zip(columns, row, strict=True)
                    if column not in _CHANCE
                )
                for row in rows
            ),
        )


def _without_ids(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    return _IDS.sub(r"\1_", value) if isinstance(value, str) else value


def lived(scene: Scene, run: Run, armed: str, seconds: float | None) -> bool:
    """One life of a run in a process of its own; true when it was killed.

    Raises:
        SystemExit: it failed by itself.
    """
    child = os.fork()
    if not child:
        ended = 1
        try:
            points.arm(armed)
            random.seed()
            with scene.memory(run.now) as memory:
                run.go(memory)
            ended = 0
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(ended)
    if seconds is not None:
        time.sleep(seconds)
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code > 0:
        raise SystemExit(f"{run.name} failed with exit code {code}: see above")
    return code == -signal.SIGKILL


def prepare(scene: Scene) -> dict[str, tuple[State, float]]:
    """The states to begin from, and what a clean run makes of each, with its time."""
    clean: dict[str, tuple[State, float]] = {}
    for run in RUNS:
        scene.grow(whole=run.grown)
        if run.kind == "sync":
            scene.change_both_sides()
        scene.keep(run.name)
        began = time.monotonic()
        lived(scene, run, "", None)
        took = time.monotonic() - began
        for _ in range(run.times - 1):
            lived(scene, run, "", None)
        clean[run.name] = scene.state(run.now), took
    return clean


def trial(scene: Scene, run: Run, clean: tuple[State, float], chance: random.Random) -> int:
    """Kill a run up to so many times, let it finish; returns how often it was killed.

    Raises:
        Differs: it came to something else than a clean run.
    """
    expected, took = clean
    scene.grow(whole=run.grown)
    scene.back(run.name)
    kills = 0
    for _ in range(chance.randint(2, LIVES)):
        if chance.random() < 0.5:
            point = chance.choice(POINTS[run.kind].split())
            kills += lived(scene, run, f"{point}={chance.choice(CHANCES)}", None)
        else:
            kills += lived(scene, run, "", chance.uniform(0, took))
    late = run.kind == "sync" and chance.random() < 0.5 and (scene.shown / "made.md").exists()
    if late:
        with (scene.shown / "made.md").open("a", encoding="utf-8") as file:
            file.write(LATE + "\n")
    for _ in range(run.times):
        lived(scene, run, "", None)
    found = scene.state(run.now)
    if late:
        text = found["files"].get("made.md", "")
        if not text.endswith(f"{LATE}\n"):
            raise Differs(f"what was typed after a kill is not in the file: {text!r}")
        return kills
    if wrong := differences(expected, found):
        raise Differs("; ".join(wrong[:6]))
    return kills


class Differs(Exception):
    """A run that was killed came to something else than a clean one."""


def differences(expected: State, found: State) -> list[str]:
    """What two states differ in, one sentence each."""
    wrong: list[str] = []
    for part in sorted(expected.keys() | found.keys()):
        one, other = expected.get(part), found.get(part)
        if one == other:
            continue
        if isinstance(one, Counter) and isinstance(other, Counter):
            wrong += [f"{part}: lost {str(row)[:400]}" for row in (one - other)]
            wrong += [f"{part}: more {str(row)[:400]}" for row in (other - one)]
        else:
            wrong.append(f"{part}: {one!r:.300} became {other!r:.300}")
    return wrong


def run(kills: int, seed: int) -> Outcome:
    """Trials of each run in turn until so many processes have died."""
    outcome = Outcome()
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="reverie-chaos-") as name:
        root = Path(os.path.realpath(name)) / "user"
        root.mkdir()
        scene = Scene(root)
        clean = prepare(scene)
        while outcome.kills.total() < kills:
            one = RUNS[outcome.trials % len(RUNS)]
            outcome.trials += 1
            try:
                outcome.kills[one.name] += trial(scene, one, clean[one.name], chance)
            except Differs as error:
                outcome.kills[one.name] += 1
                outcome.violations.append(f"{one.name}: {error}")
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=240, help="of all runs together")
    parser.add_argument("--seed", type=int, default=None, help="repeat a run's choices")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.SystemRandom().getrandbits(32)
    print(f"seed {seed}")
    began = time.monotonic()
    outcome = run(given.kills, seed)
    for sentence in outcome.violations[:20]:
        print(sentence, file=sys.stderr)
    each = ", ".join(f"{name} {count}" for name, count in sorted(outcome.kills.items()))
    print(
        f"kills {outcome.kills.total()} ({each}) in {outcome.trials} trials,"
        f" violations {len(outcome.violations)}, {time.monotonic() - began:.0f} s"
    )
    return int(bool(outcome.violations))


if __name__ == "__main__":
    sys.exit(main())
