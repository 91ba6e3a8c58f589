"""The order in which entries are worth showing.

Ours: relevance × how sure it is × trust × support × bounded decay × what use it was. The other
strategies are there to be compared with (`reverie measure retrieval`) and chosen by hand
(`--strategy`). Every order is total: ties are broken by id.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from reverie.clock import parse_iso
from reverie.config import Recall as RecallSettings
from reverie.config import Signals
from reverie.errors import InvalidInput
from reverie.recall.entry import Entry, Ranked
from reverie.recall.frame import MAX_TEXT
from reverie.recall.query import Query, words_of

SIGNALS = ("recency", "position", "density", "tier", "misstep", "neighbourhood", "label")
STRATEGIES = ("ours", "random", *SIGNALS, "mixture", "bm25", "tfidf")

# These rank what a search found or was chosen for them; the others see every entry.
SEARCHING = frozenset({"ours", "bm25"})

TRUST: dict[str, float] = {"user": 1.0, "agent": 0.75, "tool": 0.5, "web": 0.35}

_DAY = 86_400.0


class Ranking(NamedTuple):
    """What an order depends on besides the entries."""

    now: datetime
    settings: RecallSettings = RecallSettings()
    signals: Signals = Signals()
    half_life_days: float = 7.0  # of corrections, in the mixture
    seed: int = 0


# Many entries are from the same days, and the same entries come again.
_moment = lru_cache(maxsize=4096)(parse_iso)


def age_days(at: str, now: datetime) -> float:
    """Days since `at`; a time that is missing, unreadable or in the future counts as now."""
    try:
        return max(0.0, (now - _moment(at)).total_seconds() / _DAY)
    except InvalidInput:
        return 0.0


def decayed(at: str, now: datetime, half_life_days: float, floor: float = 0.0) -> float:
    """2^(−age/half-life), never below `floor`."""
    return floor + (1.0 - floor) * 2.0 ** (-age_days(at, now) / half_life_days)


def mixture(entry: Entry, ranking: Ranking) -> float:
    """The weighted mean of the signals an entry has, recency taken at the moment of reading."""
    weights = {name: float(getattr(ranking.signals, name)) for name in SIGNALS}
    values = signals_of(entry, ranking)
    total = sum(weights[name] for name in values)
    return sum(weights[n] * v for n, v in sorted(values.items())) / total if total else 0.0


def signals_of(entry: Entry, ranking: Ranking) -> dict[str, float]:
    """Signal → value; `label` only where a person gave one."""
    values = {name: entry.signals[name] for name in SIGNALS if name in entry.signals}
    values["recency"] = decayed(entry.at, ranking.now, ranking.half_life_days)
    return values


def worth(entry: Entry, ranking: Ranking) -> float:
    """How much an entry is worth whatever is asked: sureness, merit, age, what is at stake."""
    settings = ranking.settings
    age = 1.0
    if not entry.pinned:
        age = decayed(entry.at, ranking.now, settings.half_life_days, settings.decay_floor)
    stakes = 1.0 + entry.signals.get("tier", 0.0)
    return entry.prior * merit(entry) * age * stakes


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
    score = _scorer(entries, strategy, ranking, relevance or {}, query)
    scored = [Ranked(e, score(e)) for e in entries]
    return sorted(scored, key=lambda one: (-one.score, one.entry.text, one.entry.id))


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
    if strategy == "mixture":
        return lambda e: mixture(e, ranking)
    if strategy == "bm25":
        return lambda e: relevance.get(e.id, 0.0)
    if strategy == "tfidf":
        return tfidf(entries, query or Query(()))
    if strategy in SIGNALS:
        return lambda e: e.signals.get(strategy, 0.0)
    if query is not None and query.terms:
        return lambda e: relevance.get(e.id, 0.0) * merit(e)
    return lambda e: worth(e, ranking) / _cost(e) ** 0.75


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
