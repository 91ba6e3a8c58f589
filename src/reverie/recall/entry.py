"""What can be recalled, as one value, whatever it came from.

Named tuples here and in the rest of the package: making a frozen dataclass costs a cold start half
a millisecond each, and `reverie recall` is nearly all cold start.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

Origin = Literal["memory", "correction", "session"]


class Entry(NamedTuple):
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
    context: str = ""  # searched, never shown
    span: str = ""
    pinned: bool = False
    standing: bool = False
    helpful: int = 0
    harmful: int = 0
    prior: float = 0.5  # how sure it is that this is worth showing at all, 0–1
    evidence: tuple[str, ...] = ()
    signals: Mapping[str, float] = {}


class Ranked(NamedTuple):
    """An entry with the score it is ordered by."""

    entry: Entry
    score: float
