"""Tally: things of one sort by key, the sessions they were seen in, and what is usual for the sort.

What is usual is what chance explains: when most files are read in one session only, one that is
read in nine is no accident. The thing itself is left out of the count, or it would explain itself.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeVar, cast

from reverie.dream.model import NOTHING, Cost, Observation, Source
from reverie.sessions.traces import TraceRow
from reverie.trust import Trust

LEAST_SESSIONS = 2  # fewer are not even a candidate
MINUTE = len("2026-01-31T12:30")  # of a time
LEAST_CHANCE = 0.02  # nothing is impossible
# Whose word it is, and the kind and type of the memory it would become.
SORTS: dict[Source, tuple[Trust, str, str]] = {
    "fix": ("tool", "error", "feedback"),
    "sequence": ("agent", "command", "reference"),
    "question": ("agent", "best-practice", "feedback"),
    "ask": ("agent", "best-practice", "feedback"),
    "refusal": ("agent", "best-practice", "feedback"),
    "check": ("tool", "best-practice", "feedback"),
    "overlap": ("agent", "best-practice", "feedback"),
    "lag": ("tool", "data-quirk", "project"),
}


Value = TypeVar("Value")
Key = TypeVar("Key", bound=Hashable)


class Usual:
    """In how many sessions, beyond the first, things of one sort are seen."""

    def __init__(self, sessions: Iterable[int], unseen: int = 0) -> None:
        """`unseen` things of the sort are known to exist that no session shows."""
        self._things, self._again = unseen, 0
        for count in sessions:
            self._things += 1
            self._again += count - 1

    def without(self, sessions: int) -> float:
        """What the other things explain of one that was seen in `sessions`."""
        others = max(1, self._things - 1)
        return max(LEAST_CHANCE, (self._again - (sessions - 1)) / others)


def sessions_of(rows: Iterable[TraceRow]) -> int:
    """In how many sessions something was seen."""
    return len({row.session for row in rows})


def first_of_each(rows: Sequence[TraceRow]) -> list[TraceRow]:
    """The first row of each session."""
    return list({row.session: row for row in reversed(rows)}.values())[::-1]


def commonest(texts: Iterable[str]) -> str:
    """What is there most often, of equals the first in order; "" for nothing."""
    counts = Counter(texts)
    return min(counts, key=lambda text: (-counts[text], text), default="")


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """What belongs to each key, in the order it came."""
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def of_projects(groups: Iterable[list[TraceRow]]) -> Iterator[list[TraceRow]]:
    """What several sessions of one project share, of groups that may hold several projects."""
    for group in groups:
        for rows in grouped((row.project, row) for row in group).values():
            if sessions_of(rows) >= LEAST_SESSIONS:
                yield rows


def recurring(
    pairs: Iterable[tuple[Key, TraceRow]],
) -> Iterator[tuple[Key, list[TraceRow], float]]:
    """What several sessions share: key, rows as they came, and the sessions chance explains."""
    groups = grouped(pairs)
    counts = {key: sessions_of(rows) for key, rows in groups.items()}
    usual = Usual(counts.values())
    for key, rows in groups.items():
        if counts[key] >= LEAST_SESSIONS:
            yield key, rows, usual.without(counts[key])


def observed(source: Source, text: str, row: TraceRow, **more: Any) -> Observation:
    """What one trace shows, as its source is trusted."""
    trust, kind, type_ = SORTS[source]
    known: dict[str, Any] = {"trust": trust, "kind": kind, "type": type_, "key": row.trace.key}
    known |= {"at": row.trace.at, "evidence": row.evidence}
    return Observation(source, text, row.session, row.project, **(known | more))


def observations(
    source: Source,
    text: str,
    rows: Sequence[TraceRow],
    quote: str | Callable[[TraceRow], str],
    **more: Any,
) -> Iterator[Observation]:
    """What each of several sessions showed, at all places that its trace names, with its cost.

    A quote in words is filled with what the trace holds. The same words in the same minute are one
    incident: sessions that share a tree meet it together.
    """
    met: dict[tuple[str, str], str] = {}
    for row in rows:
        trace = row.trace
        held = cast("object", trace.data)
        data = cast("dict[str, Any]", held) if isinstance(held, dict) else {}
        words = quote.format_map(data) if isinstance(quote, str) else quote(row)
        incident = (words, trace.at[:MINUTE])
        if trace.failed and met.setdefault(incident, row.session) != row.session:
            continue
        cost = Cost(trace.failed, round(trace.seconds / 60, 2), trace.tokens)
        for line in data.get("lines") or [trace.line]:
            known = {"evidence": f"{row.session}#{line}", "quote": words, "cost": cost}
            yield observed(source, text, row, **(known | more))
            cost = NOTHING
