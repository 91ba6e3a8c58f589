"""Unlearn one session: remove what came from it, redact what was written, and never read it again.

What it had superseded is right again: by the turn its last version names, or by a memory that says
something else about the same. It comes back unless something else in its store stands against it.

The log itself is the agent's and is not touched. What the truth holds goes in one transaction, what
the index holds in another together with the dailies, and at the end both are scrubbed once. A run
that was killed or met a reader of old pages is finished by repeating it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from reverie.db.database import Transaction
from reverie.documents.document import Document
from reverie.errors import Busy
from reverie.language.compare import relation
from reverie.learn.daily.dailies import Chronicler, days_of
from reverie.learn.memories import queue, quotes
from reverie.learn.memories.learnings import Learnings
from reverie.learn.memories.tombstones import Tombstones
from reverie.sessions import labels
from reverie.sessions.derived import forget_session
from reverie.sessions.index import Index
from reverie.store.heads import past_mentions
from reverie.store.library import ARCHIVE, Item, Library
from reverie.store.model import Actor, Author
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


def derived(store: Store, session: str) -> list[Item]:
    """Every memory that cites `session`."""
    return [
        item
        for info in store.stores(archived=True)
        for item in (Item(info.name, memory) for memory in store.walk(info.id))
        if any(_session_of(turn) == session for turn in item.document.evidence)
    ]


def _session_of(evidence: str) -> str:
    return evidence.rpartition("#")[0]


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
    gone: list[Item] = []
    weakened: list[Item] = []
    redacted = 0
    for item in derived(store, session):
        document = item.document
        rest = tuple(turn for turn in document.evidence if _session_of(turn) != session)
        if rest:
            support = len({_session_of(turn) for turn in rest})
            weaker = replace(
                document, evidence=rest, support=support, body=without(document, session)
            )
            store.update(item.store, item.memory.id, content=weaker.text(), by=by)
            weakened.append(item)
        else:
            store.delete(item.store, item.memory.id, by=by)
            gone.append(item)
        redacted += store.redact_history(item.store, item.memory.id, by)
    # Memories that cite it only in their past: deleted, moved or rewritten ones.
    for old in past_mentions(store.database, f"{session}#"):
        redacted += store.redact_history(*old, by)
    reviews = queue.forget_session(tx, session)
    labels.forget_session(tx, session)
    quotes.forget_session(tx, session)
    for forget in also:
        forget(tx, session, [item.name for item in gone])
    back = _bring_back(store, session, gone)
    deleted, weaker, restored = (
        tuple(f"{item.store}{item.memory.path}" for item in items)
        for items in (gone, weakened, back)
    )
    return Unlearned(session, deleted, weaker, restored, redacted, reviews, 0)


def _bring_back(store: Store, session: str, gone: Sequence[Item]) -> list[Item]:
    """Take out of the archive what was superseded by `session` alone; the latest word first."""
    reason = f"back, because {session}, which had superseded it, was unlearned"
    by = Author(Actor("user"), reason, valid_to="")
    back: list[Item] = []
    for name in [info.name for info in store.stores()]:
        waiting = list(_superseded(store, name, session, gone))
        waiting.sort(key=lambda item: (item.memory.valid_from or "", item.name), reverse=True)
        standing = Learnings(store, name) if waiting else None
        for item in waiting:
            lesson = item.document.description
            if standing and not standing.related(lesson):
                returned = Library(store, name).unarchive(item, by)
                standing.add(returned.memory.path, lesson)
                back.append(returned)
    return back


def _superseded(store: Store, name: str, session: str, gone: Sequence[Item]) -> Iterator[Item]:
    """The archived memories of a store that may have been superseded by what is gone."""
    for item in (Item(name, memory) for memory in store.walk(name, ARCHIVE)):
        cause = store.version(item.memory.version_id).cause
        if cause.kind == "superseded" and (
            _session_of(cause.subject) == session
            or any(_by(later, cause.subject, item) for later in gone)
        ):
            yield item


def _by(later: Item, what: str, item: Item) -> bool:
    """Whether that memory superseded this one: by name, or because it spoke of the same."""
    if what in (later.name, f"{later.store}:{later.name}"):
        return True
    alike = relation(later.document.description, item.document.description)
    return later.store == item.store and alike != "different"


def without(document: Document, session: str) -> str:
    """The body without the paragraphs that quote `session`."""
    kept: list[str] = []
    dropping = False
    for paragraph in document.body.split("\n\n"):
        dropping = session in paragraph or (dropping and paragraph.startswith(">"))
        if not dropping:
            kept.append(paragraph)
    return "\n\n".join(kept)
