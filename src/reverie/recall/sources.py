"""What could be recalled for one project: memories, corrections, and turns on request."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from reverie.db.database import Database
from reverie.db.full_text import Source
from reverie.recall.entry import Entry, Ranked
from reverie.recall.memories import Memories, Wanted
from reverie.recall.query import Query
from reverie.recall.relevance import Coverage, Match, TermCounts, matches, weights
from reverie.recall.search import search
from reverie.sessions.corrections import (
    CORRECTIONS,
    CorrectionRow,
    numbered,
    weightiest,
    within,
)
from reverie.sessions.forgotten import Said, forgotten

# What the textbook would search: the words of the correction, without their surroundings.
PLAIN = CORRECTIONS._replace(columns=(0, 1, 2))

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
        self, database: Database, index: Database, scope: Scope, counts: TermCounts
    ) -> None:
        self._database = database
        self._index = index
        self._scope = scope
        self._counts = counts
        self._wanted = Wanted(scope.stores, scope.types, scope.since, scope.now)
        self._memories = Memories(database, index)
        self._memories.follow(scope.stores)

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
            told = {entry.id for entry in self._told([entry for entry, _ in turns])}
            sources.append([(entry, score) for entry, score in turns if entry.id in told])
        entries: dict[str, Entry] = {}
        match: dict[str, Match] = {}
        for found in sources:
            new = [(entry, score) for entry, score in found if entry.id not in entries]
            match |= matches(new, coverage)
            entries |= {entry.id: entry for entry, _ in new}
        return list(entries.values()), match

    def _corrections_where(self) -> tuple[str, list[Any]]:
        return within(self._scope.project, self._scope.since, self._scope.types)

    def _found_corrections(self, query: Query, corrections: Source) -> list[tuple[Entry, float]]:
        where, values = self._corrections_where()
        most = self._scope.at_most(150)
        hits = search(self._index, corrections, query, limit=most, where=where, values=values)
        rows = numbered(self._index, [hit.key for hit in hits])
        entries = {key: correction_entry(row) for key, row in rows.items()}
        believed = self._labelled(list(entries.values()))
        return [
            (believed[entries[hit.key].id], hit.score)
            for hit in hits
            if hit.key in entries and entries[hit.key].id in believed
        ]

    def _best_corrections(self, most: int) -> list[Entry]:
        rows = weightiest(self._index, *self._corrections_where(), most)
        return list(self._labelled([correction_entry(row) for row in rows]).values())

    def _labelled(self, entries: Sequence[Entry]) -> dict[str, Entry]:
        """Entries with the label a person gave; what they denied or had forgotten is left out."""
        entries = self._told(entries)
        if not entries:
            return {}
        from reverie.sessions.labels import Labels

        labels = Labels(self._database).of([entry.id for entry in entries])
        given = {
            name: label.correction != "none" or label.durable != "none"
            for name, label in labels.items()
        }
        result: dict[str, Entry] = {}
        for entry in entries:
            if given.get(entry.id) is None:
                result[entry.id] = entry
            elif given[entry.id]:
                result[entry.id] = entry._replace(
                    prior=1.0, signals={**entry.signals, "label": 1.0}
                )
        return result

    def _told(self, entries: Sequence[Entry]) -> list[Entry]:
        """Corrections and turns without those whose words a person had forgotten."""
        if not entries:
            return []
        gone = forgotten(
            self._database,
            [
                Said(one.id, self._scope.project, (one.text, one.title), one.id, one.at)
                for one in entries
            ],
        )
        return [entry for entry in entries if entry.id not in gone]


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
    index: Database, query: Query, project: str, since: str, limit: int
) -> list[tuple[Entry, float]]:
    """Turns that human or agent said in the sessions of a project, best first."""
    from reverie.sessions.query import TURNS, numbered_turns, spoken_in

    where, values = spoken_in(project, since)
    hits = search(index, TURNS, query, limit=limit, where=where, values=values)
    rows = numbered_turns(index, [hit.key for hit in hits])
    entries = {key: _turn_entry(row, project) for key, row in rows.items()}
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
