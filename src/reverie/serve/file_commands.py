"""The six commands of Anthropic's memory tool on one store, with the answers of its Python SDK.

`/memories/x` is the memory at `/x`. The texts are those of the SDK's own file tool, word for word,
because models know them; what the files of a disk cannot do, here every edit carries the hash of
what was read, and a folder is deleted or moved as a whole or not at all.
"""

import posixpath
from collections.abc import Callable, Iterator
from typing import TypeVar

from reverie.asker import Asker
from reverie.errors import NotFound, PathTaken, PreconditionFailed, ReverieError
from reverie.home import Home
from reverie.operations import keeping
from reverie.store import roads
from reverie.store.access import protected, protection
from reverie.store.model import Author, Entry, Memory
from reverie.store.store import Store

ROOT = "/memories"
AGENT = "memory-tool"
_LEVELS = 2
_WIDTH = 6  # of a line number
_AROUND = 2  # lines shown before and after an edit
_TRIES = 8  # of an edit while others edit the same file
_FOLDER_SIZE = "4K"  # what a folder takes on most disks

Result = TypeVar("Result")


class CommandFailed(Exception):
    """A command that did nothing; its text is for the model."""


class FileCommands:
    """The commands on one store, which is made with the first file. A model writes: whoever opened
    the home, nothing of it has a person's word, and what a person said or pinned stays."""

    def __init__(self, home: Home, store: str) -> None:
        self._home = home
        self._name = store

    def view(self, path: str, lines: list[int] | None = None) -> str:
        """A file with line numbers (`lines`: first and last, -1 for the end), or a folder."""
        return self._told(lambda: self._view(path, lines))

    def create(self, path: str, text: str) -> str:
        """A new file; one that is there stays."""

        def made() -> str:
            place = _placed(path)
            target = self._store.ensure_store(self._name).id
            if place == "/" or self._below(target, place):
                raise CommandFailed(f"File {path} already exists")
            try:
                by = self._by("created")
                roads.enter(self._store, target, place, text, by, roads.FILE_THROUGH_MCP)
            except PathTaken:
                raise CommandFailed(f"File {path} already exists") from None
            return f"File created successfully at: {path}"

        return self._told(made)

    def str_replace(self, path: str, old: str, new: str) -> str:
        """Replace a text that occurs once."""
        return self._told(lambda: self._edited(path, lambda text: _replaced(path, text, old, new)))

    def insert(self, path: str, line: int, text: str) -> str:
        """Insert lines after line `line`."""
        return self._told(lambda: self._edited(path, lambda was: _inserted(path, was, line, text)))

    def delete(self, path: str) -> str:
        """Delete a file, or a folder with all below it."""

        def deleted() -> str:
            place = _placed(path)
            if place == "/":
                raise CommandFailed("Cannot delete the /memories directory itself")
            with self._home.database.atomic():
                memories = self._found(place)
                if not memories:
                    raise CommandFailed(f"The path {path} does not exist")
                for memory in memories:
                    self._refuse(memory)
                    sha, by = memory.content_sha256, self._by("deleted")
                    self._store.delete(memory.store_id, memory.id, if_sha256=sha, by=by)
            return f"Successfully deleted {path}"

        return self._told(deleted)

    def rename(self, old: str, new: str) -> str:
        """Move a file or a folder to a place where nothing is."""

        def renamed() -> str:
            source, target = _placed(old), _placed(new)
            if source == "/":
                raise CommandFailed("Cannot rename the /memories directory itself")
            with self._home.database.atomic():
                if target == "/" or self._found(target):
                    raise CommandFailed(f"The destination {new} already exists")
                memories = self._found(source)
                if not memories:
                    raise CommandFailed(f"The path {old} does not exist")
                if target.startswith(f"{source}/"):
                    raise CommandFailed(f"The path {old} cannot be moved into itself")
                for memory in memories:
                    self._refuse(memory)
                    self._store.update(
                        memory.store_id,
                        memory.id,
                        path=target + memory.path.removeprefix(source),
                        if_sha256=memory.content_sha256,
                        by=self._by("renamed"),
                    )
            return f"Successfully renamed {old} to {new}"

        return self._told(renamed)

    def clear(self) -> str:
        """Delete every file that a model may delete; what a person said or pinned stays."""

        def cleared() -> str:
            for memory in self._found("/"):
                if not protected(memory):
                    by = self._by("cleared")
                    self._store.delete(memory.store_id, memory.id, by=by)
            return "All memory cleared"

        return self._told(cleared)

    @property
    def _store(self) -> Store:
        return self._home.store

    def _by(self, did: str) -> Author:
        return Asker("python", agent=AGENT).author(f"{did} with the memory tool")

    def _told(self, command: Callable[[], str]) -> str:
        """What a command answers; the store's own refusals are failures of it, in its words."""
        try:
            with keeping.in_step(self._home):
                return command()
        except ReverieError as error:
            raise CommandFailed(error.message) from error

    def _view(self, path: str, lines: list[int] | None) -> str:
        place = _placed(path)
        memories = self._found(place)
        if place != "/" and not memories:
            raise CommandFailed(f"The path {path} does not exist. Please provide a valid path.")
        if len(memories) == 1 and memories[0].path == place:
            return _numbered(path, memories[0].content, lines)
        header = (
            f"Here're the files and directories up to 2 levels deep in {path},"
            " excluding hidden items:"
        )
        listed = [f"{size}\t{path}/{name}" for size, name in _listing(memories, place)]
        return "\n".join([header, f"{_FOLDER_SIZE}\t{path}", *listed])

    def _edited(self, path: str, edit: Callable[[str], tuple[str, str]]) -> str:
        """Write what `edit` makes of a file, again if somebody else was faster."""
        place = _placed(path)
        for _ in range(_TRIES):
            memories = self._found(place)
            if place == "/" or (memories and memories[0].path != place):
                raise CommandFailed(f"The path {path} is not a file.")
            if not memories:
                raise CommandFailed(f"The path {path} does not exist. Please provide a valid path.")
            self._refuse(memories[0])
            text, answer = edit(memories[0].content)
            by, road = self._by("edited"), roads.FILE_THROUGH_MCP
            try:
                roads.change(self._store, memories[0], text, by, road)
            except PreconditionFailed:
                continue
            except NotFound:
                raise CommandFailed(
                    f"The file {path} no longer exists"
                    " (may have been deleted or renamed concurrently)."
                ) from None
            return answer
        raise CommandFailed(f"The file {path} is being edited by others. View it again.")

    def _refuse(self, memory: Memory) -> None:
        if protected(memory):
            raise protection(memory)

    def _found(self, place: str) -> list[Memory]:
        """The file at a place, or all below it; nothing where the store is not there yet."""
        try:
            target = self._store.find_store(self._name).id
        except NotFound:
            return []
        if place == "/":
            return list(self._store.walk(target))
        try:
            return [self._store.get(target, place)]
        except NotFound:
            return list(self._store.walk(target, f"{place}/"))

    def _below(self, target: str, place: str) -> bool:
        entries: tuple[Entry | object, ...] = self._store.entries(
            target, f"{place}/", limit=1
        ).items
        return bool(entries)


def _placed(path: str) -> str:
    """The path of a memory; `/` for the root. Dots are resolved as on a disk."""
    if not path.startswith(ROOT):
        raise CommandFailed(f"Path must start with /memories, got: {path}")
    inside = posixpath.normpath("./" + path[len(ROOT) :].lstrip("/"))
    if inside == ".":
        return "/"
    if inside == ".." or inside.startswith("../"):
        raise CommandFailed(f"Path {path} would escape /memories directory")
    return f"/{inside}"


def _numbered(path: str, content: str, view: list[int] | None) -> str:
    lines, first = content.split("\n"), 1
    if view and len(view) == 2:
        first = max(1, view[0])
        lines = lines[first - 1 : None if view[1] == -1 else view[1]]
    shown = "\n".join(f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, first))
    return f"Here's the content of {path} with line numbers:\n{shown}"


def _listing(memories: list[Memory], place: str) -> Iterator[tuple[str, str]]:
    """Size and name of what lies in a folder and in those below it; hidden names are left out."""
    base = place.rstrip("/") + "/"
    parts = [(memory.path.removeprefix(base).split("/"), memory.size_bytes) for memory in memories]
    # As a folder is walked: by name, each folder before what is in it.
    shown: dict[tuple[str, ...], str] = {}
    for names, size in sorted(parts):
        for depth in range(1, min(len(names), _LEVELS) + 1):
            if not any(name.startswith(".") for name in names[:depth]):
                is_file = depth == len(names)
                shown.setdefault(tuple(names[:depth]), _size(size) if is_file else "")
    for names, size in sorted(shown.items()):
        yield (size, "/".join(names)) if size else (_FOLDER_SIZE, "/".join(names) + "/")


def _size(size: int) -> str:
    """`0B`, `9B`, `1.5K`, `4K`."""
    unit = 0
    shown = float(size)
    while shown >= 1024 and unit < 3:
        shown /= 1024
        unit += 1
    return f"{int(shown) if shown.is_integer() else f'{shown:.1f}'}{'BKMG'[unit]}"


def _replaced(path: str, content: str, old: str, new: str) -> tuple[str, str]:
    lines = list(_lines_with(content, old))
    if not lines:
        raise CommandFailed(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )
    if content.count(old) > 1:
        raise CommandFailed(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines:"
            f" {', '.join(map(str, lines))}. Please ensure it is unique"
        )
    text = content.replace(old, new)
    first, after = max(1, lines[0] - _AROUND), lines[0] + _AROUND
    shown = text.split("\n")[first - 1 : after]
    snippet = "\n".join(f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(shown, first))
    head = "The memory file has been edited. Here is the snippet showing the change"
    return text, f"{head} (with line numbers):\n{snippet}"


def _lines_with(content: str, old: str) -> Iterator[int]:
    """The line of each place at which a text stands, also of those that overlap."""
    line, counted, place = 1, 0, content.find(old)
    while place != -1:
        line += content.count("\n", counted, place)
        counted = place
        yield line
        place = content.find(old, place + 1)


def _inserted(path: str, content: str, line: int, text: str) -> tuple[str, str]:
    lines = content.removesuffix("\n").split("\n") if content else []
    if not 0 <= line <= len(lines):
        raise CommandFailed(
            f"Invalid `insert_line` parameter: {line}."
            f" It should be within the range [0, {len(lines)}]."
        )
    lines.insert(line, text.rstrip("\n"))
    whole = "\n".join(lines)
    return whole if whole.endswith("\n") else f"{whole}\n", f"The file {path} has been edited."
