"""Sessions in our own form: one line about the session, then one line per turn.

It is what is kept of a session that lies in an agent's database: line numbers and ids stay, so
that evidence still names the same turn, and the agent's own reader reads it back.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from reverie.sessions.logs.transcript import Resume, Transcript
from reverie.sessions.model import Head, Tool, Turn
from reverie.sessions.readers.base import head_lines

_MARK = "reverie.session"
_VERSION = 1
SUFFIX = ".session.jsonl.zst"


class Line(msgspec.Struct):
    """Any line of such a file: the first has a head, all others a turn."""

    form: str = ""
    version: int = 0
    head: Head | None = None
    turn: Turn | None = None


_decode = msgspec.json.Decoder(Line).decode


def lines(head: Head, turns: Iterable[Turn]) -> Iterator[bytes]:
    """A session as lines of this form."""
    yield _encoded({"form": _MARK, "version": _VERSION, "head": asdict(head)})
    for turn in turns:
        # By position, as they are decoded: a turn is a tuple, and so is its tool.
        yield _encoded({"turn": turn})


def written_for(agent: str, head: bytes) -> bool:
    """Whether a file begins with the line about a session of this agent."""
    first = next(iter(head_lines(head, 1)), b"")
    return f'"form":"{_MARK}"'.encode() in first and f'"agent":"{agent}"'.encode() in first


def is_neutral(path: Path) -> bool:
    """Whether a file is of this form, by its name: copies are named after the session."""
    return path.name.endswith(SUFFIX)


def opened(agent: str, path: Path, resume: Resume | None) -> Transcript:
    """A file of this form, ready to iterate."""
    return Transcript(agent, path, NeutralParser(agent, resume), resume)


class NeutralParser:
    """Reads the lines of one file in order."""

    undecided = False

    def __init__(self, agent: str, resume: Resume | None = None) -> None:
        state = resume.state.get("head") if resume else None
        self._head = Head(**state) if state else Head(agent, "")
        self.withdrawn: set[int] = set()
        self.undone: list[tuple[int, int]] = []

    def save(self) -> dict[str, Any]:
        return {"head": asdict(self._head)}

    def decode(self, data: bytes) -> Line:
        return _decode(data)

    def adopt(self, value: dict[str, Any]) -> Line | None:
        try:
            line = msgspec.convert(value, Line)
        except msgspec.ValidationError:
            return None
        return line if line.turn is not None or line.form == _MARK else None

    def feed(self, line: int, offset: int, record: Line, out: list[Turn]) -> None:
        if record.head is not None:
            self._head = record.head
        if record.turn is not None:
            tool = record.turn.tool
            out.append(record.turn._replace(offset=offset, tool=Tool(*tool) if tool else None))

    def head(self) -> Head:
        return self._head


def _encoded(value: dict[str, Any]) -> bytes:
    return msgspec.json.encode(value) + b"\n"
