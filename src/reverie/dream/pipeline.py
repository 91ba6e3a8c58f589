"""The steps of a dream, in order."""

from collections.abc import Callable

from reverie.dream.check import check
from reverie.dream.gather import SOURCES, gather
from reverie.dream.group import group
from reverie.dream.night import Night, Step
from reverie.dream.settle import settle
from reverie.dream.weigh import weigh
from reverie.dream.write import write

STEPS: tuple[tuple[str, Step], ...] = (
    ("gather", gather),
    ("group", group),
    ("weigh", weigh),
    ("settle", settle),
    ("write", write),
    ("check", check),
)


def dream(night: Night, after: Callable[[str, Night], None] | None = None) -> Night:
    """Run all steps; `after` is told when one is done."""
    for name, step in STEPS:
        night = step(night)
        if after is not None:
            after(name, night)
    return night


__all__ = ["SOURCES", "STEPS", "dream"]
