"""Ways out: how a session got past a call that failed, and the two calls as they stand.

step       another command came first, and the same call worked
rerun      the same call worked, and nothing had been done
escalated  the same call worked outside the agent's sandbox
instead    another call worked in its place
edited     the code was changed: that is work, and teaches nothing about tools

A mend concludes nothing, where `fixes` asks for one small change: a dream compares the pairs of
many sessions and sees what all calls that worked have and none of those that failed.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Literal, NamedTuple

from reverie.data import patterns, word_sets
from reverie.learn.traffic.attempts import Attempt, relative
from reverie.learn.traffic.commands import (
    VARYING,
    Command,
    act_of,
    base,
    form_of,
    is_runner,
    reads_files,
    shortened,
)
from reverie.learn.traffic.failures import MISCALLED, Trouble, signature_of
from reverie.learn.traffic.fixes import LONGEST, teaches
from reverie.learn.traffic.homes import tilde
from reverie.learn.traffic.outputs import aim_of, is_counting
from reverie.learn.traffic.work import Work, trace
from reverie.sessions.model import Tool
from reverie.sessions.traces import Trace

REACH = 12  # calls after a failure in which its way out is looked for
MOST_STEPS = 4  # of what was done before the same call worked
SAME, ALIKE = 3, 2  # likeness of a call that is made again: word for word, or with other values
SOON = 3  # … in which another call stands in its place
MEND_REACH = 8  # … in which one of the same program is looked for
TELLING = 2  # words of a message that says something
MAX_COMMAND = 140

WayKind = Literal["", "step", "rerun", "escalated", "instead", "edited"]
WAYS: tuple[WayKind, ...] = ("escalated", "step", "instead", "rerun", "edited", "")  # by worth

_RE = patterns("traffic.txt", "ways")
_MENDS = patterns("traffic.txt", "mends")
_WORDS = word_sets("traffic.txt", "traces")
# Another call may stand in its place.
_REPLACEABLE: frozenset[Trouble] = frozenset({*MISCALLED, "missing-path"})


class Way(NamedTuple):
    """How it went on; `end` is the place of the attempt that worked, -1 where none did."""

    kind: WayKind
    command: str = ""
    end: int = -1
    before: tuple[str, ...] = ()  # of a step, what else had been done by then


NONE = Way("")


def way_out(work: Work, place: int) -> Way:
    """How the session got past the failure at `place`.

    Where the same call works in the end, what came in between prepared it, whatever program it is.
    """
    failed = work.tried[place]
    following = work.tried[place + 1 : place + 1 + REACH]
    before_edits = takewhile(lambda later: not later.edited, following)
    worked = (_likeness(failed, later) for later in before_edits if later.result == "worked")
    least = SAME if SAME in worked else 1
    done: list[str] = []
    in_its_place = NONE
    for end, later in enumerate(following, place + 1):
        if later.edited:
            return in_its_place if in_its_place.kind else Way("edited", end=end)
        if later.command is None or later.verb == "edit":
            continue
        same = _likeness(failed, later) >= least
        if later.verb == "look" and not same:
            continue
        if any(base(part[0]) == "sed" for part in later.command.acts):
            return in_its_place if in_its_place.kind else Way("edited", end=end)
        if same and _escaped(work, failed, later):
            return Way("escalated", end=end)
        if later.result != "worked":
            continue
        if same:
            return _prepared(failed, later, end, done) or (
                in_its_place if in_its_place.kind else _same_call(failed, later, end)
            )
        if later.verb != "check" or _makes(later):  # what judges does not mend
            done.append(_in_full(later))
        if end - place <= SOON and _stands_in(failed) and not in_its_place.kind:
            in_its_place = Way("instead", _in_full(later, failed), end)
    return in_its_place


def _prepared(failed: Attempt, later: Attempt, end: int, done: Sequence[str]) -> Way | None:
    """The same call after something else: in the calls before it, or in the same line."""
    assert later.command is not None
    aims = aims_of(failed)
    before = [part for part in later.command.acts if _aim(part) not in aims]
    steps = [*done, *(shortened(" ".join(part), MAX_COMMAND) for part in before[-1:])]
    # A call that was wrong in itself is not mended by what came before another one.
    wrong = failed.failure is not None and failed.failure.trouble in MISCALLED
    if not steps or (wrong and _likeness(failed, later) < ALIKE):
        return None
    last, *others = dict.fromkeys(reversed(steps[-MOST_STEPS:]))
    return Way("step", last, end, tuple(others))


def _likeness(failed: Attempt, later: Attempt) -> int:
    """How much a later call is the failed one: 3 word for word, 2 with other values, 1 by its aim.

    A program without a subcommand is called for something else with other options.
    """
    if failed.command is None or later.command is None:
        return 0
    if failed.command.setting == later.command.setting:
        if _within(failed.command.acts, later.command.acts):
            return SAME
        if _within(map(form_of, failed.command.acts), map(form_of, later.command.acts)):
            return ALIKE
    aims = aims_of(failed)
    if not aims or not aims <= aims_of(later):
        return 0
    options, others = _options(failed), _options(later)
    named = all(len(aim.split()) > 1 for aim in aims)
    return int(named or options <= others or others <= options)


def _within(some: Iterable[object], others: Iterable[object]) -> bool:
    return set(some) <= set(others)


def _options(call: Attempt) -> set[str]:
    parts = call.command.acts if call.command else ()
    return {word.partition("=")[0] for part in parts for word in part if word.startswith("-")}


def _makes(call: Attempt) -> bool:
    """Whether a call that is told from its name as a check makes something others need."""
    return any(_RE.makes.fullmatch(base(word)) for word in call.shown.split())


def aims_of(attempt: Attempt) -> frozenset[str]:
    """What each acting part of a call is after."""
    return frozenset(map(_aim, attempt.command.acts)) if attempt.command else frozenset()


def _aim(part: Sequence[str]) -> str:
    return aim_of(" ".join(part))


def _same_call(failed: Attempt, later: Attempt, end: int) -> Way:
    if failed.shown == later.shown:
        return Way("rerun", end=end)
    # With other arguments it is another call, which may well work for reasons of its own.
    return Way("instead", _in_full(later, failed), end) if _is_replaceable(failed) else NONE


def _escaped(work: Work, failed: Attempt, later: Attempt) -> bool:
    """Whether a call got further outside the sandbox of its agent."""
    if not escalates(work.turns[later.index].tool) or escalates(work.turns[failed.index].tool):
        return False
    return later.failure is None or later.failure.signature != (
        failed.failure.signature if failed.failure else ""
    )


def escalates(tool: Tool | None) -> bool:
    """Whether a call asks to be run outside the sandbox of its agent."""
    given = tool.input if tool else {}
    return any(_RE.escalates.fullmatch(f"{name}={value}") for name, value in given.items())


def _is_replaceable(failed: Attempt) -> bool:
    return failed.failure is not None and failed.failure.trouble in _REPLACEABLE


def _stands_in(failed: Attempt) -> bool:
    """Whether it is known from the failure that the same call will not do."""
    return failed.tool.lower() in _WORDS.callable or _is_replaceable(failed)


def _in_full(call: Attempt, failed: Attempt | None = None) -> str:
    """A call in full, with its place if that is below the other's; of one with a text its form."""
    assert call.command is not None
    shown = call.command.shown(MAX_COMMAND)
    shown = call.form if "\n" in shown or "…" in shown else shown
    folder = relative(_place(call), _place(failed)) if failed is not None else ""
    elsewhere = not folder or folder == "." or folder.startswith(("/", "~", ".."))
    return shown if elsewhere else f"cd {folder} && {shown}"


def _place(call: Attempt) -> str:
    """The folder in which a call ran, as the log and each `cd` before it tell."""
    place = tilde(call.cwd)
    for step in call.command.setting if call.command else ():
        if step.startswith("cd "):
            folder = step[3:].strip("\"'")
            place = folder if folder.startswith("~") else os.path.join(place, folder)
    return os.path.normpath(place) if place else ""


def mends(work: Work) -> Iterator[Trace]:
    """Each failure that was overcome, once for each message."""
    known: set[str] = set()
    for place, failed in enumerate(work.tried):
        if not teaches(failed) or failed.failure is None or failed.command is None:
            continue
        message = failed.failure.message
        key = levelled(message)
        worked = _overcoming(work.tried, place) if key and key not in known else None
        if worked is None or worked.command is None:
            continue
        calls = {"failed": call_of(failed.command), "worked": call_of(worked.command)}
        if max(map(len, calls.values())) > LONGEST:
            continue  # a longer one belongs to one task
        known.add(key)
        lines = [failed.line, failed.result_line, worked.line]
        data = {**calls, "message": message, "lines": lines}
        seconds, tokens = work.seconds(failed, worked), work.tokens(failed, worked)
        yield trace("mend", key, failed, 1, 1, seconds=seconds, tokens=tokens, data=data)


def levelled(message: str) -> str:
    """A message without anything that differs from day to day; "" when it says nothing then."""
    level = _MENDS.quoted.sub(VARYING, signature_of("", _MENDS.shell.sub("", message)))
    level = _MENDS.numbered.sub(VARYING, level)
    silent = is_counting(message) or _MENDS.silent.match(message)
    return "" if silent or len(_MENDS.word.findall(level)) < TELLING else level


def call_of(command: Command) -> str:
    """Its programs as they were called, with what was set and where it was gone before them."""
    setting = dict.fromkeys(command.setting)
    before = [f"{step} &&" for step in setting if " " in step and not _MENDS.variable.match(step)]
    variables = [word for word in setting if _MENDS.variable.match(word)]
    return " ".join([*before, *variables, " && ".join(map(" ".join, _parts(command)))])


def _parts(command: Command) -> Sequence[tuple[str, ...]]:
    """The parts that do more than read files: a program that only asks may fail as well."""
    return [part for part in command.parts if not reads_files(part)] or command.parts


def _overcoming(tried: Sequence[Attempt], place: int) -> Attempt | None:
    """The call that worked after a failure, the one most like it; None where that needs no other.

    A call that works again as it was is not replaced by what came in between.
    """
    failed = tried[place]
    assert failed.command is not None
    before_edits = takewhile(lambda later: not later.edited, tried[place + 1 : place + 1 + REACH])
    programs = set(map(_program, _parts(failed.command)))
    after_the_same: list[Attempt] = []
    in_its_place: list[Attempt] = []
    for number, later in enumerate(before_edits, 1):
        if later.command is None or later.result != "worked":
            continue
        if call_of(failed.command) == call_of(later.command):
            return None
        if number <= MEND_REACH and programs <= set(map(base, _words(later.command))):
            after_the_same.append(later)
        elif number <= SOON and _may_stand_in(failed, later):
            in_its_place.append(later)
    likest = max(after_the_same, key=lambda later: _likeness(failed, later), default=None)
    return likest or next(iter(in_its_place), None)


def _may_stand_in(failed: Attempt, later: Attempt) -> bool:
    if later.verb != "run" or not (failed.command and later.command):
        return False
    same = _words(failed.command) & _words(later.command)
    wrong = failed.failure is not None and failed.failure.trouble in MISCALLED
    return wrong or any(map(_MENDS.argument.fullmatch, same))


def _program(part: Sequence[str]) -> str:
    """What is run: of an interpreter the script or module, of a runner what it runs."""
    words = [base(word) for word in part if not word.startswith("-")] or [base(part[0])]
    for word, following in pairwise(words):
        runs = _MENDS.run.fullmatch(following) or act_of((word, following)) == "check"
        through = _MENDS.interpreter.fullmatch(word) or _MENDS.run.fullmatch(word)
        if not through and not (runs and is_runner(word)):
            return word
    return words[-1]


def _words(command: Command) -> set[str]:
    return {word for part in _parts(command) for word in part if not word.startswith("-")}
