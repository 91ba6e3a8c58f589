"""Plans: what one changed log is, and what is to be stored of it and of its session."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from reverie.sessions.growing import BEGINNING, Checkpoint, Tail
from reverie.sessions.intake import Reading
from reverie.sessions.logfiles import Known, name_of
from reverie.sessions.logs.discover import LogFile
from reverie.sessions.logs.transcript import Resume
from reverie.sessions.model import Head, Turn, session_key
from reverie.sessions.placing import base_key
from reverie.sessions.projects import ProjectId


@dataclass(frozen=True, slots=True)
class SessionRead:
    """One session that is new or has grown: its turns, redacted.

    All of them; or, when a visitor noted how to go on with it, those since the checkpoint and what
    these may look back at.
    """

    head: Head
    turns: list[Turn]
    project: ProjectId
    path: Path
    key: str
    grown: bool
    # Places in `turns` that another session, or an earlier line of this one, already holds.
    copied: frozenset[int] = frozenset()
    checkpoint: Checkpoint = BEGINNING
    end: int = 0  # byte from which the log is read when it has grown; 0 when it is read whole
    undone: tuple[tuple[int, int], ...] = ()  # line ranges that were rewound

    @property
    def first_line(self) -> int:
        """The line of the checkpoint; 0 when that is the beginning."""
        since = self.checkpoint.since
        return self.turns[since].line if since else 0


@dataclass(slots=True)
class Plan:
    """What one changed file is, and what is to be stored of it."""

    known: Known | None
    problem: str = ""  # why it could not be read
    other: Known | None = None  # a known file with the same bytes: nothing is read again
    reading: Reading | None = None
    resume: Resume | None = None  # where the reading began
    grown: bool = False
    overtakes: str = ""  # another file of the same session that tells less
    tail: Tail | None = None  # what a visitor needs besides what is new
    session: SessionRead | None = None  # when it holds one that is to be stored
    copied: frozenset[int] | None = None  # which of its rows are told elsewhere
    now: Known | None = None
    keep: Callable[[], None] | None = None  # stores what the visitor made of the session
    guessed: bool = False  # its project goes by a name that a later log may tell more of
    failed: str = ""  # why the visitor could not make anything of the session

    def cannot_be_read(self, why: str) -> None:
        self.problem = why

    def fail(self, why: str) -> None:
        """The visitor made nothing of a session: it is stored, and is new to the next visitor."""
        self.failed, self.keep = why, None
        if self.now is not None:
            self.now = replace(self.now, visited=False)

    def turns_of(self, rows: Iterable[int]) -> frozenset[int]:
        """The turns of the session that are told elsewhere, from the rows that are."""
        assert self.reading is not None
        before = len(self.tail.turns) if self.tail else 0
        copied = self.tail.copied if self.tail else ()
        return frozenset([*copied, *(before + self.reading.places[row] for row in rows)])

    def tells(self, log: LogFile) -> set[object]:
        """What others may depend on once it is stored."""
        subjects: set[object] = {name_of(log), self.overtakes}
        if self.other is not None:
            subjects |= {self.other.path, self.other.head, self.other.session}
        if self.now is not None and self.reading is not None:
            subjects |= {self.now.head, self.now.session, *touches(log, self.reading)}
        return subjects


def touches(log: LogFile, reading: Reading) -> set[object]:
    """The session of a log, the one it goes on from, and the events it tells."""
    subjects: set[object] = {base_key(log, reading)}
    if reading.head.parent:
        subjects.add(session_key(reading.head.agent, reading.head.parent))
    return subjects | {row.event for row in reading.rows if row.event is not None}
