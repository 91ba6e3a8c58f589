"""The home of a server: the stores of the home it runs in, and an index of its own.

Sessions of guests never come near the person's own: they are read into another index (a file of
its own, or on PostgreSQL a schema of its own that every server and worker shares), are placed in
projects by what their logs say, never by what lies on this disk, and are learned from by dreams
alone.
"""

from collections.abc import Mapping
from pathlib import Path

from reverie.home import Home
from reverie.sessions.projects import ProjectId, base_name, normalise_remote, slug_of
from reverie.sessions.registry import NOWHERE, Projects

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

    def open_projects(self) -> Projects:
        return GuestProjects(self.config.home / FOLDER / "projects.json")


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
