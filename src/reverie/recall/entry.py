"""What can be recalled, as one value, whatever it came from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Origin = Literal["memory", "correction", "session"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory, correction or stretch of a session, before it is ranked and shown."""

    id: str  # memory name or evidence id: stable over runs
    origin: Origin
    text: str
    title: str = ""  # one line; what a standing rule is shown as
    type: str = ""
    at: str = ""  # ISO date or time
    place: str = ""  # store and path, or the session and its line
    trust: str = "user"
    support: int = 1  # distinct sessions
    project: str = ""
    premise: str = ""
    span: str = ""
    pinned: bool = False
    standing: bool = False
    helpful: int = 0
    harmful: int = 0
    prior: float = 0.5  # how sure it is that this is worth showing at all, 0–1
    evidence: tuple[str, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entry with the scores it is ordered by."""

    entry: Entry
    score: float
    relevance: float = 0.0
