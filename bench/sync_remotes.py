"""Three remotes: a folder, a git repository, and a folder whose files appear late and out of order.

The late one is a folder per machine, as Syncthing or a cloud drive keeps it, and a mover that
carries single files between them: in any order, after any time, half of a file first.
"""

import os
import random
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.sync_machines import Machine

KINDS = ("folder", "git", "late")


class Remote(ABC):
    """Where machines meet."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.kept: Path | None = None

    @abstractmethod
    def address(self, machine: Machine) -> str:
        """What this machine is told to sync with."""

    def stir(self, chance: random.Random) -> None:  # noqa: B027
        """Let time pass: some files arrive."""

    def deliver(self) -> bool:
        """Let everything arrive; whether anything moved."""
        return False

    def keep(self) -> None:
        """Remember how it is now, for `lose`."""
        self.kept = self.place.with_name(f"{self.place.name}.kept")
        shutil.rmtree(self.kept, ignore_errors=True)
        # A folder that nobody used yet is no remote: one that is emptied so far counts as away.
        if any(self.place.iterdir()):
            shutil.copytree(self.place, self.kept)

    def lose(self) -> None:
        """Be again as it was: what was brought since is gone, as after a backup came back."""
        if self.kept is not None and self.kept.exists():
            shutil.rmtree(self.place, ignore_errors=True)
            shutil.copytree(self.kept, self.place)

    @contextmanager
    def away(self) -> Generator[None]:
        """A remote that nobody reaches: a drive that is not there, or may not be written to."""
        if os.geteuid() != 0 and self.place.name != "remote.git":
            modes = {one: one.stat().st_mode for one in (self.place, *self.place.rglob("*"))}
            for one in modes:
                one.chmod(0o555 if one.is_dir() else 0o444)
            try:
                yield
            finally:
                for one, mode in modes.items():
                    one.chmod(mode)
            return
        elsewhere = self.place.with_name(f"{self.place.name}.away")
        self.place.rename(elsewhere)
        try:
            yield
        finally:
            # Whoever made a new folder in its place made it on the wrong disk.
            shutil.rmtree(self.place, ignore_errors=True)
            elsewhere.rename(self.place)

    def files(self) -> dict[str, bytes]:
        """Every file that lies there now."""
        return {
            str(file.relative_to(self.place)): file.read_bytes()
            for file in sorted(self.place.rglob("*"))
            if file.is_file()
        }


class Folder(Remote):
    """A folder that all machines reach: a USB stick, a network drive."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        place.mkdir()

    def address(self, machine: Machine) -> str:
        return str(self.place)


class Git(Remote):
    """A bare repository."""

    def __init__(self, place: Path) -> None:
        super().__init__(place.with_name(f"{place.name}.git"))
        subprocess.run(
            ["git", "init", "--quiet", "--bare", "--initial-branch=main", str(self.place)],
            check=True,
            env={"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull},
        )

    def address(self, machine: Machine) -> str:
        return f"file://{self.place}"

    def files(self) -> dict[str, bytes]:
        """The files of the newest commit: what git keeps of older ones is git's history."""
        environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull}
        git = ["git", "-C", str(self.place)]
        found: dict[str, bytes] = {}
        branches = subprocess.run(
            [*git, "for-each-ref", "--format=%(refname)"], check=True, env=environ, text=True,
            capture_output=True,
        ).stdout.split()  # fmt: skip
        for branch in branches:
            tree = [*git, "ls-tree", "-r", "-z", "--name-only", branch]
            names = subprocess.run(tree, check=True, env=environ, capture_output=True).stdout
            for name in filter(None, names.decode().split("\0")):
                show = [*git, "cat-file", "blob", f"{branch}:{name}"]
                blob = subprocess.run(show, check=True, env=environ, capture_output=True).stdout
                found[f"{branch}:{name}"] = blob
        return found


class Late(Remote):
    """A folder per machine, and a mover between them."""

    def __init__(self, place: Path, machines: Sequence[Machine]) -> None:
        super().__init__(place)
        self.copies = {machine.name: place / machine.name for machine in machines}
        for copy in self.copies.values():
            copy.mkdir(parents=True)
        # copy → file → what the mover last saw there; None for one that was deleted
        self.seen: dict[str, dict[str, bytes | None]] = {name: {} for name in self.copies}
        self.truth: dict[str, tuple[int, bytes | None]] = {}
        self.at: dict[str, dict[str, int]] = {name: {} for name in self.copies}
        self.stamp = 0

    def address(self, machine: Machine) -> str:
        return str(self.copies[machine.name])

    def look(self, name: str) -> None:
        """See what a machine made, changed or deleted in its copy."""
        copy, seen = self.copies[name], self.seen[name]
        there: dict[str, bytes | None] = {
            str(file.relative_to(copy)): file.read_bytes()
            for file in copy.rglob("*")
            if file.is_file() and not file.name.startswith((".syncthing.", "."))
        }
        for file in there.keys() | seen.keys():
            now = there.get(file)
            if now == seen.get(file):
                continue
            seen[file] = now
            stamp, truth = self.truth.get(file, (0, None))
            if stamp > self.at[name].get(file, 0) and truth not in (None, now):
                # Two machines changed one file: the service keeps the older beside it.
                beside = Path(file)
                other = beside.with_name(f"{beside.stem}.sync-conflict-20261116-AB{beside.suffix}")
                if now is not None:
                    self.stamp += 1
                    self.truth[str(other)] = (self.stamp, now)
                self.at[name][file] = 0
                continue
            self.stamp += 1
            self.truth[file] = (self.stamp, now)
            self.at[name][file] = self.stamp

    def outstanding(self) -> list[tuple[str, str]]:
        """Which copy lacks the newest state of which file."""
        return [
            (name, file)
            for name in self.copies
            for file, (stamp, _) in self.truth.items()
            if self.at[name].get(file, 0) < stamp
        ]

    def carry(self, name: str, file: str, chance: random.Random | None = None) -> None:
        """Bring one file to one copy; sometimes only half of it, under the mover's own name."""
        stamp, data = self.truth[file]
        target = self.copies[name] / file
        if data is None:
            target.unlink(missing_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            half = target.with_name(f".syncthing.{target.name}.tmp")
            if chance is not None and chance.random() < 0.2:
                half.write_bytes(data[: len(data) // 2])
                return
            if chance is not None and chance.random() < 0.05 and not target.exists():
                # Some drives show a file under its name before all of it is there.
                target.write_bytes(data[: len(data) // 2])
                self.seen[name][file] = data[: len(data) // 2]
                return
            half.write_bytes(data)
            half.replace(target)
        self.seen[name][file] = data
        self.at[name][file] = stamp

    def stir(self, chance: random.Random) -> None:
        for name in self.copies:
            self.look(name)
        waiting = self.outstanding()
        chance.shuffle(waiting)
        for name, file in waiting[: chance.randint(0, max(1, len(waiting)))]:
            self.carry(name, file, chance)

    def deliver(self) -> bool:
        for name in self.copies:
            self.look(name)
        waiting = self.outstanding()
        for name, file in waiting:
            self.carry(name, file)
        return bool(waiting)

    def keep(self) -> None:
        """Nothing: a service that carries files has no backup that comes back."""

    @contextmanager
    def away(self) -> Generator[None]:
        """The service is paused; the folders are there as always."""
        yield


def made(kind: str, place: Path, machines: Sequence[Machine]) -> Remote:
    """A new, empty remote."""
    if kind == "late":
        return Late(place, machines)
    return Git(place) if kind == "git" else Folder(place)
