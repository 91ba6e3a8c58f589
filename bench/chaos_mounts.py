"""Two folders, the command line, and −9: no word written into a mounted store is lost.

    python -m bench.chaos_mounts [--edits 1000]

Two processes append lines to the files of two folders that show one store, a third writes to the
store itself, a fourth runs `reverie remember`; each syncs as a command does, and all of them are
killed at random and at named points. A line counts as written once its writer has seen it in the
file under its name, or was told so. At the end every such line must stand in a memory, and both
folders must show exactly the store.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.chaos import let_write, opened

from reverie.db import points
from reverie.errors import Busy, Conflict, NotFound
from reverie.mounts import table as mounts
from reverie.mounts.sync import INDEX_FILE, sync, sync_mounts
from reverie.store.model import Actor, Author
from reverie.store.store import Store

FILES = 6
LINES = 12
POINTS = "before_write=0.01,after_write=0.02,after_commit=0.02"
ROLES = ("one", "two", "store", "command")
LIMIT_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to."""

    kills: int
    written: int
    beside: int
    violations: list[str]


def unchanged(text: str) -> str:
    return text


class Writer:
    """One life of one writer; it notes each line once the line stands."""

    def __init__(self, url: str, log: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.store = opened(url)
        self.log = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        self.seed = seed
        self.count = 0

    def line(self) -> str:
        self.count += 1
        return f"line {self.seed:x} {self.count}"

    def note(self, line: str) -> None:
        os.write(self.log, f"{line}\n".encode())

    def in_folder(self, folder: Path) -> None:
        while True:
            file = folder / f"topic-{self.random.randrange(FILES)}.md"
            line = self.line()
            if append(file, line):
                self.note(line)
            if self.random.random() < 0.5:
                self.sync()

    def in_store(self) -> None:
        by = Author(Actor("user", "chaos"), "chaos")
        while True:
            line = self.line()
            try:
                head = self.store.get("chaos", f"/topic-{self.random.randrange(FILES)}.md")
                text = inserted(head.content, line, self.random)
                self.store.update("chaos", head.id, content=text, if_version=head.version, by=by)
            except (Conflict, NotFound, Busy):
                continue
            self.note(line)
            self.sync()

    def on_the_command_line(self) -> None:
        from reverie.cli.root import run

        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        while True:
            line = self.line()
            if run(["remember", line, "--store", "chaos", "--type", "project"]) == 0:
                self.note(line)

    def sync(self) -> None:
        sync_mounts(self.store, redact=unchanged)


def append(file: Path, line: str) -> bool:
    """Append as an editor does; true once the line stands in the file of that name."""
    try:
        handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        os.write(handle, f"{line}\n".encode())
        return os.fstat(handle).st_ino == os.stat(file).st_ino
    except FileNotFoundError:
        return False
    finally:
        os.close(handle)


def inserted(text: str, line: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    at = chance.randrange(min(len(lines), LINES))
    return "".join([*lines[:at], f"{line}\n", *lines[at:]])


class Herd:
    """The writers of both folders and of the store, and the one who kills them."""

    def __init__(self, url: str, folder: Path, seed: int) -> None:
        self.url, self.folder = url, folder
        self.random = random.Random(seed)
        # process → its role and what it has written
        self.alive: dict[int, tuple[str, Path]] = {}
        self.started = self.kills = 0

    def start(self, role: str) -> None:
        self.started += 1
        seed = self.random.getrandbits(40)
        log = self.folder / f"{self.started}.log"
        child = os.fork()
        if child:
            self.alive[child] = (role, log)
            return
        ended = 1
        try:
            points.arm(POINTS)
            random.seed()
            os.environ["REVERIE_HOME"] = str(self.folder)
            os.chdir(self.folder)
            writer = Writer(self.url, log, seed)
            lives: dict[str, Callable[[], None]] = {
                "store": writer.in_store,
                "command": writer.on_the_command_line,
                "one": lambda: writer.in_folder(self.folder / "one"),
                "two": lambda: writer.in_folder(self.folder / "two"),
            }
            lives[role]()
            ended = 0
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(ended)

    def reap(self, *, block: bool = False) -> None:
        for child in list(self.alive):
            ended, status = os.waitpid(child, 0 if block else os.WNOHANG)
            if ended:
                del self.alive[child]
                code = os.waitstatus_to_exitcode(status)
                self.kills += code == -signal.SIGKILL
                if code > 0:
                    raise SystemExit(f"a writer failed with exit code {code}: see above")

    def hammer(self, edits: int, deadline: float) -> None:
        # A fast machine would be done before anybody died.
        while time.monotonic() < deadline and (self.written() < edits or self.kills < edits // 50):
            for role in ROLES:
                if role not in {busy for busy, _ in self.alive.values()}:
                    self.start(role)
            time.sleep(self.random.uniform(0.02, 0.2))
            self.reap()
            if self.alive and self.random.random() < 0.5:
                victim = self.random.choice(sorted(self.alive))
                # Some die as they start; on a slow machine all of them would.
                if self.random.random() < 0.5:
                    let_write(victim, self.alive[victim][1], deadline)
                os.kill(victim, signal.SIGKILL)
        for child in self.alive:
            os.kill(child, signal.SIGKILL)
        self.reap(block=True)

    def lines(self) -> list[str]:
        logs = sorted(self.folder.glob("*.log"))
        return [line for log in logs for line in log.read_text().splitlines()]

    def written(self) -> int:
        return len(self.lines())


def run(edits: int, seed: int) -> Outcome:
    """Write so many lines from three sides under kills, then look for each of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(os.path.realpath(name))
        url = f"sqlite:///{folder}/memory.db"
        with Store.open(url) as store:
            store.create_store("chaos")
            by = Author(Actor("user", "chaos"), "start")
            for number in range(FILES):
                text = "".join(f"start {number} {at}\n" for at in range(LINES))
                store.create("chaos", f"/topic-{number}.md", text, by)
            for place in ("one", "two"):
                made = mounts.add(store, "chaos", str(folder / place), "read_write")
                sync(store, made, redact=unchanged)
        herd = Herd(url, folder, seed)
        herd.hammer(edits, time.monotonic() + LIMIT_SECONDS)
        with Store.open(url) as store:
            for _ in range(4):
                sync_mounts(store, redact=unchanged)
            wrong = check(store, herd.lines(), [folder / "one", folder / "two"])
            beside = sum(".conflict-" in entry.path for entry in store.manifest("chaos"))
        return Outcome(herd.kills, herd.written(), beside, wrong)


def check(store: Store, lines: list[str], folders: list[Path]) -> list[str]:
    """Every written line against the store, and each folder against it; what is wrong."""
    heads = {memory.path: memory.content for memory in store.walk("chaos")}
    there = {line for text in heads.values() for line in text.splitlines()}
    wrong = [f"lost: {line}" for line in lines if line not in there]
    wrong += [f"chain: {problem.message}" for problem in store.verify()]
    for folder in folders:
        shown = {
            f"/{file.relative_to(folder)}": file.read_text()
            for file in sorted(folder.rglob("*"))
            if file.is_file() and not file.name.startswith(".") and file.name != INDEX_FILE
        }
        wrong += [
            f"{folder.name} differs: {path}" for path in heads if shown.get(path) != heads[path]
        ]
        wrong += [f"{folder.name} has more: {path}" for path in shown if path not in heads]
        wrong += [f"left behind: {file}" for file in folder.rglob(".reverie-[ps]*")]
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--edits", type=int, default=1_000, help="lines written in all")
    parser.add_argument("--seed", type=int, default=1, help="of the chances")
    arguments = parser.parse_args()
    started = time.monotonic()
    outcome = run(arguments.edits, arguments.seed)
    print(
        f"lines written {outcome.written}, kills {outcome.kills}, kept beside {outcome.beside},"
        f" violations {len(outcome.violations)}, {time.monotonic() - started:.0f} s"
    )
    for sentence in outcome.violations[:20]:
        print(f"  {sentence}")
    return 1 if outcome.violations or outcome.written < arguments.edits else 0


if __name__ == "__main__":
    sys.exit(main())
