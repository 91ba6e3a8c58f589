"""Current: whether a pattern of the traffic still holds when the last sessions are looked at.

A failure that was mended and a call that nobody makes any more were patterns once. How often
something came before says how many sessions without it are needed to take it for over: the calendar
says nothing, since nobody may have worked.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from reverie.dream.model import Night, Pattern, Source
from reverie.dream.traffic.obstacles import OUTSIDE
from reverie.learn.traffic.outputs import aim_of
from reverie.plural import several
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import traces

LIKELY = 0.05  # that so many sessions are without it although it goes on
UNMADE = 0.01  # the same, where nobody made that call since: it may fail as ever
LEAST_DAYS = 2  # of work since
# What the tools showed; what people said and asked for holds until they say otherwise.
ENDING: frozenset[Source] = frozenset({"fix", "check", "sequence"})


class Lately:
    """When sessions of each project ran what, and how often it worked."""

    def __init__(self, night: Night, asked: Iterable[Pattern]) -> None:
        reach = night.reach
        self._worked: dict[str, dict[str, str]] = {}  # project → session → when
        self._ran: dict[str, Counter[str]] = {}  # what a call is after → by session
        calls = {_call(pattern) for pattern in asked}
        aim = cache(aim_of)
        if reach is None or not calls:
            return
        for row in traces(Chosen(reach.database, night.sessions), "runs"):
            self._worked.setdefault(row.project, {})[row.session] = row.trace.at
            for form, _ in row.trace.data:
                if aim(form) in calls:
                    self._ran.setdefault(aim(form), Counter())[row.session] += 1

    def over(self, pattern: Pattern) -> str:
        """Why a pattern is over; "" when it may come back tomorrow."""
        last, sessions = pattern.group.last, set(pattern.group.sessions)
        worked = {
            session: at
            for project in pattern.group.projects
            for session, at in self._worked.get(project, {}).items()
        }
        since = {session for session, at in worked.items() if at > last}
        calls = self._ran.get(_call(pattern), Counter[str]())
        ran = Counter({session: calls[session] for session in worked if calls[session]})
        seen = len({member.evidence for member in pattern.group.members})
        unmade = since.isdisjoint(ran)
        if unmade:  # nobody makes that call any more
            ran, seen = Counter(worked.keys() - sessions), len(sessions)
        elif pattern.text.endswith(OUTSIDE):
            # What the person has let out of the sandbox for good is called like any other: the
            # record of a call that works does not tell where it ran.
            return ""
        later = sum(ran[session] for session in since)
        days = {worked[session][:10] for session in since if ran[session]}
        likely = unseen(seen, seen + ran.total() - later, later)
        least = UNMADE if unmade else LIKELY
        if len(days) < LEAST_DAYS or likely > least:
            return ""
        return f"over: {several(later, 'time')} since without it, on {several(len(days), 'day')}"


def _call(pattern: Pattern) -> str:
    return aim_of(pattern.group.members[-1].call)


def unseen(seen: int, before: int, later: int) -> float:
    """How likely `later` sessions lack what `seen` of those `before` had, if it goes on as it did.

    How often it comes is itself known only from those sessions (Laplace's rule of succession).
    """
    without, probability = before - seen + 1, 1.0
    for number in range(later):
        probability *= (without + number) / (before + 1 + number)
    return probability


def _may_end(pattern: Pattern) -> bool:
    return pattern.group.source in ENDING and not pattern.group.members[0].lasting


def ended(night: Night, patterns: Sequence[Pattern]) -> dict[str, str]:
    """Why patterns are over, by the id of their group."""
    asked = [pattern for pattern in patterns if pattern.status == "pattern" and _may_end(pattern)]
    lately = Lately(night, asked)
    why = {pattern.group.id: lately.over(pattern) for pattern in asked}
    return {name: reason for name, reason in why.items() if reason}
