"""The composition root of the command line: configuration is read here, once, and passed down."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from reverie import config
from reverie.clock import Clock, iso, system_clock
from reverie.config import Config, Settings

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from reverie.cli.alone import Keep
    from reverie.learn.run import Learner
    from reverie.sessions.discover import Found, LogFile
    from reverie.sessions.index import Index, SessionRead
    from reverie.sessions.marks import Marks
    from reverie.sessions.registry import Projects
    from reverie.store.library import Library
    from reverie.store.store import Store


@dataclass
class App:
    """What a command needs: settings, places, the clock; databases are opened on first use."""

    config: Config
    clock: Clock = system_clock

    @classmethod
    def load(cls) -> "App":
        return cls(config.load())

    @property
    def settings(self) -> Settings:
        return self.config.settings

    @cached_property
    def home(self) -> Path:
        """The home, made with mode 0700 if it is not there yet."""
        self.config.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.config.home

    @cached_property
    def store(self) -> "Store":
        """The stores of this user, after a look at the folders that show them."""
        opened = self.stored
        if opened.database.query("SELECT 1 FROM mounts LIMIT 1"):
            from reverie.cli.mounting import kept_in_step

            kept_in_step(self, opened)
        return opened

    @cached_property
    def stored(self) -> "Store":
        """The stores as the database has them; closed when the command ends."""
        import click

        from reverie.store.store import Store

        if self.config.database_url is None:
            # On a read-only disk the memories can still be read.
            with suppress(OSError):
                self.home.chmod(0o700)
        opened = Store.open(self.config.truth, clock=self.clock, limits=self.settings.store)
        if context := click.get_current_context(silent=True):
            context.call_on_close(opened.close)
            if self.settings.hooks.standing_rules:
                seen = _sequences(opened)
                context.call_on_close(lambda: self._keep_start_current(opened, seen))
        return opened

    def _keep_start_current(self, store: "Store", seen: dict[str, int]) -> None:
        """What a session is told at its start follows what the command changed."""
        if _sequences(store) != seen:
            from reverie.cli.extract import refresh_rules

            refresh_rules(self)

    @cached_property
    def library(self) -> "Library":
        """The memories of the project of the working directory, and the shared ones."""
        from reverie.store.library import Library

        return Library(self.store, self.project)

    @cached_property
    def project(self) -> str | None:
        """The slug of the project here; `None` outside of any known project or repository."""
        from reverie.sessions.projects import identify, locate

        here = os.getcwd()
        if known := self.projects.at(here):
            return known.slug
        return identify(here).slug if locate(here).git else None

    @cached_property
    def index(self) -> "Index":
        """The index of sessions, made if it is not there yet."""
        import click

        from reverie.sessions.index import Index

        opened = Index.open(
            self.home / "index.db",
            self.projects,
            url=self.config.index_url,
            clock=self.clock,
            # Memories of a newer version are refused before the index is changed.
            first=lambda: self.config.has_memories and self.stored,
        )
        if context := click.get_current_context(silent=True):
            context.call_on_close(opened.close)
        return opened

    @cached_property
    def projects(self) -> "Projects":
        """The projects known so far; reading them makes nothing."""
        from reverie.sessions.registry import Projects

        return Projects.open(self.config.home / "projects.json")

    @cached_property
    def marks(self) -> "Marks":
        """Up to where sessions were processed; reading it makes nothing."""
        from reverie.sessions.marks import Marks

        return Marks.open(self.config.home / "processed.jsonl")

    @cached_property
    def redact(self) -> Callable[[str], str]:
        """Removes secrets; its key lies in the home, so the home is made."""
        from reverie.privacy import redactor_for

        return redactor_for(self.home, self.settings.privacy)

    def logs(self, folder: Path | None = None) -> "Found":
        """The logs of `folder`, else those in the agents' places, the user's roots and the home.

        What `sessions.ignore` names is left out.
        """
        from fnmatch import fnmatchcase

        from reverie.sessions.discover import Found, logs_in, search

        if folder is not None:
            found = logs_in(folder)
        else:
            roots = [Path(root).expanduser() for root in self.settings.sessions.roots]
            own = [place for place in (self.config.mirrored, self.config.kept) if place.is_dir()]
            found = search(os.environ, [*roots, *own])
        ignore = self.settings.sessions.ignore
        wanted = [
            log
            for log in found.logs
            if not any(fnmatchcase(str(log.path), pattern) for pattern in ignore)
        ]
        return Found(wanted, found.skipped)

    def log_files(self, folder: Path | None = None) -> "list[LogFile]":
        """As `logs`, without what was skipped."""
        return self.logs(folder).logs

    @property
    def buried(self) -> frozenset[str]:
        """The sessions that were unlearned and must not come back; none while nothing is stored."""
        if self.config.database_url is None and not self.config.memory_db.exists():
            return frozenset()
        from reverie.learn.memories.tombstones import Tombstones

        return Tombstones(self.store.database, self.clock).sessions()

    def learner(self, keep: "Keep", executor: "Executor | None" = None) -> "Learner":
        """What `reverie learn` runs while it holds the lease; an executor reads logs ahead."""
        from reverie.learn.daily.dailies import Chronicler
        from reverie.learn.detect.judge import Judge
        from reverie.learn.diary.diaries import Diarist
        from reverie.learn.memories.queue import Queue
        from reverie.learn.memories.writing import Writer
        from reverie.learn.run import Learner
        from reverie.privacy import Ignored
        from reverie.sessions.saved import saved_ranges

        database = self.store.database
        return Learner(
            index=self.index,
            writer=Writer(self.store, Queue(database, self.clock)),
            judge=Judge.load(self.settings.learn),
            diarist=Diarist(self.store),
            chronicler=Chronicler(self.store, Queue(database, self.clock)),
            # The rules load only when there is something to redact.
            redact=self.redact if executor else lambda text: self.redact(text),
            policy=Ignored.load(self.settings.privacy),
            buried=self.buried,
            executor=executor,
            credit=self._credit(),
            saved=saved_ranges(self.config.home),
            keep=keep,
        )

    def _credit(self) -> "Callable[[SessionRead], None] | None":
        """Sessions become the authors of what they wrote into mounts, if there are any."""
        store = self.store
        if not store.database.query("SELECT 1 FROM mounts LIMIT 1"):
            return None
        from reverie.learn.traffic.disk_writes import disk_writes
        from reverie.mounts.attribution import credit

        def credited(read: "SessionRead") -> None:
            credit(store, disk_writes(read))

        return credited

    @property
    def now(self) -> str:
        """This moment, as it is written everywhere."""
        return iso(self.clock())

    def drop_kept(self, session: str) -> int:
        """Delete the kept copies of a session; returns how many there were."""
        from reverie.sessions.kept import drop

        return drop(self.index.files_of(session), self.config.kept)


def _sequences(store: "Store") -> dict[str, int]:
    """How many versions each store has had: moves with every change."""
    return dict(store.database.query("SELECT id, sequence FROM stores"))
