"""What was written into a file of a mount becomes part of the store: as it is, merged, or beside.

A text that was edited while the store moved on is merged by lines with it. Where both changed the
same lines, or what both started from is gone, the store's text keeps its place and the edited one
becomes a memory of its own, named after it: nothing is thrown away.
"""

from typing import TYPE_CHECKING, NamedTuple

from reverie.errors import NotFound, PathTaken, PreconditionFailed
from reverie.mounts.merge import merge
from reverie.mounts.table import Shown
from reverie.store.chain import content_hash
from reverie.store.heads import came_to_say, text_with_hash
from reverie.store.model import Author, Memory
from reverie.store.store import Store
from reverie.trust import as_trusted

if TYPE_CHECKING:
    from reverie.store.roads import Entered

_TRIES = 20


class Outcome(NamedTuple):
    """The memory the file should show now, and what happened: pushed, merged, kept, known."""

    memory: Memory
    what: str
    beside: str = ""  # the path of the text that was kept beside
    lowered: bool = False  # the words were trusted more before


def take_in(store: Store, store_id: str, base: Shown, text: str, by: Author) -> Outcome:
    """Bring an edited text into the store, whatever happened there since `base`."""
    for _ in range(_TRIES):
        try:
            head = store.get(store_id, base.memory_id)
        except NotFound:
            # Deleted there, edited here: the edit is newer and is kept.
            return _create(store, store_id, base.path, text, by)
        if head.content == text:
            return Outcome(head, "known")
        try:
            return _onto(store, head, base, text, by)
        except PreconditionFailed:
            continue
    raise PreconditionFailed(f"{base.path} keeps being changed by others")


def _onto(store: Store, head: Memory, base: Shown, text: str, by: Author) -> Outcome:
    if head.content_sha256 == base.content_sha256:
        return _updated(store, head, text, by, "pushed")
    if _was_here(store, head.id, text, base.version):
        return Outcome(head, "known")
    start = _text_of(store, head.id, base)
    if start is not None:
        merged = merge(start, text, head.content)
        if merged.clean:
            return _updated(store, head, merged.text, by, "merged")
    return keep_beside(store, head, text, by)


def keep_beside(store: Store, head: Memory, text: str, by: Author) -> Outcome:
    """Keep `text` as a memory next to `head`; the same text is kept only once."""
    stem, dot, ending = head.path.rpartition(".")
    if not dot or "/" in ending:
        stem, dot, ending = head.path, "", ""
    mark = content_hash(text)[:8]
    cut = stem.encode()[: store.context.limits.max_path_bytes - 40].decode(errors="ignore")
    path = f"{cut}.conflict-{mark}{dot}{ending}"
    _enter(store, head.store_id, path, text, by)
    return Outcome(head, "kept", path)


def _create(store: Store, store_id: str, path: str, text: str, by: Author) -> Outcome:
    try:
        done = _enter(store, store_id, path, text, by)
    except PathTaken as error:
        return keep_beside(store, store.get(store_id, error.conflicting_memory_id), text, by)
    return Outcome(done.here, "pushed" if done.change == "created" else "known")


def _enter(store: Store, store_id: str, path: str, text: str, by: Author) -> "Entered":
    # Every command looks at mounts first, and hardly ever is there anything new in them.
    from reverie.store import roads

    return roads.enter(store, store_id, path, text, by, roads.MOUNTED)


def _updated(store: Store, head: Memory, text: str, by: Author, what: str) -> Outcome:
    from reverie.store import roads

    memory = roads.change(store, head, text, by, roads.MOUNTED)
    return Outcome(memory, what, lowered=not as_trusted(memory.trust, head.trust))


def _was_here(store: Store, memory_id: str, text: str, since: int) -> bool:
    """Is the text a later version already? Then a sync wrote it and died before it said so."""
    return came_to_say(store.database, memory_id, content_hash(text), since)


def _text_of(store: Store, memory_id: str, base: Shown) -> str | None:
    """The text both sides started from; `None` when it was redacted or pruned."""
    return text_with_hash(store.database, memory_id, base.content_sha256)
