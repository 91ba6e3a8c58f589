"""Breaches: the named rules of linters and compilers that a check stopped at.

A bug is of one day, but a rule that has a name is the same rule tomorrow: whoever knows it writes
the code so that the check passes.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reverie.data import patterns, sections
from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.commands import shortened
from reverie.learn.traffic.detours import call_form
from reverie.learn.traffic.failures import plain

_RE = patterns("traffic.txt", "breaches")

MOST = 12  # rules of one session
MAX_MESSAGE = 90
READ = 20_000  # characters of one output

# How tools name the rule at the end of a complaint, or before it; one group holds the name.
_PLACE = r"^[^\s:]+:\d+(?::\d+)?:?\s+"
_MESSAGE = r"(?P<message>.{4,200}?)"
_SHAPES = [
    re.compile(shape.replace("{place}", _PLACE).replace("{message}", _MESSAGE))
    for shape in sections("traffic.txt")["breaches"].splitlines()
]
_LOOKAHEAD = 4


class Breach(NamedTuple):
    """One rule that was not kept, how often, and how the tool says so."""

    rule: str
    message: str
    form: str  # of the check
    times: int
    line: int
    place: int  # of the call among the turns


def breaches(tried: Sequence[Attempt]) -> list[Breach]:
    """The rules that checks of one session stopped at, each once, in order."""
    found: dict[str, Breach] = {}
    for one in tried:
        if one.result != "failed" or one.verb not in {"check", "ship"} or one.command is None:
            continue
        for rule, message in dict(_complaints(plain(one.output[:READ]))).items():
            first = found.get(rule)
            if first is None:
                text = shortened(message, MAX_MESSAGE)
                found[rule] = Breach(rule, text, call_form(one), 1, one.result_line, one.index)
            else:
                found[rule] = first._replace(times=first.times + 1)
    return list(found.values())[:MOST]


def _complaints(text: str) -> Iterator[tuple[str, str]]:
    lines = text.splitlines()
    for place, line in enumerate(lines):
        match = next((found for shape in _SHAPES if (found := shape.search(line))), None)
        if match is None:
            continue
        message = match["message"].strip()
        if not message:
            # Some tools name the rule first and say what is wrong below.
            below = map(_RE.marked.match, lines[place + 1 : place + 1 + _LOOKAHEAD])
            message = next((said["message"].strip() for said in below if said), "")
        yield match["rule"], message
