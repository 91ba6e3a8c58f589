"""The order in which entries are worth showing.

A question decides by relevance and merit. Without one, a correction is worth what its seven signals
say, weighed as configured, and whatever was chosen is told in the order of its score: that worth
times the half-life of corrections, at the moment of reading. The other strategies are there to be
compared with (`reverie measure`) and chosen by hand (`--strategy`). Every order is total: ties are
broken by id.
"""

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from reverie.clock import age_days, rate
from reverie.errors import InvalidInput
from reverie.recall.entry import Entry, Ranked
from reverie.recall.frame import MAX_TEXT
from reverie.recall.query import Query, words_of
from reverie.settings import Recall as RecallSettings
from reverie.settings import Signals

SIGNALS = ("recency", "position", "density", "tier", "misstep", "neighbourhood", "label")
STRATEGIES = ("ours", "random", *SIGNALS, "mixture", "bm25", "tfidf")

# These rank what a search found or was chosen for them; the others see every entry.
SEARCHING = frozenset({"ours", "bm25"})

TRUST: dict[str, float] = {"user": 1.0, "agent": 0.75, "tool": 0.5, "web": 0.35}

_SAID_SINCE = 40  # corrections of its project, after which the recency of one is half
_TAUGHT = 2.5  # so that corrections keep their place beside memories: few signals are ever near 1
_LENGTH = 0.75  # exponent: under a budget, two short certainties beat a long one


class Ranking(NamedTuple):
    """What an order depends on besides the entries."""

    now: datetime
    settings: RecallSettings = RecallSettings()
    signals: Signals = Signals()
    half_life_days: float = 7.0  # of corrections
    seed: int = 0


def recencies(entries: Sequence[Entry]) -> dict[str, float]:
    """Id → how lately it was said, by how many of its sort and project were said since.

    No clock is asked: time that passes fades all of them by the half-life, and only by that.
    """
    moments: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for at, sort in sorted((entry.at, (entry.origin, entry.project)) for entry in entries):
        moments[sort].append(at)
    by_id: dict[str, float] = {}
    for entry in entries:
        times = moments[entry.origin, entry.project]
        by_id[entry.id] = rate(len(times) - bisect_right(times, entry.at), _SAID_SINCE)
    return by_id


def mixture(entry: Entry, weights: Signals, recency: float = 1.0) -> float:
    """The mean of the signals an entry has, each weighed as configured; `label` only if given."""
    values = {**entry.signals, "recency": recency}
    weighed = [(float(getattr(weights, name)), values[name]) for name in SIGNALS if name in values]
    total = math.fsum(weight for weight, _ in weighed)
    return math.fsum(weight * value for weight, value in weighed) / total if total else 0.0


def worth(entry: Entry, ranking: Ranking, recency: float = 1.0) -> float:
    """How much an entry is worth whatever is asked and however long ago it was said."""
    sure = entry.prior
    if entry.origin == "correction":
        sure = _TAUGHT * mixture(entry, ranking.signals, recency)
    return sure * merit(entry)


def fading(entry: Entry, ranking: Ranking) -> float:
    """What its age leaves of an entry at this moment; what stands does not fade."""
    if entry.pinned or entry.standing:
        return 1.0
    taught = entry.origin == "correction"
    half_life = ranking.half_life_days if taught else ranking.settings.half_life_days
    return rate(age_days(entry.at, ranking.now), half_life)


def merit(entry: Entry) -> float:
    """Whose word it is, how often it was said, whether it stands, and what use it was."""
    use = (1.0 + entry.helpful) / (1.0 + entry.helpful + 2.0 * entry.harmful)
    support = 1.0 + 0.15 * math.log2(max(entry.support, 1))
    standing = 1.2 if entry.standing or entry.pinned else 1.0
    return TRUST.get(entry.trust, 0.35) * support * use * standing


def ranked(
    entries: Sequence[Entry],
    strategy: str,
    ranking: Ranking,
    *,
    relevance: Mapping[str, float] | None = None,
    query: Query | None = None,
) -> list[Ranked]:
    """All entries, best first by `strategy`; `relevance` maps ids to 0–1 when something was asked.

    Raises:
        InvalidInput: no such strategy.
    """
    if strategy not in STRATEGIES:
        raise InvalidInput(
            f"{strategy!r} is not a strategy", hint="one of " + ", ".join(STRATEGIES)
        )
    asked = query is not None and bool(query.terms)
    if strategy == "mixture" or (strategy == "ours" and not asked):
        return _by_worth(entries, strategy, ranking)
    score = _scorer(entries, strategy, ranking, relevance or {}, query)
    scored = [Ranked(e, score(e)) for e in entries]
    return sorted(scored, key=lambda item: (-item.score, item.entry.text, item.entry.id))


def _by_worth(entries: Sequence[Entry], strategy: str, ranking: Ranking) -> list[Ranked]:
    """What is worth most for its length first, each with its score of this moment.

    A history of months that the score alone chose from would be its last days. So age takes of
    what is chosen no more than down to `decay_floor`, and of the plain mixture nothing.
    """
    recent = recencies(entries)
    floor = ranking.settings.decay_floor
    order: list[tuple[float, Ranked]] = []
    for entry in entries:
        left = fading(entry, ranking)
        if strategy == "mixture":
            value = kept = mixture(entry, ranking.signals, recent[entry.id])
        else:
            value = worth(entry, ranking, recent[entry.id])
            kept = value * (floor + (1.0 - floor) * left)
        order.append((kept / _cost(entry) ** _LENGTH, Ranked(entry, value * left)))
    order.sort(key=lambda pair: (-pair[0], pair[1].entry.text, pair[1].entry.id))
    return [item for _, item in order]


def _scorer(
    entries: Sequence[Entry],
    strategy: str,
    ranking: Ranking,
    relevance: Mapping[str, float],
    query: Query | None,
) -> Callable[[Entry], float]:
    if strategy == "random":
        return lambda e: _chance(e.id, ranking.seed)
    if strategy == "recency":
        return lambda e: -age_days(e.at, ranking.now)
    if strategy == "bm25":
        return lambda e: relevance.get(e.id, 0.0)
    if strategy == "tfidf":
        return tfidf(entries, query or Query(()))
    if strategy in SIGNALS:
        return lambda e: e.signals.get(strategy, 0.0)
    return lambda e: relevance.get(e.id, 0.0) * merit(e)


def _cost(entry: Entry) -> float:
    """About how many characters an entry takes: what is short leaves room for others."""
    return 65.0 + min(len(entry.text), MAX_TEXT)


def _chance(name: str, seed: int) -> float:
    import hashlib

    digest = hashlib.sha256(f"{seed}:{name}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") / 2.0**64


def tfidf(entries: Sequence[Entry], query: Query) -> Callable[[Entry], float]:
    """Cosine of TF-IDF vectors over words: the textbook comparison."""
    bags = {e.id: Counter(words_of(e.text)) for e in entries}
    seen = Counter(word for bag in bags.values() for word in bag)
    rarity = {w: math.log((1 + len(bags)) / (1 + n)) + 1.0 for w, n in seen.items()}
    asked = {term: rarity.get(term, 0.0) for term in query.terms}

    def score(entry: Entry) -> float:
        bag = bags[entry.id]
        norm = math.sqrt(sum((n * rarity[w]) ** 2 for w, n in bag.items()))
        dot = sum(weight * bag[w] * rarity[w] for w, weight in asked.items() if w in bag)
        return dot / norm if norm else 0.0

    return score
