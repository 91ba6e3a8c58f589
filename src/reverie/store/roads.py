"""Roads: the one place where words from anywhere become a memory of a store, or change one.

Said at a keyboard or through MCP, learned, accepted, dreamt, imported, written into a mounted
folder or moved along with a project: in what these differ is one value each, side by side. What no
road can leave out (secrets, sizes, paths, rights, the chain) is the store's own.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Literal, NamedTuple

from reverie.documents.document import Document, parse, without_claims, without_grounds
from reverie.documents.exclusions import Exclusion, why_not
from reverie.errors import NotFound, PathTaken
from reverie.store.chain import content_hash
from reverie.store.library import Library
from reverie.store.model import Author, Memory
from reverie.store.paths import numbered
from reverie.store.store import Store

# What is known already and not written twice: a memory of the same description; the same text under
# the name it would get; a text that the store held in any version.
Known = Literal["nothing", "description", "text", "ever"]


class Road(NamedTuple):
    """Which checks hold on one way into a store, and what happens if its place is taken."""

    excluded: bool = False  # what code or git say, and no reason speaks for, is left out
    known: Known = "nothing"
    made: bool = False  # a store that is not there is made
    names: int = 1  # that are tried, `name`, `name-2`, …, before it is refused
    renamed: bool = False  # a document bears the name it got
    marked: bool = False  # the last name tried ends with a digest of the text
    claims: bool = True  # a file is believed what it says of itself: its trust, a pin, its sources


SAID = Road(excluded=True, known="description", names=50, renamed=True)
FILE_THROUGH_MCP = Road(claims=False)
LEARNED = Road(excluded=True, names=18, renamed=True, marked=True)
DREAMT = Road(names=48, renamed=True)
DREAMT_APART = Road(known="text", names=99, renamed=True)
IMPORTED = Road(excluded=True, known="ever", made=True, names=50)
MOUNTED = Road(known="text", claims=False)
JOINED = Road(known="text", names=99)


class Entered(NamedTuple):
    """What became of words that came in, and the memory that says them, if there is one still."""

    memory: Memory | None
    change: Literal["created", "updated", "known"]

    @property
    def here(self) -> Memory:
        """The memory that says them.

        Raises:
            NotFound: they were known once, and no memory says them any more.
        """
        if self.memory is None:
            raise NotFound("no memory says this any more")
        return self.memory


def excluded(road: Road, rule: str, why: str = "", *, instructions: str = "") -> Exclusion | None:
    """Why a rule is not worth keeping on this road; `instructions` are said to all sessions."""
    if not road.excluded:
        return None
    return why_not(f"{rule} because {why}" if why else rule, instructions=instructions)


def enter(
    store: Store,
    target: str,
    path: str,
    content: Document | str,
    by: Author,
    road: Road,
    *,
    earlier: Callable[[Memory], bool] | None = None,
) -> Entered:
    """Write a new memory into the store `target`, at `path` or the first free name after it.

    Args:
        earlier: Whether what stands at a place is an earlier state of this, to be written over.

    Raises:
        PathTaken: its place, and every other name the road allows, is taken.
    """
    if isinstance(content, str) and not road.claims:
        content = _without_claims(content, by, path)
    if road.made:
        store.ensure_store(target)
    if road.known != "description":
        return _enter(store, target, path, content, by, road, earlier)
    with store.database.atomic() as tx:  # who says the same at the same moment finds it
        tx.lock("said")
        return _enter(store, target, path, content, by, road, earlier)


def _enter(
    store: Store,
    target: str,
    path: str,
    content: Document | str,
    by: Author,
    road: Road,
    earlier: Callable[[Memory], bool] | None,
) -> Entered:
    if (before := _known(store, target, content, road)) is not None:
        return before
    taken: PathTaken | None = None
    for place, text in _places(path, content, road):
        try:
            return Entered(store.create(target, place, text, by), "created")
        except PathTaken as error:
            taken = error
        if taken.conflicting_path != place:
            continue
        there = store.get(target, place)
        if road.known == "text" and there.content == text:
            return Entered(there, "known")
        if earlier is not None and earlier(there):
            written = store.update(target, there.id, content=text, if_version=there.version, by=by)
            return Entered(written, "updated")
    if taken is not None and road.names == 1:
        raise taken
    raise PathTaken(
        f"there are {road.names} memories named {path.strip('/')} already",
        hint="give it another name",
    )


def change(
    store: Store, memory: Memory, text: str, by: Author, road: Road, *, path: str | None = None
) -> Memory:
    """Write a memory anew, and perhaps at another place, if nobody has since it was read.

    Raises:
        PreconditionFailed: somebody has.
        PathTaken: another memory is at that place.
    """
    if not road.claims:
        text = _without_claims(text, by, memory.path, memory.content)
    moved = path is not None and text == memory.content
    return store.update(
        memory.store_id,
        memory.id,
        content=None if moved else text,
        path=path,
        if_sha256=memory.content_sha256,
        by=by,
    )


def _without_claims(text: str, by: Author, path: str, before: str = "") -> str:
    text = without_claims(text, by.trust, path=path, before=before)
    return text if by.trust == "user" else without_grounds(text, path=path, before=before)


def _known(store: Store, target: str, content: Document | str, road: Road) -> Entered | None:
    if road.known == "description" and isinstance(content, Document):
        wanted = content.description.casefold()
        for item in Library(store).documents(target):
            if item.document.description.casefold() == wanted:
                return Entered(item.memory, "known")
    if road.known == "ever" and isinstance(content, str):
        # An import that was undone does not count.
        causes = store.last_causes(store.find_store(target).id, content_hash(content))
        if any(cause.kind != "import undone" for cause in causes):
            return Entered(None, "known")
    return None


def _places(path: str, content: Document | str, road: Road) -> Iterator[tuple[str, str]]:
    """The paths to try, each with the text for it."""
    folder, slash, file = path.rpartition("/")
    stem, dot, ending = file.rpartition(".") if "." in file else (file, "", "")
    start, end = f"{folder}{slash}{stem}", f"{dot}{ending}"
    places = list(islice(numbered(start, end), road.names))
    if road.marked:
        whole = content if isinstance(content, str) else content.text()
        places.append(f"{start}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}{end}")
    for place in places:
        if place == path or not road.renamed:
            yield place, content if isinstance(content, str) else content.text()
        else:
            document = parse(content, path=path) if isinstance(content, str) else content
            yield place, replace(document, name=place.strip("/").removesuffix(".md")).text()
