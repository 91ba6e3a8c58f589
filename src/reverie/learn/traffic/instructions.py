"""Instructions: what the files for agents say, where a session shows or writes them.

What CLAUDE.md or AGENTS.md says already is nothing that a dream has to tell.
"""

from collections.abc import Iterator
from typing import Any

from reverie.data import patterns
from reverie.learn.traffic.work import Work
from reverie.sessions.traces import Trace

MOST = 120  # lines of one session
LONGEST = 240  # characters of one
READ = 40_000  # characters
FIRST = 300  # characters of a turn in which it says that it holds instructions

_RE = patterns("traffic.txt", "instructions")


def instructed(work: Work) -> Iterator[Trace]:
    """The lines of instructions that were read, written or handed over; one trace."""
    lines: dict[str, None] = {}
    for text in _shown(work):
        lines |= dict.fromkeys(_lines(_RE.numbered.sub("", text[:READ])))
        if len(lines) >= MOST:
            break
    if lines and work.turns:
        first = work.turns[0]
        data: list[Any] = list(lines)[:MOST]
        yield Trace(first.line, first.at, "instructed", "", len(data), data=data)


def _lines(text: str) -> Iterator[str]:
    """What they say line by line; what stands in a block of code is a command."""
    fenced = False
    for line in text.splitlines():
        if _RE.fence.match(line):
            fenced = not fenced
            continue
        said = _RE.mark.sub("", line).strip()
        if fenced:
            said = f"`{said.partition(' #')[0].strip()}`" if _RE.command.match(said) else ""
        if said and len(said) <= LONGEST and (fenced or _RE.says.search(said)):
            yield said


def _shown(work: Work) -> Iterator[str]:
    for turn in work.turns:
        if turn.kind == "injected" and _RE.handed.search(turn.text[:FIRST]):
            yield turn.text
    for call in work.tried:
        if call.result == "worked" and _RE.file.search(call.shown):
            if call.verb == "look":
                yield call.output
            elif call.verb == "edit" and (tool := work.turns[call.index].tool) is not None:
                yield from (text for text in map(tool.input.get, _WRITTEN) if isinstance(text, str))


_WRITTEN = ("new_string", "content", "patch")
