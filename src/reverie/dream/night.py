"""What a dream works on: handed from step to step, each returns it with its own part filled in."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from reverie.db.database import Database
from reverie.documents.document import Document
from reverie.dream.model import Ask, Change, Drop, Group, Observation, Pattern
from reverie.sessions.forgotten import Forgotten
from reverie.sessions.query import SessionRow
from reverie.store.model import Memory


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that is there already."""

    store: str  # its name
    memory: Memory
    document: Document

    @property
    def text(self) -> str:
        return self.document.description or self.document.title


@dataclass(frozen=True, slots=True)
class Session:
    """One session that is dreamt about."""

    key: str
    project: str
    started: str


ObservationSource = Callable[[Database], Iterable[Observation]]


@dataclass(frozen=True, slots=True)
class Reach:
    """The index that is dreamt over: its derived tables, its sessions, and who reads them."""

    database: Database
    rows: Sequence[SessionRow]
    sources: Sequence[ObservationSource]
    forgotten: Forgotten | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """A pattern that a person turned down, and in how many sessions it had been seen then."""

    pattern: str
    text: str
    sessions: int


@dataclass(frozen=True, slots=True)
class Night:
    """One dream between two steps."""

    ask: Ask
    now: str  # ISO: the moment of the dream
    reach: Reach | None = None  # what `gather` reads; the other steps need none of it
    sessions: tuple[Session, ...] = ()
    known: tuple[Known, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    vanished: tuple[tuple[str, str], ...] = ()  # (version id of a memory, what it names in vain)
    observations: tuple[Observation, ...] = ()
    groups: tuple[Group, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    changes: tuple[Change, ...] = ()
    drops: tuple[Drop, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()  # (step, what it did), in order


class Step(Protocol):
    """One step of a dream: a function of what there is, without effects."""

    def __call__(self, night: Night, /) -> Night: ...
