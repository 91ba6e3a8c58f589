"""Remembered: what was learned while nobody looked, told to the person in one line.

A worker learns after a session; the next hook that can show something reads the line (`handover`).
Told is what is in the memory, whoever thought of it; of what waits only the number.
"""

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reverie.files import replace_file
from reverie.handover import remembered
from reverie.home import Home
from reverie.inert import readable, visible
from reverie.store.library import Item, Library, is_memory

NAMED = 3  # memories that a line names
LONGEST = 90  # characters of each


@dataclass(frozen=True, slots=True)
class Before:
    """What there was before something was learned."""

    memories: frozenset[str]
    waiting: int


def before(home: Home) -> Before:
    """What there is now, to compare with later."""
    return Before(frozenset(_ids(home)), _waiting(home))


def leave(home: Home, place: str, session: str, sessions: set[str], known: Before) -> None:
    """Leave a line about what some sessions, by their keys, have taught since.

    Args:
        place: The key of the project (`handover.project_key`).
        session: The id by which the client knows the last of these sessions.
    """
    new = [item for item in _new(home, known) if sessions & _taught_by(item)]
    if not new or not home.settings.hooks.remembered:
        return
    file = Path(remembered(str(home.config.home), place))
    told = [*_untold(file), *((_title(item), item.name) for item in new)]
    waiting = max(0, _waiting(home) - known.waiting)
    content = {"session": session, "told": told, "line": line(told, waiting)}
    replace_file(file, json.dumps(content))


def line(told: "list[tuple[str, str]]", waiting: int = 0) -> str:
    """One line about memories, given as title and name."""
    if len(told) == 1:
        ((title, name),) = told
        parts, undo = [title], f"undo: `reverie forget {name}`"
    else:
        parts = [f"{title} ({name})" for title, name in told[:NAMED]]
        undo = "undo: `reverie forget NAME`"
    if len(told) > NAMED:
        parts.append(f"{len(told) - NAMED} more")
    if waiting:
        parts.append(f"{waiting} {'waits' if waiting == 1 else 'wait'} for review")
    return "Remembered: " + " · ".join([*parts, undo])


def _title(item: Item) -> str:
    title = " ".join(visible(readable(item.document.description or item.name)).split())
    return title if len(title) <= LONGEST else f"{title[: LONGEST - 1]}…"


def _taught_by(item: Item) -> set[str]:
    return {place.partition("#")[0] for place in item.document.evidence}


def _new(home: Home, known: Before) -> list[Item]:
    found: list[Item] = []
    for store, memory in _places(home):
        if memory not in known.memories:
            found.append(Library(home.store, store).find(memory))
    return [item for item in found if not item.archived]


def _places(home: Home) -> "list[tuple[str, str]]":
    if not home.exists:
        return []
    return [
        (info.name, entry.id)
        for info in home.store.stores()
        for entry in home.store.manifest(info.name)
        if is_memory(entry.path)
    ]


def _ids(home: Home) -> "list[str]":
    return [memory for _, memory in _places(home)]


def _waiting(home: Home) -> int:
    from reverie.learn.memories.queue import Queue

    return Queue(home.database, home.clock).waiting() if home.exists else 0


def _untold(file: Path) -> "list[tuple[str, str]]":
    """What is left from before: nobody has opened a session since."""
    with suppress(FileNotFoundError, ValueError, TypeError, KeyError):
        given: Any = json.loads(file.read_text(encoding="utf-8"))
        return [(str(title), str(name)) for title, name in given["told"]]
    return []
