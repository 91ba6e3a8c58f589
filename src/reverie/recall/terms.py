"""In how many units a term stands: the rare ones weigh most and are searched for first.

Counting walks the whole posting list of a word, and those of common words are long. A server is
asked with the same words again and again, so what was counted is kept until something is written.
"""

import sqlite3
import threading
from collections.abc import Sequence
from typing import NamedTuple

from reverie.db.database import Database
from reverie.recall.query import Query

MOST_KEPT = 4_096  # terms; a few hundred kilobytes


class Counted(NamedTuple):
    """How common the terms of one question are."""

    units: int  # memories and corrections, of all stores and projects
    seen: dict[str, int]  # term → in how many of them it stands


class TermCounts:
    """The counts of one home; it may live as long as its databases are open. Threads share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._written: tuple[int, ...] = ()
        self._corrections = 0
        self._kept: dict[str, int] = {}

    def of(self, query: Query, database: Database, index: sqlite3.Connection) -> Counted:
        """Count what is not known yet, or all anew if anything was written since."""
        with self._lock:
            return self._of(query, database, index)

    def _of(self, query: Query, database: Database, index: sqlite3.Connection) -> Counted:
        row = database.query(
            "SELECT count(*), coalesce(sum(memories), 0), coalesce(sum(sequence), 0) FROM stores"
        )[0]
        stores, memories, versions = map(int, row)
        (others,) = index.execute("PRAGMA data_version").fetchone()
        written = (stores, memories, versions, others, index.total_changes)
        if written != self._written:
            (self._corrections,) = index.execute("SELECT count(*) FROM corrections").fetchone()
            self._written, self._kept = written, {}
        new = [term for term in query.terms if term not in self._kept]
        if len(self._kept) + len(new) > MOST_KEPT:
            new, self._kept = list(query.terms), {}
        if new:
            self._kept |= zip(new, _counts(new, database, index), strict=True)
        units = max(1, memories + self._corrections)
        return Counted(units, {term: self._kept[term] for term in query.terms})


def _counts(terms: Sequence[str], database: Database, index: sqlite3.Connection) -> Sequence[int]:
    """One statement per table, whatever the question."""
    quoted = [f'"{term}"' for term in terms]

    def counting(table: str) -> str:
        one = f"(SELECT count(*) FROM {table} WHERE {table} MATCH ?)"
        return f"SELECT {', '.join([one] * len(quoted))}"

    counts = [index.execute(counting("corrections_fts"), quoted).fetchone()]
    if database.dialect == "sqlite":
        counts += database.query(counting("memory_words"), quoted)
    return [sum(of_term) for of_term in zip(*counts, strict=True)]
