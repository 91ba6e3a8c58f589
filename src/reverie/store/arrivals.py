"""Arrivals: versions of other homes in the tables of the store, and what a history is read from.

Whoever exchanges with other homes decides (`reverie.sync`); here is what that asks of the tables. A
version of another home keeps what it is; its place in the chain is this home's.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from reverie.db.database import Row, Transaction
from reverie.store import chain, paths, search
from reverie.store.context import Context, Execute
from reverie.store.model import Actor, ActorKind, Memory, Operation, Version
from reverie.store.rows import VERSION_COLUMNS, VERSION_WIDTH, sealed
from reverie.store.seals import END
from reverie.store.writing import State
from reverie.trust import Trust

MERGED = "merged"  # the origin of what a home made from several versions, for itself
HISTORY_COLUMNS = (
    "memory_id, id, number, parents, origin, operation, path, content, actor_kind, actor_id,"
    " reason, trust, valid_from, valid_to, created_at, redacted_at, sequence"
)
_INSERT = (
    f"INSERT INTO versions ({VERSION_COLUMNS}, salt, body, previous, commitment, parents, origin)"
    f" VALUES ({', '.join('?' * (VERSION_WIDTH + 6))})"
)
_CHUNK = 400


class Change(NamedTuple):
    """One version on its way; without content it is a deletion, or was redacted."""

    id: str
    memory: str
    parents: tuple[str, ...]
    operation: Operation
    path: str | None
    content: str | None
    actor: tuple[ActorKind, str]
    reason: str
    trust: Trust
    valid_from: str | None
    valid_to: str | None
    created_at: str
    redacted: bool = False
    person: str = ""  # the key of the other person who wrote it


class Pen:
    """Appends versions to the chain of one store inside a transaction; `finish` moves its end."""

    def __init__(self, context: Context, tx: Transaction, state: State) -> None:
        self._context = context
        self._tx = tx
        self.state = state
        self._sequence, self._commitment = state.sequence, state.commitment
        self._numbers: dict[str, int] = {}

    def write(self, change: Change, origin: str | None) -> None:
        """One more version; the head is moved by whoever settles the memory."""
        content = change.content
        version = Version(
            id=change.id,
            store_id=self.state.store_id,
            memory_id=change.memory,
            sequence=self._sequence + 1,
            number=self._number(change.memory) + 1,
            operation=change.operation,
            path=change.path,
            content=content,
            content_sha256=None if content is None else chain.content_hash(content),
            size_bytes=None if content is None else len(content.encode()),
            actor=Actor(*change.actor),
            reason=change.reason,
            trust=change.trust,
            valid_from=change.valid_from,
            valid_to=change.valid_to,
            created_at=change.created_at,
            redacted_at=self._context.now() if change.redacted else None,
            redacted_by=Actor("filesystem", "sync") if change.redacted else None,
        )
        chained = chain.link(version, self._commitment, chain.new_salt())
        if change.redacted:
            chained = chained._replace(salt=None)
        parents = json.dumps(change.parents)
        self._tx.execute(_INSERT, (*chain.values(version, chained), parents, origin))
        self._sequence, self._commitment = version.sequence, chained.commitment
        self._numbers[change.memory] = version.number

    def _number(self, memory: str) -> int:
        if memory not in self._numbers:
            ((last,),) = self._tx.execute(
                "SELECT coalesce(max(number), 0) FROM versions WHERE memory_id = ?", (memory,)
            )
            self._numbers[memory] = int(last)
        return self._numbers[memory]

    def finish(self) -> None:
        """The end of the chain, its seal and the count of memories are those of now."""
        store_id, sealer = self.state.store_id, self._context.sealer
        end = (store_id, self._sequence, self._commitment)
        self._tx.execute(
            "UPDATE stores SET sequence = ?, commitment = ?, seal = ?,"
            " memories = (SELECT count(*) FROM memories WHERE store_id = ?) WHERE id = ?",
            (
                self._sequence,
                self._commitment,
                sealer.seal(END.name, *end) if sealer else None,
                store_id,
                store_id,
            ),
        )


# Heads


class Head(NamedTuple):
    """A row of `memories`, with its text."""

    id: str
    store_id: str
    path: str
    content: str
    version_id: str
    version: int
    created_at: str
    updated_at: str
    trust: Trust
    valid_from: str | None
    valid_to: str | None


def take_head(tx: Transaction, memory: str) -> None:
    """Take a memory from its place, and its words from the index."""
    search.forget(tx, memory)
    tx.execute("DELETE FROM memories WHERE id = ?", (memory,))


def put_head(tx: Transaction, head: Head) -> None:
    """Put a memory to its place, which is free."""
    sha256, size = chain.content_hash(head.content), len(head.content.encode())
    memory = Memory(*head[:4], sha256, size, *head[4:])
    tx.execute(
        "INSERT INTO memories (id, store_id, path, content_sha256, size_bytes, version_id, version,"
        " created_at, updated_at, trust, valid_from, valid_to, seal)"
        f" VALUES ({', '.join('?' * 13)})",
        (*memory[:3], *memory[4:], tx.sealer.seal(*sealed(memory)) if tx.sealer else None),
    )
    search.learn(tx, memory)


def in_place(tx: Transaction, store_id: str) -> list[tuple[str, str, str, str, str]]:
    """(id, path, content, created at, version) of every memory of a store."""
    rows = tx.execute(
        "SELECT m.id, m.path, v.content, m.created_at, m.version_id FROM memories m"
        " JOIN versions v ON v.id = m.version_id WHERE m.store_id = ?",
        (store_id,),
    )
    return [(row[0], row[1], row[2] or "", row[3], row[4]) for row in rows]


def is_in_place(tx: Transaction, memory: str) -> bool:
    return bool(tx.execute("SELECT 1 FROM memories WHERE id = ?", (memory,)))


def paths_of(tx: Transaction, memories: Iterable[str]) -> list[str]:
    """The places of those of these memories that have one."""
    sql = "SELECT path FROM memories WHERE id IN ({marks})"
    return [path for (path,) in _some(tx.execute, sql, memories)]


def holders(tx: Transaction, store_id: str, path: str) -> list[str]:
    """The memories at a path, above it or below it."""
    at_or_above = [*paths.ancestors(path), path]
    marks = ", ".join("?" * len(at_or_above))
    first, end = paths.below(path + "/")
    rows = tx.execute(
        f"SELECT id FROM memories WHERE store_id = ? AND path IN ({marks})"
        " UNION SELECT id FROM memories WHERE store_id = ? AND path >= ? AND path < ?",
        (store_id, *at_or_above, store_id, first, end),
    )
    return [memory for (memory,) in rows]


# Versions


def histories(execute: Execute, memories: Iterable[str]) -> Iterator[Row]:
    """`HISTORY_COLUMNS` of every version of these memories, by memory and number."""
    yield from _some(
        execute,
        f"SELECT {HISTORY_COLUMNS} FROM versions WHERE memory_id IN ({{marks}})"
        " ORDER BY memory_id, number",
        memories,
    )


def present(execute: Execute, versions: Iterable[str]) -> set[str]:
    """Which of these versions this home has."""
    rows = _some(execute, "SELECT id FROM versions WHERE id IN ({marks})", versions)
    return {version for (version,) in rows}


def unredacted(execute: Execute, versions: Iterable[str]) -> set[str]:
    """Which of these versions are here, with what they say."""
    sql = "SELECT id FROM versions WHERE redacted_at IS NULL AND id IN ({marks})"
    return {version for (version,) in _some(execute, sql, versions)}


def known_memories(execute: Execute, memories: Iterable[str]) -> set[str]:
    """Which of these memories this home has, or had."""
    sql = "SELECT DISTINCT memory_id FROM versions WHERE memory_id IN ({marks})"
    return {memory for (memory,) in _some(execute, sql, memories)}


class Whereabouts(NamedTuple):
    """Where a version stands."""

    id: str
    store_id: str
    memory_id: str
    sequence: int
    origin: str  # "" for this home's own


def whereabouts(execute: Execute, versions: Iterable[str]) -> list[Whereabouts]:
    """Of those of these versions that are here."""
    sql = (
        "SELECT id, store_id, memory_id, sequence, coalesce(origin, '') FROM versions"
        " WHERE id IN ({marks}) ORDER BY id"
    )
    return [Whereabouts(*row) for row in _some(execute, sql, versions)]


class Made(NamedTuple):
    """A version that names what it was made from."""

    id: str
    memory_id: str
    parents: frozenset[str]
    origin: str


def made_from_others(tx: Transaction, store_id: str) -> list[Made]:
    """The versions of a store that name their parents, oldest first."""
    rows = tx.execute(
        "SELECT id, memory_id, parents, coalesce(origin, '') FROM versions"
        " WHERE store_id = ? AND parents IS NOT NULL ORDER BY sequence",
        (store_id,),
    )
    return [Made(row[0], row[1], frozenset(json.loads(row[2])), row[3]) for row in rows]


def claim(tx: Transaction, versions: Iterable[str], origin: str) -> set[str]:
    """Versions that came from somebody else first are this person's own; their memories."""
    sql = (
        "UPDATE versions SET origin = ? WHERE origin LIKE '% %' AND id IN ({marks})"
        " RETURNING memory_id"
    )
    rows = _some(lambda asked, ids: tx.execute(asked, (origin, *ids)), sql, versions)
    return {memory for (memory,) in rows}


def words_of(tx: Transaction, version: str) -> tuple[str, Trust] | None:
    """What a version says, and whose word it is; None if it says nothing."""
    rows = tx.execute("SELECT content, trust FROM versions WHERE id = ?", (version,))
    return (rows[0][0], rows[0][1]) if rows and rows[0][0] is not None else None


def redacted(execute: Execute) -> list[tuple[str, str, str, str]]:
    """(id, when, kind and id of whoever did it) of every redacted version."""
    rows = execute(
        "SELECT id, redacted_at, coalesce(redacted_kind, 'filesystem'), coalesce(redacted_id, '')"
        " FROM versions WHERE redacted_at IS NOT NULL ORDER BY id",
        (),
    )
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def empty(tx: Transaction, version: str, at: str, kind: str, who: str) -> bool:
    """Take the words out of a version, for good; False if they were gone."""
    gone = tx.execute(
        "UPDATE versions SET path = NULL, content = NULL, content_sha256 = NULL,"
        " size_bytes = NULL, salt = NULL, redacted_at = ?, redacted_kind = ?, redacted_id = ?"
        " WHERE id = ? AND redacted_at IS NULL RETURNING 1",
        (at, kind, who, version),
    )
    return bool(gone)


def changed_after(tx: Transaction, store_id: str, sequence: int) -> tuple[int, list[str]]:
    """How far a store is, and the memories that were written after a version of it."""
    ((last,),) = tx.execute("SELECT sequence FROM stores WHERE id = ?", (store_id,))
    if last <= sequence:
        return int(last), []
    rows = tx.execute(
        "SELECT DISTINCT memory_id FROM versions WHERE store_id = ? AND sequence > ?",
        (store_id, sequence),
    )
    return int(last), [memory for (memory,) in rows]


def _some(execute: Execute, sql: str, values: Iterable[str]) -> Iterator[Row]:
    """The rows of a question about any number of values, in their order."""
    wanted: Sequence[str] = sorted(set(values))
    for start in range(0, len(wanted), _CHUNK):
        part = wanted[start : start + _CHUNK]
        yield from execute(sql.format(marks=", ".join("?" * len(part))), part)
