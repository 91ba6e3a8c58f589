"""Instructions: what the files for agents say, where a session shows or writes them.

What CLAUDE.md or AGENTS.md says already is nothing that a dream has to tell.
"""

from collections.abc import Iterator
from typing import Any

from reverie.data import patterns
from reverie.learn.traffic.work import Work
from reverie.sessions.model import Turn
from reverie.sessions.traces import Trace

MOST = 120  # lines of one file in one session
LONGEST = 240  # characters of one
WRAPPED = 60  # of one that may go on in the next
READ = 40_000  # characters
FIRST = 300  # characters of a turn in which it says that it holds instructions

_RE = patterns("traffic.txt", "instructions")


def instructed(work: Work) -> Iterator[Trace]:
    """The lines of instructions that were read, written or handed over; one trace for each file."""
    files: dict[str, tuple[Turn, dict[str, None]]] = {}
    for file, turn, text in _shown(work):
        lines = files.setdefault(file, (turn, {}))[1]
        if len(lines) < MOST:
            lines |= dict.fromkeys(_lines(_RE.numbered.sub("", text[:READ])))
    for file, (turn, lines) in files.items():
        if data := list[Any](lines)[:MOST]:
            yield Trace(turn.line, turn.at, "instructed", file, len(data), data=data)


def _lines(text: str) -> Iterator[str]:
    """What they say, a line that is wrapped as one; what stands in a block of code is a command."""
    fenced = False
    said = ""
    for line in [*text.splitlines(), ""]:
        is_fence = _RE.fence.match(line) is not None
        wrapped = len(said) >= WRAPPED and not _RE.ends.search(said)
        whole = f"{said} {line.strip()}"
        if wrapped and len(whole) <= LONGEST and _RE.goes_on.match(line) and not is_fence:
            said = whole
            continue
        if said and len(said) <= LONGEST:
            yield said
        said = ""
        fenced = fenced != is_fence
        bare = "" if is_fence else _RE.mark.sub("", line).strip()
        if not fenced:
            said = bare if _RE.says.search(bare) else ""
        elif _RE.command.match(bare) and len(bare) <= LONGEST:
            yield f"`{bare.partition(' #')[0].strip()}`"


def _shown(work: Work) -> Iterator[tuple[str, Turn, str]]:
    """The names of files, where they were shown first, and what they say."""
    for turn in work.turns:
        if turn.kind == "injected" and _RE.handed.search(turn.text[:FIRST]):
            named = _RE.file.search(turn.text[:FIRST])
            yield named[0] if named else "", turn, turn.text
    for call in work.tried:
        turn = work.turns[call.index]
        if call.result == "worked" and (named := _RE.file.search(call.shown)):
            if call.verb == "look":
                yield named[0], turn, call.output
            elif call.verb == "edit" and turn.tool is not None:
                for text in map(turn.tool.input.get, _WRITTEN):
                    if isinstance(text, str):
                        yield named[0], turn, text


_WRITTEN = ("new_string", "content", "patch")
