"""Ways out: how a session got past a call that failed.

step       another command came first, and the same call worked
rerun      the same call worked, and nothing had been done
escalated  the same call worked outside the agent's sandbox
instead    another call worked in its place
edited     the code was changed: that is work, and teaches nothing about tools
"""

import os
from collections.abc import Sequence
from typing import Literal, NamedTuple

from reverie.data import patterns, word_sets
from reverie.learn.traffic.attempts import Attempt, relative
from reverie.learn.traffic.commands import base, shortened
from reverie.learn.traffic.failures import Trouble
from reverie.learn.traffic.homes import tilde
from reverie.learn.traffic.outputs import aim_of
from reverie.sessions.model import Tool, Turn

REACH = 12  # calls after a failure in which its way out is looked for
SOON = 3  # … in which another call stands in its place
MAX_COMMAND = 140

WayKind = Literal["", "step", "rerun", "escalated", "instead", "edited"]

# The call itself is wrong, so another one may stand in its place.
_WRONG: frozenset[Trouble] = frozenset({"missing-command", "missing-path", "usage"})

_RE = patterns("traffic.txt", "ways")
_WORDS = word_sets("traffic.txt", "traces")
WAYS: tuple[WayKind, ...] = ("escalated", "step", "instead", "rerun", "edited", "")


class Way(NamedTuple):
    """How it went on; `end` is the place of the attempt that worked, -1 where none did."""

    kind: WayKind
    command: str = ""
    end: int = -1


NONE = Way("")


def way_out(turns: Sequence[Turn], tried: Sequence[Attempt], place: int) -> Way:
    """How the session got past the failure at `place`."""
    failed = tried[place]
    aims = aims_of(failed)
    steps: list[str] = []
    for number, later in enumerate(tried[place + 1 : place + 1 + REACH], place + 1):
        if later.verb == "edit":
            if later.result == "worked":
                return Way("edited", end=number)
            continue
        if later.command is None or later.verb == "look":
            continue
        if any(base(part[0]) == "sed" for part in later.command.acts):
            return Way("edited", end=number)
        same = bool(aims) and aims <= aims_of(later)
        if same and _escaped(turns, failed, later):
            return Way("escalated", end=number)
        if later.result != "worked":
            continue
        if same:
            steps += [_shown(part) for part in later.command.acts if _aim(part) not in aims]
            return _same_call(failed, later, steps, number)
        if later.verb != "check":  # what judges does not mend
            steps.append(_told(later))
        if number - place <= SOON and _stands_in(failed):
            return Way("instead", _told(later, failed), number)
    return NONE


def aims_of(attempt: Attempt) -> frozenset[str]:
    """What each acting part of a call is after."""
    if attempt.command is None:
        return frozenset()
    return frozenset(_aim(part) for part in attempt.command.acts)


def _aim(part: Sequence[str]) -> str:
    return aim_of(" ".join(part))


def _shown(part: Sequence[str]) -> str:
    return shortened(" ".join(part), MAX_COMMAND)


def _same_call(failed: Attempt, later: Attempt, steps: Sequence[str], end: int) -> Way:
    if steps:
        return Way("step", steps[-1], end)
    if failed.shown == later.shown:
        return Way("rerun", end=end)
    # With other arguments it is another call, which may well work for reasons of its own.
    wrong = failed.failure is not None and failed.failure.trouble in _WRONG
    return Way("instead", _told(later, failed), end) if wrong else NONE


def _escaped(turns: Sequence[Turn], failed: Attempt, later: Attempt) -> bool:
    """Whether a call got further outside the sandbox of its agent."""
    if not escalates(turns[later.index].tool) or escalates(turns[failed.index].tool):
        return False
    return later.failure is None or later.failure.signature != (
        failed.failure.signature if failed.failure else ""
    )


def escalates(tool: Tool | None) -> bool:
    """Whether a call asks to be run outside the sandbox of its agent."""
    given = tool.input if tool else {}
    return any(_RE.escalates.fullmatch(f"{name}={value}") for name, value in given.items())


def _stands_in(failed: Attempt) -> bool:
    """Whether it is known from the failure that the same call will not do."""
    if failed.tool.lower() in _WORDS.callable:
        return True
    return failed.failure is not None and failed.failure.trouble in _WRONG


def _told(one: Attempt, failed: Attempt | None = None) -> str:
    """A call in full, with its place if that is below the other's; of one with a text its form."""
    assert one.command is not None
    shown = one.command.shown(MAX_COMMAND)
    shown = one.form if "\n" in shown or "…" in shown else shown
    folder = relative(_place(one), _place(failed)) if failed is not None else ""
    elsewhere = not folder or folder == "." or folder.startswith(("/", "~", ".."))
    return shown if elsewhere else f"cd {folder} && {shown}"


def _place(one: Attempt) -> str:
    """The folder in which a call ran, as the log and each `cd` before it tell."""
    place = tilde(one.cwd)
    for step in one.command.setting if one.command else ():
        if step.startswith("cd "):
            folder = step[3:].strip("\"'")
            place = folder if folder.startswith("~") else os.path.join(place, folder)
    return os.path.normpath(place) if place else ""
