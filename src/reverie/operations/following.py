"""Following: what an agent saves as its own memory is taken over, once a person allowed it.

Claude Code keeps notes of its own; other agents should have them too. They stay the agent's word:
an import never gives more trust than that. A folder is read when a file of it changed since the
last look, however it was written; nothing in it is touched.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from reverie.errors import InvalidInput
from reverie.files import replace_file
from reverie.home import Home
from reverie.imports.base import Target, markdown_files
from reverie.imports.claude_code import ClaudeCode, logged_folder, memory_folders, switched_off
from reverie.imports.run import Imported, take_over
from reverie.operations import keeping
from reverie.privacy import Ignored
from reverie.sessions.whereabouts import is_key_of

STAMPS = "followed.json"


def follow(home: Home) -> list[Imported]:
    """Take over what changed in the memory folders of agents; nothing without consent."""
    if not home.settings.learn.agent_memory or switched_off(home.config.environ):
        return []
    try:
        folders = memory_folders(home.config.environ)
    except InvalidInput:
        return []  # the client's setting names no folder
    known = _stamps(home)
    now = {str(folder): stamp for folder in folders if (stamp := _stamp(folder))}
    fresh = [Path(name) for name, stamp in now.items() if known.get(name) != stamp]
    if not fresh:
        return []
    with keeping.in_step(home):
        done = [taken for folder in fresh if (taken := _take(home, folder)) is not None]
    replace_file(home.make_home() / STAMPS, json.dumps(now, sort_keys=True))
    return done


def _take(home: Home, folder: Path) -> Imported | None:
    place = _project_root(home, folder)
    if place is None:
        return None
    policy = Ignored.load(home.settings.privacy)
    project = home.projects.expected(place)
    if policy.session(cwd=place, project=project.slug, root=place):
        return None
    target = Target(project.slug, home.now[:10], slug_at=lambda _: project.slug)
    found = ClaudeCode().read(folder, target)
    what = f"{ClaudeCode.kind} {folder}"
    return take_over(home.store, found, what, home.redact, home.asker.actor)


def _project_root(home: Home, folder: Path) -> str | None:
    """Whose memory it is: where the logs beside it ran, else the known root of that key."""
    if beside := logged_folder(folder):
        return beside
    roots = sorted(root for project in home.projects.all() for root in project.roots)
    return next((root for root in roots if is_key_of(folder.parent.name, root)), None)


def _stamp(folder: Path) -> list[list[str | int]]:
    """Which files are there, how large, and when each was last written."""
    return [list(one) for one in _states(folder)]


def _states(folder: Path) -> Iterator[tuple[str, int, int]]:
    for file, name in markdown_files(folder):
        try:
            state = os.lstat(file)
        except OSError:
            continue
        yield name, state.st_mtime_ns, state.st_size


def _stamps(home: Home) -> dict[str, list[list[str | int]]]:
    try:
        return json.loads((home.config.home / STAMPS).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
