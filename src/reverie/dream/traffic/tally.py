"""Tally: things of one sort by key, the sessions they were seen in, and what is usual for the sort.

What is usual is what chance explains: when most files are read in one session only, one that is
read in nine is no accident. The thing itself is left out of the count, or it would explain itself.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar, cast

from reverie.dream.model import NOTHING, Cost, Observation, Source
from reverie.sessions.traces import Trace, TraceRow
from reverie.trust import Trust

LEAST_SESSIONS = 2  # fewer are not even a candidate
MINUTE = len("2026-01-31T12:30")  # of a time
LEAST_CHANCE = 0.02  # nothing is impossible
# Whose word it is, and the kind and type of the memory it would become.
SORTS: dict[Source, tuple[Trust, str, str]] = {
    "fix": ("tool", "error", "feedback"),
    "detour": ("tool", "command", "reference"),
    "sequence": ("agent", "command", "reference"),
    "reread": ("agent", "best-practice", "reference"),
    "question": ("agent", "best-practice", "feedback"),
    "ask": ("agent", "best-practice", "feedback"),
    "refusal": ("agent", "best-practice", "feedback"),
    "check": ("tool", "best-practice", "feedback"),
    "overlap": ("agent", "best-practice", "feedback"),
}


class OfSession(Protocol):
    @property
    def session(self) -> str: ...


Row = TypeVar("Row", bound=OfSession)
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


def sessions_of(rows: Iterable[OfSession]) -> int:
    """In how many sessions something was seen."""
    return len({row.session for row in rows})


def of_projects(groups: Iterable[list[TraceRow]]) -> Iterator[list[TraceRow]]:
    """What several sessions of one project share, of groups that may hold several projects."""
    for rows in groups:
        by_project: dict[str, list[TraceRow]] = {}
        for row in rows:
            by_project.setdefault(row.project, []).append(row)
        yield from (own for own in by_project.values() if sessions_of(own) >= LEAST_SESSIONS)


def several(found: Iterable[tuple[Key, Row]]) -> Iterator[tuple[Key, list[Row], float]]:
    """What several sessions share: key, rows as they came, and the sessions chance explains."""
    by_key: dict[Key, list[Row]] = {}
    for key, row in found:
        by_key.setdefault(key, []).append(row)
    counts = {key: sessions_of(rows) for key, rows in by_key.items()}
    usual = Usual(counts.values())
    for key, rows in by_key.items():
        if counts[key] >= LEAST_SESSIONS:
            yield key, rows, usual.without(counts[key])


def observed(source: Source, text: str, session: str, project: str, **more: Any) -> Observation:
    """What one session showed, as its source is trusted."""
    trust, kind, type_ = SORTS[source]
    told: dict[str, Any] = {"trust": trust, "kind": kind, "type": type_}
    return Observation(source, text, session, project, **(told | more))


def lines_of(trace: Trace) -> list[int]:
    """The lines that show a trace: all that it names, else its own."""
    return data_of(trace).get("lines") or [trace.line]


def data_of(trace: Trace) -> dict[str, Any]:
    """What a trace holds by name; {} where it holds something else."""
    data = cast("object", trace.data)
    return cast("dict[str, Any]", data) if isinstance(data, dict) else {}


def told(
    source: Source,
    text: str,
    rows: Sequence[TraceRow],
    quote: Callable[[TraceRow], str],
    **more: Any,
) -> Iterator[Observation]:
    """What each of several sessions showed, at the places of its trace and with its cost.

    The same words in the same minute are one incident: sessions that share a tree meet it together.
    """
    met: dict[tuple[str, str], str] = {}
    for row in rows:
        trace = row.trace
        if (
            trace.failed
            and met.setdefault((quote(row), trace.at[:MINUTE]), row.session) != row.session
        ):
            continue
        cost = Cost(trace.failed, round(trace.seconds / 60, 2), trace.tokens)
        for number, line in enumerate(lines_of(trace)):
            own = {"at": trace.at, "evidence": f"{row.session}#{line}", "key": trace.key}
            own |= {"mended": data_of(trace).get("mended", False)}
            own |= {"quote": quote(row), "cost": cost if number == 0 else NOTHING}
            yield observed(source, text, row.session, row.project, **(own | more))
