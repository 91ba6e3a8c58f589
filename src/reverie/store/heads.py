"""What is in force, and how far the stores have come: for those who follow them without changing.

Apart from the rest of the store, because a recall starts with it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reverie.db.database import Database, Row, literally
from reverie.db.full_text import Source
from reverie.store.seals import MEMORY

# PostgreSQL weighs path and content alike.
WORDS = Source(
    "memory_words",
    "memories",
    "seq",
    (2.0, 1.0),
    vectors="memory_words",
    languages=("english",),
    pairs="memory_pairs",
)


class Head(NamedTuple):
    """The last version of a store: its number, and what all before it add up to."""

    store: str  # id
    sequence: int
    commitment: str


def heads(database: Database, stores: Sequence[str]) -> list[Head]:
    """The heads of these stores, by id."""
    marks = ", ".join("?" * len(stores))
    rows = database.query(
        f"SELECT id, sequence, commitment FROM stores WHERE id IN ({marks}) ORDER BY id", stores
    )
    return [Head(*row) for row in rows]


def totals(database: Database) -> tuple[int, int, int]:
    """Stores, memories and versions in all; other numbers mean that something was written."""
    ((stores, memories, versions),) = database.query(
        "SELECT count(*), coalesce(sum(memories), 0), coalesce(sum(sequence), 0) FROM stores"
    )
    return int(stores), int(memories), int(versions)


def is_history(database: Database, head: Head) -> bool:
    """Whether the store has, or had, this head: after a restored backup it may not."""
    return bool(
        database.query(
            "SELECT 1 FROM versions WHERE store_id = ? AND sequence = ? AND commitment = ?", head
        )
    )


def changed_since(database: Database, store: str, sequence: int) -> Iterator[Row]:
    """Each memory written after a version, as it is now; one at a time, by id.

    (id, path, trust, valid from and to, updated at, content, seq); all but the id are None of one
    that is gone.
    """
    with database.snapshot() as tx:
        yield from tx.stream(
            "SELECT v.memory_id, m.path, m.trust, m.valid_from, m.valid_to, m.updated_at,"
            " h.content, m.seq FROM (SELECT DISTINCT memory_id FROM versions"
            " WHERE store_id = ? AND sequence > ?) v"
            " LEFT JOIN memories m ON m.id = v.memory_id"
            " LEFT JOIN versions h ON h.id = m.version_id ORDER BY v.memory_id",
            (store, sequence),
        )


def contents(database: Database, keys: Sequence[int]) -> list[Row]:
    """(seq, store name, path, trust, updated at, content) of the memories with these numbers.

    What this home did not write has the trust of an agent at most.
    """
    marks = ", ".join("?" * len(keys))
    rows = database.query(
        "SELECT m.seq, s.name, m.updated_at, m.seal, m.id, m.store_id, m.path, m.trust,"
        " m.valid_from, m.valid_to, v.content FROM memories m"
        " JOIN versions v ON v.id = m.version_id JOIN stores s ON s.id = m.store_id"
        f" WHERE m.seq IN ({marks})",
        keys,
    )
    sealer = database.sealer
    entries: list[Row] = []
    for seq, name, updated, seal, *fields in rows:
        _, _, path, trust, _, _, content = fields
        ours = sealer is None or trust != "user" or sealer.vouches(seal, MEMORY.name, *fields)
        entries.append((seq, name, path, trust if ours else "agent", updated, content))
    return entries


def filled_stores(database: Database) -> set[str]:
    """The ids of the stores that hold anything."""
    return {row[0] for row in database.query("SELECT id FROM stores WHERE memories > 0")}


def text_with_hash(database: Database, memory_id: str, sha256: str) -> str | None:
    """The text a memory once had; None when it had not, or it was redacted or pruned."""
    rows = database.query(
        "SELECT content FROM versions WHERE memory_id = ? AND content_sha256 = ?"
        " AND content IS NOT NULL LIMIT 1",
        (memory_id, sha256),
    )
    return rows[0][0] if rows else None


def said_after(database: Database, memory_id: str, sha256: str, base: str) -> bool:
    """Whether a memory had this text in a version after the last that had the text `base`."""
    rows = database.query(
        "SELECT 1 FROM versions WHERE memory_id = ? AND content_sha256 = ? AND number > coalesce("
        "(SELECT max(number) FROM versions WHERE memory_id = ? AND content_sha256 = ?), 0) LIMIT 1",
        (memory_id, sha256, memory_id, base),
    )
    return bool(rows)


def came_to_say(database: Database, memory_id: str, sha256: str, since: int) -> bool:
    """Whether a memory had this text in a version after number `since`."""
    return bool(
        database.query(
            "SELECT 1 FROM versions WHERE memory_id = ? AND content_sha256 = ? AND number > ?"
            " LIMIT 1",
            (memory_id, sha256, since),
        )
    )


def ever_said(database: Database, store: str, sha256: str) -> bool:
    """Whether any memory of a store (by id) ever had this text."""
    return bool(
        database.query(
            "SELECT 1 FROM versions WHERE store_id = ? AND content_sha256 = ? LIMIT 1",
            (store, sha256),
        )
    )


def version_before(database: Database, memory_id: str, number: int) -> str | None:
    """The id of the version before this number, unless the memory was deleted with it."""
    rows = database.query(
        "SELECT id FROM versions WHERE memory_id = ? AND number = ? AND operation <> 'deleted'",
        (memory_id, number - 1),
    )
    return rows[0][0] if rows else None


def past_mentions(database: Database, words: str) -> list[tuple[str, str]]:
    """(store, memory) ids whose past, not their present, holds these words literally."""
    rows = database.query(
        "SELECT DISTINCT store_id, memory_id FROM versions WHERE redacted_at IS NULL"
        " AND content LIKE ? ESCAPE '\\' AND id NOT IN (SELECT version_id FROM memories)"
        " ORDER BY store_id, memory_id",
        (f"%{literally(words)}%",),
    )
    return [(str(store), str(memory)) for store, memory in rows]


def last_written(database: Database, words: str) -> str:
    """When a memory of this home that holds these words, or held them, was last written; or ""."""
    ((last,),) = database.query(
        "SELECT max(created_at) FROM versions WHERE memory_id IN"
        " (SELECT memory_id FROM versions WHERE content LIKE ? ESCAPE '\\')",
        (f"%{literally(words)}%",),
    )
    return str(last or "")


def any_told(database: Database) -> bool:
    """Whether a person said anything about a store, or to anybody about the use of one."""
    sql = (
        "SELECT 1 FROM stores WHERE description <> ''"
        " UNION ALL SELECT 1 FROM attachments WHERE instructions <> '' LIMIT 1"
    )
    return bool(database.query(sql))


def over(database: Database, now: str) -> list[tuple[str, str]]:
    """Store and id of each live memory that holds no more and is not in the archive."""
    rows = database.query(
        "SELECT m.store_id, m.id FROM memories m JOIN stores s ON s.id = m.store_id"
        " WHERE m.valid_to <= ? AND m.path NOT LIKE '/archive/%' AND s.archived_at IS NULL"
        " ORDER BY m.store_id, m.id",
        (now,),
    )
    return [(store, memory) for store, memory in rows]
