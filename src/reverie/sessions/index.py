"""The incremental index of all sessions: `index.db`.

`update` looks at the stat of every log and reads only what is new: it goes on at the byte where it
stopped in a log that has grown, follows a log that was moved, and reads a replaced one anew. What
two logs share (a copied file, the history a fork begins with) counts once. The text of every turn
passes through `redact` before it is stored or handed to a visitor.

Sessions whose log is gone stay in the index; a log that is there decides what is in its session.
"""

import os
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from reverie.errors import Busy, Unavailable
from reverie.files import make_private
from reverie.privacy import Ignored
from reverie.sessions import query
from reverie.sessions.ahead import Ahead, Here, Read
from reverie.sessions.discover import LogFile
from reverie.sessions.intake import Reading, Redact
from reverie.sessions.logfiles import (
    DamagedFile,
    Known,
    State,
    damaged_files,
    follows,
    known_file,
    known_of,
    name_of,
    remember,
    same_bytes,
    stat_of,
)
from reverie.sessions.model import Head, Turn, session_key
from reverie.sessions.projects import ProjectId, short_hash
from reverie.sessions.query import DayRow, SessionRow, Totals, TurnHit, TurnRow
from reverie.sessions.registry import Projects
from reverie.sessions.rows import SessionWriter
from reverie.sessions.schema import connect, readable
from reverie.sessions.transcript import Resume

_BATCH_BYTES = 32 * 1024 * 1024
_BATCH_FILES = 200


@dataclass(frozen=True, slots=True)
class SessionRead:
    """One session that is new or has grown: all of its turns, redacted."""

    head: Head
    turns: list[Turn]
    project: ProjectId
    path: Path
    key: str
    grown: bool
    # Places in `turns` that another session, or an earlier line of this one, already holds.
    copied: frozenset[int] = frozenset()


Visitor = Callable[[SessionRead], None]
Progress = Callable[[int, int], None]  # bytes done, bytes in all


@dataclass(slots=True)
class IndexReport:
    """What one `update` met."""

    files: int = 0
    unchanged: int = 0
    new: int = 0
    grown: int = 0
    replaced: int = 0
    moved: int = 0
    copies: int = 0
    ignored: int = 0
    empty: int = 0
    bad_lines: int = 0
    unreadable: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


def _no_progress(_done: int, _total: int) -> None:
    return None


class Index:
    """All sessions, their turns and their full text; other packages keep derived tables here."""

    def __init__(self, path: Path, connection: sqlite3.Connection, projects: Projects) -> None:
        self.path = path
        self.connection = connection
        self.projects = projects
        self._kept = str(path.parent / "kept") + os.sep

    @classmethod
    def open(cls, path: Path, projects: Projects | None = None) -> "Index":
        """Open or make the index; the registry of projects lies beside it.

        Raises:
            Busy: another process holds it for too long.
            StoreDamaged: it cannot be read.
        """
        make_private(path.parent)
        if not path.exists():
            path.touch(mode=0o600)
        connection = connect(str(path))
        return cls(path, connection, projects or Projects.open(path.parent / "projects.json"))

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> "Index":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def atomic(self) -> Generator[sqlite3.Connection]:
        """One write transaction; also the lock under which the registry is saved."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            self.projects.refresh()
            yield self.connection
            self.projects.save()
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise readable(error, str(self.path)) from error
        finally:
            # SQLite ends a transaction by itself when, say, the disk is full.
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

    def ensure(self, schema: str) -> None:
        """Make derived tables of another package; they go when the index is rebuilt."""
        self.connection.executescript(schema)

    def forget_files(self) -> None:
        """Make the next `update` read every log again. Sessions without a log stay."""
        with self.atomic() as connection:
            connection.execute("DELETE FROM files")

    def remove_session(self, key: str) -> int:
        """Take a session out of the index; how many turns went. Its files count as read."""
        with self.atomic() as connection:
            turns = len(query.turns(connection, key))
            SessionWriter(connection).remove(key)
            # Where its reader stood holds titles and calls, and it is not read on.
            connection.execute("UPDATE files SET resume = '' WHERE session = ?", (key,))
        return turns

    def scrub(self) -> None:
        """Write every page anew, so that removed words are in no byte of the files.

        Raises:
            Busy: a reader kept old pages alive; repeat it.
        """
        query = self.connection.execute
        try:
            words = query(
                "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%'"
                " ORDER BY 1"
            ).fetchall()
            for (table,) in words:
                # Full-text search only marks words as gone, until its segments are merged.
                query(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
            query("VACUUM")
            busy = query("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.Error as error:
            raise readable(error, str(self.path)) from error
        if busy:
            raise Busy(f"a reader still needs the old pages of {self.path}", hint="repeat it")

    def update(
        self,
        files: Iterable[LogFile],
        *,
        redact: Redact,
        visit: Visitor | None = None,
        progress: Progress = _no_progress,
        policy: Ignored | None = None,
        buried: frozenset[str] = frozenset(),
        executor: Executor | None = None,
    ) -> IndexReport:
        """Read what is new in `files`; `visit` is called once per new or grown session.

        A session that an update without a visitor has taken in is still new to the next visitor.
        A visitor runs inside the transaction of its batch: what it writes through `connection`
        is stored together with the session or not at all. Sessions in `buried` were unlearned:
        their logs are left out. An `executor` reads logs ahead; `redact` must then be picklable.
        """
        listed = sorted(files, key=self._order)
        self._apply_policy(policy)
        report = IndexReport(files=len(listed))
        changed = self._changed(listed, visited=visit is not None)
        report.unchanged = len(listed) - len(changed)
        total = sum(log.size for log in changed)
        done = 0
        read = Ahead(executor, changed, redact, policy) if executor else Here(redact, policy)
        intake = _Intake(self, read, policy, visit, report, buried)
        for batch in _batches(changed):
            with self.atomic():
                for log in batch:
                    intake.take(log)
                    done += log.size
                    progress(done, total)
        return report

    def is_current(self, files: Iterable[LogFile], policy: Ignored | None = None) -> bool:
        """Whether an `update` with a visitor would find nothing to read."""
        return self._policy_stamp() == _stamp(policy) and not self._changed(files, visited=True)

    def unread(self, files: Iterable[LogFile]) -> list[LogFile]:
        """Those that were never read, or changed since."""
        return self._changed(files, visited=False)

    def seen(self, files: Iterable[LogFile]) -> set[str]:
        """The names of those that were read at some time."""
        return {name_of(log) for log in files} & self._stats(visited_only=False).keys()

    def damaged(self) -> list[DamagedFile]:
        """The files with lines no reader could make sense of, the worst first."""
        return damaged_files(self.connection)

    def totals(self) -> Totals:
        """How much was read, without what models started."""
        return query.totals(self.connection)

    def flaw(self, *, thorough: bool = False) -> str:
        """What the database itself finds wrong with the file; "" when it is whole."""
        check = "integrity_check" if thorough else "quick_check"
        (said,) = self.connection.execute(f"PRAGMA {check}(1)").fetchone()
        return "" if said == "ok" else str(said)

    def _changed(self, files: Iterable[LogFile], *, visited: bool) -> list[LogFile]:
        """Those whose stat is not the one they were read with (and, if asked, visited)."""
        seen = self._stats(visited_only=visited)
        return [log for log in files if seen.get(name_of(log)) != stat_of(log)]

    def _policy_stamp(self) -> str:
        row = self.connection.execute("SELECT value FROM facts WHERE name = 'policy'").fetchone()
        return row[0] if row else ""

    def sessions(
        self,
        agent: str | None = None,
        project: str | None = None,
        since: str | None = None,
        until: str | None = None,
        *,
        subagents: bool = False,
    ) -> list[SessionRow]:
        """Sessions by start; `since` is inclusive, `until` exclusive, both ISO."""
        return query.sessions(self.connection, agent, project, since, until, subagents)

    def session(self, reference: str) -> SessionRow:
        """One session by key, id, or an unambiguous beginning of either."""
        return query.session(self.connection, reference)

    def sessions_of_log(self, log: Path) -> list[SessionRow]:
        """The sessions that one log holds."""
        return query.sessions_of_log(self.connection, str(log))

    def turns(self, key: str) -> list[TurnRow]:
        """The stored turns of a session, in order."""
        return query.turns(self.connection, key)

    def files_of(self, key: str) -> list[Path]:
        """The files that hold a session: its log, copies of it, kept ones too."""
        rows = self.connection.execute(
            "SELECT path FROM files WHERE session = ? ORDER BY path", (key,)
        )
        return [Path(path) for (path,) in rows]

    def days(self, project: str | None = None) -> list[DayRow]:
        """Every day on which a person spoke in a session, by day and session."""
        return query.days(self.connection, project)

    def search(
        self,
        words: str,
        *,
        agent: str | None = None,
        project: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = 20,
    ) -> list[TurnHit]:
        """Turns that hold all the words, best first; any string is a valid query."""
        return query.search(self.connection, words, agent, project, since, until, limit)

    def _order(self, log: LogFile) -> tuple[bool, str]:
        # A kept copy is only read for what the log itself no longer holds.
        path = str(log.path)
        return path.startswith(self._kept), path

    def _stats(self, visited_only: bool) -> dict[str, tuple[int, int, int]]:
        rows = self.connection.execute(
            "SELECT path, inode, size, mtime_ns FROM files WHERE visited >= ?", (visited_only,)
        )
        return {path: (inode, size, mtime) for path, inode, size, mtime in rows}

    def _apply_policy(self, policy: Ignored | None) -> None:
        """When the user changed what may be stored, remove and read again accordingly."""
        stamp = _stamp(policy)
        if self._policy_stamp() == stamp:
            return
        with self.atomic() as connection:
            writer = SessionWriter(connection)
            for found in query.sessions(connection, None, None, None, None, True):
                root = self.projects.identify(found.cwd, found.remote).root
                if policy and policy.session(cwd=found.cwd, project=found.project, root=root):
                    writer.remove(found.key)
            connection.execute("DELETE FROM files")
            connection.execute("INSERT OR REPLACE INTO facts VALUES ('policy', ?)", (stamp,))


class _Intake:
    """Decides what one changed file is (new, grown, moved, copied, replaced) and stores it."""

    def __init__(
        self,
        index: Index,
        read: Read,
        policy: Ignored | None,
        visit: Visitor | None,
        report: IndexReport,
        buried: frozenset[str],
    ) -> None:
        self._projects = index.projects
        self._connection = index.connection
        self._writer = SessionWriter(index.connection)
        self._read = read
        self._policy = policy
        self._visit = visit
        self._report = report
        self._buried = buried

    def take(self, log: LogFile) -> None:
        known = known_file(self._connection, name_of(log))
        if known is not None and not known.is_news(log, self._visit is not None):
            self._report.unchanged += 1  # another process was faster
            return
        try:
            if known is None and self._moved_or_copied(log):
                return
            grown = known is not None and follows(log, known)
            # A visitor sees whole sessions; without one only the new bytes are read.
            resume = known.resume if known and grown and self._visit is None else None
            reading = self._read(log, resume)
            project = self._projects.identify(reading.head.cwd, reading.head.remote)
            key, state = self._place(log, known, reading, project)
            now = known_of(log, reading, key, state, self._visit is not None)
        except (Unavailable, OSError) as error:
            self._report.unreadable.append((str(log.path), str(error)))
            return
        self._report.bad_lines += reading.damage.bad_lines
        if known and known.state == "read" and known.session and known.session != key:
            self._writer.remove(known.session)
        if state == "read":
            self._store(log, reading, project, key, resume, known is not None)
        self._count(state, known, grown)
        remember(self._connection, now)

    def _store(
        self,
        log: LogFile,
        reading: Reading,
        project: ProjectId,
        key: str,
        resume: Resume | None,
        seen_before: bool,
    ) -> None:
        # Where two logs claim one id, evidence must name the right one.
        head = replace(reading.head, session_id=key.removeprefix(f"{reading.head.agent}:"))
        since = resume.offset if resume else 0
        copied = self._writer.write(key, head, project.slug, str(log.path), reading, since)
        if self._visit is not None:
            places = frozenset(reading.places[row] for row in copied)
            self._visit(
                SessionRead(head, reading.turns, project, log.path, key, seen_before, places)
            )

    def _count(self, state: State, known: Known | None, grown: bool) -> None:
        report = self._report
        if state == "copy":
            report.copies += 1
        elif state == "ignored":
            report.ignored += 1
        elif state == "empty":
            report.empty += 1
        elif known is None:
            report.new += 1
        elif grown:
            report.grown += 1
        else:
            report.replaced += 1

    def _place(
        self, log: LogFile, known: Known | None, reading: Reading, project: ProjectId
    ) -> tuple[str, State]:
        """The key under which a reading is stored, and what becomes of it."""
        head = reading.head
        if self._policy and self._policy.session(
            cwd=head.cwd, project=project.slug, root=project.root
        ):
            return "", "ignored"
        base = session_key(head.agent, head.session_id or log.path.name.split(".")[0])
        if base in self._buried:
            return "", "ignored"
        if known and known.state == "read" and known.session.split("~")[0] == base:
            return known.session, "read"
        if not reading.rows:
            return "", "empty"
        path = self._writer.path_of(base)
        if path is None or path == str(log.path) or not os.path.exists(path):
            return base, "read"
        ours = self._writer.content_of(reading)
        theirs = self._writer.content(base)
        if ours <= theirs:
            return base, "copy"
        if theirs <= ours:
            self._connection.execute("UPDATE files SET state = 'copy' WHERE path = ?", (path,))
            return base, "read"
        # Two logs claim one session id and tell different stories: both are kept, told apart by
        # how they begin.
        return f"{base}~{short_hash(repr(reading.rows[0][4:6]))}", "read"

    def _moved_or_copied(self, log: LogFile) -> bool:
        """True when another known file has these bytes: nothing is read again."""
        for other in same_bytes(self._connection, log):
            inode, size, mtime = stat_of(log)
            here = replace(
                other, path=name_of(log), relative=log.relative,
                inode=inode, size=size, mtime_ns=mtime,
            )  # fmt: skip
            if os.path.exists(other.path):
                remember(self._connection, replace(here, state="copy", resume=None))
                self._report.copies += 1
                return True
            self._connection.execute("DELETE FROM files WHERE path = ?", (other.path,))
            self._connection.execute(
                "UPDATE sessions SET path = ? WHERE key = ? AND path = ?",
                (str(log.path), other.session, other.path),
            )
            remember(self._connection, here)
            self._report.moved += 1
            return True
        return False


def _stamp(policy: Ignored | None) -> str:
    """The policy as text, to see that it has changed; "" when it forbids nothing."""
    if policy is None or not (policy.projects or policy.paths or policy.turns):
        return ""
    turns = [expression.pattern for expression in policy.turns]
    return repr((sorted(policy.projects), policy.paths, turns))


def _batches(files: list[LogFile]) -> Iterator[list[LogFile]]:
    batch: list[LogFile] = []
    size = 0
    for log in files:
        batch.append(log)
        size += log.size
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
