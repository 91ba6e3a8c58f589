"""Following: what agents save as their own memory is taken over, once a person allowed it.

Claude Code and Codex keep notes of their own; other agents should have them too. They stay an
agent's word: an import never gives more trust than that. A folder is read when a file of it changed
since the last look, however it was written; nothing in it is touched.
"""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from reverie.db.points import reached
from reverie.documents.vocabulary import GLOBAL
from reverie.errors import InvalidInput
from reverie.files import replace_file
from reverie.home import Home
from reverie.imports.base import Source, Target, markdown_files
from reverie.imports.claude_code import (
    ClaudeCode,
    agents_folders,
    logged_folder,
    memory_folders,
    switched_off,
)
from reverie.imports.codex import Codex, memories_folder
from reverie.imports.following import follow as follow_source
from reverie.imports.run import Imported
from reverie.operations import keeping
from reverie.privacy import Ignored
from reverie.sessions.whereabouts import is_key_of

STAMPS = "followed.json"

Stamp = list[list[str | int]]


class Folder(NamedTuple):
    """A folder that an agent keeps its own memory in."""

    path: Path
    source: Source
    everywhere: bool  # what it holds is of no single project


def folders(home: Home) -> list[Folder]:
    """Where agents keep their own memory on this machine, whether or not it may be followed."""
    env = home.config.environ
    all_folders: list[Folder] = []
    if not switched_off(env):
        with suppress(InvalidInput):  # the client's setting names no folder
            all_folders += [Folder(path, ClaudeCode(), False) for path in memory_folders(env)]
        all_folders += [Folder(path, ClaudeCode(), True) for path in agents_folders(env)]
    if (codex := memories_folder(env)).is_dir():
        all_folders.append(Folder(codex, Codex(), True))
    return all_folders


def follow(home: Home) -> list[Imported]:
    """Take over what changed in the memory folders of agents; nothing without consent."""
    if not home.settings.learn.agent_memory:
        return []
    all_folders = folders(home)
    stamps = {str(folder.path): stamp for folder in all_folders if (stamp := _stamp(folder.path))}
    known = _known(home)
    fresh = [
        folder
        for folder in all_folders
        if stamps.get(str(folder.path), []) != known.get(str(folder.path), [])
    ]
    if not fresh:
        return []
    with keeping.in_step(home):
        done = [taken for folder in fresh if (taken := _take(home, folder)) is not None]
    reached("followed")
    text = json.dumps({"into": _made_at(home), "folders": stamps}, sort_keys=True)
    replace_file(home.make_home() / STAMPS, text)
    return done


def _take(home: Home, folder: Folder) -> Imported | None:
    policy = Ignored.load(home.settings.privacy)

    def slug_at(place: str) -> str:
        slug = home.projects.expected(place).slug
        return "" if policy.session(cwd=place, project=slug, root=place) else slug

    place = "" if folder.everywhere else _project_root(home, folder.path)
    store = GLOBAL if folder.everywhere else slug_at(place) if place else ""
    if not store:
        return None  # nobody knows whose it is, or it is not to be read
    fixed = folder.everywhere and isinstance(folder.source, ClaudeCode)
    target = Target(store, home.now[:10], slug_at=slug_at, fixed=fixed, redact=home.redact)
    contents = folder.source.read(folder.path, target)
    return follow_source(home.store, contents, f"{folder.source.kind} {folder.path}", home.redact)


def _project_root(home: Home, folder: Path) -> str:
    """Whose memory it is: where the logs beside it ran, else the known root of that key."""
    if beside := logged_folder(folder):
        return beside
    roots = sorted(root for project in home.projects.all() for root in project.roots)
    return next((root for root in roots if is_key_of(folder.parent.name, root)), "")


def _stamp(folder: Path) -> Stamp:
    """Which files are there, how large, and when each was last written."""
    return [list(state) for state in _states(folder)]


def _states(folder: Path) -> Iterator[tuple[str, int, int]]:
    for file, name in markdown_files(folder):
        try:
            state = os.lstat(file)
        except OSError:
            continue
        yield name, state.st_mtime_ns, state.st_size


def _known(home: Home) -> dict[str, Stamp]:
    """The stamps of the last look; none when it was into memories that are not there any more."""
    try:
        seen: Any = json.loads((home.config.home / STAMPS).read_text(encoding="utf-8"))
        return seen["folders"] if seen["into"] == _made_at(home) else {}
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return {}


def _made_at(home: Home) -> str:
    from reverie.db.migrations import made_at

    return made_at(home.database) if home.exists else ""
