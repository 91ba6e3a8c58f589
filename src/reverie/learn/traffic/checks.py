"""Checks: which were run, which should have been, and which tests keep failing, as traces.

hooked   a commit was stopped by a check that had not been run since the last edit
runners  which call runs which step
tests    how many tests the calls of one form ran, and what was to choose among them
"""

from collections.abc import Iterator, Sequence
from typing import Any

from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.outputs import (
    CHOOSERS,
    aim_of,
    count_of_tests,
    echoes,
    failing,
    problems,
)
from reverie.learn.traffic.ways import aims_of
from reverie.learn.traffic.work import Work, trace
from reverie.sessions.traces import Trace

MOST_TESTS = 30  # of one session
MOST_RUNNERS = 30

# An attempt, and what the steps were after that it repeated before it ran them, if it is a check.
Stepped = tuple[Attempt, list[str]]


def checks(work: Work) -> Iterator[Trace]:
    """All traces of the checks of one session."""
    stepped = [(attempt, _steps(work, attempt)) for attempt in work.tried]
    yield from _hooked(work, stepped)
    yield from _tests(work)
    runners: dict[str, str] = {}
    for attempt, steps in stepped:
        if len(steps) == len(attempt.forms) == 1 and attempt.verb == "check":
            runners.setdefault(steps[0], attempt.forms[0])
    yield from work.whole("runners", dict(list(runners.items())[:MOST_RUNNERS]))


def _steps(work: Work, attempt: Attempt) -> list[str]:
    if attempt.command is None or attempt.verb not in {"check", "ship"}:
        return []
    return list(dict.fromkeys(aim_of(echo.command) for echo in echoes(work.output(attempt))))


def _commits(attempt: Attempt) -> bool:
    return any(aim.endswith("git commit") for aim in aims_of(attempt))


def _since_edit(before: Sequence[Stepped]) -> Iterator[Stepped]:
    """The commands that worked since the last edit, latest first."""
    for attempt, steps in reversed(before):
        if attempt.edited:
            return
        if attempt.command is not None and attempt.result == "worked":
            yield attempt, steps


def _hooked(work: Work, stepped: Sequence[Stepped]) -> Iterator[Trace]:
    for place, (commit, _) in enumerate(stepped):
        if commit.failure is None or not _commits(commit):
            continue
        text = work.output(commit)
        step = failing(text)
        if step is None:
            continue
        aim = aim_of(step.command)
        before = _since_edit(stepped[:place])
        message = next((problem.message for problem in problems(text[step.end :])), "")
        data = {
            "step": step.command,
            "message": message,
            "run": any(aim in steps or aim in aims_of(earlier) for earlier, steps in before),
        }
        seconds, tokens = work.seconds(commit, commit), work.tokens(commit, commit)
        yield trace("hooked", aim, commit, 1, 1, seconds=seconds, tokens=tokens, data=data)


def _tests(work: Work) -> Iterator[Trace]:
    by_form: dict[str, Trace] = {}
    for check in work.tried:
        if check.verb != "check" or len(check.forms) != 1:
            continue
        form = check.forms[0]
        if ran := count_of_tests(work.output(check)):
            flags = (word.partition("=")[0] for word in form.split())
            chooser = next((flag for flag in flags if flag in CHOOSERS), "")
            data: dict[str, Any] = {"chooser": chooser, "aim": aim_of(form)}
            data |= {"calls": [], "lines": []}
            tests = by_form.setdefault(form, trace("tests", form, check, 0, data=data))
            tests.data["calls"].append([check.line, check.at, ran])
            tests.data["lines"].append(check.line)
            by_form[form] = tests._replace(times=tests.times + 1)
    yield from list(by_form.values())[:MOST_TESTS]
