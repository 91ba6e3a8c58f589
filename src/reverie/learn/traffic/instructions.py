"""Instructions: the commands that the files for agents name, where a session shows them.

What CLAUDE.md or AGENTS.md says already is nothing that a dream has to tell.
"""

from collections.abc import Iterator
from typing import Any

from reverie.data import patterns
from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.commands import command_of, forms_of
from reverie.learn.traffic.work import Work
from reverie.sessions.traces import Trace

MOST = 80  # commands of one session
READ = 40_000  # characters
FIRST = 300  # characters of a turn in which it says that it holds instructions

_RE = patterns("traffic.txt", "instructions")


def instructed(work: Work) -> Iterator[Trace]:
    """The forms of all commands in instructions that were read or handed over; one trace."""
    forms: dict[str, None] = {}
    for text in _shown(work):
        plain = _RE.numbered.sub("", text[:READ])
        for match in _RE.code.finditer(plain):
            for line in (match["fenced"] or match["span"]).splitlines():
                if _RE.command.match(line.strip()):
                    forms |= dict.fromkeys(forms_of(command_of(line.strip())))
        if len(forms) >= MOST:
            break
    if forms and work.turns:
        first = work.turns[0]
        data: list[Any] = list(forms)[:MOST]
        yield Trace(first.line, first.at, "instructed", "", len(data), data=data)


def _shown(work: Work) -> Iterator[str]:
    for turn in work.turns:
        if turn.kind == "injected" and _RE.handed.search(turn.text[:FIRST]):
            yield turn.text
    for call in work.tried:
        if call.result == "worked" and call.verb == "look" and _reads(call):
            yield call.output


def _reads(call: Attempt) -> bool:
    return _RE.file.search(call.shown) is not None
