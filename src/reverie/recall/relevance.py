"""How well an entry answers a question, on one scale from 0 to 1 for every source.

BM25 scores of two tables cannot be compared. The share of the question's weight that an entry
covers can: rare words weigh much, words that stand everywhere little, and a word that stands
nowhere weighs most, so that a question about something unknown finds nothing good enough.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from reverie.db.database import Database
from reverie.db.full_text import Term, counts
from reverie.recall.entry import Entry
from reverie.recall.query import Query
from reverie.sessions.corrections import CORRECTIONS, count_corrections
from reverie.sessions.schema import times_written
from reverie.store.heads import WORDS, totals

_ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ies", "ed", "es", "ly", "s", "e", "y")


class Match(NamedTuple):
    """What search and comparison say of one entry."""

    bm25: float  # share of the best score of its source
    coverage: float  # share of the question's weight
    relevance: float


def stem(word: str) -> str:
    """A word without its ending; cruder than Porter, and only ever compared with itself."""
    if len(word) > 4:
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                return word[: -len(ending)]
    return word


def weights(query: Query, units: int, seen: Mapping[str, int]) -> dict[str, float]:
    """Term → weight; `seen` says in how many of `units` a term stands."""
    counts = {term: min(seen[term], units) for term in query.terms}
    return {term: math.log(1.0 + (units - n + 0.5) / (n + 0.5)) for term, n in counts.items()}


class Coverage:
    """The share of a question's weight that a text covers; made once per question."""

    def __init__(self, weight: Mapping[str, float]) -> None:
        self._weight: dict[str, float] = {}
        for term, value in weight.items():
            self._weight[stem(term)] = self._weight.get(stem(term), 0.0) + value
        self._total = sum(self._weight.values())

    def __call__(self, text: str) -> float:
        if not self._total:
            return 0.0
        lowered = text.lower()
        found = 0.0
        for part, value in self._weight.items():
            if part in lowered and _stands(part, lowered):
                found += value
        return found / self._total


def _stands(part: str, text: str) -> bool:
    """Does a word of `text` begin with `part`? A short one has to be the whole word."""
    at = text.find(part)
    while at >= 0:
        after = text[at + len(part) : at + len(part) + 1]
        whole = len(part) > 3 or not after.isalnum()
        if whole and not (at and text[at - 1].isalnum()):
            return True
        at = text.find(part, at + 1)
    return False


def matches(found: Sequence[tuple[Entry, float]], coverage: Coverage) -> dict[str, Match]:
    """Id → match, for the entries of one source with their search scores."""
    covered = {entry.id: coverage(_words(entry)) for entry, _ in found}
    top = max((score for _, score in found), default=0.0)
    best = max(covered.values(), default=0.0)
    result: dict[str, Match] = {}
    for entry, score in found:
        share = score / top if top > 0 else 0.0
        value = 0.15 * covered[entry.id] + 0.85 * share * best
        result[entry.id] = Match(share, covered[entry.id], value)
    return result


def _words(entry: Entry) -> str:
    return f"{entry.id} {entry.title} {entry.text} {entry.premise} {entry.context}"


# In how many units a term stands. Counting walks the whole posting list of a word, and those of
# common words are long. A server is asked with the same words again and again, so what was counted
# is kept until something is written.
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
