"""Chance: in how many sessions would such words meet if nobody meant anything by it?

Words are drawn independently, each as often as the rest of the sessions use it. The group's own
words are left out of the count, or a rule that is said everywhere would explain itself. Words that
everybody who programs uses are never taken for rarer than a floor.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from reverie.dream.model import Group, Observation
from reverie.language.meaning import is_common, stems

SHARE = 0.5  # of a group's wordings in which a word must stand to be part of its core
TELLING = 3  # the rarest core words count; the others only repeat them
FLOOR = 0.12  # share of remarks that hold a given common word


class Background:
    """How often each word stem is said, over all remarks."""

    def __init__(self, observations: Iterable[Observation]) -> None:
        self.remarks = 0
        self._counts: Counter[str] = Counter()
        sessions: set[str] = set()
        for observation in observations:
            self.remarks += 1
            sessions.add(observation.session)
            self._counts.update(stems(observation.text))
        self.sessions = len(sessions)

    def rate(self, stem: str, inside: int, outside: int) -> float:
        """Share of the other remarks that hold a word, `inside` of its uses left out."""
        rate = (self._counts[stem] - inside + 0.5) / (outside + 1.0)
        return max(rate, FLOOR) if is_common(stem) else min(1.0, rate)

    def expected(self, group: Group, sessions: int) -> float:
        """Sessions, out of `sessions`, in which the group's words would meet by chance."""
        bags = [stems(member.text) for member in group.members]
        counts: Counter[str] = Counter()
        for bag in bags:
            counts.update(bag)
        outside = self.remarks - len(bags)
        rates = sorted(self.rate(stem, counts[stem], outside) for stem in core(counts, len(bags)))
        if not rates:
            return float(sessions)
        each = math.prod(min(1.0, rate) for rate in rates[:TELLING])
        said = self.remarks / max(1, self.sessions)
        return min(float(sessions), sessions * said * each)


def core(counts: Counter[str], size: int) -> list[str]:
    """The words that most wordings share; where wordings differ much, the commonest two."""
    chosen = [stem for stem, count in counts.items() if count >= SHARE * size]
    if len(chosen) < 2:
        ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        chosen = [stem for stem, _ in ordered[:2]]
    return sorted(chosen)


def at_least(count: int, expected: float) -> float:
    """The probability of `count` or more when `expected` is the mean (Poisson)."""
    if count <= 0:
        return 1.0
    if expected <= 0:
        return 0.0
    term = math.exp(-expected)
    below = term
    for number in range(1, count):
        term *= expected / number
        below += term
    return max(0.0, 1.0 - below) if below < 0.999 else _tail(count, expected)


def _tail(count: int, expected: float) -> float:
    """The sum of the terms themselves: one minus nearly one would be noise."""
    log = count * math.log(expected) - expected - math.lgamma(count + 1)
    term, total, number = math.exp(log), 0.0, count
    while term > total * 1e-12:
        total += term
        number += 1
        term *= expected / number
    return total


def discoveries(probabilities: Sequence[float], most_false: float) -> list[bool]:
    """Benjamini–Hochberg: which of these to believe, so that few of the believed are false."""
    order = sorted(range(len(probabilities)), key=lambda i: (probabilities[i], i))
    believed = 0
    for rank, place in enumerate(order, 1):
        if probabilities[place] <= most_false * rank / len(order):
            believed = rank
    chosen = set(order[:believed])
    return [place in chosen for place in range(len(probabilities))]
