"""Machines: the homes of one or two people, each with its own clock, projects and processes.

A machine is a user's folder with a home and checkouts of two projects. Whatever is done on it is
done in a forked process of its own, which may be killed; commands run as the person typed them.
"""

import gc
import importlib
import io
import os
import pkgutil
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import reverie
from reverie.asker import OWNER, Asker
from reverie.clock import iso
from reverie.db import points
from reverie.documents.vocabulary import GLOBAL
from reverie.memory import Memory
from reverie.sessions.projects import normalise_remote

PROJECTS = {"shop": "git@example.com:crew/shop.git", "dock": "https://example.com/crew/dock"}
PATIENCE = 60.0  # seconds that a command may take on a busy machine


def load_all() -> None:
    """Import whatever a command may need, once: most of a forked life went into that.

    And nothing of it is looked through for garbage, which would copy its pages in every life.
    """
    for module in pkgutil.walk_packages(reverie.__path__, "reverie."):
        with suppress(ImportError):  # of an extra that is not installed
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    gc.collect()
    gc.freeze()


class Ran(NamedTuple):
    """What a command came back with; −9 for one that was killed."""

    code: int
    out: str
    err: str

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL


@dataclass(slots=True)
class Life:
    """One process on a machine, and where its words go."""

    process: int
    folder: Path
    what: str
    ended: int | None = None

    def wait(self, seconds: float = PATIENCE) -> Ran:
        """Let it end; one that does not is killed and said."""
        deadline = time.monotonic() + seconds
        while self.poll() is None:
            if time.monotonic() > deadline:
                self.kill()
                raise TimeoutError(f"{self.what} did not end within {seconds:.0f} s")
            time.sleep(0.002)
        texts = [(self.folder / name).read_text(encoding="utf-8") for name in ("out", "err")]
        return Ran(self.ended if self.ended is not None else -1, texts[0], texts[1])

    def poll(self) -> int | None:
        """Its exit code, or None while it lives."""
        if self.ended is None:
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                self.ended = os.waitstatus_to_exitcode(status)
        return self.ended

    def kill(self, *, whole: bool = True) -> None:
        """−9, to it and, if `whole`, to whatever it started."""
        if self.poll() is None:
            (os.killpg if whole else os.kill)(self.process, signal.SIGKILL)
            _, status = os.waitpid(self.process, 0)
            self.ended = os.waitstatus_to_exitcode(status)


@dataclass(slots=True)
class Machine:
    """One home of one person."""

    name: str
    person: str
    root: Path
    skew: timedelta = timedelta()
    lives: int = 0
    folders: dict[str, Path] = field(default_factory=dict[str, Path])

    def set_up(self, chance: random.Random) -> None:
        """Make the user's folder; on some machines a checkout has another name."""
        self.home.mkdir(parents=True, mode=0o700)
        # Its person hands the key of their machines on without a terminal.
        settings = self.home / "config.toml"
        settings.write_text('[trust]\nscripts = "user"\n', encoding="utf-8")
        settings.chmod(0o600)
        for project, remote in PROJECTS.items():
            folder = self.root / "code" / chance.choice((project, project, f"my-{project}"))
            (folder / ".git").mkdir(parents=True)
            (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
            origin = f'[remote "origin"]\n\turl = {remote}\n'
            (folder / ".git" / "config").write_text(origin, encoding="utf-8")
            self.folders[project] = folder

    @property
    def home(self) -> Path:
        return self.root / ".reverie"

    @property
    def environ(self) -> dict[str, str]:
        return {
            "HOME": str(self.root),
            "PATH": os.environ["PATH"],
            "REVERIE_HOME": str(self.home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
        }

    def now(self) -> datetime:
        return datetime.now(UTC) + self.skew

    def opened(self, project: str = "", asker: Asker = OWNER) -> Memory:
        """The home as somebody sees it from a project, or from outside of any."""
        folder = self.folders.get(project, self.root)
        return Memory.open(
            self.home, asker=asker, folder=folder, clock=self.now, environ=self.environ
        )

    def stores(self) -> dict[str, list[str]]:
        """Key of a store → the names it has here; more than one where a checkout stands apart."""
        found: dict[str, list[str]] = {GLOBAL: [GLOBAL]}
        remotes = {normalise_remote(remote): key for key, remote in PROJECTS.items()}
        with self.opened() as memory:
            live = {info.name for info in memory.store.stores()}
            for project in memory.projects.all():
                for key in {remotes[one] for one in project.remotes if one in remotes}:
                    if project.slug in live:
                        found.setdefault(key, []).append(project.slug)
        return found

    # Processes

    def start(self, what: str, life: Callable[[], int], armed: str = "") -> Life:
        """Fork a process that does one thing and ends with its exit code."""
        self.lives += 1
        folder = self.root / "lives" / str(self.lives)
        folder.mkdir(parents=True)
        for name in ("out", "err"):
            (folder / name).touch()
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process:
            # Both set it, since either may be first.
            os.setpgid(process, process)
            return Life(process, folder, f"{self.name}: {what}")
        code = 70
        try:
            os.setpgid(0, 0)
            self._become(folder, armed)
            code = life()
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _become(self, folder: Path, armed: str) -> None:
        """Be a process of this machine: its variables, its streams, its moment."""
        environ = self.environ
        os.environ.clear()
        os.environ.update(environ)
        if self.skew:
            os.environ["REVERIE_NOW"] = iso(self.now())
        os.chdir(self.root)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(folder / name, os.O_WRONLY | os.O_APPEND), number)
        sys.stdin, sys.stdout, sys.stderr = (
            io.TextIOWrapper(io.FileIO(number, mode, closefd=False), encoding="utf-8")
            for number, mode in ((0, "r"), (1, "w"), (2, "w"))
        )
        random.seed()
        points.arm(armed)

    def command(self, *words: str, project: str = "", given: str = "", armed: str = "") -> Life:
        """Start one command of `reverie`, as a person at a terminal."""

        def life() -> int:
            from reverie.cli import speaker
            from reverie.cli.root import run

            # Whoever runs the checker, the person of this machine speaks.
            speaker.at_a_terminal = lambda: True
            speaker.programs_above = lambda: iter(())
            if project:
                os.chdir(self.folders[project])
            if given:
                read, write = os.pipe()
                os.write(write, given.encode())
                os.close(write)
                os.dup2(read, 0)
            return run(list(words))

        return self.start(" ".join(("reverie", *words)), life, armed)

    def run(self, *words: str, project: str = "", given: str = "") -> Ran:
        """One command, to its end."""
        return self.command(*words, project=project, given=given).wait()
