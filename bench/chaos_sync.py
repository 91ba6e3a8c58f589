"""Two or three homes, one memory, and −9: whatever happens on the way, all of them come together.

    python -m bench.chaos_sync [--runs 30] [--seed N] [--remote folder|git|late] [--homes 2|3]

In every run the homes of a person, whose clocks may be off by a day, are changed at random and meet
at a remote: several at once, killed at random moments and at named points, again and again, while
the remote is away or loses what it was brought. Some runs have a second person and a team's remote.
At the end every home syncs until nothing moves, and what must hold then is checked from outside
(`bench.sync_checks`). With --calm nothing is killed and one thing follows the other, which finds
the smallest sequence that goes wrong.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from bench import sync_checks as checks
from bench import sync_deeds, sync_remotes
from bench.sync_deeds import Deed, Person, read_log
from bench.sync_machines import Life, Machine, Ran, load_all
from bench.sync_remotes import Remote

ME, OTHER = "ada", "bea"
TEAM_STORE = "shop"
ROUNDS = 6  # of all homes, until nothing moves
POINTS = tuple(
    "before_write after_write after_commit mid_redact sync_draft sync_pack sync_sent sync_rejected"
    " sync_arrived sync_taken sync_noted".split()
)
CHANCES = (0.05, 0.3, 1.0)
# What a command may answer while others write, or the remote is away; never a traceback.
_EXPECTED = frozenset({0, 4, 8})


@dataclass(slots=True)
class Outcome:
    """What all runs with one kind of remote came to."""

    runs: int = 0
    kills: int = 0
    syncs: int = 0
    deeds: int = 0
    rounds: Counter[int] = field(default_factory=Counter[int])
    violations: list[str] = field(default_factory=list[str])
    broken: list[str] = field(default_factory=list[str])  # runs

    def line(self, name: str) -> str:
        rounds = ", ".join(f"{count} in {n}" for n, count in sorted(self.rounds.items()))
        return (
            f"{name}: runs {self.runs}, acknowledged {self.deeds}, syncs {self.syncs},"
            f" kills {self.kills}, rounds to agree: {rounds},"
            f" violations {len(self.violations)} in {len(self.broken)} runs"
        )


@dataclass(slots=True)
class Link:
    """A machine that knows a remote."""

    machine: Machine
    remote: Remote
    team: bool = False


class Trial:
    """One run: machines, remotes, what happens, what came of it."""

    def __init__(self, root: Path, kind: str, homes: int, seed: int, *, calm: bool) -> None:
        self.root, self.kind, self.seed, self.calm = root, kind, seed, calm
        self.chance = random.Random(seed)
        self.log = root / "deeds.log"
        self.kills = self.syncs = self.rounds = 0
        self.wrong: list[str] = []
        self.took = 0.3  # of the last sync, in seconds
        self.machines = [self.machine(f"{ME}{n}", ME) for n in range(homes)]
        self.remote = sync_remotes.made(kind, root / "remote", self.machines)
        self.links: list[Link] = []
        self.team: Remote | None = None
        if self.chance.random() < 0.25:
            self.machines.append(self.machine(f"{OTHER}0", OTHER))
            self.team = sync_remotes.made(kind, root / "team", self.machines)
        self.waiting = self.wanted()

    def machine(self, name: str, person: str) -> Machine:
        skew = timedelta(days=self.chance.choice((0, 0, 1, -1)))
        made = Machine(name, person, self.root / name, skew)
        made.set_up(self.chance)
        return made

    def wanted(self) -> list[Link]:
        """Which machine will join which remote, the first one first."""
        mine = [machine for machine in self.machines if machine.person == ME]
        links = [Link(machine, self.remote) for machine in mine]
        if self.team is not None:
            several = self.chance.random() < 0.5
            links += [Link(one, self.team, True) for one in mine[: 1 + several]]
            links += [Link(one, self.team, True) for one in self.machines if one.person == OTHER]
        return links

    # What happens

    def play(self) -> None:
        """Deeds, exchanges and mishaps in any order."""
        for machine in self.machines:
            if self.chance.random() < 0.8:
                self.deeds(machine, 8).wait()
        for _ in range(self.chance.randint(8, 16)):
            if self.waiting and self.chance.random() < 0.5:
                self.join(self.waiting.pop(0))
            self.step()
            self.each_remote("stir", self.chance)
        while self.waiting:
            self.join(self.waiting.pop(0))

    def step(self) -> None:
        going: list[Life] = []
        for _ in range(1 if self.calm else self.chance.choice((1, 1, 2, 3))):
            if self.links and self.chance.random() < 0.5:
                going.append(self.sync(self.chance.choice(self.links)))
            else:
                going.append(self.deeds(self.chance.choice(self.machines)))
            if self.calm:
                self.ended(going.pop())
        if not self.calm and self.chance.random() < 0.4 and going:
            victim = self.chance.choice(going)
            time.sleep(self.chance.uniform(0, self.took))
            victim.kill(whole=self.chance.random() < 0.5)
        for life in going:
            self.ended(life)
        if self.links and self.chance.random() < 0.1:
            self.mishap()

    def mishap(self) -> None:
        """The remote is not there for an exchange, or forgets what came since it was copied."""
        if self.chance.random() < 0.5:
            with self.remote.away():
                own = [link for link in self.links if not link.team]
                if own:
                    self.ended(self.sync(self.chance.choice(own)))
        elif self.chance.random() < 0.5:
            self.remote.keep()
        else:
            self.remote.lose()

    def deeds(self, machine: Machine, most: int = 6) -> Life:
        person = Person(machine, self.log, self.chance.getrandbits(60))
        count = self.chance.randint(1, most)
        armed = ""
        if not self.calm and self.chance.random() < 0.15:
            armed = self.chance.choice(sync_deeds.POINTS)
        return machine.start("deeds", lambda: person.work(count), armed)

    def sync(self, link: Link, *, armed: bool = True) -> Life:
        self.syncs += 1
        point = ""
        if armed and not self.calm and self.chance.random() < 0.3:
            point = f"{self.chance.choice(POINTS)}={self.chance.choice(CHANCES)}"
        if self.chance.random() < 0.3:
            return link.machine.command("sync", armed=point)
        return link.machine.command("sync", "--with", self.address(link), armed=point)

    def ended(self, life: Life) -> Ran:
        """Wait for a process; what it may not have ended with is said."""
        began = time.monotonic()
        ran = life.wait()
        if ran.killed:
            self.kills += 1
        elif ran.code not in _EXPECTED or "Traceback" in ran.err:
            self.wrong.append(f"{life.what} ended with {ran.code}: {ran.err.strip()[-600:]}")
        elif "sync" in life.what:
            self.took = max(0.05, time.monotonic() - began)
        return ran

    def join(self, link: Link) -> None:
        """Introduce a machine to a remote, the person's key in hand if another one has it."""
        words = ["sync", "--with", self.address(link)]
        given = ""
        if link.team:
            words += [
                "--team",
                "--store",
                self.team_store(link.machine),
                "--as",
                link.machine.person,
            ]
        else:
            before = [one for one in self.links if not one.team]
            if before:
                given = before[0].machine.run("sync", "--show-key").out.strip() + "\n"
                words += ["--key", "-"]
        life = link.machine.command(*words, given=given)
        ran = self.ended(life)
        if ran.code:
            self.wrong.append(f"{life.what}: {ran.err.strip()[-600:]}")
        self.links.append(link)

    def team_store(self, machine: Machine) -> str:
        """The name that the team's project has here; something is said in it first."""
        for _ in range(50):
            if names := machine.stores().get(TEAM_STORE):
                return names[0]
            person = Person(machine, self.log, self.chance.getrandbits(60))
            machine.start("deeds", lambda person=person: person.work(1, ["remember"])).wait()
        raise RuntimeError(f"{machine.name} never had a store for {TEAM_STORE}")

    def address(self, link: Link) -> str:
        return link.remote.address(link.machine)

    def each_remote(self, act: str, *given: object) -> list[object]:
        remotes = [self.remote, *([self.team] if self.team else [])]
        return [getattr(remote, act)(*given) for remote in remotes]

    # What came of it

    def settle(self) -> None:
        """Everybody syncs until nothing moves."""
        before: list[object] = []
        for self.rounds in range(1, ROUNDS + 1):
            for link in self.links:
                self.each_remote("deliver")
                life = self.sync(link, armed=False)
                ran = self.ended(life)
                if ran.code:
                    self.wrong.append(f"{life.what} at the end: {ran.code} {ran.err[-600:]}")
            moved = any(self.each_remote("deliver"))
            now = [(one.versions, one.heads) for one in map(checks.snapshot, self.machines)]
            if now == before and not moved:
                return
            before = list(now)
        self.wrong.append(f"still moving after {ROUNDS} rounds")

    def check(self) -> list[str]:
        """Every promise against every home."""
        deeds = read_log(self.log)
        people = {machine.name: machine.person for machine in self.machines}
        mine = [machine for machine in self.machines if machine.person == ME]
        own = [checks.snapshot(machine) for machine in mine]
        said = [deed for deed in deeds if people[deed.machine] == ME]
        wrong = list(self.wrong)
        wrong += checks.heads_differ(own)
        wrong += checks.versions_differ(own)
        wrong += checks.descriptions_differ(own, said)
        wrong += checks.acknowledged_lost(own, said)
        wrong += checks.duplicates(own, said)
        wrong += checks.words_lost(own, said, deeds)
        wrong += checks.came_back(own, said, deeds)
        wrong += checks.redaction_undone(own, said)
        gone = checks.redacted_marks(own, checks.without_strange_redactions(deeds, people, ME))
        for machine, one in zip(mine, own, strict=True):
            wrong += checks.still_told(machine, one, said)
        for machine in self.machines:
            wrong += checks.unhealthy(machine)
            files = checks.files_of(machine.home)
            if machine.person == ME:
                wrong += checks.bytes_left(machine.name, files, gone)
                wrong += checks.words_indexed(machine.home, gone)
        wrong += checks.bytes_left("remote", self.remote.files(), gone)
        if self.chance.random() < 0.3:
            scratch = self.root / "exported"
            scratch.mkdir()
            wrong += checks.not_portable(mine[0], own[0], scratch)
        if self.team is not None:
            wrong += self.check_team(self.team, deeds, people)
        return wrong

    def check_team(self, team: Remote, deeds: Sequence[Deed], people: dict[str, str]) -> list[str]:
        """What the team shares arrived with less trust, and nothing else arrived."""
        shots = [checks.snapshot(machine) for machine in self.machines]
        shared = [deed for deed in deeds if deed.store == TEAM_STORE]
        # One deed may reach two stores: what says the same in `global` is forgotten with it.
        there = {
            version
            for one in shots
            for version, fields in one.versions.items()
            if fields["store"] == TEAM_STORE
        }
        secret = {mark for deed in deeds if deed.store != TEAM_STORE for mark in deed.after}
        secret -= {mark for deed in shared for mark in deed.after}
        secret |= {deed.words for deed in deeds if deed.kind == "describe"}
        wrong = checks.bytes_left("team", team.files(), secret)
        for machine, one in zip(self.machines, shots, strict=True):
            wrong += checks.foreign_trusted(one, deeds, people)
            strange = [deed for deed in shared if people[deed.machine] != machine.person]
            wrong += checks.acknowledged_lost([one], strange, there)
            others = {m for d in deeds if people[d.machine] != machine.person for m in d.after}
            files = checks.files_of(machine.home)
            wrong += checks.bytes_left(machine.name, files, secret & others)
        return wrong


def run(
    runs: int, seed: int, kind: str, homes: int | None = None, *, calm: bool = False,
    keep: Path | None = None,
) -> Outcome:  # fmt: skip
    """So many runs with one kind of remote; `keep` gets the homes of those that went wrong."""
    outcome = Outcome()
    load_all()
    for number in range(seed, seed + runs):
        chance = random.Random(number)
        several = homes or chance.choice((2, 2, 3))
        with tempfile.TemporaryDirectory(prefix="reverie-sync-") as name:
            trial = Trial(Path(name).resolve(), kind, several, number, calm=calm)
            trial.play()
            trial.settle()
            found = trial.check()
            outcome.runs += 1
            outcome.kills += trial.kills
            outcome.syncs += trial.syncs
            outcome.rounds[trial.rounds] += 1
            outcome.deeds += sum(deed.done for deed in read_log(trial.log))
            if found:
                outcome.broken.append(f"seed {number}")
                said = [f"{kind}, seed {number}: {words}" for words in found]
                outcome.violations += said
                print("\n".join(said[:20]), file=sys.stderr, flush=True)
                if keep is not None:
                    shutil.copytree(name, keep / f"{kind}-{number}", symlinks=True)
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=12, help="with each kind of remote")
    parser.add_argument("--seed", type=int, default=None, help="of the first run")
    parser.add_argument("--remote", choices=sync_remotes.KINDS, default=None)
    parser.add_argument("--homes", type=int, choices=(2, 3), default=None)
    parser.add_argument("--calm", action="store_true", help="one thing at a time, no kills")
    parser.add_argument("--keep", type=Path, default=None, help="where homes that broke are put")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.SystemRandom().getrandbits(24)
    print(f"seed {seed}")
    lines: list[str] = []
    failed = False
    for kind in (given.remote,) if given.remote else sync_remotes.KINDS:
        began = time.monotonic()
        outcome = run(given.runs, seed, kind, given.homes, calm=given.calm, keep=given.keep)
        lines.append(f"{outcome.line(kind)}, {time.monotonic() - began:.0f} s")
        failed |= bool(outcome.violations)
    print("\n".join(lines))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
