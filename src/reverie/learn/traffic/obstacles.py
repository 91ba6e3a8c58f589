"""Obstacles: what stood in the way of a session, as traces for a dream.

Calls that failed alike and calls that the person refused: whoever knows them beforehand passes.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from reverie.data import patterns, word_sets
from reverie.learn.traffic.attempts import Attempt, is_bookkeeping, relative
from reverie.learn.traffic.commands import (
    VARYING,
    base,
    discards,
    form_of,
    reads_files,
    shortened,
)
from reverie.learn.traffic.outputs import Problem, aim_of, failing, problems, program_of
from reverie.learn.traffic.ways import WAYS, Way, way_out
from reverie.learn.traffic.work import Work, trace
from reverie.sessions.traces import Trace, What

MOST_LINES = 6  # of one failure in one session that are told
MOST_NOISE = 40
MAX_SAID = 160
LEAST_GIVEN = 4  # letters of an argument that a message can be said to repeat
DISCARDING = "discards"  # the key of refusals of calls that throw changes away

_RE = patterns("traffic.txt", "obstacles")
_WORDS = word_sets("traffic.txt", "traces")
_CHECKS = frozenset({"check", "ship"})


class _Failed(NamedTuple):
    """A call that failed, with one line that may tell why."""

    call: Attempt
    problem: Problem
    rank: int  # of the line among those of its output
    way: Way


def failures(work: Work) -> Iterator[Trace]:
    """Failures by the program, what they were after, and each line that may tell why."""
    home = f"{relative(work.root, '')}/" if work.root else ""
    groups: dict[tuple[str, str], list[_Failed]] = {}
    for place, call in enumerate(work.tried):
        if not _teaches(call):
            continue
        way = way_out(work, place)
        aim, causes = aim_and_problems(work, call)
        for rank, problem in enumerate(causes):
            key = f"{problem.signature}\n{program_of(aim)}", aim
            groups.setdefault(key, []).append(_Failed(call, problem, rank, way))
    for (key, aim), group in groups.items():
        call, problem, _, way = min(group, key=lambda failed: WAYS.index(failed.way.kind))
        data: dict[str, Any] = {
            "aim": aim,
            "call": call.shown,
            "form": call.form,
            "message": problem.message,
            "rank": group[0].rank,
            "trouble": call.failure.trouble if call.failure else "unknown",
            "way": way.kind,
            "then": way.command.replace(home, ""),
        }
        if way.before:
            data["before"] = [step.replace(home, "") for step in way.before]
        seconds = work.seconds(call, work.tried[way.end] if way.end >= 0 else call)
        calls = [failed.call for failed in group]
        yield _together("failure", key, work, calls, data)._replace(seconds=seconds)


def _teaches(call: Attempt) -> bool:
    """Not what was looked for at the wrong place: that is how things are found.

    Nor what a shell of this machine takes for its own: that says nothing of the project.
    """
    if call.failure is None or call.verb == "edit" or is_bookkeeping(call):
        return False
    if call.command is None:
        return call.tool.lower() in _WORDS.callable
    return not (all(map(reads_files, call.command.parts)) or _RE.shell.search(call.output))


def aim_and_problems(work: Work, call: Attempt) -> tuple[str, list[Problem]]:
    """What a call was after, or the step in which it failed, and the lines that may tell why."""
    message = call.failure.message if call.failure else ""
    if call.command is None:
        return call.shown, [Problem(message, message)]
    text = work.output(call)
    step = failing(text)
    whole = " && ".join(map(" ".join, call.command.acts))
    causes = problems(text[step.end :] if step else text)
    if call.failure is not None and not causes:
        causes = [Problem(message, call.failure.signature)]
    aim = aim_of(step.command if step else whole)
    return aim, [_without_arguments(problem, call) for problem in causes]


def _without_arguments(problem: Problem, call: Attempt) -> Problem:
    """A problem whose signature leaves open what the call was given: `rocks` in `rocks.png: …`."""
    level = problem.signature
    for word in sorted(_given(call)):
        if len(word) >= LEAST_GIVEN and word in level:
            level = re.sub(rf"[\w./-]*\b{re.escape(word)}(?![^\W_])[\w./-]*", VARYING, level)
    return problem._replace(signature=level)


def _given(call: Attempt) -> set[str]:
    """The arguments of a call: a script of one's own has no subcommands that are known as such."""
    arguments: set[str] = set()
    for part in call.command.acts if call.command else ():
        named: set[str] = set() if "/" in part[0] else set(form_of(part).split())
        arguments |= {base(word) for word in part[1:] if word[0] != "-" and word not in named}
    return arguments


def noise(work: Work) -> Iterator[Trace]:
    """Lines that look like trouble in the output of checks that passed."""
    keys: dict[str, None] = {}
    for call in work.tried:
        if call.result == "worked" and call.verb in _CHECKS and call.command is not None:
            aim, causes = aim_and_problems(work, call)
            keys |= dict.fromkeys(f"{problem.signature}\n{aim}" for problem in causes)
    yield from work.whole("noise", list(keys)[:MOST_NOISE])


def refusals(work: Work) -> Iterator[Trace]:
    """Commands that the person did not let run: the same call, or all that discards changes.

    A question at the prompt, and the same call let through afterwards, is no refusal.
    """
    groups: dict[str, dict[int, Attempt]] = {}
    forms: dict[str, str] = {}
    for place, call in enumerate(work.tried):
        if call.result != "refused" or call.command is None:
            continue
        then = (later for later in work.tried[place:] if later.result == "worked")
        if _is_asked_about(call) and any(later.form == call.form for later in then):
            continue
        for part in call.command.acts:
            key = DISCARDING if discards(part) else shortened(" ".join(part), MAX_SAID)
            forms.setdefault(key, form_of(part))
            groups.setdefault(key, {})[call.line] = call
    for key, by_line in groups.items():
        calls = list(by_line.values())
        reasons = [match[1] for call in calls if (match := _RE.said.search(call.output))]
        data = {
            "call": calls[0].shown,
            "form": forms[key],
            "said": [shortened(reason, MAX_SAID) for reason in reasons][:MOST_LINES],
        }
        yield _together("refusal", key, work, calls, data)


def _is_asked_about(refused: Attempt) -> bool:
    reason = _RE.said.search(refused.output)
    return reason is not None and _RE.asks.search(reason[1]) is not None


def _together(
    what: What, key: str, work: Work, calls: Sequence[Attempt], data: dict[str, Any]
) -> Trace:
    """Calls that failed alike as one trace, at the place of the first."""
    tokens, last = 0, -1
    for call in calls:
        if call.index > last:  # calls of one message cost once
            last = max(call.index, call.result_index)
            tokens += work.tokens(call, call)
    data |= {"lines": [call.line for call in calls][:MOST_LINES]}
    return trace(what, key, calls[0], len(calls), len(calls), tokens=tokens, data=data)
