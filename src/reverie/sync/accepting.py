"""Accepting: what another person wrote becomes the word of this one."""

from reverie.db.database import Transaction
from reverie.documents.document import with_trust
from reverie.store.arrivals import Change, Pen
from reverie.store.context import Context
from reverie.store.model import Author
from reverie.store.writing import State
from reverie.sync.facts import facts_of, kept
from reverie.sync.forgetting import Away
from reverie.sync.history import merged_state, state_of
from reverie.sync.sameness import say_the_same
from reverie.sync.settling import Settling


def accept_waiting(
    context: Context, tx: Transaction, state: State, person: str, memory: str, by: Author
) -> bool:
    """Make what others wrote and this person has not taken over the last word; False if nothing is.

    Where both changed the same lines theirs stand, and the person's own are in the history.
    """
    facts = facts_of(kept(tx.execute, [memory])[memory])
    held, whole = state_of(facts), merged_state(facts)
    if not held.waiting:
        return False
    content, path = whole.content, whole.path
    if whole.beside:
        waiting = facts[held.waiting[-1]]
        content, path = waiting.content or content, waiting.path or path
    live = content is not None and path is not None
    pen = Pen(context, tx, state)
    change = Change(
        context.id("memver"),
        memory,
        whole.tips,
        "modified" if live else "deleted",
        path if live else held.path,
        with_trust(content, by.trust, path=path) if content is not None and path else None,
        (by.actor.kind, by.actor.id),
        by.reason,
        by.trust,
        whole.valid_from,
        whole.valid_to,
        context.now(),
    )
    pen.write(change, None)
    away = Away(tx, context.database, state.name)
    Settling(tx, pen, person, away, say_the_same).settle([memory], lambda: None)
    pen.finish()
    return True
