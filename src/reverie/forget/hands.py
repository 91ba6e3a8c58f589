"""What a person did with a memory, by its versions: wrote it, held on to it, let it age again."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reverie.documents.document import load
from reverie.forget.pins import claim
from reverie.store.library import Item
from reverie.store.model import ActorFilter, Version
from reverie.store.store import Store

_PERSON = ActorFilter(("user",))


class Hands(NamedTuple):
    """What became of one memory in a person's hands."""

    touched: str = ""  # the day they last wrote, edited or restored it
    wrote: bool = False  # its words are theirs, and they did not let go of it since
    released: bool = False  # their last word was that it may age
    unpinned: bool = False  # at any time: no rule pins it again


NONE = Hands()


def hands(store: Store, items: Sequence[Item]) -> dict[str, Hands]:
    """Memory id → what a person did, of those a person had in hand at all."""
    touched = {
        version.memory_id
        for store_id in sorted({item.memory.store_id for item in items})
        for version in _versions(store, store_id, None)
    }
    return {
        item.memory.id: _hands(list(_versions(store, item.memory.store_id, item.memory.id)))
        for item in items
        if item.memory.id in touched
    }


def _hands(history: Sequence[Version]) -> Hands:
    """From the whole history of a memory, newest first."""
    by_user = [place for place, version in enumerate(history) if version.actor.kind == "user"]
    wrote = next((place for place in by_user if _new_words(history, place)), len(history))
    released = [place for place in by_user if history[place].cause.kind == "unpinned"]
    return Hands(
        touched=history[by_user[0]].created_at[:10],
        wrote=wrote < min(released, default=len(history)),
        released=bool(released) and released[0] < wrote,
        unpinned=bool(released),
    )


def _new_words(history: Sequence[Version], place: int) -> bool:
    """Whether a version says something else than the one before it, and nobody else said it."""
    version = history[place]
    if version.cause.kind == "imported":
        return False
    before = history[place + 1] if place + 1 < len(history) else None
    return _claim(version) != (_claim(before) if before is not None else "")


def _claim(version: Version) -> str:
    return claim(load(version.content or "", path=version.path or "/redacted.md"))


def _versions(store: Store, store_id: str, memory: str | None) -> Iterator[Version]:
    """Those of a memory, or those of a whole store that a person made; newest first."""
    page: str | None = None
    while True:
        actors = (_PERSON,) if memory is None else ()
        answer = store.versions(store_id, memory, actors=actors, page=page)
        yield from answer.items
        page = answer.next_page
        if page is None:
            return
