"""Joining: when one project becomes part of another, all that was learned in it moves along.

Memories, reviews and recalls are the truth's and move in one transaction; what the index derived
moves in the caller's, and diaries and dailies are then written from it as `learn` writes them. The
caller commits last, so a run that was killed is repeated and finds the rest.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from reverie.db.database import Database, Transaction
from reverie.documents.document import load
from reverie.learn.daily.dailies import Chronicler
from reverie.learn.diary.diaries import Diarist
from reverie.learn.diary.diary import diary_from
from reverie.learn.memories.queue import Queue
from reverie.learn.memories.queue import join_projects as join_reviews
from reverie.mounts.table import mounts
from reverie.sessions.derived import Chosen, join_projects
from reverie.sessions.diaries import diaries, replace_diaries
from reverie.sessions.query import join_sessions
from reverie.store import roads
from reverie.store.library import INDEX
from reverie.store.model import Actor, ActorFilter, Author, Memory, Version
from reverie.store.store import Store

Follows = Callable[[Transaction, str, str], None]  # told who is gone and who is kept


@dataclass(frozen=True, slots=True)
class Joined:
    """What moved."""

    sessions: int
    memories: int = 0
    diaries: int = 0
    folders: tuple[str, ...] = ()  # that still show the store that is empty now


def join_rows(database: Database, gone: str, kept: str) -> Joined:
    """Move what the index knows of a project; the caller owns the transaction."""
    rows = diaries(Chosen(database), project=gone)
    sessions = join_sessions(database, gone, kept)
    join_projects(database, gone, kept)
    for session in sorted({row.session for row in rows}):
        session_rows = diaries(Chosen(database, (session,)))
        data = [replace(diary_from(row.data), project=kept).dumps() for row in session_rows]
        joined = [replace(row, data=text) for row, text in zip(session_rows, data, strict=True)]
        replace_diaries(database, session, joined)
    return Joined(sessions, diaries=len(rows))


def join(database: Database, store: Store, gone: str, kept: str, also: Iterable[Follows]) -> Joined:
    """Move all of a project, in both databases; the caller commits the index.

    `also` are those who keep the project's name in tables of their own.
    """
    rows = diaries(Chosen(database), project=gone)
    joined = join_rows(database, gone, kept)
    moved = store.database.run(lambda tx: _move(store, tx, gone, kept, also))
    diarist = Diarist(store)
    for session in sorted({row.session for row in rows}):
        diarist.publish(database, session)
    queue = Queue(store.database, store.context.clock)
    Chronicler(store, queue).write(database, {row.day for row in rows})
    return replace(joined, memories=moved, folders=_close(store, gone))


def _move(store: Store, tx: Transaction, gone: str, kept: str, also: Iterable[Follows]) -> int:
    """The memories of one store into the other, and whatever points at them."""
    moved: dict[str, str] = {}
    if gone in {info.name for info in store.stores()}:
        store.ensure_store(kept)
        by = Author(Actor("user"), f"{gone} is part of {kept} now")
        for memory in list(store.walk(gone)):
            last = store.version(memory.version_id)
            # A derived diary is written anew; the index file is made from what there is.
            derived = memory.path.startswith("/diary/") and last.cause.kind == "diary"
            if not derived and memory.path != INDEX:
                moved[memory.id] = _moved(store, memory, gone, kept, last).id
            store.delete(gone, memory.id, by=by)
    join_reviews(tx, gone, kept, moved)
    for follow in also:
        follow(tx, gone, kept)
    return len(moved)


def _moved(store: Store, memory: Memory, gone: str, kept: str, last: Version) -> Memory:
    """A memory in its new store: the same words, trust, dates and last reason.

    What a person ever had in hand stays theirs; by moving it they did not write it.
    """
    theirs = store.versions(gone, memory.id, actors=[ActorFilter(("user",))], limit=1).items
    document = load(memory.content, path=memory.path)
    scoped = not document.problem and document.scope == gone
    text = replace(document, scope=kept).text() if scoped else memory.content
    by = Author(
        actor=Actor("user") if theirs else last.actor,
        reason=f"{last.reason} (moved from {gone})".lstrip(),
        trust=memory.trust,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
    )
    return roads.enter(store, kept, memory.path, text, by, roads.JOINED).here


def _close(store: Store, gone: str) -> tuple[str, ...]:
    """Archive the store that is empty now, unless a folder shows it; those folders."""
    shown: tuple[str, ...] = ()
    for info in store.stores():
        if info.name == gone:
            shown = tuple(mount.folder for mount in mounts(store, info.id))
            if not shown:
                store.archive_store(info.id)
    return shown
