"""Columns in one order, and the values their rows become."""

from collections.abc import Sequence
from typing import Any

from reverie.db.database import Row, Transaction
from reverie.db.full_text import learn_pairs
from reverie.sealing import Sealer
from reverie.store.heads import WORDS
from reverie.store.model import Actor, Memory, Version
from reverie.store.seals import MEMORY

# For `FROM memories m JOIN versions v ON v.id = m.version_id`.
MEMORY_COLUMNS = (
    "m.id, m.store_id, m.path, v.content, m.content_sha256, m.size_bytes, m.version_id,"
    " m.version, m.created_at, m.updated_at, m.trust, m.valid_from, m.valid_to, m.seal"
)
TABLES_WITH_TEXT = ("versions", "memories", "memory_words", "memory_pairs")
MEMORY_FROM = "memories m JOIN versions v ON v.id = m.version_id"

VERSION_COLUMNS = (
    "id, store_id, memory_id, sequence, number, operation, path, content, content_sha256,"
    " size_bytes, actor_kind, actor_id, reason, trust, valid_from, valid_to, created_at,"
    " redacted_at, redacted_kind, redacted_id"
)
VERSION_WIDTH = 20


def memory_of(row: Row, sealer: Sealer | None = None) -> Memory:
    """A memory; with a sealer, what this home did not write has the trust of an agent at most."""
    memory = Memory(*row[:13])
    if sealer is None or memory.trust != "user" or sealer.vouches(row[13], *sealed(memory)):
        return memory
    return memory._replace(trust="agent")


def sealed(memory: Memory) -> tuple[str | None, ...]:
    """What the seal of a memory commits to; the order is that of `seals.MEMORY`."""
    return (
        MEMORY.name, memory.id, memory.store_id, memory.path, memory.trust, memory.valid_from,
        memory.valid_to, memory.content,
    )  # fmt: skip


def version_of(row: Row) -> Version:
    *head, actor_kind, actor_id = row[:12]
    redacted_by = Actor(row[18], row[19]) if row[18] is not None else None
    fields: list[Any] = [*head, Actor(actor_kind, actor_id), *row[12:18], redacted_by]
    return Version(*fields)


def pair_memories(tx: Transaction, where: str = "1 = 1", values: Sequence[str] = ()) -> None:
    """Make memories found that are written without spaces."""
    rows = tx.execute(f"SELECT seq, path, content FROM heads WHERE {where}", values)
    learn_pairs(tx, WORDS, ((seq, f"{path}\n{content or ''}") for seq, path, content in rows))
