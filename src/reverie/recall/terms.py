"""In how many units a term stands: the rare ones weigh most and are searched for first.

Counting walks the whole posting list of a word, and those of common words are long. A server is
asked with the same words again and again, so what was counted is kept until something is written.
"""

from collections.abc import Sequence
from typing import NamedTuple

from reverie.db.database import Database
from reverie.db.full_text import Term, counts
from reverie.recall.query import Query
from reverie.sessions.corrections import CORRECTIONS, count_corrections
from reverie.sessions.schema import times_written
from reverie.store.heads import WORDS, totals

MOST_KEPT = 4_096  # terms; a few hundred kilobytes


class Counted(NamedTuple):
    """How common the terms of one question are."""

    units: int  # memories and corrections, of all stores and projects
    seen: dict[str, int]  # term → in how many of them it stands


class TermCounts:
    """The counts of one home; it may live as long as its databases are open, for all threads."""

    def __init__(self) -> None:
        # What the databases held when it was counted, corrections, and term → units.
        self._kept: tuple[tuple[int, ...], int, dict[str, int]] = ((), 0, {})

    def of(self, query: Query, database: Database, index: Database) -> Counted:
        """Count what is not known yet, or all anew if anything was written since."""
        there = totals(database)
        now = (*there, times_written(index))
        written, corrections, seen = self._kept
        if now != written:
            corrections, seen = count_corrections(index), {}
        new = [term for term in query.terms if term not in seen]
        if len(seen) + len(new) > MOST_KEPT:
            new, seen = list(query.terms), {}
        if new:
            seen = seen | dict(zip(new, _counts(new, database, index), strict=True))
        # Threads may overwrite each other's: then a term is counted once more.
        self._kept = now, corrections, seen
        units = max(1, there[1] + corrections)
        return Counted(units, {term: seen[term] for term in query.terms})


def _counts(terms: Sequence[str], database: Database, index: Database) -> list[int]:
    """One statement per database, whatever the question."""
    asked = [Term(term) for term in terms]
    found = [counts(index, CORRECTIONS, asked)]
    if database.dialect == "sqlite":
        found.append(counts(database, WORDS, asked))
    return [sum(of_term) for of_term in zip(*found, strict=True)]
