"""What every source of memories gives: pieces to write, and what was left out with its reason."""

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from reverie.documents.document import Document
from reverie.errors import InvalidInput
from reverie.files import walk
from reverie.privacy import without_marks
from reverie.store.library import GLOBAL
from reverie.store.paths import numbered
from reverie.trust import Trust

MOST_BYTES = 10_000_000
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv"})
_WORD = re.compile(r"[^\W_]+")
INDEX_LINE = re.compile(r"^\s*[-*]\s*\[[^\]]+\]\([^)]+\.md\)")


@dataclass(frozen=True, slots=True)
class Piece:
    """One file to write into a store."""

    store: str
    path: str
    text: str
    source: str  # where it stood, for the report and the reason
    trust: Trust = "agent"
    session: str = ""  # the agent session that wrote it, where the source says so
    claims: bool = False  # the reader itself set what it says of its trust and pin
    checked: bool = True  # false for what is no memory: dailies, quoted instructions


class Skipped(NamedTuple):
    """Something of the source that is not taken over."""

    source: str
    why: str


@dataclass(slots=True)
class Found:
    """What a source holds."""

    pieces: list[Piece] = field(default_factory=list[Piece])
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    notes: list[str] = field(default_factory=list[str])
    unread: set[str] = field(default_factory=set[str])  # files that are there and cannot be read

    def skip(self, source: str, why: str) -> None:
        self.skipped.append(Skipped(source, why))


@dataclass(frozen=True, slots=True)
class Target:
    """Where things go: the store of the project, and how a project's name becomes its slug."""

    project: str  # the store of what belongs to no other project
    today: str  # YYYY-MM-DD
    slug_of: Callable[[str], str] = str  # a project as the source calls it → its slug
    # A working directory → the slug of its project; "" for one that nothing is taken from.
    slug_at: Callable[[str], str] = str
    fixed: bool = False  # the user named the store: everything goes there
    # Texts are redacted when they are read: names, paths and titles are made of them.
    redact: Callable[[str], str] = str
    pins: bool = False  # a person takes it over, who alone pins

    def store_for(self, document: Document, project: str) -> str:
        """The store a document belongs to: `global` if it is shared, else its project's."""
        if self.fixed:
            return self.project
        return GLOBAL if document.shared else project


class Source(Protocol):
    """One kind of memory that can be taken over."""

    kind: str
    about: str

    def recognises(self, place: Path) -> bool: ...

    def read(self, place: Path, target: Target) -> Found: ...


def text_of(file: Path, limit: int = MOST_BYTES) -> str:
    """The text of a plain file; links are not followed.

    Raises:
        InvalidInput: a link, a device, too large, or no UTF-8.
    """
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        why = "a symbolic link" if file.is_symlink() else str(error.strerror).lower()
        raise InvalidInput(why) from None
    with os.fdopen(handle, "rb") as stream:
        state = os.fstat(stream.fileno())
        if not stat.S_ISREG(state.st_mode):
            raise InvalidInput("not a plain file")
        if state.st_size > limit:
            raise InvalidInput(f"{state.st_size} bytes; the limit is {limit}")
        data = stream.read(limit + 1)
    try:
        return data.decode("utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "utf-8")
    except UnicodeDecodeError:
        raise InvalidInput("not UTF-8 text") from None


def start_of(file: Path, size: int = 2_000) -> bytes:
    """The first bytes of a plain file; empty for anything else, and never a wait."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(handle, size) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
    finally:
        os.close(handle)


def read_or_skip(file: Path, source: str, contents: Found, target: Target) -> str | None:
    """As `text_of`, without secrets; what cannot be read is noted."""
    try:
        return target.redact(text_of(file))
    except InvalidInput as error:
        contents.skip(source, error.message)
        contents.unread.add(source)
        return None


def markdown_files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Every `.md` file below with its relative name, in order; hidden folders are left out."""
    for place, folders, names in walk(folder):
        folders[:] = sorted(
            name for name in folders if name[0] != "." and name not in _SKIPPED_FOLDERS
        )
        for name in sorted(names):
            if name.endswith(".md") and name[0] != ".":
                file = Path(place) / name
                yield file, file.relative_to(folder).as_posix()


def slug(text: str, limit: int = 60) -> str:
    """A file name made of the words of a title; empty when it has none."""
    words = _WORD.findall(without_marks(text).lower())
    return "-".join(words)[:limit].strip("-")


def by_heading(
    text: str, cuts: Sequence[re.Match[str]], first: str, taken: set[str], within: str = ""
) -> Iterator[tuple[str, Document]]:
    """One memory per heading, with its title and the words below it; `first` is the title of what
    stands above them all, and `within` that of the group they are of."""
    starts = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(text)]
    for title, start, end in zip((first, *(cut[1] for cut in cuts)), starts, ends, strict=True):
        if within and title and title != within:
            title = f"{within}: {title}"
        if body := text[start:end].strip():
            document = Document(
                name=unique(slug(title) or "notes", taken),
                description=one_line(f"{title}: {body}" if title else body),
                trust="agent",
                body=body + "\n",
            )
            yield title, document


def beside_index(text: str) -> str:
    """What an index of memories says beside its lines: headings and notes."""
    kept: list[str] = []
    indexed = False
    for line in text.splitlines():
        indexed = bool(INDEX_LINE.match(line)) or (indexed and line[:1].isspace())
        if not indexed and not line.startswith("- WARNING: "):
            kept.append(line)
    return "\n".join(kept) + "\n"


def notes_in_index(text: str) -> list[str]:
    """The notes of an index, without their bullets."""
    lines = (line for line in beside_index(text).splitlines() if not line.startswith("#"))
    return [re.sub(r"^\s*[-*]\s+", "", line).strip() for line in lines if line.strip()]


def noted(note: str, taken: set[str]) -> Document:
    """A note of an index as a memory of its own."""
    name = unique(slug(note) or "note", taken)
    return Document(name=name, description=one_line(note), trust="agent", body=f"{note}\n")


def day_of(file: Path) -> str:
    """The day a file was last written."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(file.stat().st_mtime, UTC).date().isoformat()


def unique(name: str, taken: set[str]) -> str:
    """`name`, or with the first number that is free; it is taken from now on."""
    chosen = next(free for free in numbered(name) if free not in taken)
    taken.add(chosen)
    return chosen


def one_line(text: str, limit: int = 150) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
