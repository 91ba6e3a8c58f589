"""The life of a memory: what is known about when it was right, seen again and of use.

All of it is read from the truth: dates of the memory, of the quotes it rests on, and of the recalls
that handed it over.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reverie.db.database import Database
from reverie.documents.document import Document
from reverie.documents.long_term import PROTECTED, section_of
from reverie.documents.vocabulary import GLOBAL
from reverie.learn.memories.quotes import quotes
from reverie.recall.ledger import answers
from reverie.store.library import Item


@dataclass(frozen=True, slots=True)
class Life:
    """One memory as forgetting sees it. Days are `YYYY-MM-DD`; empty means never."""

    written: str = ""  # when it was last right, by its own date
    seen: str = ""  # when somebody last said it
    useful: str = ""  # when it was last handed over as an answer, and did no harm
    touched: str = ""  # when a person last wrote, edited or restored it
    uses: int = 0
    support: int = 0  # sessions it was said in
    projects: int = 0  # projects it was said in
    cost: int = 0  # the most tries that a mistake it names has taken
    pinned: bool = False
    protected: bool = False  # its section never decays

    @property
    def last_sign(self) -> str:
        """The last day anything spoke for it."""
        return max(self.written, self.seen, self.useful, self.touched)


@dataclass(frozen=True, slots=True)
class Past:
    """What the databases hold about many memories, read once."""

    said_on: Mapping[str, str]  # evidence id → day
    recalled: Mapping[tuple[str, str], tuple[int, str]]  # (store, name) → how often, last day
    project_of: Mapping[str, str]  # session key → slug
    tries: Mapping[str, int]  # evidence id of a mended failure → tries it took

    def life(self, item: Item, protected: Iterable[str] = ()) -> Life:
        """The life of one memory; `protected` are further sections that never decay."""
        document = item.document
        section = section_of(document, GLOBAL if item.store == GLOBAL else item.store)
        days = [self.said_on[one] for one in document.evidence if one in self.said_on]
        uses, useful = self.recalled.get((item.store, item.name), (0, ""))
        sessions = {one.rpartition("#")[0] for one in document.evidence}
        projects = {self.project_of[key] for key in sessions if key in self.project_of}
        harmful = _count(document, "harmful") > _count(document, "helpful")
        return Life(
            written=document.dated,
            seen=max(days, default=""),
            useful="" if harmful else useful,
            uses=0 if harmful else uses + _count(document, "helpful"),
            support=document.support,
            projects=len(projects),
            cost=max((self.tries.get(one, 0) for one in document.evidence), default=0),
            pinned=document.pinned,
            # Without a type it has no section: a file of the user's, not a learning.
            protected=section is None or section in {*PROTECTED, *protected},
        )


def past(
    database: Database,
    items: Sequence[Item],
    project_of: Mapping[str, str],
    tries: Mapping[str, int],
) -> Past:
    """Look up everything that is kept about `items`."""
    wanted = sorted({one for item in items for one in item.document.evidence})
    said_on = {name: quote.at[:10] for name, quote in quotes(database, wanted).items()}
    return Past(said_on, _recalled(database), project_of, tries)


def _recalled(database: Database) -> dict[tuple[str, str], tuple[int, str]]:
    """A recall does not say from which store an entry came.

    One in a project counts for the memory of that name there and for the shared one, never for
    another project's.
    """
    found: dict[tuple[str, str], tuple[int, str]] = {}
    for project, entry, times, at in answers(database):
        for store in {project, GLOBAL}:
            before, last = found.get((store, entry), (0, ""))
            found[store, entry] = (before + times, max(last, at[:10]))
    return found


def _count(document: Document, key: str) -> int:
    text = document.extra.get(key, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
