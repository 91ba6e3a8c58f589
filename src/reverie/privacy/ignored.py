"""What the user has said is never to be stored: projects, folders, turns."""

import fnmatch
from dataclasses import dataclass
from pathlib import PurePath

from reverie.errors import ConfigError, InvalidInput
from reverie.privacy.automaton import Expression, expression
from reverie.settings import Privacy


@dataclass(frozen=True, slots=True)
class Ignored:
    """The `privacy.ignore_*` settings, ready to ask."""

    projects: frozenset[str]
    paths: tuple[str, ...]
    turns: tuple[Expression, ...]

    @classmethod
    def load(cls, settings: Privacy) -> "Ignored":
        """Compile the settings.

        Raises:
            ConfigError: a pattern of `privacy.ignore_turns` is not valid RE2.
        """
        try:
            turns = tuple(expression(pattern) for pattern in settings.ignore_turns)
        except InvalidInput as error:
            raise ConfigError(f"privacy.ignore_turns: {error.message}") from None
        return cls(
            frozenset(name.rstrip("/") for name in settings.ignore_projects),
            settings.ignore_paths,
            turns,
        )

    def session(self, *, cwd: str, project: str = "", root: str = "") -> bool:
        """Whether nothing of this session may be read: by project, or by where it ran."""
        if self.projects:
            places = {project, root.rstrip("/")} | {
                str(p) for p in (PurePath(cwd), *PurePath(cwd).parents)
            }
            if self.projects & (places - {""}):
                return True
        return any(
            fnmatch.fnmatchcase(place, pattern.rstrip("/"))
            for pattern in self.paths
            for place in (cwd, *map(str, PurePath(cwd).parents))
        )

    def turn(self, text: str) -> bool:
        """Whether this human turn is not to be stored."""
        data = text.encode("utf-8", "surrogatepass") if self.turns else b""
        return any(pattern.search(data) for pattern in self.turns)
