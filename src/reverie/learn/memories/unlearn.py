"""Unlearn one session: remove what came from it, redact what was written, and never read it again.

The log itself is the agent's and is not touched. What the truth holds goes in one transaction, what
the index holds in another together with the dailies, and at the end both are scrubbed once. A run
that was killed or met a reader of old pages is finished by repeating it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from reverie.db.database import Transaction
from reverie.documents.document import Document, load
from reverie.errors import Busy
from reverie.learn.daily.dailies import Chronicler, days_of
from reverie.learn.memories import queue, quotes
from reverie.learn.memories.returning import Gone, bring_back
from reverie.learn.memories.tombstones import Tombstones
from reverie.sessions import labels
from reverie.sessions.derived import forget_session
from reverie.sessions.index import Index
from reverie.store.heads import past_mentions
from reverie.store.library import stem
from reverie.store.model import Actor, Author, Memory
from reverie.store.store import Store

# Told the session, and the names of the memories that went with it.
Forgets = Callable[[Transaction, str, Sequence[str]], None]


@dataclass(frozen=True, slots=True)
class Unlearned:
    """What was removed."""

    session: str
    deleted: tuple[str, ...]  # memories that rested on this session alone
    weakened: tuple[str, ...]  # memories that lost one of their sources
    restored: tuple[str, ...]  # memories that only this session had superseded
    redacted: int  # versions
    reviews: int
    turns: int
    copies: int = 0  # kept copies of its log


@dataclass(frozen=True, slots=True)
class Derived:
    """What rests on a session."""

    session: str  # its key
    memories: tuple[str, ...]  # store and path of each


def derived(store: Store, session: str) -> list[tuple[str, Memory, Document]]:
    """Every memory that cites `session`: store name, memory, document."""
    found: list[tuple[str, Memory, Document]] = []
    for info in store.stores(archived=True):
        for memory in store.walk(info.id):
            document = load(memory.content, path=memory.path)
            if any(cites(item, session) for item in document.evidence):
                found.append((info.name, memory, document))
    return found


def cites(evidence: str, session: str) -> bool:
    return evidence.rpartition("#")[0] == session


def unlearn(
    store: Store,
    index: Index,
    chronicler: Chronicler,
    tombstones: Tombstones,
    session: str,
    reason: str,
    also: Iterable[Forgets],
) -> Unlearned:
    """Remove everything derived from `session`.

    `also` are those who keep words of it in tables of their own. The caller deletes the kept copy,
    and then calls `scrub`: the words are still in free pages.
    """
    tombstones.bury(session, store.context.redact(reason))
    by = Author(actor=Actor("user"), reason=f"unlearned {session}: {reason}")
    done = store.database.run(lambda tx: _forget(store, tx, session, by, also))
    with index.atomic() as database:
        days = days_of(database, session)
        forget_session(database, session)
        # Before the index forgets which days they were.
        chronicler.rewrite(database, days, by.reason)
    return replace(done, turns=index.remove_session(session))


def scrub(store: Store, index: Index, session: str) -> None:
    """Overwrite what the removed words left in the files of both databases.

    Raises:
        Busy: somebody still reads old pages of one of them; the other one is clean all the same.
    """
    busy: list[str] = []
    for database in (index, store):
        try:
            database.scrub()
        except Busy as error:
            busy.append(error.message)
    if busy:
        raise Busy(
            f"{session} is unlearned, but its words are not overwritten yet: {'; '.join(busy)}",
            hint=f"`reverie unlearn {session}` finishes it when other Reverie processes are idle",
        )


def _forget(
    store: Store, tx: Transaction, session: str, by: Author, also: Iterable[Forgets]
) -> Unlearned:
    """Everything the truth holds of the session, inside one transaction."""
    gone: list[Gone] = []
    deleted: list[str] = []
    weakened: list[str] = []
    redacted = 0
    for name, memory, document in derived(store, session):
        rest = tuple(item for item in document.evidence if not cites(item, session))
        if rest:
            sessions = {item.rpartition("#")[0] for item in rest}
            weaker = replace(
                document, evidence=rest, support=len(sessions), body=without(document, session)
            )
            store.update(name, memory.id, content=weaker.text(), by=by)
            weakened.append(f"{name}{memory.path}")
        else:
            store.delete(name, memory.id, by=by)
            deleted.append(f"{name}{memory.path}")
            gone.append(Gone(name, stem(memory.path), document.description))
        redacted += store.redact_history(name, memory.id, by)
    # Memories that cite it only in their past: deleted, moved or rewritten ones.
    for old in past_mentions(store.database, f"{session}#"):
        redacted += store.redact_history(*old, by)
    reviews = queue.forget_session(tx, session)
    labels.forget_session(tx, session)
    quotes.forget_session(tx, session)
    for forget in also:
        forget(tx, session, [one.name for one in gone])
    reason = f"back, because {session}, which had superseded it, was unlearned"
    back = bring_back(store, session, gone, reason)
    restored = tuple(f"{item.store}{item.memory.path}" for item in back)
    return Unlearned(session, tuple(deleted), tuple(weakened), restored, redacted, reviews, 0)


def without(document: Document, session: str) -> str:
    """The body without the paragraphs that quote `session`."""
    paragraphs = document.body.split("\n\n")
    kept: list[str] = []
    dropping = False
    for paragraph in paragraphs:
        if session in paragraph:
            dropping = True
            continue
        if dropping and paragraph.startswith(">"):
            continue
        dropping = False
        kept.append(paragraph)
    return "\n\n".join(kept)
