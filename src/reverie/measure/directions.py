"""Directions: for each head, which features may speak for it and which against it.

Reviewed by hand. Training sets how much each feature weighs, never which way it points; a feature
listed on neither side has no weight. On the labelled corpus this is worth more across projects
than any choice of model: what a few hundred labels of one team suggest by accident is shut out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reverie.data import sections


@dataclass(frozen=True, slots=True)
class Direction:
    """The two sides of one head, and features the ridge holds back less."""

    speaks_for: frozenset[str]
    speaks_against: frozenset[str]
    trusted: Mapping[str, float]

    def signs(self, names: Sequence[str]) -> list[int]:
        """+1, -1 or 0 for each feature."""
        return [(n in self.speaks_for) - (n in self.speaks_against) for n in names]


def _direction(head: str, trusted: Mapping[str, float] | None = None) -> Direction:
    sides = sections("directions.txt")
    up, down = sides[f"{head} for"], sides[f"{head} against"]
    return Direction(frozenset(up.split()), frozenset(down.split()), trusted or {})


CORRECTION = _direction("correction")
DURABLE = _direction("durable", {"say:best": 4.0, "impersonal": 2.0})
EXPLICIT = _direction("explicit")  # of a correction: does it say what is right?
HEADS = {"correction": CORRECTION, "durable": DURABLE, "explicit": EXPLICIT}
