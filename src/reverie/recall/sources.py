"""What could be recalled for one project: memories, corrections, and turns on request."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from reverie.clock import parse_iso
from reverie.db.database import Database
from reverie.db.full_text import Source
from reverie.recall.entry import Entry, Ranked
from reverie.recall.memories import Memories, Wanted
from reverie.recall.nearness import Nearness, nearness
from reverie.recall.query import Query
from reverie.recall.relevance import Match, Meeting, TermCounts, matches
from reverie.recall.search import search
from reverie.sessions.corrections import (
    CORRECTIONS,
    CorrectionRow,
    latest,
    named,
    numbered,
    taught_at,
    teaching,
    weightiest,
    within,
)
from reverie.sessions.forgotten import Forgotten, Said

if TYPE_CHECKING:
    from reverie.sessions.labels import Label

# What the textbook would search: the words of the correction, without their surroundings.
PLAIN = CORRECTIONS._replace(columns=(0, 1, 2))

MAX_TURNS = 30
MAX_RULES = 10
MAX_EVERYTHING = 10_000
MOST_WEIGHED = 200  # corrections whose signals are weighed, without a question

# Common words are left out of a search once the rarer ones stand in this many units: they cost
# most of its time and move nothing.
ENOUGH = 800

# Who takes up work again is told so many rules, each so sure to last, and of the last things that
# were said and last so many that can be understood by themselves.
RULES_TAUGHT = 4
LASTS = 0.8
LATELY_TAUGHT = 3
_LATELY = 12  # things that are looked at for it
_CLEAR = 0.7

NEAREST = 20  # sessions whose lessons are looked at whatever they say
LESSONS = 24  # of them together


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


class Gathered(NamedTuple):
    """Entries with unique ids; and for a question how well each meets it."""

    entries: list[Entry]
    match: dict[str, Match]
    meeting: Meeting | None


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
        self._forgotten: Forgotten | None = None  # read once, by the first that needs it

    def rules(self) -> list[Entry]:
        """Standing rules, most important first."""
        return self._memories.best(self._wanted, MAX_RULES, rules=True)

    def gather(self, query: Query, *, everything: bool = False, plain: bool = False) -> Gathered:
        """Entries, and for a question how well each matches; ids are unique.

        `everything` leaves the choice wholly to the strategy: nothing is searched or pre-selected.
        `plain` searches only the words of an entry, not those around them.
        """
        if (query.terms or query.resumes) and not everything:
            return self._searched(query, PLAIN if plain else CORRECTIONS)
        most = MAX_EVERYTHING if everything else self._scope.at_most(100)
        memories = self._memories.best(self._wanted, most, rules=False)
        entries = [*memories, *self._best_corrections(max(MOST_WEIGHED, most))]
        return Gathered(list({entry.id: entry for entry in entries}.values()), {}, None)

    def _searched(self, query: Query, corrections: Source) -> Gathered:
        # Who asks for something particular names it.
        asked, query = query, query if query.asks else query.widened()
        counted = self._counts.of(query, self._database, self._index)
        near = nearness(self._index, asked, counted.seen, self._scope.project)
        meeting = Meeting(query, counted.units, counted.seen, self._last_worked(), near)
        query = telling(query, counted.seen)
        scope = self._scope
        sources = [
            self._memories.found(query, self._wanted, scope.at_most(300)),
            self._found_corrections(query, corrections),
            self._lessons_near(near),
        ]
        left = [*self._lately_taught(), *self._rules_taught()] if query.resumes else []
        entries = {entry.id: entry for entry in left}
        match: dict[str, Match] = {}
        for scored in sources:
            new = [(entry, score) for entry, score in scored if entry.id not in entries]
            match |= matches(new, meeting)
            entries |= {entry.id: entry for entry, _ in new}
        match = meeting.in_company(match) | {entry.id: Match(0.0, entry.prior) for entry in left}
        return Gathered(list(entries.values()), match, meeting)

    def spoken(self, query: Query) -> list[Entry]:
        """What human and agent said in the project's sessions, best first."""
        scope = self._scope
        hits = search_turns(self._index, query, scope.project, scope.since, MAX_TURNS)
        return self._told([entry for entry, _ in hits])

    def _rules_taught(self) -> list[Entry]:
        """How the person wants work to be done, whatever it is; what they confirmed first."""
        where, values = self._corrections_where()
        where += " AND u.trust = 'user' AND u.type = 'feedback' AND u.durable_score >= ?"
        rows = teaching(self._index, where, (*values, LASTS), RULES_TAUGHT)
        taught = self._labelled([correction_entry(row) for row in rows]).values()
        return [*filter(self._surely_lasts, self.rules()), *taught][:RULES_TAUGHT]

    def _surely_lasts(self, rule: Entry) -> bool:
        """Whether a rule was written down by somebody, or learned from words that surely last."""
        rows = named(self._index, rule.evidence)
        return not rows or any(row.durable_score >= LASTS for row in rows)

    def _lately_taught(self) -> list[Entry]:
        """What the person said last that lasts, in a line each: the work goes on from there."""
        from reverie.recall.digest import stands_alone

        where, values = self._corrections_where()
        where += " AND u.trust = 'user' AND u.durable <> 'none'"
        rows = latest(self._index, where, values, _LATELY)
        clear = [row for row in rows if stands_alone(row.gist) >= _CLEAR and "…" not in row.gist]
        taught = self._labelled([correction_entry(row)._replace(text=row.gist) for row in clear])
        return list(taught.values())[:LATELY_TAUGHT]

    def _lessons_near(self, near: Nearness) -> list[tuple[Entry, float]]:
        """What was likely taught nearest to the question, whatever its words; scored by none."""
        if not near:
            return []
        where, values = self._corrections_where()
        keys = near.sessions()[:NEAREST]
        where += f" AND u.session IN ({', '.join('?' * len(keys))})"
        places = taught_at(self._index, where, (*values, *keys))
        places.sort(key=lambda place: (-near.at(*place[1:]), place[0]))
        rows = numbered(self._index, [number for number, *_ in places[:LESSONS]]).values()
        return [
            (entry, 0.0) for entry in self._labelled(list(map(correction_entry, rows))).values()
        ]

    def teaching(self, most: int) -> list[tuple[str, Entry]]:
        """What the person said that likely teaches something, with its gist; best first.

        Only what they typed: what came otherwise is nobody's word yet.
        """
        where, values = self._corrections_where()
        # Without a gist nothing of it is fit to be shown to a session that did not ask.
        where += " AND u.trust = 'user' AND u.gist <> ''"
        rows = teaching(self._index, where, values, most)
        gists = {row.id: row.gist for row in rows}
        entries = self._labelled([correction_entry(row) for row in rows])
        return [(gists[name], entry) for name, entry in entries.items()]

    def _last_worked(self) -> datetime:
        """When something was last said in the project: weeks of absence make nothing older."""
        now = parse_iso(self._scope.now)
        last = latest(self._index, *self._corrections_where(), 1)
        return min([now, *(parse_iso(row.at) for row in last if row.at)])

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
        return {
            entry.id: with_label(entry, label)
            for entry in entries
            if (label := labels.get(entry.id)) is None or not label.denies
        }

    def _told(self, entries: Sequence[Entry]) -> list[Entry]:
        """Corrections and turns without those whose words a person had forgotten."""
        if not entries:
            return []
        if self._forgotten is None:
            self._forgotten = Forgotten(self._database)
        holds, project = self._forgotten.holds, self._scope.project
        return [
            entry
            for entry in entries
            if not holds(
                Said(entry.id, project, (entry.text, entry.title), entry.evidence[0], entry.at)
            )
        ]


def telling(query: Query, seen: Mapping[str, int]) -> Query:
    """The rarest terms of a question, until they stand in `ENOUGH` units; at least three."""
    chosen: set[str] = set()
    total = 0
    for term in sorted(query.terms, key=lambda term: (seen[term], term)):
        if len(chosen) >= 3 and total + seen[term] > ENOUGH:
            break
        chosen.add(term)
        total += seen[term]
    return query._replace(terms=tuple(term for term in query.terms if term in chosen))


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
        prior=1.0 - (1.0 - row.signals.get("misstep", row.score)) * (1.0 - row.durable_score),
        evidence=(f"{row.session}#{row.line}",),
        signals=row.signals,
    )


def with_label(entry: Entry, label: "Label | None") -> Entry:
    """The entry of a turn as its person judged it."""
    if label is None or label.denies:
        return entry
    return entry._replace(prior=1.0, signals={**entry.signals, "label": 1.0})


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
        evidence=(f"{key}#{line}",),
    )
