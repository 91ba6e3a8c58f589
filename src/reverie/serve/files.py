"""The six file commands of the `memory` tool, on the stores of one project.

`/memories` lists the stores, `/memories/<store>/<path>` is a memory. The first component must be
the name of a store of this project; the rest is checked by the store's own path rules. An edit
carries the hash of what was read, so that two agents never overwrite each other unseen.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from reverie.errors import InvalidInput, InvalidPath, NotFound
from reverie.inert import inert, visible
from reverie.memory import Memory
from reverie.operations import reach
from reverie.serve.desk import Told, fitted

if TYPE_CHECKING:
    from reverie.operations.reach import Described
    from reverie.recall.ledger import LedgerEntry
    from reverie.store.model import Author
    from reverie.store.model import Memory as Head
    from reverie.store.store import Store

ROOT = "/memories"
MAX_LISTED = 500
MAX_REMOVED = 200


class Place(NamedTuple):
    """A path split at the store; `path` is `/` for the store itself."""

    store: str
    path: str


class MemoryFiles:
    """Runs the commands with the rights of whoever asks."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._commands: dict[str, Callable[[dict[str, Any]], str]] = {
            "create": self._create,
            "str_replace": self._str_replace,
            "insert": self._insert,
            "delete": self._delete,
            "rename": self._rename,
        }

    def run(self, arguments: dict[str, Any]) -> str:
        """Run a command that writes and say what it did; secrets are taken out by the store."""
        return self._commands[arguments["command"]](arguments)

    def view(self, arguments: dict[str, Any], room: int) -> Told:
        """A file, a folder or the stores, in at most `room` characters."""
        path = str(arguments.get("path", ROOT))
        if path.rstrip("/") == ROOT:
            lines = [f"Stores in {ROOT}:", *told_of(reach.described(self._memory))]
            return Told(fitted(lines, room)[0])
        place = _placed(path.rstrip("/"))
        if place.path == "/" or path.endswith("/"):
            return Told(fitted(self._listing(place), room, "; view a folder")[0])
        try:
            memory = self._get(place)
        except NotFound:
            return Told(fitted(self._listing(place), room, "; view a folder")[0])
        content = reach.readable_content(self._memory, place.store, memory)
        lines = _numbered(path, content, arguments.get("view_range"))
        text, _ = fitted(lines, room, "; use view_range", heads=1)
        return Told(text, (self._entry(place, memory, len(text)),))

    def _entry(self, place: Place, memory: "Head", characters: int) -> "LedgerEntry":
        from reverie.recall.ledger import LedgerEntry
        from reverie.store.library import Item

        item = Item(place.store, memory)
        return LedgerEntry("file", item.name, tuple(item.document.evidence), characters)

    def _listing(self, place: Place) -> list[str]:
        info = reach.find_store(self._memory, place.store)
        prefix = place.path if place.path == "/" else f"{place.path}/"
        paths = [*islice(_paths(reach.acting(self._memory), info.id, prefix), MAX_LISTED + 1)]
        if not paths and place.path != "/":
            raise NotFound(f"the path {_shown(place)} does not exist")
        lines = [f"Files in {_shown(place)}:"]
        lines += [f"{ROOT}/{place.store}{path}" for path in paths[:MAX_LISTED]]
        if len(paths) > MAX_LISTED:
            lines.append(f"(the first {MAX_LISTED}; view a folder to see more)")
        return lines

    def _create(self, arguments: dict[str, Any]) -> str:
        from reverie.store import roads

        place = _file(_needed(arguments, "path"))
        content = _needed(arguments, "file_text")
        info = reach.make_store(self._memory, place.store)
        acting, by = reach.acting(self._memory), self._by("created")
        roads.enter(acting, info.id, place.path, content, by, roads.FILE_THROUGH_MCP)
        return f"File created at {_shown(place)}"

    def _str_replace(self, arguments: dict[str, Any]) -> str:
        place = _file(_needed(arguments, "path"))
        old = _needed(arguments, "old_str")
        memory = self._get(place)
        count = memory.content.count(old) if old else 0
        if count != 1:
            raise InvalidInput(
                f"old_str occurs {count} times in {_shown(place)}",
                hint="it has to occur exactly once: give more of the text around it",
            )
        new = str(arguments.get("new_str", ""))
        return self._write(place, memory, memory.content.replace(old, new))

    def _insert(self, arguments: dict[str, Any]) -> str:
        from reverie.documents.frontmatter import lines_of

        place = _file(_needed(arguments, "path"))
        line = int(_needed(arguments, "insert_line"))
        memory = self._get(place)
        lines = list(lines_of(memory.content))
        if line > len(lines):
            raise InvalidInput(f"insert_line {line} is beyond the {len(lines)} lines of the file")
        text = _needed(arguments, "insert_text")
        if line and not lines[line - 1].endswith("\n"):
            lines[line - 1] += "\n"
        lines.insert(line, text if text.endswith("\n") else f"{text}\n")
        return self._write(place, memory, "".join(lines))

    def _write(self, place: Place, memory: "Head", content: str) -> str:
        from reverie.store import roads

        acting = reach.acting(self._memory)
        roads.change(acting, memory, content, self._by("edited"), roads.FILE_THROUGH_MCP)
        return f"The file {_shown(place)} has been edited"

    def _delete(self, arguments: dict[str, Any]) -> str:
        place = _file(_needed(arguments, "path"))
        info = reach.find_store(self._memory, place.store)
        store = reach.acting(self._memory)
        try:
            memory = self._get(place)
        except NotFound:
            below = list(store.walk(info.id, f"{place.path}/"))
            if not below:
                raise
            if len(below) > MAX_REMOVED:
                raise InvalidInput(
                    f"{_shown(place)} holds {len(below)} memories; delete at most {MAX_REMOVED}"
                ) from None
            for each in below:
                store.refuse_protected(each)
            for each in below:
                store.delete(
                    info.id, each.id, if_sha256=each.content_sha256, by=self._by("deleted")
                )
            return f"Deleted {_shown(place)} with {len(below)} memories"
        store.delete(info.id, memory.id, if_sha256=memory.content_sha256, by=self._by("deleted"))
        return f"Deleted {_shown(place)}"

    def _rename(self, arguments: dict[str, Any]) -> str:
        source = _file(_needed(arguments, "old_path"))
        target = _file(_needed(arguments, "new_path"))
        if source.store != target.store:
            raise InvalidInput("a memory cannot be renamed into another store")
        memory = self._get(source)
        reach.acting(self._memory).update(
            memory.store_id,
            memory.id,
            path=target.path,
            if_sha256=memory.content_sha256,
            by=self._by("renamed"),
        )
        return f"Renamed {_shown(source)} to {_shown(target)}"

    def _by(self, did: str) -> "Author":
        return self._memory.asker.author(f"{did} through MCP")

    def _get(self, place: Place) -> "Head":
        info = reach.find_store(self._memory, place.store)
        try:
            return reach.acting(self._memory).get(info.id, place.path)
        except NotFound:
            raise NotFound(f"the path {_shown(place)} does not exist") from None


def _paths(store: "Store", store_id: str, prefix: str) -> Iterator[str]:
    page: str | None = None
    while True:
        listing = store.entries(store_id, prefix, limit=100, page=page)
        yield from (item.path for item in listing.items)
        if (page := listing.next_page) is None:
            return


def told_of(stores: "Iterable[Described]") -> Iterator[str]:
    """One line for each store: where it is, what it is for, and how it is to be used."""
    for store in stores:
        only = " (read-only)" if store.access == "read_only" else ""
        words = " ".join(" ".join((store.description, *store.instructions)).split())
        yield f"{ROOT}/{store.name}/{only}" + (f": {inert(words)}" if words else "")


def _placed(path: str) -> Place:
    """Split a path at the store; nothing of it is normalised."""
    root, _, rest = path.removeprefix("/").partition("/")
    if not path.startswith("/") or f"/{root}" != ROOT:
        raise InvalidPath(f"a path starts with {ROOT}/")
    store, _, name = rest.partition("/")
    if not store:
        raise InvalidPath(f"a path names a store: {ROOT}/<store>/…")
    return Place(store, f"/{name}")


def _file(path: str) -> Place:
    place = _placed(path)
    if place.path == "/":
        raise InvalidPath("a store as a whole cannot be changed here")
    return place


def _shown(place: Place) -> str:
    return f"{ROOT}/{place.store}{place.path}"


def _needed(arguments: dict[str, Any], key: str) -> str:
    if key not in arguments:
        raise InvalidInput(f"{arguments['command']} needs {key}")
    return str(arguments[key])


def _numbered(path: str, content: str, view: list[int] | None) -> list[str]:
    lines = content.split("\n")
    first, last = 1, len(lines)
    if view is not None:
        if len(view) != 2 or view[0] < 1 or (view[1] != -1 and view[1] < view[0]):
            raise InvalidInput("view_range is [first, last], from 1, with -1 for the end")
        first, last = view[0], len(lines) if view[1] == -1 else min(view[1], len(lines))
    # As it stands, for an edit names its words exactly; only what is no text is shown by number.
    shown = (
        f"{number:6d}\t{visible(line.removesuffix(chr(13)))}"
        for number, line in enumerate(lines[first - 1 : last], start=first)
    )
    return [f"Content of {path} with line numbers:", *shown]
