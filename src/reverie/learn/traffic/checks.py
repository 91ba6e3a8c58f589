"""Checks: which were run, which should have been, and which tests keep failing, as traces.

hooked   a commit was stopped by a check that had not been run since the last edit
twice    a check was run right before another one that runs it itself
broken   a test failed, and how the session went on
gated    what a commit runs by itself
runners  which call runs which step
tests    how many tests the calls of one form ran, and what was to choose among them
"""

from collections.abc import Iterator, Sequence

from reverie.learn.diary.tasks import elapsed, spent
from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.commands import forms_of
from reverie.learn.traffic.outputs import (
    CHOOSERS,
    aim_of,
    count_of_tests,
    echoes,
    failed_tests,
    failing,
    problems,
    readable,
)
from reverie.learn.traffic.ways import aims_of, way_out
from reverie.sessions.model import Turn
from reverie.sessions.traces import Trace

MOST_TESTS = 30  # of one session
MOST_RUNNERS = 30


def checks(turns: Sequence[Turn], tried: Sequence[Attempt], root: str) -> Iterator[Trace]:
    """All traces of the checks of one session."""
    steps = [_steps(one, root) for one in tried]
    yield from _hooked(turns, tried, steps, root)
    yield from _twice(turns, tried, steps)
    yield from _broken(turns, tried, root)
    yield from _tests(turns, tried, root)
    gates = [
        step
        for one, inner in zip(tried, steps, strict=True)
        if any(aim.endswith("git commit") for aim in aims_of(one))
        for step in inner
    ]
    if gates:
        first, gates = tried[0], sorted({*gates})[:MOST_RUNNERS]
        yield Trace(first.line, turns[first.index].at, "gated", "", len(gates), data=gates)
    runners: dict[str, str] = {}
    for one, inner in zip(tried, steps, strict=True):
        if len(inner) == 1 and one.verb == "check" and one.command and len(one.command.acts) == 1:
            runners.setdefault(inner[0], forms_of(one.command)[0])
    if runners:
        first, most = tried[0], dict(list(runners.items())[:MOST_RUNNERS])
        yield Trace(first.line, turns[first.index].at, "runners", "", len(most), data=most)


def _steps(one: Attempt, root: str) -> list[str]:
    """What the steps were after that a check repeated before it ran them."""
    if one.command is None or one.verb not in {"check", "ship"}:
        return []
    return list(dict.fromkeys(aim_of(e.command) for e in echoes(readable(one.output, root))))


def took(turns: Sequence[Turn], one: Attempt) -> float:
    """Seconds from a call to its result; 0 where the log does not tell."""
    return elapsed(turns[one.index].at, turns[max(one.index, one.result_index)].at)


def _since_edit(tried: Sequence[Attempt], place: int) -> Iterator[int]:
    """The places of the commands that worked since the last edit, latest first."""
    for before in range(place - 1, -1, -1):
        one = tried[before]
        if one.verb == "edit" and one.result == "worked":
            return
        if one.command is not None and one.result == "worked":
            yield before


def _hooked(
    turns: Sequence[Turn], tried: Sequence[Attempt], steps: Sequence[list[str]], root: str
) -> Iterator[Trace]:
    for place, one in enumerate(tried):
        if one.failure is None or not any(aim.endswith("git commit") for aim in aims_of(one)):
            continue
        text = readable(one.output, root)
        step = failing(text)
        if step is None:
            continue
        aim = aim_of(step.command)
        before = [*_since_edit(tried, place)]
        run = any(aim in steps[earlier] or aim in aims_of(tried[earlier]) for earlier in before)
        message = next(iter(problems(text[step.end :], "")), None)
        data = {
            "step": step.command,
            "message": message.message if message else "",
            "checked": any(steps[earlier] for earlier in before),
        }
        at, seconds = turns[one.index].at, took(turns, one)
        tokens = spent(turns, one.index, max(one.index, one.result_index))
        data |= {"run": run}
        yield Trace(one.line, at, "hooked", aim, 1, 1, seconds, tokens, data)


def _twice(
    turns: Sequence[Turn], tried: Sequence[Attempt], steps: Sequence[list[str]]
) -> Iterator[Trace]:
    for place, one in enumerate(tried):
        if one.verb != "check" or one.command is None or len(steps[place]) < 2:
            continue
        whole, own = set(steps[place]), aims_of(one)
        within: dict[str, None] = {}
        seconds = 0.0
        for before in _since_edit(tried, place):
            command = tried[before].command
            inner = set(steps[before])
            if command and tried[before].verb == "check" and inner and inner < whole:
                within |= dict.fromkeys(form for form in forms_of(command))
                seconds += took(turns, tried[before])
        forms = [form for form in within if aim_of(form) not in own]
        if forms:
            call = forms_of(one.command)[0]
            data = {"call": call, "within": sorted(forms)}
            at, times = turns[one.index].at, len(forms)
            yield Trace(one.line, at, "twice", aim_of(call), times, 0, seconds, data=data)


def _broken(turns: Sequence[Turn], tried: Sequence[Attempt], root: str) -> Iterator[Trace]:
    found: dict[str, Trace] = {}
    for place, one in enumerate(tried):
        if one.failure is None or one.verb not in {"check", "ship"}:
            continue
        names = failed_tests(readable(one.output, root))
        if not names:
            continue
        way = way_out(turns, tried, place).kind
        mended = _mended(tried, place)
        for name, message in names.items():
            data = {"call": one.shown, "way": way, "message": message, "mended": mended}
            old = found.get(name)
            if old is None or way == "rerun":
                times = 1 if old is None else old.times + 1
                at = turns[one.index].at
                seconds = took(turns, one) / len(names)
                found[name] = Trace(one.line, at, "broken", name, times, 1, seconds, data=data)
            else:
                data = old.data | {"mended": mended}
                found[name] = old._replace(times=old.times + 1, data=data)
    yield from list(found.values())[:MOST_TESTS]


def _tests(turns: Sequence[Turn], tried: Sequence[Attempt], root: str) -> Iterator[Trace]:
    found: dict[str, Trace] = {}
    for one in tried:
        if one.verb != "check" or one.command is None or len(one.command.acts) != 1:
            continue
        ran = count_of_tests(readable(one.output, root))
        form = forms_of(one.command)[0]
        chooser = next((word for word in form.split() if flag_of(word) in CHOOSERS), "")
        if ran:
            at, calls = turns[one.index].at, [[one.line, turns[one.index].at, ran]]
            data = {"chooser": flag_of(chooser), "calls": calls, "aim": aim_of(form), "lines": []}
            first = found.setdefault(form, Trace(one.line, at, "tests", form, 0, data=data))
            if first.times:
                first.data["calls"] += calls
            first.data["lines"].append(one.line)
            found[form] = first._replace(times=first.times + 1)
    yield from list(found.values())[:MOST_TESTS]


def flag_of(word: str) -> str:
    return word.partition("=")[0]


def _mended(tried: Sequence[Attempt], place: int) -> bool:
    """Whether something was edited after a failure before the same check worked."""
    edited = False
    for later in tried[place + 1 :]:
        edited = edited or (later.verb == "edit" and later.result == "worked")
        if later.result == "worked" and aims_of(tried[place]) <= aims_of(later):
            return edited
    return False
