"""Prune: which memories leave a long-term page that has grown over its budget.

Oldest, least used, least costly first: a memory's worth is what would be lost with it, and each of
the three only ever adds. Pinned ones and protected sections stay, whatever the size.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from reverie.forget.life import Life

HALF_AGE = 30.0  # days after which age alone has halved a memory's worth
HEAD_TOKENS = 200  # headings and the lines below the last section


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory of a long-term page."""

    name: str
    tokens: int
    life: Life


def worth(life: Life, today: date) -> float:
    """What would be lost: young, used, and dear to learn again all count."""
    try:
        age = max(0, (today - date.fromisoformat(life.last_sign[:10])).days)
    except ValueError:
        age = 0
    used = 1.0 + math.log2(1.0 + life.uses)
    dear = 1.0 + math.log2(1.0 + max(life.support - 1, 0) + life.cost)
    return 2.0 ** (-age / HALF_AGE) * used * dear


def to_prune(entries: Iterable[Entry], budget: int, today: date) -> list[Entry]:
    """What has to go for the rest to fit into `budget` tokens, in the order it goes."""
    every = list(entries)
    size = HEAD_TOKENS + sum(entry.tokens for entry in every)
    free = [one for one in every if not (one.life.pinned or one.life.protected)]
    free.sort(key=lambda one: (worth(one.life, today), one.name))
    gone: list[Entry] = []
    for entry in free:
        if size <= budget:
            break
        gone.append(entry)
        size -= entry.tokens
    return gone
