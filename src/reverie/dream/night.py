"""What a dream works on: handed from step to step, each returns it with its own part filled in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from reverie.dream.values import Ask, Change, Drop, Group, Observation, Pattern
from reverie.store.documents import Document
from reverie.store.values import Memory


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


@dataclass(frozen=True, slots=True)
class Night:
    """One dream between two steps."""

    ask: Ask
    now: str  # ISO: the moment of the dream
    sessions: tuple[Session, ...] = ()
    known: tuple[Known, ...] = ()
    # Patterns a person turned down → in how many sessions they had been seen then.
    rejected: Mapping[str, int] = field(default_factory=dict[str, int])
    observations: tuple[Observation, ...] = ()
    groups: tuple[Group, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    changes: tuple[Change, ...] = ()
    drops: tuple[Drop, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()  # (step, what it did), in order


class Step(Protocol):
    """One step of a dream: a function of what there is, without effects."""

    def __call__(self, night: Night, /) -> Night: ...
