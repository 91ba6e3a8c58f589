"""Lags: one event that follows another with a stable delay.

For every two types of events, the delays from one to the next are looked at on a logarithmic scale;
a stable delay is a narrow window that holds more of them than their own neighbourhood explains. The
median of the window is the delay. A pair must also be more frequent than if the two had nothing to
do with each other, and most of its second events must have the first before them.
"""

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from reverie.dream.model import Cost, Observation
from reverie.dream.steps.chance import at_least
from reverie.dream.traffic.tally import LEAST_CHANCE, grouped, observed
from reverie.learn.diary.tasks import moment_of
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, holders, traces
from reverie.trust import Trust, lowest

LEAST = 3  # times a pair must have been seen
SHORTEST = 45.0  # seconds; what follows faster is one event told twice
LONGEST = 24 * 3600.0
BEFORE = 40  # events looked back at from each one
TYPES = 400  # types of events that are compared; the most frequent
WIDTHS = (0.05, 0.1, 0.2)  # half a window, as a share of the delay
AROUND = 3.0  # a window is compared with delays from a third to three times its own
# Probability of so narrow a window, with the search for it counted in, that is believed: of two
# events that are seen together only, of two that mostly are, and of one that has other company too.
TOGETHER, MOSTLY, SOMETIMES = 0.1, 0.035, 0.005
CLOSE = 0.75  # of both events that belong to the pair, from which they are seen together only
SEARCHED = 0.25  # power of the number of pairs by which a probability grows
PRIOR = 10.0  # delays of other pairs that weigh as much as not knowing any
PART = 0.35  # of the second events (or of the first) that must belong to the pair


class Happening(NamedTuple):
    """One event of the index."""

    row: TraceRow
    at: float  # seconds

    @property
    def type(self) -> str:
        return self.row.trace.key

    @property
    def label(self) -> str:
        return self.row.trace.data[0]

    @property
    def trust(self) -> Trust:
        return self.row.trace.data[1]


class Follows(NamedTuple):
    """The second of two events, and how long after the first it came."""

    delay: float
    first: Happening
    second: Happening


class Lag(NamedTuple):
    """One stable delay."""

    delay: float
    chance: float  # pairs in the window that chance explains
    probability: float
    pairs: tuple[Follows, ...]


def lags(chosen: Chosen) -> Iterator[Observation]:
    """Pairs of types of events with a stable delay."""
    happened = list(_happenings(chosen))
    called = grouped((event.type, event.label) for event in happened)
    pairs = delays(happened)
    others = sorted(math.log(pair.delay) for follows in pairs.values() for pair in follows)
    stable_lags: dict[tuple[str, str], Lag] = {}
    for (first, second), follows in sorted(pairs.items()):
        lag = stable(follows, others)
        if lag is not None:
            surely = lag.probability * len(pairs) ** SEARCHED
            if surely <= _believed(lag, len(called[first]), len(called[second])):
                stable_lags[first, second] = lag
    for types, lag in stable_lags.items():
        if not _through_another(types, stable_lags):
            yield from _observed(types, lag, [_label(called[type_]) for type_ in types])


def _happenings(chosen: Chosen) -> Iterator[Happening]:
    """Events by time, each once however often it was told; rare types are left out."""
    sessions = Counter(key for key, _ in holders(chosen, "event"))
    often = [key for key, count in sessions.items() if count >= LEAST]
    kept = frozenset(sorted(often, key=lambda key: (-sessions[key], key))[:TYPES])
    known: set[tuple[str, str, int]] = set()
    for row in traces(chosen, "event"):
        moment = moment_of(row.trace.at) if row.trace.key in kept else None
        if moment is not None:
            at = moment.timestamp()
            event = (row.project, row.trace.key, int(at // 60))
            if event not in known:
                known.add(event)
                yield Happening(row, at)


def delays(happened: Sequence[Happening]) -> dict[tuple[str, str], list[Follows]]:
    """For each pair of types in one project, how long after the first the second came."""
    pairs: defaultdict[tuple[str, str], list[Follows]] = defaultdict(list)
    recent: defaultdict[str, deque[Happening]] = defaultdict(lambda: deque(maxlen=BEFORE))
    for second in happened:
        earlier = recent[second.row.project]
        latest: set[str] = set()
        for first in reversed(earlier):
            delay = second.at - first.at
            if delay > LONGEST:
                break
            # Of several first events only the two latest are tried: the rest are other stories.
            if delay < SHORTEST or first.type == second.type or first.type in latest:
                continue
            pairs[first.type, second.type].append(Follows(delay, first, second))
            latest.add(first.type)
        earlier.append(second)
    return {types: follows for types, follows in pairs.items() if len(follows) >= LEAST}


def stable(follows: Sequence[Follows], others: Sequence[float] = ()) -> Lag | None:
    """The least likely window among delays; None when no window holds enough of them.

    `others` are the logarithms of all delays between any two types, in order: where they crowd
    (sessions begin at the same hour of each day), a window says nothing about this pair.
    """
    ordered = sorted(
        follows, key=lambda pair: (pair.delay, pair.second.at, pair.second.row.session)
    )
    logs = [math.log(pair.delay) for pair in ordered]
    best: Lag | None = None
    for width in WIDTHS:
        span = math.log1p(width) - math.log1p(-width)
        for start in range(len(logs)):
            low, high = logs[start], logs[start] + span
            end = bisect_right(logs, high)
            if end - start < LEAST:
                continue
            around = (low + high) / 2 - math.log(AROUND), (low + high) / 2 + math.log(AROUND)
            nearby = _within(logs, *around)
            share = span / (2 * math.log(AROUND))
            crowd = _within(others, low, high) - (end - start) + PRIOR * share
            share = max(share, crowd / max(PRIOR, _within(others, *around) - nearby + PRIOR))
            # Windows of three widths were tried wherever they fit.
            unlikely = at_least(end - start, nearby * share) * len(WIDTHS) / share
            if best is None or unlikely < best.probability:
                middle = ordered[(start + end) // 2].delay
                pairs = [pair for pair in ordered if abs(pair.delay / middle - 1) <= WIDTHS[-1]]
                usual = median(pair.delay for pair in pairs)
                best = Lag(usual, nearby * share, unlikely, tuple(pairs))
    return best


def _within(logs: Sequence[float], low: float, high: float) -> int:
    return bisect_right(logs, high) - bisect_left(logs, low)


def _believed(lag: Lag, first: int, second: int) -> float:
    """Up to which probability of chance a delay is believed, by how much the events are a pair."""
    count = len(lag.pairs)
    less, more = sorted((count / first, count / second))
    if len({pair.second.row.session for pair in lag.pairs}) < 2 or more < PART:
        return 0.0
    if less >= CLOSE:
        return TOGETHER
    return MOSTLY if less >= PART else SOMETIMES


def _through_another(types: tuple[str, str], stable_lags: Mapping[tuple[str, str], Lag]) -> bool:
    """Whether A → C is only A → B → C."""
    start, end = types
    whole = stable_lags[types].delay
    for (first, middle), lag in stable_lags.items():
        onward = stable_lags.get((middle, end))
        if first == start and onward and abs(lag.delay + onward.delay - whole) < 0.1 * whole:
            return True
    return False


def _label(called: Sequence[str]) -> str:
    """How a type is called most often; among equals the shortest."""
    counts = Counter(called)
    return min(counts, key=lambda label: (-counts[label], len(label), label))


def _observed(types: tuple[str, str], lag: Lag, labels: Sequence[str]) -> Iterator[Observation]:
    text = f"“{labels[1]}” follows “{labels[0]}” after about {spoken(lag.delay)}"
    more = {"key": "\0".join(types), "chance": max(LEAST_CHANCE, lag.chance)}
    for delay, first, second in lag.pairs:
        quote = f"{first.label}; {spoken(delay)} later {second.label}"
        trust, cost = lowest(first.trust, second.trust), Cost(minutes=round(delay / 60, 2))
        yield observed("lag", text, second.row, quote=quote, trust=trust, cost=cost, **more)


def spoken(seconds: float) -> str:
    """`50 seconds`, `2.5 minutes`, `31 minutes`, `4.5 hours (270 minutes)`."""
    if seconds < 60:
        return f"{seconds:.0f} seconds"
    minutes = seconds / 60
    if minutes < 10:
        return f"{minutes:.1f} minutes"
    whole = f"{minutes:.0f} minutes"
    return whole if minutes < 180 else f"{minutes / 60:.1f} hours ({whole})"
