"""Expiry: what says of itself from when on it no longer holds goes to the archive by then.

A note for others ("the workers are being rolled, until 13:36") must not be found at its place once
it is over, through whichever door somebody looks: then the next one takes the place.
"""

from collections.abc import Iterable
from contextlib import suppress

from reverie.errors import Archived, Conflict, NotFound, ReadOnly, Unavailable
from reverie.store.causes import Cause
from reverie.store.library import Item, Library
from reverie.store.model import Actor, Author
from reverie.store.store import Store

ACTOR = Actor("dream", "expiry")


def archive_expired(store: Store, over: Iterable[tuple[str, str]]) -> list[Item]:
    """Move those of the memories (store and id) that say when they expire to the archive, with the
    reason; what is pinned, or only found to hold no more, stays where it is."""
    now = store.context.clock()
    names = {info.id: info.name for info in store.stores()}
    gone: list[Item] = []
    for store_id, identity in over:
        # Somebody was quicker, or nothing can be written: who asks later looks again.
        with suppress(Conflict, NotFound, Archived, ReadOnly, Unavailable):
            item = Item(names[store_id], store.get(store_id, identity))
            if item.document.over_at and not item.document.pinned:
                subject = f"{item.store}:{item.memory.path}: it expired at {item.memory.valid_to}"
                cause = Cause("decayed", subject, batch=f"decay_{now:%Y%m%dT%H%M%SZ}")
                by = Author(ACTOR, cause.reason, item.memory.trust)
                gone.append(Library(store).archive(item, by))
    return gone
