"""Decay: when a memory leaves, and how fast a correction fades.

A memory goes to the archive when nothing has spoken for it for `archive_after_days`: it was not
written or put right, not said again, not recalled as an answer. Whatever speaks for a memory only
ever moves that day back, so a stronger memory never fades faster than a weaker one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from reverie.clock import parse_iso
from reverie.config import Decay, Forget
from reverie.db.database import Database
from reverie.documents.document import Document
from reverie.documents.long_term import PROTECTED, section_of
from reverie.documents.vocabulary import GLOBAL
from reverie.errors import InvalidInput
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


Action = Literal["keep", "date", "archive"]
_DAY = 86_400.0
# Ages that the log of rates names, in days.
AGES: tuple[int, ...] = (1, 7, 30)


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a memory today, and why; `leaves` is the day it goes if nothing happens."""

    action: Action
    why: str
    leaves: str = ""


def fate(life: Life, today: date, settings: Forget) -> Fate:
    """Keep it, give it a date, or archive it."""
    if life.pinned:
        return Fate("keep", "pinned")
    if life.protected:
        return Fate("keep", "its section never decays")
    if not life.written:
        return Fate("date", "it had no date, and counts from today")
    last = _day(life.last_sign, today)
    leaves = _after(last, settings.archive_after_days + 1)
    if today < leaves:
        return Fate("keep", _spoke(life), leaves.isoformat())
    quiet = (today - last).days
    return Fate("archive", f"{_spoke(life)}, nothing spoke for it in {quiet} days", str(leaves))


def purge_on(archived: str, settings: Forget) -> str:
    """The day on which something archived on `archived` is purged."""
    return _after(_day(archived, date.max), settings.purge_after_days + 1).isoformat()


def _spoke(life: Life) -> str:
    last = life.last_sign[:10]
    if life.useful == life.last_sign:
        return f"last of use on {last}"
    if life.touched == life.last_sign and life.touched > life.written:
        return f"last in your hands on {last}"
    return f"last said on {last}" if life.seen == life.last_sign else f"dated {last}"


def _day(text: str, otherwise: date) -> date:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return otherwise


def _after(day: date, days: int) -> date:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return date.max


@dataclass(frozen=True, slots=True)
class Rates:
    """What the half-life made of the corrections there are, at one moment."""

    half_life_days: float
    after: tuple[tuple[int, float], ...]  # (days, what a correction of that age counts)
    corrections: int
    mean: float
    least: float


def rate(age_days: float, half_life_days: float) -> float:
    """2^(−age/half-life): 0.91, 0.50 and 0.05 after a day, a week and a month at seven days."""
    return 2.0 ** (-max(0.0, age_days) / half_life_days)


def rates(times: Iterable[str], now: datetime, settings: Decay) -> Rates:
    """The rates applied to corrections said at `times`; nothing is stored into their scores."""
    half_life = settings.half_life_days
    if half_life <= 0:
        raise InvalidInput("decay.half_life_days must be above 0")
    applied = [rate(_age(at, now), half_life) for at in times]
    return Rates(
        half_life_days=half_life,
        after=tuple((days, round(rate(days, half_life), 4)) for days in AGES),
        corrections=len(applied),
        mean=round(sum(applied) / len(applied), 4) if applied else 0.0,
        least=round(min(applied, default=0.0), 4),
    )


def _age(at: str, now: datetime) -> float:
    try:
        return (now.astimezone(UTC) - parse_iso(at)).total_seconds() / _DAY
    except InvalidInput:
        return 0.0
