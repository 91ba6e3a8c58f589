"""Claude Code's `history.jsonl`: every typed prompt with its project, kept when logs are deleted.

Logs vanish after 30 days; for the sessions whose log is gone this file is the only trace. It
holds many sessions, so each is one part. Sessions that still have a log are left to that log.
"""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from reverie.sessions.logs.lines import RecordReader, open_log
from reverie.sessions.model import Head, Turn
from reverie.sessions.readers import claude_human as human
from reverie.sessions.readers.base import (
    Part,
    files_under,
    head_lines,
    iso_of_ms,
    possible_ms,
)
from reverie.sessions.readers.claude_records import AGENT
from reverie.sessions.readers.provenance import foreign

NAME = "history.jsonl"

_PASTED = re.compile(r"\[Pasted text #\d+(?: \+\d+ lines)?\]")


class Entry(Struct):
    """One typed prompt."""

    display: str | None = None
    timestamp: Any = None
    project: str | None = None
    sessionId: str | None = None
    foreign: bool = False  # a field says that it came from elsewhere; never out of the file


_decode = msgspec.json.Decoder(Entry).decode


def is_history(path: Path) -> bool:
    return path.name == NAME


def recognises(head: bytes) -> bool:
    """Whether the first bytes of a file of that name are a prompt history."""
    return any(b'"display"' in line and b'"project"' in line for line in head_lines(head))


def parts(path: Path) -> list[Part]:
    """Sessions of the history that have no log beside it any more."""
    status = path.stat()
    sessions = _sessions(path, status.st_size, status.st_mtime_ns)
    projects = path.parent / "projects"
    beside = files_under(projects if projects.is_dir() else path.parent, (".jsonl", ".jsonl.zst"))
    logged = {log.name.partition(".")[0] for log in beside}
    return [
        Part(session, size, last * 1_000_000)
        for session, (size, last) in sorted(sessions.items())
        if session not in logged
    ]


@lru_cache(maxsize=1)
def _sessions(path: Path, size: int, mtime_ns: int) -> dict[str, tuple[int, int]]:
    """Session → (bytes of its prompts, time of the last one in ms); cached per state of a file."""
    sessions: dict[str, tuple[int, int]] = {}
    parser = HistoryParser("")
    with open_log(path) as stream:
        for _, _, entry in RecordReader(stream, parser.decode, parser.adopt):
            if entry.sessionId:
                before, last = sessions.get(entry.sessionId, (0, 0))
                at = entry.timestamp if possible_ms(entry.timestamp) else 0
                sessions[entry.sessionId] = (
                    before + len(entry.display or "") + 1,
                    max(last, int(at)),
                )
    return sessions


class HistoryParser:
    """The prompts of one session."""

    undecided = False

    def __init__(self, session: str) -> None:
        self._session = session
        self._first: Entry | None = None
        self._last: Entry | None = None
        self.withdrawn: set[int] = set()
        self.undone: list[tuple[int, int]] = []

    def decode(self, data: bytes) -> Entry | None:
        entry = _decode(data)
        return self._mine(entry, msgspec.json.decode(data))

    def adopt(self, value: dict[str, Any]) -> Entry | None:
        try:
            entry = msgspec.convert(value, Entry)
        except msgspec.ValidationError:
            return None
        return self._mine(entry, value) if entry.display is not None else None

    def _mine(self, entry: Entry, value: dict[str, Any]) -> Entry | None:
        entry.foreign = foreign(value, (), lenient=True)
        return entry if not self._session or entry.sessionId == self._session else None

    def feed(self, line: int, offset: int, record: Entry, out: list[Turn]) -> None:
        self._first = self._first or record
        self._last = record
        said = _judge(record.display or "")
        if said is not None:
            project = record.project or ""
            at = iso_of_ms(record.timestamp)
            turn = Turn(line, offset, "human", said.kind, at, said.text, "", project)
            out.append(turn._replace(typed="probable") if record.foreign else turn)

    def head(self) -> Head:
        first, last = self._first, self._last
        return Head(
            agent=AGENT,
            session_id=self._session,
            cwd=(first.project or "") if first else "",
            started=iso_of_ms(first.timestamp) if first else "",
            ended=iso_of_ms(last.timestamp) if last else "",
        )

    def save(self) -> dict[str, Any]:
        return {}


def _judge(text: str) -> human.Said | None:
    """A history line is typed by construction; only its form differs. What was pasted stays the
    mark that the line has in its place: it may be anybody's text."""
    text = text.strip() if _PASTED.sub("", text).strip() else ""
    if text.startswith("!") and text[1:].strip():
        return human.Said("shell", text[1:].strip())
    if text.startswith("/"):
        name, _, words = text.partition(" ")
        if "/" not in name[1:]:
            return human.Said("command", f"{name} {words.strip()}") if words.strip() else None
    return human.Said("prompt", text) if text else None
