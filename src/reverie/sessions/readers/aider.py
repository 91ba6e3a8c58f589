"""Aider: `.aider.chat.history.md` in a repository, all of its sessions one after the other.

A session begins with `# aider chat started at …`; lines with `####` are what a person typed, `>`
is what the tool printed, the rest is the model's answer. An answer can hold any of these, so that
words are sure only if `.aider.input.history` beside it has them too: nothing but the prompt writes
there.
"""

import hashlib
import re
from collections.abc import Container, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from reverie.errors import Unavailable
from reverie.sessions.logs.lines import DamageCount, text_lines
from reverie.sessions.logs.transcript import Resume, Transcript, WholeTranscript
from reverie.sessions.model import Head, Kind, Role, Turn, Typed
from reverie.sessions.readers import neutral
from reverie.sessions.readers.base import Part, home
from reverie.sessions.readers.clip import clip

AGENT = "aider"
NAME = ".aider.chat.history.md"
_INPUTS = ".aider.input.history"

_START = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)", re.ASCII)
_TYPED = "#### "
_COMMAND = re.compile(r"/([a-z][\w-]*)\s+(\S.*)\Z", re.DOTALL)


class _Section(NamedTuple):
    name: str
    started: str
    line: int
    size: int


class Block(NamedTuple):
    """Lines of one speaker."""

    role: Role
    text: str


class Aider:
    """The reader of chat histories."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        """There is no one place: each repository has its own file. These are the known ones."""
        given = env.get("AIDER_CHAT_HISTORY_FILE")
        return [*([Path(given).absolute().parent] if given else []), home(env)]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield root / NAME

    def recognises(self, path: Path, head: bytes) -> bool:
        if path.suffix == ".md":
            return _START.search(head.decode("utf-8", "replace")) is not None
        return neutral.written_for(AGENT, head)

    def parts(self, path: Path) -> list[Part] | None:
        if path.suffix != ".md":
            return None
        status = path.stat()
        sections = _sections(path, status.st_size, status.st_mtime_ns)
        return [Part(section.name, section.size, _ns(section.started)) for section in sections]

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        if path.suffix != ".md":
            return neutral.opened(AGENT, path, resume)
        status = path.stat()
        sections = _sections(path, status.st_size, status.st_mtime_ns)
        section = next((candidate for candidate in sections if candidate.name == part), None)
        started = section.started if section else ""
        session = AiderSession(part, started, str(path.parent), _inputs(path.with_name(_INPUTS)))

        def records(damage: DamageCount) -> Iterator[tuple[int, object]]:
            return iter(()) if section is None else _blocks(path, section, damage)

        return WholeTranscript(AGENT, path, session, records)


class AiderSession:
    """Reads the blocks of one session in order. Only the start has a time."""

    def __init__(self, session: str, started: str, cwd: str, inputs: Container[str] = ()) -> None:
        self._inputs = inputs
        self._head = Head(AGENT, session, cwd, started, started)
        self.undone: list[tuple[int, int]] = []

    def head(self) -> Head:
        return self._head

    def feed(self, line: int, offset: int, record: Block, out: list[Turn]) -> None:
        kind: Kind = "text"
        text = record.text
        typed: Typed = "typed"
        if record.role == "human":
            if text in ("", "<blank>"):
                return
            typed = "typed" if text in self._inputs else "probable"
            kind, text = _meaning(text)
            if not text:
                return
        elif record.role == "tool":
            kind, text = "tool_result", clip(text)
        head = self._head
        out.append(
            Turn(line, 0, record.role, kind, head.started, text, f"{line}", head.cwd, typed=typed)
        )


def _meaning(text: str) -> tuple[Kind, str]:
    """A prompt, a `/command` with words, or a shell line."""
    if text.startswith("!"):
        return "shell", text[1:].strip()
    if text.startswith("/"):
        command = _COMMAND.match(text)
        if command is None:
            # A path is not a command; a command without words is a setting.
            return ("prompt", text) if "/" in text[1:].partition(" ")[0] else ("command", "")
        name, words = command.groups()
        return (
            ("shell", words.strip()) if name == "run" else ("command", f"/{name} {words.strip()}")
        )
    return "prompt", text


def _ns(started: str) -> int:
    try:
        return int(datetime.fromisoformat(started).replace(tzinfo=UTC).timestamp()) * 10**9
    except ValueError:
        return 0


def _inputs(path: Path) -> frozenset[str]:
    """What was typed at the prompt: entries of lines that begin with `+`, each under its time."""
    entries: list[list[str]] = []
    fresh = True
    try:
        for _, _, text in text_lines(path, DamageCount()):
            if not text.startswith("+"):
                fresh = True
                continue
            if fresh:
                entries.append([])
            fresh = False
            entries[-1].append(text[1:].rstrip())
    except (Unavailable, OSError):
        return frozenset()
    return frozenset("\n".join(lines).strip() for lines in entries)


@lru_cache(maxsize=64)
def _sections(path: Path, size: int, mtime_ns: int) -> list[_Section]:
    """The sessions of a history; cached per state of the file."""
    place = hashlib.sha256(str(path.parent).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    sections: list[_Section] = []
    for number, bytes_in, text in text_lines(path, DamageCount()):
        if start := _START.match(text):
            day, clock = start.groups()
            name = f"{day}T{clock.replace(':', '-')}-{place}"
            same = sum(section.name.startswith(name) for section in sections)
            name = f"{name}-{same + 1}" if same else name
            sections.append(_Section(name, f"{day}T{clock}", number, 0))
        if sections:
            sections[-1] = sections[-1]._replace(size=sections[-1].size + bytes_in)
    return sections


def _blocks(path: Path, section: _Section, damage: DamageCount) -> Iterator[tuple[int, Block]]:
    """The lines of one session, those of one speaker together, with the number of the first."""
    first, role, held = 0, "agent", list[str]()
    for number, _, text in text_lines(path, damage):
        if number <= section.line:
            continue
        if _START.match(text):
            break
        speaker, words = _spoken(text.replace("\0", ""))
        if speaker != role:
            yield from _block(first, role, held)
            first, role, held = number, speaker, []
        held.append(words)
    yield from _block(first, role, held)


def _spoken(line: str) -> tuple[Role, str]:
    if line.startswith(_TYPED) or line == _TYPED.strip():
        # Two blanks at the end are Markdown's line break, added by the agent.
        return "human", line[len(_TYPED) :].removesuffix("  ")
    if line.startswith("> ") or line == ">":
        return "tool", line[2:].removesuffix("  ")
    return "agent", line


def _block(first: int, role: str, held: list[str]) -> Iterator[tuple[int, Block]]:
    text = "\n".join(held).strip()
    if text:
        speaker: Role = "human" if role == "human" else "tool" if role == "tool" else "agent"
        yield first, Block(speaker, text)
