"""The signals of a correction that can be computed when it is learned.

Seven signals make the mixture (DESIGN §7): misstep probability, density, span tier, topic position
and neighbourhood similarity are stored with the correction; recency and the human label are added
when it is read, because they change without a new session. All lie between 0 and 1.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from reverie.data import patterns
from reverie.sessions.corrections import CorrectionRow

DENSITY_REACH = 3  # human turns on each side
COMMON = 50  # a word in more corrections than this says nothing about likeness


# The span tier of a correction: how much it would cost to get it wrong again.
Tier = Literal["critical", "high", "medium", "low"]

WEIGHT: dict[str, float] = {"critical": 1.0, "high": 0.7, "medium": 0.4, "low": 0.1}

_RE = patterns("detector.txt", "signals")


def tier_of(span: str, text: str) -> Tier:
    """The tier of a correction, from the words that carry it, else from the whole turn."""
    words = span or text[:1000]
    if _RE.critical.search(words):
        return "critical"
    if _RE.exact.search(words):
        return "high"
    if _RE.way.search(words):
        return "medium"
    return "low"


def densities(flags: Sequence[bool]) -> list[float]:
    """For each human turn: the share of corrections among its neighbours."""
    found: list[float] = []
    for i in range(len(flags)):
        near = [
            flags[j]
            for j in range(max(0, i - DENSITY_REACH), min(len(flags), i + DENSITY_REACH + 1))
            if j != i
        ]
        found.append(sum(near) / len(near) if near else 0.0)
    return found


def positions(topics: Sequence[int]) -> list[float]:
    """For each human turn: how late it stands in its topic, 0 first … 1 last."""
    size: dict[int, int] = defaultdict(int)
    for topic in topics:
        size[topic] += 1
    seen: dict[int, int] = defaultdict(int)
    found: list[float] = []
    for topic in topics:
        found.append(seen[topic] / (size[topic] - 1) if size[topic] > 1 else 1.0)
        seen[topic] += 1
    return found


def neighbourhoods(rows: Sequence[CorrectionRow]) -> list[float]:
    """For each correction: the likeness of the one most like it in another session.

    Near-linear: only corrections that share an uncommon word are compared.
    """
    bags = [
        frozenset(_RE.word.findall((row.lesson or row.span or row.text)[:600].lower()))
        for row in rows
    ]
    by_word: dict[str, list[int]] = defaultdict(list)
    for number, bag in enumerate(bags):
        for word in sorted(bag):
            by_word[word].append(number)
    best = [0.0] * len(rows)
    for i, bag in enumerate(bags):
        shared: dict[int, int] = defaultdict(int)
        for word in bag:
            postings = by_word[word]
            if len(postings) <= COMMON:
                for j in postings:
                    shared[j] += 1
        for j, count in shared.items():
            if count > 1 and rows[j].session != rows[i].session:
                likeness = count / math.sqrt(len(bag) * len(bags[j]))
                best[i] = max(best[i], likeness)
    return [round(value, 4) for value in best]


def with_signals(row: CorrectionRow, neighbourhood: float = 0.0) -> CorrectionRow:
    """The row with its stored signals filled in."""
    signals = {
        "misstep": round(row.score, 4),
        "density": round(row.density, 4),
        "tier": WEIGHT[row.tier],
        "position": round(row.position, 4),
        "neighbourhood": neighbourhood,
    }
    return row._replace(signals=signals)
