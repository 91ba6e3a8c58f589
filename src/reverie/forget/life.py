"""The life of a memory: what is known about when it was right, seen again and of use.

All of it is read from the truth: dates of the memory, of the quotes it rests on, of the recalls
that handed it over, and what a person decided about it. Only the days on which a project was worked
on are the index's; without an index no day passes.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from reverie.db.database import Database
from reverie.documents.document import Document
from reverie.documents.long_term import PROTECTED, section_of
from reverie.documents.vocabulary import GLOBAL
from reverie.learn.memories.queue import Behind, behind_memories
from reverie.learn.memories.quotes import quotes
from reverie.recall.ledger import uses
from reverie.store.library import Item


@dataclass(frozen=True, slots=True)
class Life:
    """One memory as forgetting sees it. Days are `YYYY-MM-DD`; empty means never."""

    written: str = ""  # when it was last right, by its own date
    seen: str = ""  # when somebody last said it
    learned: str = ""  # when it was written here, or last learned again, however old the words
    useful: str = ""  # when it was last handed over, unasked or as an answer, and did no harm
    touched: str = ""  # when a person last wrote, edited or restored it
    uses: int = 0  # as an answer
    support: int = 0  # sessions it was said in
    projects: int = 0  # projects it was said in
    cost: int = 0  # the most tries that a mistake it names has taken
    pinned: bool = False
    protected: bool = False  # its section never decays
    kept: str = ""  # why no day takes it away: a person's word, or it is in the digest
    harmful: bool = False  # it led astray more often than it helped

    @property
    def last_sign(self) -> str:
        """The last day anything spoke for it."""
        return max(self.written, self.seen, self.learned, self.useful, self.touched)


@dataclass(frozen=True, slots=True)
class WorkedDays:
    """The days on which each project was worked on, sorted; of `global`, those of them all."""

    days: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> "WorkedDays":
        """From pairs of project and day; what has no day is left out."""
        days: dict[str, set[str]] = {GLOBAL: set()}
        for project, day in pairs:
            if day:
                days.setdefault(project, set()).add(day)
                days[GLOBAL].add(day)
        return cls({project: sorted(those) for project, those in days.items()})

    def since(self, store: str, day: date, today: date) -> int:
        """How many days after `day` the project was worked on, until today.

        One that no session is known of was imported: the days of all others count for it.
        """
        days = self.days.get(store) or self.days.get(GLOBAL, ())
        last = bisect_right(days, today.isoformat())
        return max(0, last - bisect_right(days, day.isoformat()))


@dataclass(frozen=True, slots=True)
class Past:
    """What the databases hold about many memories, read once."""

    said_on: Mapping[str, str]  # evidence id → day
    recalled: Mapping[tuple[str, str], tuple[int, str]]  # (store, name) → how often, last day
    project_of: Mapping[str, str]  # session key → slug
    tries: Mapping[str, int]  # evidence id of a mended failure → tries it took
    behind: Mapping[str, Behind] = field(default_factory=dict[str, Behind])  # by memory id
    worked: WorkedDays = field(default_factory=lambda: WorkedDays({}))
    digest: frozenset[tuple[str, str]] = frozenset()  # (store, name) of what the digest holds

    def life(self, item: Item, protected: Iterable[str] = ()) -> Life:
        """The life of one memory; `protected` are further sections that never decay."""
        document = item.document
        section = section_of(document, GLOBAL if item.store == GLOBAL else item.store)
        days = [self.said_on[place] for place in document.evidence if place in self.said_on]
        times, useful = self.recalled.get((item.store, item.name), (0, ""))
        behind = self.behind.get(item.memory.id)
        sessions = {place.rpartition("#")[0] for place in document.evidence}
        projects = {self.project_of[key] for key in sessions if key in self.project_of}
        harmful = _count(document, "harmful") > _count(document, "helpful")
        return Life(
            written=document.dated,
            seen=max(days, default=""),
            learned=max(item.memory.created_at, behind.learned if behind else "")[:10],
            useful="" if harmful else useful,
            uses=0 if harmful else times + _count(document, "helpful"),
            support=document.support,
            projects=len(projects),
            cost=max((self.tries.get(place, 0) for place in document.evidence), default=0),
            pinned=document.pinned,
            # Without a type it has no section: a file of the user's, not a learning.
            protected=section is None or section in {*PROTECTED, *protected},
            kept=self._kept(item, harmful=harmful),
            harmful=harmful,
        )

    def _kept(self, item: Item, *, harmful: bool) -> str:
        if (item.store, item.name) in self.digest:
            return "sessions are told it at their start"
        behind = self.behind.get(item.memory.id)
        if behind is None or harmful:
            return ""
        if behind.accepted:
            return "you accepted it"
        return "you said it as a standing rule" if behind.standing else ""


def past(
    database: Database,
    items: Sequence[Item],
    project_of: Mapping[str, str],
    tries: Mapping[str, int],
    worked: WorkedDays,
    digest: frozenset[tuple[str, str]] = frozenset(),
) -> Past:
    """Look up everything that is kept about `items`."""
    wanted = sorted({place for item in items for place in item.document.evidence})
    said_on = {name: quote.at[:10] for name, quote in quotes(database, wanted).items()}
    behind = behind_memories(database)
    return Past(said_on, _recalled(database), project_of, tries, behind, worked, digest)


def _recalled(database: Database) -> dict[tuple[str, str], tuple[int, str]]:
    """A recall does not say from which store an entry came.

    One in a project counts for the memory of that name there and for the shared one, never for
    another project's.
    """
    recalled: dict[tuple[str, str], tuple[int, str]] = {}
    for project, entry, times, at in uses(database):
        for store in {project, GLOBAL}:
            before, last = recalled.get((store, entry), (0, ""))
            recalled[store, entry] = (before + times, max(last, at[:10]))
    return recalled


def _count(document: Document, key: str) -> int:
    text = document.extra.get(key, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
