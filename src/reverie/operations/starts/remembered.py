"""Remembered: what was learned while nobody looked, told to the person in one line.

A worker learns after a session; the next hook that can show something reads the line (`handover`).
Told is what is in the memory, whoever thought of it; of what waits only the number.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from reverie.errors import ReadOnly, Unavailable
from reverie.files import replace_file
from reverie.handover import remembered
from reverie.home import Home
from reverie.inert import readable, visible
from reverie.store.library import Item, Library, is_memory

NAMED = 3  # memories that a line names
LONGEST = 90  # characters of each


class Told(NamedTuple):
    """One memory as a line names it."""

    title: str
    name: str
    store: str
    id: str


@dataclass(frozen=True, slots=True)
class Before:
    """What there was before something was learned."""

    memories: frozenset[str]
    waiting: int


def before(home: Home) -> Before:
    """What there is now, to compare with later."""
    return Before(frozenset(id for _, id in _places(home)), _waiting(home))


def leave(home: Home, place: str, session: str, sessions: set[str], known: Before) -> None:
    """Leave a line about what some sessions, by their keys, have taught since.

    Args:
        place: The key of the project (`handover.project_key`).
        session: The id by which the client knows the last of these sessions.
    """
    if not home.settings.hooks.remembered:
        return
    fresh = [(store, id) for store, id in _places(home) if id not in known.memories]
    items = [Library(home.store, store).find(id) for store, id in fresh]
    new = [_told(item) for item in items if not item.archived and sessions & _taught_by(item)]
    if new:
        file = Path(remembered(str(home.config.home), place))
        waiting = max(0, _waiting(home) - known.waiting)
        _write(file, session, [*_untold(file)[1], *new], waiting)


def renew(home: Home) -> None:
    """Take out of what nobody was told yet what is gone meanwhile."""
    with suppress(OSError, Unavailable, ReadOnly):
        live = {id for _, id in _places(home)}
        for file in (home.config.home / "remembered").glob("*.json"):
            session, untold = _untold(file)
            kept = [
                memory for memory in untold if memory.id in live and not _is_archived(home, memory)
            ]
            if kept and kept != untold:
                _write(file, session, kept, 0)
            elif not kept:
                file.unlink(missing_ok=True)


def line(memories: Sequence[Told], waiting: int = 0) -> str:
    """One line about memories, and how many others wait."""
    if len(memories) == 1:
        parts, undo = [memories[0].title], f"undo: `reverie forget {memories[0].name}`"
    else:
        parts = [f"{memory.title} ({memory.name})" for memory in memories[:NAMED]]
        undo = "undo: `reverie forget NAME`"
    if len(memories) > NAMED:
        parts.append(f"{len(memories) - NAMED} more")
    if waiting:
        parts.append(f"{waiting} {'waits' if waiting == 1 else 'wait'} for review")
    return "Remembered: " + " · ".join([*parts, undo])


def shown(title: str) -> str:
    """A title of which every character shows, on one line that is not too long."""
    title = " ".join(visible(readable(title)).split())
    return title if len(title) <= LONGEST else f"{title[: LONGEST - 1]}…"


def _told(item: Item) -> Told:
    title = shown(item.document.description or item.name)
    return Told(title, shown(item.name), item.store, item.memory.id)


def _taught_by(item: Item) -> set[str]:
    return {place.partition("#")[0] for place in item.document.evidence}


def _is_archived(home: Home, memory: Told) -> bool:
    return Library(home.store, memory.store).find(memory.id).archived


def _places(home: Home) -> list[tuple[str, str]]:
    """Every memory that is kept: its store and its id."""
    if not home.exists:
        return []
    return [
        (info.name, entry.id)
        for info in home.store.stores()
        for entry in home.store.manifest(info.name)
        if is_memory(entry.path)
    ]


def _waiting(home: Home) -> int:

    return home.queue.waiting() if home.exists else 0


def _write(file: Path, session: str, memories: list[Told], waiting: int) -> None:
    content = {"session": session, "told": memories, "line": line(memories, waiting)}
    replace_file(file, json.dumps(content))


def _untold(file: Path) -> tuple[str, list[Told]]:
    """What is left from before: nobody has opened a session since."""
    with suppress(FileNotFoundError, ValueError, TypeError, KeyError):
        content: Any = json.loads(file.read_text(encoding="utf-8"))
        return str(content["session"]), [Told(*map(str, fields)) for fields in content["told"]]
    return "", []
