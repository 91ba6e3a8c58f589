"""What could be recalled for one project: memories, corrections, and turns on request."""

import sqlite3
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from reverie.db.database import Database
from reverie.recall.entry import Entry, Ranked
from reverie.recall.memories import Memories, Wanted
from reverie.recall.query import Query
from reverie.recall.relevance import Coverage, Match, matches, weights
from reverie.recall.search import Scored, Source, search
from reverie.recall.terms import TermCounts
from reverie.sessions.corrections import (
    COLUMNS,
    CORRECTIONS_SCHEMA,
    CorrectionRow,
    correction_from,
)

CORRECTIONS = Source("corrections_fts", "corrections", key="row", weights=(1.0, 1.0, 0.5, 0.5))
# What the textbook would search: the words of the correction, without their surroundings.
PLAIN = CORRECTIONS._replace(columns=("text", "lesson", "premise"))
TURNS = Source("turns_fts", "turns", key="id", sequence=("session", "said"))

MAX_TURNS = 30
MAX_RULES = 10
MAX_EVERYTHING = 10_000

# Common words are left out of a search once the rarer ones stand in this many units: they cost
# most of its time and move nothing.
ENOUGH = 800


class Scope(NamedTuple):
    """Whose memory, of which types, from when."""

    project: str
    stores: tuple[str, ...]
    types: tuple[str, ...]
    since: str
    now: str
    budget: int = 4_096

    def at_most(self, shortest: int) -> int:
        """How many entries to look at: a fifth more than would fit if all were short."""
        return max(12, 6 * self.budget // (5 * shortest))


class Candidates:
    """Gathers entries of one scope."""

    def __init__(
        self, database: Database, index: sqlite3.Connection, scope: Scope, counts: TermCounts
    ) -> None:
        self._database = database
        self._index = index
        self._scope = scope
        self._counts = counts
        self._wanted = Wanted(scope.stores, scope.types, scope.since, scope.now)
        self._memories = Memories(database, index)
        self._memories.follow(scope.stores)
        try:
            index.execute("SELECT 1 FROM corrections LIMIT 0")
        except sqlite3.OperationalError:
            index.executescript(CORRECTIONS_SCHEMA)

    def rules(self) -> list[Entry]:
        """Standing rules, most important first."""
        return self._memories.best(self._wanted, MAX_RULES, rules=True)

    def gather(
        self, query: Query, *, sessions: bool = False, everything: bool = False, plain: bool = False
    ) -> tuple[list[Entry], dict[str, Match]]:
        """Entries, and for a question how well each matches; ids are unique.

        `everything` leaves the choice wholly to the strategy: nothing is searched or pre-selected.
        `plain` searches only the words of an entry, not those around them.
        """
        if query.terms and not everything:
            return self._searched(query, sessions, PLAIN if plain else CORRECTIONS)
        most = MAX_EVERYTHING if everything else self._scope.at_most(100)
        memories = self._memories.best(self._wanted, most, rules=False)
        entries = [*memories, *self._best_corrections(2 * most)]
        return list({entry.id: entry for entry in entries}.values()), {}

    def _searched(
        self, query: Query, sessions: bool, corrections: Source
    ) -> tuple[list[Entry], dict[str, Match]]:
        counted = self._counts.of(query, self._database, self._index)
        coverage = Coverage(weights(query, counted.units, counted.seen))
        query = telling(query, counted.seen)
        scope = self._scope
        sources = [
            self._memories.found(query, self._wanted, scope.at_most(300)),
            self._found_corrections(query, corrections),
        ]
        if sessions:
            turns = search_turns(self._index, query, scope.project, scope.since, MAX_TURNS)
            sources.append(turns)
        entries: dict[str, Entry] = {}
        match: dict[str, Match] = {}
        for found in sources:
            new = [(entry, score) for entry, score in found if entry.id not in entries]
            match |= matches(new, coverage)
            entries |= {entry.id: entry for entry, _ in new}
        return list(entries.values()), match

    def _corrections_where(self) -> tuple[str, list[str]]:
        where, values = "u.project = ? AND u.at >= ?", [self._scope.project, self._scope.since]
        if self._scope.types:
            where += f" AND u.type IN ({', '.join('?' * len(self._scope.types))})"
            values += self._scope.types
        return where, values

    def _found_corrections(self, query: Query, corrections: Source) -> list[tuple[Entry, float]]:
        where, values = self._corrections_where()
        hits = search(
            self._index.execute,
            corrections,
            query,
            limit=self._scope.at_most(150),
            where=where,
            values=values,
        )
        rows = self._correction_rows(hits)
        entries = {key: correction_entry(row) for key, row in rows.items()}
        believed = self._labelled(list(entries.values()))
        return [
            (believed[entries[hit.key].id], hit.score)
            for hit in hits
            if hit.key in entries and entries[hit.key].id in believed
        ]

    def _correction_rows(self, hits: Sequence[Scored]) -> dict[int, CorrectionRow]:
        if not hits:
            return {}
        marks = ", ".join("?" * len(hits))
        rows = self._index.execute(
            f"SELECT row, {COLUMNS} FROM corrections WHERE row IN ({marks})",
            [hit.key for hit in hits],
        )
        return {int(row[0]): correction_from(row[1:]) for row in rows}

    def _best_corrections(self, most: int) -> list[Entry]:
        where, values = self._corrections_where()
        rows = self._index.execute(
            f"SELECT {COLUMNS} FROM corrections WHERE row IN (SELECT u.row FROM corrections u"
            f" WHERE {where} AND (u.label <> 'none' OR u.durable <> 'none')"
            " ORDER BY max(u.score, u.durable_score) + 0.2 * u.standing DESC, u.at DESC, u.id"
            " LIMIT ?) ORDER BY id",
            (*values, most),
        )
        entries = [correction_entry(correction_from(row)) for row in rows]
        return list(self._labelled(entries).values())

    def _labelled(self, entries: Sequence[Entry]) -> dict[str, Entry]:
        """Entries with the label a person gave; what a person denied is left out."""
        if not entries:
            return {}
        marks = ", ".join("?" * len(entries))
        rows = self._database.query(
            f"SELECT evidence, correction, durable FROM labels WHERE evidence IN ({marks})",
            [entry.id for entry in entries],
        )
        given = {row[0]: row[1] != "none" or row[2] != "none" for row in rows}
        result: dict[str, Entry] = {}
        for entry in entries:
            if given.get(entry.id) is None:
                result[entry.id] = entry
            elif given[entry.id]:
                result[entry.id] = entry._replace(
                    prior=1.0, signals={**entry.signals, "label": 1.0}
                )
        return result


@contextmanager
def snapshot(index: sqlite3.Connection) -> Generator[None]:
    """Every statement inside sees the index of one moment, and none has to lock it anew."""
    if index.in_transaction:
        yield
        return
    index.execute("BEGIN")
    try:
        yield
    finally:
        index.execute("ROLLBACK")


def telling(query: Query, seen: Mapping[str, int]) -> Query:
    """The rarest terms of a question, until they stand in `ENOUGH` units; at least three."""
    chosen: set[str] = set()
    total = 0
    for term in sorted(query.terms, key=lambda term: (seen[term], term)):
        if len(chosen) >= 3 and total + seen[term] > ENOUGH:
            break
        chosen.add(term)
        total += seen[term]
    return Query(tuple(term for term in query.terms if term in chosen))


def search_turns(
    index: sqlite3.Connection, query: Query, project: str, since: str, limit: int
) -> list[tuple[Entry, float]]:
    """Turns that human or agent said in the sessions of a project, best first."""
    hits = search(
        index.execute,
        TURNS,
        query,
        limit=limit,
        where="u.said IS NOT NULL AND u.copied = 0 AND u.at >= ?"
        " AND u.session IN (SELECT id FROM sessions WHERE project = ?)",
        values=(since, project),
    )
    if not hits:
        return []
    marks = ", ".join("?" * len(hits))
    rows = index.execute(
        "SELECT t.id, s.key, t.line, t.role, t.at, t.text FROM turns t"
        f" JOIN sessions s ON s.id = t.session WHERE t.id IN ({marks})",
        [hit.key for hit in hits],
    )
    entries = {int(row[0]): _turn_entry(row[1:], project) for row in rows}
    return [(entries[hit.key], hit.score) for hit in hits if hit.key in entries]


# An explicit correction says what is right, an implicit one only that something is wrong.
_TELLING: dict[str, float] = {"explicit": 1.0, "implicit": 0.5, "none": 0.3}


class RankedCorrection(NamedTuple):
    """A correction with its place in an order."""

    row: CorrectionRow
    ranked: Ranked


def correction_entry(row: CorrectionRow) -> Entry:
    """A row of the corrections table as an entry; its words verbatim."""
    return Entry(
        id=row.id,
        origin="correction",
        text=row.text,
        title=row.lesson,
        type="correction" if row.label != "none" else row.type or "statement",
        at=row.at,
        place=short_place(row.session, row.line),
        trust=row.trust,
        project=row.project,
        premise=row.premise,
        context=row.context,
        span=row.span,
        standing=row.standing,
        prior=_TELLING[row.label] * (row.score + 0.5 * row.durable_score) / 1.5,
        evidence=(row.id,),
        signals=row.signals,
    )


def short_place(session: str, line: int) -> str:
    """`claude-code:1f2e3d4c#42`: enough of the id to find it again, few characters."""
    agent, _, name = session.partition(":")
    return f"{agent}:{name[:8]}#{line}"


def _turn_entry(row: Sequence[Any], project: str) -> Entry:
    key, line, role, at, text = row
    return Entry(
        id=f"{key}#{line}",
        origin="session",
        text=text,
        type=f"said by {role}",
        at=at,
        place=short_place(key, line),
        trust="user" if role == "human" else "agent",
        project=project,
        prior=0.4 if role == "human" else 0.3,
    )
