"""Joining: when one project becomes part of another, all that was learned in it moves along.

Memories, reviews and recalls are the truth's and move in one transaction; what the index derived
moves in the caller's, and diaries and dailies are then written from it as `learn` writes them. The
caller commits last, so a run that was killed is repeated and finds the rest.
"""

import json
import sqlite3
from dataclasses import dataclass, replace
from itertools import islice

from reverie.db.database import Transaction
from reverie.documents.document import load
from reverie.errors import PathTaken
from reverie.learn.daily.dailies import Chronicler
from reverie.learn.diary.diaries import Diarist
from reverie.learn.diary.diary import diary_from
from reverie.learn.diary.invariants import dumped
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.queue import Queue
from reverie.mounts.table import mounts
from reverie.sessions.diaries import diaries, replace_diaries
from reverie.store.library import INDEX
from reverie.store.model import Actor, Author, Memory
from reverie.store.paths import numbered
from reverie.store.store import Store

# Those of `index.db` that name a project, besides the diaries.
_TABLES = (
    "sessions", "corrections", "remarks", "fixes", "traces", "standing_rules", "unlearned",
)  # fmt: skip
TRIES = 100


@dataclass(frozen=True, slots=True)
class Joined:
    """What moved."""

    sessions: int
    memories: int = 0
    diaries: int = 0
    folders: tuple[str, ...] = ()  # that still show the store that is empty now


def join_rows(connection: sqlite3.Connection, gone: str, kept: str) -> Joined:
    """Move what the index knows of a project; the caller owns the transaction."""
    made = {
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    moved = {
        table: connection.execute(
            f"UPDATE {table} SET project = ? WHERE project = ?", (kept, gone)
        ).rowcount
        for table in _TABLES
        if table in made
    }
    told = diaries(connection, project=gone) if "diaries" in made else []
    for session in sorted({row.session for row in told}):
        rows = [
            replace(
                row,
                project=kept,
                data=dumped(replace(diary_from(json.loads(row.data)), project=kept)),
            )
            for row in diaries(connection, session=session)
        ]
        replace_diaries(connection, session, rows)
    return Joined(moved["sessions"], diaries=len(told))


def join(connection: sqlite3.Connection, store: Store, gone: str, kept: str) -> Joined:
    """Move all of a project, in both databases; the caller commits the index."""
    made = "SELECT 1 FROM sqlite_master WHERE name = 'diaries'"
    rows = diaries(connection, project=gone) if connection.execute(made).fetchone() else []
    joined = join_rows(connection, gone, kept)
    moved = store.database.run(lambda tx: _move(store, tx, gone, kept))
    diarist = Diarist(store)
    for session in sorted({row.session for row in rows}):
        diarist.publish(connection, session)
    queue = Queue(store.database, store.context.clock)
    Chronicler(store, queue).write(connection, {row.day for row in rows})
    return replace(joined, memories=moved, folders=_close(store, gone))


def _move(store: Store, tx: Transaction, gone: str, kept: str) -> int:
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
                moved[memory.id] = _moved(store, memory, gone, kept, last.reason).id
            store.delete(gone, memory.id, by=by)
    _repoint(tx, moved, gone, kept)
    return len(moved)


def _moved(store: Store, memory: Memory, gone: str, kept: str, reason: str) -> Memory:
    """A memory in its new store: the same words, trust, dates and last reason."""
    document = load(memory.content, path=memory.path)
    scoped = not document.problem and document.scope == gone
    text = replace(document, scope=kept).text() if scoped else memory.content
    by = Author(
        actor=Actor("user"),
        reason=f"{reason} (moved from {gone})".lstrip(),
        trust=memory.trust,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
    )
    stem, dot, suffix = memory.path.rpartition(".")
    for path in islice(numbered(stem, dot + suffix), TRIES - 1):
        try:
            return store.create(kept, path, text, by)
        except PathTaken as error:
            if error.conflicting_path == path and store.get(kept, path).content == text:
                return store.get(kept, path)
    raise PathTaken(f"there are {TRIES} memories like {memory.path} in {kept}")


def _repoint(tx: Transaction, moved: dict[str, str], gone: str, kept: str) -> None:
    """Reviews, recalls and open proposals of the project that is gone."""
    for identity, text, memory in tx.execute("SELECT id, candidate, memory_id FROM reviews"):
        candidate = Candidate.loads(text)
        if candidate.project == gone:
            tx.execute(
                "UPDATE reviews SET candidate = ?, memory_id = ? WHERE id = ?",
                (replace(candidate, project=kept).dumps(), moved.get(memory, memory), identity),
            )
    tx.execute("UPDATE recalls SET project = ? WHERE project = ?", (kept, gone))
    for proposal, identity, change in tx.execute(
        "SELECT proposal, id, change FROM proposal_changes WHERE status = 'pending'"
    ):
        if json.loads(change)["store"] == gone:
            tx.execute(
                "UPDATE proposal_changes SET status = 'replaced' WHERE proposal = ? AND id = ?",
                (proposal, identity),
            )


def _close(store: Store, gone: str) -> tuple[str, ...]:
    """Archive the store that is empty now, unless a folder shows it; those folders."""
    found = [info for info in store.stores() if info.name == gone]
    if not found:
        return ()
    shown = tuple(mount.folder for mount in mounts(store, found[0].id))
    if not shown:
        store.archive_store(found[0].id)
    return shown
