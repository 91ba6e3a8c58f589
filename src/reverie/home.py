"""A home as one asker sees it from one project: its settings, its databases, its registries.

Configuration, the working directory and the clock are read when it is opened and never below. Parts
are opened when they are first used and closed with the home; reading one changes nothing.
"""

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Self, TypeVar, overload

from reverie import config
from reverie.asker import Asker
from reverie.clock import Clock, iso, system_clock
from reverie.config import Config
from reverie.settings import Settings

if TYPE_CHECKING:
    from reverie.db.database import Database
    from reverie.dream.proposals.proposals import Proposals
    from reverie.learn.daily.dailies import Chronicler
    from reverie.learn.memories.queue import Queue
    from reverie.learn.memories.tombstones import Tombstones
    from reverie.privacy.redactor import Redactor
    from reverie.recall.relevance import TermCounts
    from reverie.sessions.index import Index
    from reverie.sessions.labels import Labels
    from reverie.sessions.logs.copies import Copies
    from reverie.sessions.logs.discover import Found, LogFile
    from reverie.sessions.logs.vouching import Places
    from reverie.sessions.marks import Marks
    from reverie.sessions.projects import ProjectId
    from reverie.sessions.registry import Projects
    from reverie.store.context import Context
    from reverie.store.high_water import HighWater
    from reverie.store.library import Library
    from reverie.store.store import Store

Opened = TypeVar("Opened")


class part(Generic[Opened]):
    """A part of the home, made once, when it is first read, whichever thread reads it."""

    def __init__(self, make: "Callable[[Home], Opened]") -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, home: None, owner: object) -> "part[Opened]": ...

    @overload
    def __get__(self, home: "Home", owner: object) -> Opened: ...

    def __get__(self, home: "Home | None", owner: object) -> "Opened | part[Opened]":
        if home is None:
            return self
        with home.opening:
            # Kept where the attribute is looked up first, so this is not asked a second time.
            kept = vars(home)
            if self._name not in kept:
                kept[self._name] = self._make(home)
            return kept[self._name]


class Home:
    """The parts that every operation works with. Threads may share them."""

    def __init__(
        self,
        config: Config,
        *,
        folder: str,
        project: str | None = None,
        asker: Asker | None = None,
        clock: Clock = system_clock,
    ) -> None:
        self.config = config
        self.asker = asker or Asker()
        self.clock = clock
        self.folder = folder
        self.named = project
        # The agent in whose shell this runs, "" for none: it can vouch for no log.
        self.agent_above: Callable[[], str] = str
        # Whether a guest may read what was said in a session.
        self.guest_sees: Callable[[str], bool] = lambda session: False
        self.opening = threading.RLock()
        self._close: list[Callable[[], None]] = []

    @classmethod
    def open(
        cls,
        home: str | os.PathLike[str] | None = None,
        *,
        project: str | None = None,
        asker: Asker | None = None,
        folder: str | os.PathLike[str] | None = None,
        clock: Clock = system_clock,
        environ: Mapping[str, str] | None = None,
    ) -> Self:
        """Open a home; nothing is made before it is written to.

        Args:
            home: Where it lies; `REVERIE_HOME` or `~/.reverie` if absent. The URL of a database
                keeps the stores there and the rest in that home.
            project: A project by name, slug or path; that of `folder` if absent.
            asker: Who asks. Without one, what is written has the trust of an agent.
            folder: Where the asker works; the working directory if absent.
            environ: The variables that count; those of the process if absent.

        Raises:
            ConfigError: the settings of the home cannot be read.
        """
        environ = dict(os.environ if environ is None else environ)
        if home is not None and "://" in os.fspath(home):
            environ[config.DATABASE_VARIABLE] = os.fspath(home)
        elif home is not None:
            environ[config.HOME_VARIABLE] = os.path.abspath(home)
        where = os.getcwd() if folder is None else os.path.abspath(folder)
        loaded = config.load(environ)
        return cls(loaded, folder=where, project=project, asker=asker, clock=clock)

    def at(
        self,
        *,
        folder: str | None = None,
        project: str | None = None,
        asker: Asker | None = None,
        config: Config | None = None,
    ) -> Self:
        """The same home as somebody else sees it, or from elsewhere; to be closed by itself."""
        return type(self)(
            config or self.config,
            folder=folder or self.folder,
            project=project,
            asker=asker or self.asker,
            clock=self.clock,
        )

    def close(self) -> None:
        """Close what was opened, in reverse order. It is opened again when it is used again."""
        with self.opening:
            while self._close:
                self._close.pop()()
            for name in (
                "store",
                "index",
                "index_database",
                "high_water",
                "context",
                "term_counts",
            ):
                vars(self).pop(name, None)

    def close_index(self) -> None:
        """Close the index alone: its file can be moved away, and is made again when it is used."""
        with self.opening:
            self.index.close()
            for name in ("index", "index_database"):
                vars(self).pop(name, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def user_home(self) -> str:
        return str(config.user_home(self.config.environ))

    @property
    def settings(self) -> Settings:
        return self.config.settings

    @property
    def now(self) -> str:
        """This moment, as it is written everywhere."""
        return iso(self.clock())

    @property
    def exists(self) -> bool:
        """Whether anything was ever stored; looking makes nothing."""
        return self.config.has_memories

    def make_home(self) -> Path:
        """The home, made with mode 0700 if it is not there yet."""
        self.config.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.config.home

    @part
    def context(self) -> "Context":
        """The database of the truth with all that writing to it needs, at its newest schema."""
        from reverie.db.opening import open_database
        from reverie.privacy.key import seal_key
        from reverie.sealing import Sealer
        from reverie.store.context import Context

        home = self.make_home()
        if self.config.database_url is None:
            # On a read-only disk the memories can still be read.
            with suppress(OSError):
                home.chmod(0o700)
        limits = self.settings.store
        database = open_database(
            self.config.truth,
            busy_timeout_ms=limits.busy_timeout_ms,
            sparing=self.asker.surface == "mcp",  # a server stays below 33 MB
        )
        shared = self.config.database_url is not None and not self.config.is_borrowed
        database.sealer = sealer = Sealer(lambda: seal_key(home), shared=shared)
        context = Context(database, self.clock, limits, sealer=sealer, redact=self.redact)
        try:
            brought = context.migrate()
            self._note_copies(brought)
        except BaseException:
            database.close()
            raise
        if self.config.database_url is None:
            # Not before: the mark asks for this database, which is only opening.
            database.after_commit = lambda: self.high_water.note()
        self._close.append(database.close)
        return context

    def _note_copies(self, brought: list[str]) -> None:
        """The files that lie in a home from before they had seals are its own, once."""
        upgraded = "row_seals" in brought and "stores" not in brought
        # On a server another home may have brought the database up.
        elsewhere = self.config.database_url is not None and not self.config.is_borrowed
        if upgraded or (elsewhere and not self._copies.exists):
            from reverie.db.backups import FOLDER
            from reverie.sessions.logs.copies import files_below

            folders = (self.config.kept, self.config.mirrored, self.config.home / FOLDER)
            with suppress(OSError):
                self._copies.note(files_below(*folders))

    @part
    def copies(self) -> "Copies":
        """Which files in the home are its own; those from before they had seals are among them."""
        if self.exists:
            self.context.now()  # bringing an old database up notes them
        return self._copies

    @part
    def _copies(self) -> "Copies":
        from reverie.privacy.key import seal_key
        from reverie.sealing import Sealer
        from reverie.sessions.logs.copies import Copies

        home = self.config.home
        return Copies(home, Sealer(lambda: seal_key(home)))

    @part
    def high_water(self) -> "HighWater":
        """How far the stores were when a write was last acknowledged; only of a local database."""
        from reverie.store.high_water import FILE, HighWater

        return HighWater(str(self.config.home / FILE), self.database)

    @property
    def database(self) -> "Database":
        """The truth; a recall reads it without the rest of the store."""
        return self.context.database

    @part
    def store(self) -> "Store":
        """Every store, with the owner's rights."""
        from reverie.store.store import Store

        return Store(self.context)

    @part
    def index_database(self) -> "Database":
        """What the index lies in; a recall reads it without what reads logs."""
        from reverie.sessions.schema import open_tables

        self.make_home()
        shared = self.config.index_database
        database = open_tables(
            shared or f"sqlite:///{self.index_file}",
            clock=self.clock,
            busy_timeout_ms=self.settings.store.busy_timeout_ms,
            # Memories of a newer version are refused before the index is changed.
            first=lambda: self.exists and self.database,
            owner=self.index_owner() if shared else "",
        )
        self._close.append(database.close)
        return database

    @property
    def index_file(self) -> Path:
        """Where the index lies, unless a database server has it; other derived things beside it."""
        return self.config.index_db

    def index_owner(self) -> str:
        """Whose sessions the index holds, on a database that several people share."""
        import hashlib

        from reverie.privacy.key import seal_key

        return hashlib.sha256(b"index" + seal_key(self.config.home)).hexdigest()[:16]

    @part
    def index(self) -> "Index":
        """The index of sessions, made if it is not there yet."""
        from reverie.sessions.index import Index

        return Index(self.index_file, self.index_database, self.projects)

    @part
    def term_counts(self) -> "TermCounts":
        """How common words are, kept for those who ask more than once."""
        from reverie.recall.relevance import TermCounts

        return TermCounts()

    @part
    def projects(self) -> "Projects":
        """The projects known so far; reading them makes nothing."""
        return self.open_projects()

    def open_projects(self) -> "Projects":
        """The registry, read anew."""
        from reverie.sessions.registry import Projects

        file = self.config.home / "projects.json"
        return Projects.open(file, folder=self.folder, user_home=self.user_home)

    @part
    def marks(self) -> "Marks":
        """Up to where sessions were processed; reading it makes nothing."""
        from reverie.sessions.marks import Marks

        return Marks.open(self.config.home / "processed.jsonl")

    @part
    def redact(self) -> "Redactor":
        """Takes secrets out of text; rules and key are loaded by the first that may hold one."""
        from reverie.privacy import redactor_for

        return redactor_for(self.make_home(), self.settings.privacy)

    @part
    def project(self) -> str | None:
        """The slug of the project asked about; `None` outside of any known one or repository."""
        from reverie.sessions.projects import locate

        if self.named is not None:
            return self.projects.find(self.named).slug
        if known := self.projects.at(self.folder):
            return known.slug
        if not locate(self.folder, self.user_home).git:
            return None
        return self.projects.expected(self.folder).slug

    @part
    def here(self) -> "ProjectId":
        """The project asked about, with its root if the asker works inside of it.

        A folder that no project is known of is one, too; it is entered when something is kept.
        """
        from reverie.sessions.projects import ProjectId

        if self.named is None:
            return self.projects.expected(self.folder)
        slug = self.projects.find(self.named).slug
        place = self.projects.at(self.folder)
        return ProjectId(slug, place.root if place and place.slug == slug else "")

    @property
    def claim(self) -> str:
        """A sentence if the folder says it is a project that nobody agreed it is; else ""."""
        other = self.projects.claimed(self.folder) if self.named is None else None
        if other is None:
            return ""
        return (
            f"this folder says it is the project {other.slug}, and is kept apart until you agree:"
            " `reverie projects agree`"
        )

    def entered(self) -> None:
        """The folder became a project just now: what was looked up before is not true any more."""
        for name in ("project", "here"):
            vars(self).pop(name, None)

    @property
    def known(self) -> bool:
        """Whether the project was named, or a session ran or something was kept in it."""
        # Another process may have entered it since this one looked.
        self.projects.refresh()
        return self.named is not None or self.projects.at(self.folder) is not None

    @property
    def library(self) -> "Library":
        """The memories of the project, and the shared ones, by name."""
        from reverie.store.library import Library

        return Library(self.store, self.project)

    @property
    def queue(self) -> "Queue":
        """What was learned and waits for a person."""
        from reverie.learn.memories.queue import Queue

        return Queue(self.database, self.clock)

    @property
    def labels(self) -> "Labels":
        """What a person said about single turns."""
        from reverie.sessions.labels import Labels

        return Labels(self.database, self.clock)

    @property
    def proposals(self) -> "Proposals":
        """What dreams and agents offered."""
        from reverie.dream.proposals.proposals import Proposals

        return Proposals(self.database, self.clock)

    @property
    def dailies(self) -> "Chronicler":
        """Writes and shows what each day came to."""
        from reverie.learn.daily.dailies import Chronicler

        return Chronicler(self.store, self.queue)

    @property
    def tombstones(self) -> "Tombstones":
        """The sessions that were unlearned."""
        from reverie.learn.memories.tombstones import Tombstones

        return Tombstones(self.database, self.clock)

    @property
    def buried(self) -> frozenset[str]:
        """The sessions that must not come back; none while nothing is stored."""
        return self.tombstones.sessions() if self.exists else frozenset()

    @property
    def log_roots(self) -> list[Path]:
        """The folders of logs that the user named in the settings."""
        environ = self.config.environ
        return [config.expanded(root, environ) for root in self.settings.sessions.roots]

    def logs(self, folder: Path | None = None) -> "Found":
        """The logs of `folder`, else those in the agents' places, the user's roots and the home.

        What `sessions.ignore` names is left out.
        """
        from fnmatch import fnmatchcase

        from reverie.sessions.logs.discover import Found, logs_in, search
        from reverie.sessions.logs.vouching import vouched

        if folder is not None:
            discovered = logs_in(folder)
        else:
            environ = self.config.environ
            roots = self.log_roots
            kept = [place for place in (self.config.mirrored, self.config.kept) if place.is_dir()]
            discovered = search(environ, roots, kept)
        ignore = self.settings.sessions.ignore
        wanted = (
            log
            for log in discovered.logs
            if not any(fnmatchcase(str(log.path), pattern) for pattern in ignore)
        )
        only_known = bool(self.agent_above())
        sure = vouched(wanted, self._places, only_known=only_known)
        ours = (self.config.kept.resolve(), self.config.mirrored.resolve())
        return Found([self._doubted_if_strange(log, ours) for log in sure], discovered.skipped)

    def _doubted_if_strange(self, log: "LogFile", ours: tuple[Path, ...]) -> "LogFile":
        """A log, in doubt if it lies among our copies and is none."""
        inside = any(log.path.is_relative_to(folder) for folder in ours)
        return replace(log, vouched=False) if inside and not self.copies.hold(log.path) else log

    def _places(self) -> "Places":
        """Where this person's logs are known to lie, whatever the variables say."""
        from reverie.errors import ReverieError
        from reverie.sessions.logs.vouching import Places, known_roots, written_roots

        known: tuple[tuple[str, str], ...] = ()
        # A damaged index is said by whoever needs it; without it fewer logs are believed.
        with suppress(ReverieError):
            known = known_roots(self.index_database) if self.config.has_index else ()
        account = config.account(self.config.environ)
        named = config.load(account | {config.HOME_VARIABLE: str(self.config.home)}).settings
        return Places(
            account,
            (*known, *written_roots(self.config.home)),
            (self.config.mirrored, self.config.kept),
            tuple(config.expanded(root, account) for root in named.sessions.roots),
        )
