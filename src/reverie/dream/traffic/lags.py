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
from reverie.dream.traffic.tally import LEAST_CHANCE
from reverie.learn.diary.tasks import moment_of
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import holders, traces
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

    type: str
    at: float  # seconds
    session: str
    project: str
    line: int
    label: str
    day: str
    trust: Trust


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
    labels = _labels(happened)
    totals = Counter(one.type for one in happened)
    found: dict[tuple[str, str], Lag] = {}
    pairs = delays(happened)
    others = sorted(math.log(one.delay) for follows in pairs.values() for one in follows)
    for types, follows in sorted(pairs.items()):
        lag = stable(follows, others)
        if lag is None:
            continue
        surely = lag.probability * len(pairs) ** SEARCHED
        if surely <= _believed(lag, totals[types[0]], totals[types[1]]):
            found[types] = lag
    for types, lag in found.items():
        if not _through_another(types, found):
            yield from _told(types, lag, labels)


def _happenings(chosen: Chosen) -> Iterator[Happening]:
    """Events by time, each once however often it was told; rare types are left out."""
    sessions: defaultdict[str, set[str]] = defaultdict(set)
    for key, session in holders(chosen, "event"):
        sessions[key].add(session)
    often = sorted(
        (key for key, where in sessions.items() if len(where) >= LEAST),
        key=lambda key: (-len(sessions[key]), key),
    )[:TYPES]
    kept = frozenset(often)
    seen: set[tuple[str, str, int]] = set()
    for row in traces(chosen, "event"):
        trace = row.trace
        moment = moment_of(trace.at)
        if trace.key not in kept or moment is None:
            continue
        at = moment.timestamp()
        told = (row.project, trace.key, int(at // 60))
        if told not in seen:
            seen.add(told)
            label, trust = trace.data
            yield Happening(
                trace.key, at, row.session, row.project, trace.line, label, trace.at, trust
            )


def delays(happened: Sequence[Happening]) -> dict[tuple[str, str], list[Follows]]:
    """For each pair of types in one project, how long after the first the second came."""
    found: defaultdict[tuple[str, str], list[Follows]] = defaultdict(list)
    recent: defaultdict[str, deque[Happening]] = defaultdict(lambda: deque(maxlen=BEFORE))
    for second in happened:
        earlier = recent[second.project]
        latest: set[str] = set()
        for first in reversed(earlier):
            delay = second.at - first.at
            if delay > LONGEST:
                break
            # Of several first events only the two latest are tried: the rest are other stories.
            if delay < SHORTEST or first.type == second.type or first.type in latest:
                continue
            found[first.type, second.type].append(Follows(delay, first, second))
            latest.add(first.type)
        earlier.append(second)
    return {types: follows for types, follows in found.items() if len(follows) >= LEAST}


def stable(follows: Sequence[Follows], others: Sequence[float] = ()) -> Lag | None:
    """The least likely window among delays; None when no window holds enough of them.

    `others` are the logarithms of all delays between any two types, in order: where they crowd
    (sessions begin at the same hour of each day), a window says nothing about this pair.
    """
    ordered = sorted(follows, key=lambda one: (one.delay, one.second.at, one.second.session))
    logs = [math.log(one.delay) for one in ordered]
    best: Lag | None = None
    for width in WIDTHS:
        span = math.log1p(width) - math.log1p(-width)
        for start in range(len(logs)):
            low, high = logs[start], logs[start] + span
            end = bisect_right(logs, high)
            if end - start < LEAST:
                continue
            around = (low + high) / 2 - math.log(AROUND), (low + high) / 2 + math.log(AROUND)
            own = _within(logs, *around)
            share = span / (2 * math.log(AROUND))
            crowd = _within(others, low, high) - (end - start) + PRIOR * share
            share = max(share, crowd / max(PRIOR, _within(others, *around) - own + PRIOR))
            # Windows of three widths were tried wherever they fit.
            unlikely = at_least(end - start, own * share) * len(WIDTHS) / share
            if best is None or unlikely < best.probability:
                middle = ordered[(start + end) // 2].delay
                near = [one for one in ordered if abs(one.delay / middle - 1) <= WIDTHS[-1]]
                usual = median(one.delay for one in near)
                best = Lag(usual, own * share, unlikely, tuple(near))
    return best


def _within(logs: Sequence[float], low: float, high: float) -> int:
    return bisect_right(logs, high) - bisect_left(logs, low)


def _believed(lag: Lag, first: int, second: int) -> float:
    """Up to which probability of chance a delay is believed, by how much the events are a pair."""
    count = len(lag.pairs)
    less, more = sorted((count / first, count / second))
    if len({pair.second.session for pair in lag.pairs}) < 2 or more < PART:
        return 0.0
    if less >= CLOSE:
        return TOGETHER
    return MOSTLY if less >= PART else SOMETIMES


def _through_another(types: tuple[str, str], found: Mapping[tuple[str, str], Lag]) -> bool:
    """Whether A → C is only A → B → C."""
    start, end = types
    whole = found[types].delay
    for (first, middle), lag in found.items():
        onward = found.get((middle, end))
        if first == start and onward and abs(lag.delay + onward.delay - whole) < 0.1 * whole:
            return True
    return False


def _labels(happened: Sequence[Happening]) -> dict[str, str]:
    """How a type is called most often; among equals the shortest."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in happened:
        counts[one.type][one.label] += 1
    return {
        kind: min(called, key=lambda label: (-called[label], len(label), label))
        for kind, called in counts.items()
    }


def _told(types: tuple[str, str], lag: Lag, labels: Mapping[str, str]) -> Iterator[Observation]:
    first, second = labels[types[0]], labels[types[1]]
    text = f"“{second}” follows “{first}” after about {spoken(lag.delay)}"
    for pair in lag.pairs:
        after = pair.second
        yield Observation(
            source="lag",
            text=text,
            session=after.session,
            project=after.project,
            at=after.day,
            evidence=f"{after.session}#{after.line}",
            key=f"{types[0]}\0{types[1]}",
            quote=f"{pair.first.label}; {spoken(pair.delay)} later {after.label}",
            trust=lowest(pair.first.trust, after.trust),
            kind="data-quirk",
            type="project",
            cost=Cost(minutes=round(pair.delay / 60, 2)),
            chance=max(LEAST_CHANCE, lag.chance),
        )


def spoken(seconds: float) -> str:
    """`50 seconds`, `2.5 minutes`, `31 minutes`, `4.5 hours (270 minutes)`."""
    if seconds < 60:
        return f"{seconds:.0f} seconds"
    minutes = seconds / 60
    if minutes < 10:
        return f"{minutes:.1f} minutes"
    whole = f"{minutes:.0f} minutes"
    return whole if minutes < 180 else f"{minutes / 60:.1f} hours ({whole})"
