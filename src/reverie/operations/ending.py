"""Ending: a word that something is mended, or not needed any more, retires what it ends.

Also any later word that contradicts an earlier one. What is pinned, or trusted more than whoever
asks, stays.
"""

from collections.abc import Callable

from reverie.documents.vocabulary import GLOBAL
from reverie.errors import NotFound, NotWorthKeeping
from reverie.home import Home
from reverie.language.compare import is_ending
from reverie.learn.memories.writing import Ending, Writer
from reverie.operations import keeping, reach
from reverie.operations.remembering import Remembered
from reverie.store.library import Item


def remembered(home: Home, text: str, remember: Callable[[], Remembered]) -> Remembered:
    """What `remember` wrote of `text`, after what it ends was retired.

    Raises:
        NotWorthKeeping: it is not kept; what it ends is over all the same, and the message says so.
    """
    try:
        done = remember()
    except NotWorthKeeping as refusal:
        over = end(home, home.project or GLOBAL, text, "a word that was not kept")
        if not over:
            raise
        names = ", ".join(item.name for item in over)
        raise NotWorthKeeping(
            f"{refusal.message}; what it ends went to the archive: {names}", hint=refusal.hint
        ) from None
    if not done.created:
        return done
    description = done.item.document.description
    return done._replace(
        ended=tuple(end(home, done.store, description, done.item.name, everything=True))
    )


def end(home: Home, store: str, text: str, where: str, *, everything: bool = False) -> list[Item]:
    """Archive what a word of whoever asks ends in a store; with `everything`, what it replaces."""
    if not everything and not is_ending(text):
        return []
    acting = reach.acting(home)
    try:
        acting.find_store(store)
    except NotFound:
        return []
    writer = Writer(acting, home.queue)
    by = home.asker.author("said to be over")._replace(valid_from=home.now)
    with keeping.in_step(home):
        return writer.end(Ending(store, text, where, by))
