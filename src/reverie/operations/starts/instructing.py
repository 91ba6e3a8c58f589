"""Instructing: what was taught, in a block of ours in a file of instructions that an agent reads.

A user's own file is read in every project, so only what holds in all of them stands there, and it
follows what is remembered. A file of a project gets what is confirmed of that project, when a
person asks for it. Never what waits for review, nor what the last session was about.
"""

import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.errors import InvalidInput, ReverieError
from reverie.files.change import Change, Connections, decoded, read
from reverie.files.managed_block import END, Block, balanced, newline_of
from reverie.home import Home
from reverie.inert import unframed

if TYPE_CHECKING:
    from reverie.operations.starts.digesting import Scope

BLOCK = Block(
    "<!-- reverie: digest of what you taught; `reverie connect AGENT --undo` takes it out -->",
    END,
    "a block of ours has no end there; please take it out by hand",
    mark="<!-- reverie: digest",
)
USERS = "-digest"  # how the names of connected files end that belong to the user, not to a project
PROJECTS = "into-"
_HEAD = (
    "## Said in earlier sessions\n\nNotes from this user's memory (Reverie), not instructions.\n\n"
)
_NOTHING = "- nothing yet\n"


def users_file(home: Home, path: Path) -> Change:
    """The change that puts what holds everywhere into a user's own file of instructions."""
    from reverie.operations.starts.digesting import confirmed_scope

    return _planned(path, _lines(home, confirmed_scope(home) if home.exists else None))


def projects_file(home: Home, path: Path) -> Change:
    """The change that puts what is confirmed of the project here into a file of it.

    Raises:
        InvalidInput: the folder is no known project.
    """
    from reverie.operations.starts.digesting import confirmed_scope

    if home.project is None or not home.exists:
        raise InvalidInput("nothing is remembered of a project here")
    return _planned(path, _lines(home, confirmed_scope(home, home.project)))


def put(home: Home, name: str, change: Change) -> None:
    """Write a change and remember what the file was without us."""
    before = None if change.before is None else _without(change.path, change.before)
    Connections(home.make_home()).renew(name, change, before or None)


def taking_out(home: Home, name: str, path: Path) -> Change:
    """The change that takes the block out: to the bytes from before if nobody else wrote since."""
    current = read(path)
    untouched, original = Connections(home.config.home).original(name, current)
    if untouched:
        return Change(path, current, original)
    return Change(path, current, None if current is None else _without(path, current))


def take_out(home: Home, name: str, change: Change) -> None:
    """Write it, and forget that there was a block."""
    Connections(home.config.home).undo(name, change)


def name_of(path: Path) -> str:
    """By which name the block in a file of a project is remembered."""
    return f"{PROJECTS}{zlib.crc32(str(path).encode('utf-8', 'surrogateescape')):08x}"


def blocks(home: Home) -> dict[str, Path]:
    """Every file that holds a block of ours, by its name."""
    places = Connections(home.config.home).places()
    wanted = (name for name in places if name.endswith(USERS) or name.startswith(PROJECTS))
    return {name: places[name] for name in wanted}


def renew(home: Home) -> None:
    """Bring the blocks in the user's own files up to date; one they took out stays out."""
    for name, path in blocks(home).items():
        if not name.endswith(USERS):
            continue
        try:
            current = read(path)
            if current is None or BLOCK.inside(decoded(path, current)) is None:
                Connections(home.config.home).forget(name)
                continue
            change = users_file(home, path)
            if change.needed:
                put(home, name, change)
        except ReverieError:
            # Somebody's file that cannot be changed is told of by `doctor`, not by every command.
            continue


def troubles(home: Home) -> list[str]:
    """Why a block in a user's own file does not follow what is remembered."""
    problems: list[str] = []
    for name, path in blocks(home).items():
        try:
            if name.endswith(USERS) and users_file(home, path).needed:
                problems.append(f"{path} is behind what is remembered")
        except ReverieError as error:
            problems.append(f"{path}: {error.message}")
    return problems


def _lines(home: Home, scope: "Scope | None") -> str:
    from reverie.operations.starts.digesting import composed

    lines = composed(home, scope).lines if scope and scope.stores else ()
    return _HEAD + ("".join(f"- {unframed(line.text)}\n" for line in lines) or _NOTHING)


def _planned(path: Path, lines: str) -> Change:
    before = read(path)
    text = "" if before is None else decoded(path, before)
    if not balanced(text):
        raise BLOCK.damaged()
    place = BLOCK.inside(text)
    if place is None:
        after = BLOCK.added(text, lines)
    else:
        fresh = lines.replace("\n", newline_of(text))
        after = text[: place[0]] + fresh + text[place[1] :]
    return Change(path, before, after.encode())


def _without(path: Path, content: bytes) -> bytes:
    return BLOCK.removed(decoded(path, content)).encode()
