"""Mends: a call that failed, and the next one after the same thing that worked, as they stand.

`fixes` knows a fix from one session, and asks for one small change. Here nothing is concluded: a
dream compares the pairs of many sessions and sees what all calls that worked have and none of those
that failed, whatever else was different about them.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from reverie.data import patterns
from reverie.learn.diary.tasks import elapsed, spent
from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.commands import (
    VARYING,
    Command,
    act_of,
    base,
    is_runner,
    reads_files,
)
from reverie.learn.traffic.failures import Trouble, signature_of
from reverie.learn.traffic.fixes import LONGEST, teaches
from reverie.learn.traffic.outputs import is_counting
from reverie.sessions.model import Turn
from reverie.sessions.traces import Trace

REACH = 8  # calls after a failure in which the same program is looked for
SOON = 3  # … in which another one stands in its place
TELLING = 2  # words of a message that says something

_RE = patterns("traffic.txt", "mends")
# The call itself is wrong, so another program may stand in its place.
_WRONG: frozenset[Trouble] = frozenset({"missing-command", "usage"})


def mends(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    """Each failure that was overcome, once for each message."""
    told: set[str] = set()
    for place, one in enumerate(tried):
        if not teaches(one) or one.failure is None or one.command is None:
            continue
        key = levelled(one.failure.message)
        worked = None if key in told or not key else _next(tried, place)
        if worked is None or worked.command is None:
            continue
        failed_call, worked_call = call_of(one.command), call_of(worked.command)
        if max(len(failed_call), len(worked_call)) > LONGEST:
            continue  # a longer one belongs to one task
        told.add(key)
        data = {
            "failed": failed_call,
            "worked": worked_call,
            "message": one.failure.message,
            "trouble": one.failure.trouble,
            "lines": [one.line, one.result_line, worked.line],
        }
        seconds = elapsed(turns[one.index].at, turns[worked.result_index].at)
        tokens = spent(turns, one.index, worked.result_index)
        at = turns[one.index].at
        yield Trace(one.line, at, "mend", key, 1, 1, seconds, tokens, data)


def levelled(message: str) -> str:
    """A message without anything that differs from day to day; "" when it says nothing then."""
    level = _RE.quoted.sub(VARYING, signature_of("", _RE.shell.sub("", message)))
    level = _RE.numbered.sub(VARYING, level)
    silent = is_counting(message) or _RE.silent.match(message)
    return "" if silent or len(_RE.word.findall(level)) < TELLING else level


def call_of(command: Command) -> str:
    """Its programs as they were called, with what was set and where it was gone before them."""
    setting = dict.fromkeys(command.setting)
    before = [f"{step} &&" for step in setting if " " in step and not _RE.variable.match(step)]
    variables = [word for word in setting if _RE.variable.match(word)]
    return " ".join([*before, *variables, " && ".join(map(" ".join, _parts(command)))])


def _parts(command: Command) -> Sequence[tuple[str, ...]]:
    """The parts that do more than read files: a program that only asks may fail as well."""
    return [part for part in command.parts if not reads_files(part)] or command.parts


def _next(tried: Sequence[Attempt], place: int) -> Attempt | None:
    failed = tried[place]
    assert failed.command is not None
    wrong = failed.failure is not None and failed.failure.trouble in _WRONG
    stands_in: Attempt | None = None
    for number, later in enumerate(tried[place + 1 : place + 1 + REACH], 1):
        if later.verb == "edit" and later.result == "worked":
            break  # something was changed: that may be why it works
        if later.command is None or later.result != "worked":
            continue
        if _programs(failed.command) <= _named(later.command):
            return later
        if stands_in is None and number <= SOON and later.verb == "run":
            same = _words(failed.command) & _words(later.command)
            if wrong or any(map(_RE.argument.fullmatch, same)):
                stands_in = later
    return stands_in


def _programs(command: Command) -> set[str]:
    """What a command runs: of an interpreter the script or module, of a runner what it runs."""
    return {_program(part) for part in _parts(command)}


def _program(part: Sequence[str]) -> str:
    words = [base(word) for word in part if not word.startswith("-")] or [base(part[0])]
    for word, following in pairwise(words):
        runs = _RE.run.fullmatch(following) or act_of((word, following)) == "check"
        through = _RE.interpreter.fullmatch(word) or _RE.run.fullmatch(word)
        if not through and not (runs and is_runner(word)):
            return word
    return words[-1]


def _named(command: Command) -> set[str]:
    return set(map(base, _words(command)))


def _words(command: Command) -> set[str]:
    return {word for part in _parts(command) for word in part if not word.startswith("-")}
