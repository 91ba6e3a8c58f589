"""Answers: the commands with which sessions met what a person said.

A remark that comes back says what is wanted, seldom how. Where most of its sessions then ran the
same command, and hardly any session ran it otherwise, that command is how, and its rule names it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from reverie.data import patterns
from reverie.dream.model import Ask, Met, Night, Observation, Pattern
from reverie.dream.traffic.mends import general
from reverie.dream.traffic.tally import commonest
from reverie.learn.traffic.commands import VARYING, act_of, base, command_of, form_of
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import traces

SOON = 12  # commands after a remark that may meet it
LEAST = 3  # sessions that met it with the same command …
MOST = 0.5  # … of those that made the remark …
OWN = 0.5  # … and of all sessions that ran it
LONGEST = 80  # characters of a command that is named in more than its form

_QUOTES = frozenset("\"'`{(")

_RE = patterns("dreams.txt", "answers")


def answered(night: Night, weighed: Sequence[Pattern]) -> tuple[Pattern, ...]:
    """The patterns with what met them."""
    asked = [pattern for pattern in weighed if _may_be_met(pattern, night.ask)]
    if night.reach is None or not asked:
        return tuple(weighed)
    met = _Met(Chosen(night.reach.database, night.sessions), night.observations, asked)
    return tuple(
        replace(pattern, met=met.by(pattern)) if pattern in asked else pattern
        for pattern in weighed
    )


def _may_be_met(pattern: Pattern, ask: Ask) -> bool:
    group = pattern.group
    often = len(group.sessions) >= ask.min_sessions and len(group.days) >= ask.min_days
    return group.source == "said" and often and pattern.status == "pattern"


class _Met:
    """What was run after some remarks, and how usual that is."""

    def __init__(
        self, chosen: Chosen, said: Iterable[Observation], asked: Sequence[Pattern]
    ) -> None:
        spoken: dict[str, set[int]] = {}  # session → lines of remarks
        for observation in said:
            if observation.source == "said":
                session, _, line = observation.evidence.rpartition("#")
                spoken.setdefault(session, set()).add(int(line))
        self._after: dict[str, list[tuple[int, int]]] = {}  # session → from a line to the next one
        for pattern in asked:
            for member in pattern.group.members:
                session, _, line = member.evidence.rpartition("#")
                later = [other for other in spoken.get(session, ()) if other > int(line)]
                self._after.setdefault(session, []).append((int(line), min(later, default=0)))
        self._ran: dict[tuple[str, int], dict[str, str]] = {}  # session, line → forms → as typed
        for row in traces(chosen, "ran"):
            for start, end in self._after.get(row.session, ()):
                self._ran[row.session, start] = _forms(row.trace.data, start, end)
        self._usage = self._used(chosen)

    def _used(self, chosen: Chosen) -> Counter[str]:
        """In how many sessions each of the commands was run, whatever was said before."""
        asked = {form for forms in self._ran.values() for form in forms}
        called = {_called(form) for form in asked}
        usage: Counter[str] = Counter()
        for row in traces(chosen, "ran"):
            typed = [text for _, _, text in row.trace.data]
            telling = (text for text in typed if any(call in text for call in called))
            forms = {form_of(part) for text in telling for part in command_of(text).parts}
            usage.update(forms & asked)
        return usage

    def by(self, pattern: Pattern) -> Met | None:
        """The command that met a remark, as far as sessions have it in common."""
        sessions: dict[str, set[str]] = {}
        typed: dict[str, list[str]] = {}
        for member in pattern.group.members:
            session, _, line = member.evidence.rpartition("#")
            for form, text in self._ran.get((session, int(line)), {}).items():
                sessions.setdefault(form, set()).add(session)
                typed.setdefault(form, []).append(text)
        enough = max(LEAST, MOST * len(pattern.group.sessions))
        telling = [
            (_shown(form, typed[form]), len(having))
            for form, having in sessions.items()
            if len(having) >= enough and len(having) >= OWN * self._usage[form]
        ]
        # The form alone says little of what was run.
        forms = frozenset(sessions)
        best = min(
            telling,
            key=lambda command: (command[0] in forms, -command[1], command[0]),
            default=None,
        )
        return Met(*best, len(pattern.group.sessions)) if best else None


def _shown(form: str, typed: Sequence[str]) -> str:
    """A command as most ran it, else with what all have in common, up to a text in quotes."""
    cut = [list(takewhile(lambda word: not _QUOTES & set(word), text.split())) for text in typed]
    least = min(map(len, cut))
    calls = [_RE.number.sub(VARYING, " ".join(words[:least])) for words in cut]
    shown = commonest(calls)
    if 2 * calls.count(shown) < len(calls):
        shown = general(calls)
    said = [word for word in shown.split() if word not in form.split() and word != VARYING]
    shown = _RE.dangling.sub("", shown)
    return shown if said and len(shown) <= LONGEST else form


def _called(form: str) -> str:
    """A command up to its first option or what differs."""
    return " ".join(takewhile(lambda word: word != VARYING and word[0] != "-", form.split()))


def _forms(ran: Sequence[Sequence[object]], start: int, end: int) -> dict[str, str]:
    """The forms of the commands that ran between two lines, each as it was typed."""
    forms: dict[str, str] = {}
    lines = [(line, text) for line, result, text in ran if result in {"worked", "failed"}]
    for part in _parts(lines, start, end):
        forms.setdefault(form_of(part), " ".join(part))
    return forms


def _parts(
    lines: Iterable[tuple[object, object]], start: int, end: int
) -> Iterator[tuple[str, ...]]:
    number = 0
    for line, text in lines:
        if not isinstance(line, int) or line <= start or (end and line >= end):
            continue
        number += 1
        if number > SOON:
            return
        for part in command_of(str(text)).parts:
            # What looks around and what judges is run after any remark.
            asks_others = base(part[0]) == "gh" or "fetch" in part[:3]
            looks = act_of(part) == "look" and not asks_others
            if not looks and act_of(part) != "check":
                yield part
