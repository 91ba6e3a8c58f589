"""Traces: what the tool traffic of one session leaves for a dream, out of its attempts."""

from collections.abc import Iterator, Sequence
from typing import Any

from reverie.learn.attempts import Attempt, attempts, is_bookkeeping
from reverie.learn.detours import call_form, detours
from reverie.learn.events import events, trace_time
from reverie.learn.failures import SURROUNDINGS
from reverie.learn.forms import forms_of
from reverie.learn.questions import questions
from reverie.learn.readings import readings
from reverie.learn.tasks import elapsed
from reverie.sessions.index import SessionRead
from reverie.sessions.model import Turn
from reverie.sessions.traces import Trace

MOST_RUNS = 300  # commands of one session that are kept for sequences
MOST = 80  # traces of one sort per session


def traces(read: SessionRead) -> list[Trace]:
    """All traces of a session; what it repeats from the session before is left out."""
    turns = read.turns
    tried = [one for one in attempts(turns) if one.index not in read.copied]
    tried = [one for one in tried if not turns[one.index].undone]
    found: list[Trace] = []
    for sort in (
        _readings(turns, tried, read.project.root),
        _failures(turns, tried),
        _detours(turns, tried),
        _questions(read),
        _runs(turns, tried),
    ):
        found += list(sort)[:MOST]
    found += [
        Trace(one.line, trace_time(one), "event", one.type, data=[one.label, one.trust])
        for one in events(turns)
    ]
    return found


def _readings(turns: Sequence[Turn], tried: Sequence[Attempt], root: str) -> Iterator[Trace]:
    for one in readings(turns, tried, root):
        yield Trace(one.line, one.at, "reading", one.file, one.times)


def _failures(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    """Failures of one signature together; those of the repository's own code teach nothing."""
    groups: dict[str, list[Attempt]] = {}
    for one in tried:
        failure = one.failure
        if failure is None or one.verb == "edit" or is_bookkeeping(one):
            continue
        if failure.trouble in SURROUNDINGS or one.tool.lower() in _CALLABLE:
            # What was looked for in vain is told by the call, not by the message.
            where = f" ({one.shown})" if one.command is None else ""
            groups.setdefault(failure.signature + where, []).append(one)
    for signature, members in groups.items():
        first = members[0]
        assert first.failure is not None
        data = {
            "call": first.shown,
            "form": call_form(first),
            "message": first.failure.message,
            "look": first.verb == "look",
            "trouble": first.failure.trouble,
        }
        at = turns[first.result_index].at
        yield Trace(
            first.result_line, at, "failure", signature, len(members), len(members), data=data
        )


# Tools whose failure means that something which was called by name is not there.
_CALLABLE = frozenset({"skill", "slashcommand", "task", "agent"})


def _detours(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    for one in detours(tried):
        first = one.failures[0]
        data: dict[str, Any] = {
            "worked": one.form,
            "tries": list(one.tries),
            "shown": one.worked.shown,
        }
        yield Trace(
            first.result_line,
            turns[first.index].at,
            "detour",
            one.key,
            1,
            len(one.failures),
            elapsed(turns[first.index].at, turns[one.worked.result_index].at),
            data=data,
        )


def _questions(read: SessionRead) -> Iterator[Trace]:
    for one in questions(read.turns):
        if one.place not in read.copied:
            yield Trace(one.line, one.at, "question", one.text, data=one.answer)


def _runs(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    """The forms of all commands that worked, in order; the same one after itself once."""
    runs: list[list[Any]] = []
    for one in tried:
        if one.result != "worked" or one.verb == "edit":
            continue
        named = [one.shown] if one.tool.lower() in _CALLABLE else []
        for form in forms_of(one.command) if one.command is not None else named:
            if not runs or runs[-1][0] != form:
                runs.append([form, one.line])
    if runs:
        first = tried[0]
        yield Trace(first.line, turns[first.index].at, "runs", "", len(runs), data=runs[:MOST_RUNS])
