"""The steps of a dream, in order."""

from collections.abc import Callable

from reverie.dream.night import Night, Step
from reverie.dream.steps.check import check
from reverie.dream.steps.gather import SOURCES, gather
from reverie.dream.steps.group import group
from reverie.dream.steps.settle import settle
from reverie.dream.steps.weigh import weigh
from reverie.dream.steps.write import write

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
