"""The home of a server: the stores of the home it runs in, and an index of its own.

Sessions of guests never come near the person's own: they are read into another index (a file of
its own, or on PostgreSQL a schema of its own that every server and worker shares), are placed in
projects by what their logs say, never by what lies on this disk, and are learned from by dreams
alone.
"""

from collections.abc import Mapping
from copy import copy
from pathlib import Path
from typing import Self

from reverie.asker import Asker
from reverie.home import Home
from reverie.hosting import sessions
from reverie.hosting.guests import Guest
from reverie.operations.serving import acting
from reverie.sessions.model import session_key
from reverie.sessions.projects import ProjectId, base_name, normalise_remote, slug_of
from reverie.sessions.readers.managed import AGENT
from reverie.sessions.registry import NOWHERE, Projects
from reverie.store.keys import Key

FOLDER = "hosted"  # of the home: what is derived from guests' sessions
OWNER = "server"  # whose index it is


class ServerHome(Home):
    """A home as the server and its workers use it."""

    @property
    def index_file(self) -> Path:
        folder = self.make_home() / FOLDER
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder / "index.db"

    def index_owner(self) -> str:
        return OWNER

    @classmethod
    def beside(cls, home: Home) -> Self:
        """The home of a server over the truth that is open in a person's, who closes it."""
        made = cls(home.config, folder=str(home.config.home), asker=Asker("http"), clock=home.clock)
        vars(made).update(context=home.context, store=home.store, redact=home.redact)
        return made

    def seen_by(self, key: Key) -> Self:
        """This home, with the parts that are open, as the holder of a key sees it.

        Its store shows what the key may see, to every operation; its project is the key, which
        has no sessions of the person's.
        """
        for name in ("index_database", "projects", "term_counts"):
            getattr(self, name)  # opened once, for all
        view = copy(self)
        view.asker = Asker("http", agent=key.id, guest="person" if key.human else "program")
        store = acting.store_for(self, key)
        here = ProjectId(key.id, "")
        vars(view).update(context=store.context, store=store, project=None, here=here)
        view.guest_sees = Seen(self, Guest(key.id, store))
        return view

    def open_projects(self) -> Projects:
        return GuestProjects(self.config.home / FOLDER / "projects.json")


class Seen:
    """Whether a session is one that a guest sees; asked once, when first needed."""

    def __init__(self, home: Home, guest: Guest) -> None:
        self._home = home
        self._guest = guest
        self._keys: frozenset[str] | None = None

    def __call__(self, session: str) -> bool:
        if self._keys is None:
            ids = sessions.ids(self._home.database, self._guest)
            self._keys = frozenset(session_key(AGENT, identity) for identity in ids)
        return session in self._keys


class GuestProjects(Projects):
    """Names a project after the remote or the folder that a log tells; looks at no disk."""

    def identify(self, cwd: str, remote: str = "", branch: str = "") -> ProjectId:
        known = normalise_remote(remote)
        name = base_name(known or cwd)
        return ProjectId(slug_of(name) if name else NOWHERE, "", known)

    def is_guess(self, cwd: str, remote: str = "") -> bool:
        return False

    def place_named(self, paths: Mapping[str, int], key: str) -> str:
        return ""

    def keep(self, slug: str, cwd: str, remote: str = "") -> ProjectId | None:
        return ProjectId(slug, "", normalise_remote(remote))

    def refresh(self) -> None:
        """There is no file."""

    def save(self) -> None:
        """There is no file."""
