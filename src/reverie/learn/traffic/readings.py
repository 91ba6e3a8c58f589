"""Readings: the files a session read and did not edit: what it had to look up."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reverie.learn.traffic.attempts import Attempt, relative
from reverie.learn.traffic.calls import files_of
from reverie.sessions.model import Turn

_READS = frozenset("read read_file view open_file readfile".split())
_SHOWS = frozenset("cat head tail less sed nl bat".split())
_FILE = re.compile(r"(?:\.{0,2}/|~/)?[\w@.+-]+(?:/[\w@.+-]+)*\.[A-Za-z]\w{0,9}|(?:\w+/)*Makefile")
# Scratch files, outputs and what an agent's harness puts aside are of one session only.
_PASSING = re.compile(
    r"\.(?:log|out|err|tmp|lock)$|^(?:/tmp|/private/tmp|/var|/dev|~/\.)|(?:^|/)(?:\.git|node_modules|tmp)/"
)


class Reading(NamedTuple):
    """One file that was read `times` times, first by the call in `line`."""

    file: str
    times: int
    line: int
    at: str


def readings(turns: Sequence[Turn], tried: Sequence[Attempt], root: str = "") -> list[Reading]:
    """What was read and not edited, by first reading."""
    edited = edited_files(tried, root)
    found: dict[str, Reading] = {}
    for one in tried:
        if one.result != "worked":
            continue
        for read in _read_by(turns[one.index], one):
            file = _inside(read, root)
            if file in edited or _PASSING.search(file):
                continue
            first = found.get(file)
            times = first.times + 1 if first else 1
            base = first or Reading(file, 0, one.line, turns[one.index].at)
            found[file] = base._replace(times=times)
    return list(found.values())


def edited_files(tried: Sequence[Attempt], root: str = "") -> set[str]:
    """The files that edits were tried on, as they lie in the project."""
    return {_inside(file, root) for one in tried if one.verb == "edit" for file in one.files}


def _inside(file: str, root: str) -> str:
    home = relative(root, "") if root else ""  # as `relative` writes what lies elsewhere
    return relative(relative(file, root), home).removeprefix("./")


def _read_by(turn: Turn, one: Attempt) -> Iterator[str]:
    tool = turn.tool
    if tool is None:
        return
    if one.tool.lower() in _READS:
        for file in files_of(tool):
            yield relative(file, turn.cwd)
    elif one.command is not None and one.verb == "look":
        for part in one.command.parts:
            if part[0] in _SHOWS:
                for word in part[1:]:
                    if _FILE.fullmatch(word):
                        yield relative(word, turn.cwd)
