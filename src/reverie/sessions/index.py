"""The incremental index of all sessions: `index.db`.

`update` looks at the stat of every log and reads only what is new: it goes on at the byte where it
stopped in a log that has grown, follows a log that was moved, and reads a replaced one anew. What
two logs share (a copied file, the history a fork begins with) counts once. The text of every turn
passes through `redact` before it is stored or handed to a visitor.

Sessions whose log is gone stay in the index; a log that is there decides what is in its session.
"""

import os
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from reverie.clock import Clock, system_clock
from reverie.db.database import Database
from reverie.errors import Busy, Unavailable
from reverie.files import make_private
from reverie.privacy import Ignored
from reverie.sessions import logfiles, query
from reverie.sessions.aside import Aside, apart, asides, renew
from reverie.sessions.derived import MADE_FROM_SESSIONS
from reverie.sessions.growing import BEGINNING, tail_of
from reverie.sessions.intake import Reading, Redact
from reverie.sessions.logfiles import (
    Known,
    State,
    follows,
    known_of,
    name_of,
    remember,
    stat_of,
)
from reverie.sessions.logs.ahead import Ahead, Read, here
from reverie.sessions.logs.discover import LogFile
from reverie.sessions.logs.transcript import Resume
from reverie.sessions.logs.vouching import believe, note_doubted, remain_doubted
from reverie.sessions.placing import Placing, base_key
from reverie.sessions.plans import Plan, SessionRead, touches
from reverie.sessions.projects import ProjectId, short_hash
from reverie.sessions.registry import Projects
from reverie.sessions.rows import SessionWriter
from reverie.sessions.schema import note_write, open_tables, times_written

Params = ParamSpec("Params")
Result = TypeVar("Result")

_BATCH_BYTES = 8 * 1024 * 1024
_BATCH_FILES = 32

# The tables that hold words of sessions, to be overwritten when some are removed.
_TEXT = ("turns", "sessions", "files", *MADE_FROM_SESSIONS)


# Looks at a session, and returns what stores the result, in the transaction of the session.
Visitor = Callable[[SessionRead], Callable[[], None]]
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
    aside: list[Aside] = field(default_factory=list[Aside])  # could not be read or judged
    doubted: list[Path] = field(default_factory=list[Path])  # nobody vouches for these logs


def _no_progress(_done: int, _total: int) -> None:
    return None


def _asked(
    question: Callable[Concatenate[Database, Params], Result],
) -> "Callable[Concatenate[Index, Params], Result]":
    """A question to the database, as a method of the index."""

    @wraps(question)
    def method(index: "Index", *args: Params.args, **kwargs: Params.kwargs) -> Result:
        return question(index.database, *args, **kwargs)

    return method


class Index:
    """All sessions, their turns and their full text; other packages keep derived tables here."""

    def __init__(self, path: Path, database: Database, projects: Projects) -> None:
        self.path = path
        self.database = database
        self.projects = projects
        self._kept = str(path.parent / "kept") + os.sep

    @classmethod
    def open(
        cls,
        path: Path,
        projects: Projects | None = None,
        *,
        url: str | None = None,
        clock: Clock = system_clock,
        busy_timeout_ms: int = 10_000,
        first: Callable[[], object] | None = None,
    ) -> "Index":
        """Open or make the index at `path`, or at the `url` of a database that stands in for it.

        The registry of projects lies beside `path`. `first` is called before any table is changed.

        Raises:
            Busy: another process holds it for too long.
            StoreDamaged: it cannot be read.
        """
        make_private(path.parent)
        database = open_tables(
            url or f"sqlite:///{path}", clock=clock, busy_timeout_ms=busy_timeout_ms, first=first
        )
        return cls(path, database, projects or Projects.open(path.parent / "projects.json"))

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> "Index":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def atomic(self) -> Generator[Database]:
        """One write transaction; also the lock under which the registry is saved."""
        with self.database.atomic() as tx:
            tx.lock("index")
            self.projects.refresh()
            yield self.database
            self.projects.save()
            note_write(tx)

    def forget_files(self) -> None:
        """Make the next `update` read every log again. Sessions without a log stay."""
        with self.atomic() as database:
            logfiles.forget_all(database)

    def believe(self, files: Iterable[LogFile]) -> list[str]:
        """A person says that these logs are theirs; those in doubt are read again.

        Returns the sessions in them.
        """
        with self.atomic() as database:
            return believe(database, files)

    def remove_session(self, key: str) -> int:
        """Take a session out of the index; how many turns went. Its files count as read."""
        with self.atomic() as database:
            turns = len(query.turns(database, key))
            SessionWriter(database).remove(key)
            logfiles.forget_resume(database, key)
        return turns

    def scrub(self) -> None:
        """Write every page anew, so that removed words are in no byte of the files.

        Raises:
            Busy: a reader kept old pages alive; repeat it.
        """
        self.database.scrub(_TEXT)

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
        read: Read | None = None,
    ) -> IndexReport:
        """Read what is new in `files`; `visit` is called once per new or grown session.

        A session that an update without a visitor has taken in is still new to the next visitor.
        Reading and visiting hold up no other writer. What the visitor returns is called in the
        transaction that stores the session: both are stored, or neither. Sessions in `buried` were
        unlearned: their logs are left out. An `executor` reads logs ahead; `redact` must then be
        picklable. What cannot be read or visited is set aside, and the rest goes on. With `read`,
        sessions come from elsewhere than from files.
        """
        listed = sorted(files, key=self._order)
        self._apply_policy(policy)
        report = IndexReport(files=len(listed))
        changed = self._changed(listed, visited=visit is not None)
        changed = remain_doubted(self.database, changed)
        if doubted := [log for log in changed if not log.vouched]:
            with self.atomic() as database:
                note_doubted(database, doubted)
            report.doubted = [log.path for log in doubted]
        report.unchanged = len(listed) - len(changed)
        total = sum(log.size for log in changed)
        done = 0
        if read is None:
            read = Ahead(executor, changed, redact, policy) if executor else here(redact, policy)
        intake = _Intake(self, read, policy, visit, report, buried)
        for log in changed:
            intake.take(log)
            done += log.size
            progress(done, total)
        intake.finish(redact)
        return report

    def is_current(self, files: Iterable[LogFile], policy: Ignored | None = None) -> bool:
        """Whether an `update` with a visitor would find nothing to read."""
        return self._policy_stamp() == _stamp(policy) and not self._changed(files, visited=True)

    def unread(self, files: Iterable[LogFile]) -> list[LogFile]:
        """Those that were never read, or changed since."""
        return self._changed(files, visited=False)

    def seen(self, files: Iterable[LogFile]) -> set[str]:
        """The names of those that were read at some time."""
        return {name_of(log) for log in files} & logfiles.stats(self.database, visited=False).keys()

    def _changed(self, files: Iterable[LogFile], *, visited: bool) -> list[LogFile]:
        """Those whose stat is not the one they were read with (and, if asked, visited)."""
        seen = logfiles.stats(self.database, visited=visited)
        return [log for log in files if seen.get(name_of(log)) != stat_of(log)]

    def _policy_stamp(self) -> str:
        rows = self.database.query("SELECT value FROM facts WHERE name = 'policy'")
        return rows[0][0] if rows else ""

    sessions = _asked(query.sessions)
    session = _asked(query.session)
    sessions_of_log = _asked(query.sessions_of_log)
    turns = _asked(query.turns)
    days = _asked(query.days)
    search = _asked(query.search)
    totals = _asked(query.totals)
    damaged = _asked(logfiles.damaged_files)
    files_of = _asked(logfiles.files_of)

    def _order(self, log: LogFile) -> tuple[bool, str]:
        # A kept copy is only read for what the log itself no longer holds.
        path = str(log.path)
        return path.startswith(self._kept), path

    def _apply_policy(self, policy: Ignored | None) -> None:
        """When the user changed what may be stored, remove and read again accordingly."""
        stamp = _stamp(policy)
        if self._policy_stamp() == stamp:
            return
        with self.atomic() as database:
            writer = SessionWriter(database)
            for row in query.sessions(database, subagents=True):
                kept = self.projects.keep(row.project, row.cwd, row.remote)
                root = kept.root if kept else ""
                if policy and policy.session(cwd=row.cwd, project=row.project, root=root):
                    writer.remove(row.key)
            logfiles.forget_all(database)
            database.query("DELETE FROM facts WHERE name = 'policy'")
            database.query("INSERT INTO facts (name, value) VALUES ('policy', ?)", (stamp,))


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
        self._index = index
        self._database = index.database
        self._writer = SessionWriter(index.database)
        self._placing = Placing(index.projects, self._writer)
        self._read = read
        self._policy = policy
        self._visit = visit
        self._report = report
        self._buried = buried
        # A batch: plans of which none depends on another, what they tell, and when it began.
        self._waiting: list[tuple[LogFile, Plan]] = []
        self._told: set[object] = set()
        self._before = 0
        # What can only be placed when all the others are; those with a remote tell more.
        self._guesses: list[tuple[bool, LogFile, Plan]] = []
        self._reached_back = False  # whether stored words are secrets now
        self._tried: set[str] = set()  # logs and sessions that are set aside no longer, or again

    def take(self, log: LogFile, before: Plan | None = None) -> None:
        """Read and judge what is new; it is stored with the batch, in one short transaction."""
        if not self._waiting:
            self._before = times_written(self._database)
        plan = self._planned(log, before)
        if plan is None or plan.problem or plan.guessed:
            self._pass_over(log, plan)
            return
        self._waiting.append((log, plan))
        self._told |= plan.tells(log)
        size = sum(log.size for log, _ in self._waiting)
        # What replaces something has effects that no later plan can see before it is stored.
        if plan.known is not None or size >= _BATCH_BYTES or len(self._waiting) >= _BATCH_FILES:
            self.flush()

    def finish(self, redact: Redact) -> None:
        """Store what is left, and at last what could not be placed before all was known."""
        self.flush()
        self._placing.guessing = True
        for _, log, plan in sorted(self._guesses, key=lambda guess: guess[0]):
            self.take(log, plan)
        self.flush()
        if self._reached_back:
            with suppress(Busy):
                self._index.scrub()
        unlearned = [aside._replace(reason=redact(aside.reason)) for aside in self._report.aside]
        self._report.aside = unlearned
        if unlearned or asides(self._database):
            with self._index.atomic() as database:
                renew(database, unlearned, self._tried)

    def flush(self) -> None:
        """Store what was planned."""
        waiting, self._waiting, self._told = self._waiting, [], set()
        if not waiting:
            return
        with self._index.atomic():
            # When somebody wrote meanwhile, what was found may no longer hold.
            overtaken = times_written(self._database) != self._before
            for log, planned in waiting:
                plan = self._planned(log, planned) if overtaken else planned
                if plan is None or plan.problem or plan.guessed:
                    self._pass_over(log, plan)
                else:
                    self._store_or_set_aside(log, plan)
        self._before = times_written(self._database)

    def _settle(self, touches: Iterable[object]) -> None:
        """Store the batch if what comes next depends on any of it."""
        if not self._told.isdisjoint(touches):
            self.flush()

    def _pass_over(self, log: LogFile, plan: Plan | None) -> None:
        if plan is None:
            self._report.unchanged += 1  # another process was faster
        elif plan.guessed:
            assert plan.reading is not None
            vague = not plan.reading.head.remote
            held = sum(log.size for _, log, plan in self._guesses if plan.reading is not None)
            if held + log.size > _BATCH_BYTES:
                plan.reading = None  # it is read again rather than held
            self._guesses.append((vague, log, plan))
        else:
            self._report.aside.append(Aside(name_of(log), "", "reading", plan.problem))

    def _store_or_set_aside(self, log: LogFile, plan: Plan) -> None:
        """Store a log: with what the visitor made of it, else without, else not at all."""
        problems: list[str] = []
        # A savepoint: what others in the batch stored stays.
        with apart(problems.append), self._database.atomic():
            self._store(log, plan)
        if problems and plan.session is not None and self._visit is not None and not plan.failed:
            plan.fail(problems.pop())
            with apart(problems.append), self._database.atomic():
                self._store(log, plan)
        if problems:
            self._pass_over(log, Plan(plan.known, problem=problems[0]))
        elif plan.session is not None and plan.failed:
            aside = Aside(plan.session.key, plan.session.project.slug, "judging", plan.failed)
            self._report.aside.append(aside)

    def _planned(self, log: LogFile, before: Plan | None) -> Plan | None:
        self._tried.add(name_of(log))
        plan: Plan | None = Plan(None)
        with apart(plan.cannot_be_read):
            plan = self._plan(log, before)
        return plan

    def _plan(self, log: LogFile, before: Plan | None) -> Plan | None:
        """Look at a file, and let the visitor look at its session; None when it is no news.

        What was read for the plan of a moment `before` is not read again.
        """
        self._settle((name_of(log),))
        known = logfiles.known_file(self._database, name_of(log))
        if known is not None and not known.is_news(log, self._visit is not None):
            return None
        plan = Plan(known)
        if known is None and not log.part:
            self._settle((logfiles.head_of(log),))
            if same := logfiles.same_bytes(self._database, log):
                plan.other = same[0]
                return plan
        plan.grown = known is not None and follows(log, known)
        reading = plan.reading = self._read_on(log, plan, before)
        self._settle(touches(log, reading))
        project = self._placing.project(log, known, reading)
        if project is None:
            plan.guessed = True
            return plan
        key, state = self._place(log, plan, reading, project)
        plan.now = known_of(log, reading, key, state, self._visit is not None)
        if state == "read":
            self._judge(log, plan, project, key)
        return plan

    def _read_on(self, log: LogFile, plan: Plan, before: Plan | None) -> Reading:
        """What is new in a log that has grown, else all of it.

        A visitor sees whole sessions, unless one before noted how to go on.
        """
        known = plan.known
        if known is not None and plan.grown:
            if self._visit is not None and known.visited:
                plan.tail = tail_of(self._database, known.session)
            if self._visit is None or plan.tail is not None:
                plan.resume = known.resume
        if before is not None and before.reading and before.resume == plan.resume:
            return before.reading
        reading = self._reading(log, plan.resume)
        undone = plan.tail is not None and tuple(reading.undone) != plan.tail.undone
        if undone or reading.reaches_back:
            # Something of what was read before has been taken back since, or is a secret now.
            self._reached_back |= reading.reaches_back
            plan.tail = plan.resume = None
            reading = self._reading(log, None)
        return reading

    def _reading(self, log: LogFile, resume: Resume | None) -> Reading:
        try:
            return self._read(log, resume)
        except Unavailable as error:
            # Not the index: of that the caller has to hear.
            raise OSError(str(error)) from error

    def _judge(self, log: LogFile, plan: Plan, project: ProjectId, key: str) -> None:
        assert plan.reading is not None
        reading = plan.reading
        # Where two logs claim one id, evidence must name the right one.
        head = replace(reading.head, session_id=key.removeprefix(f"{reading.head.agent}:"))
        since = plan.resume.offset if plan.resume else 0
        known, tail = plan.known, plan.tail
        plan.session = SessionRead(
            head,
            [*tail.turns, *reading.turns] if tail else reading.turns,
            project,
            log.path,
            key,
            known is not None,
            checkpoint=tail.checkpoint if tail else BEGINNING,
            end=plan.now.offset if plan.now and plan.now.resume else 0,
            undone=tuple(reading.undone),
        )
        if self._visit is not None:
            plan.copied = self._writer.copies(key, head, reading.rows, since)
            plan.session = replace(plan.session, copied=plan.turns_of(plan.copied))
            self._tried.add(key)
            with apart(plan.fail):
                plan.keep = self._visit(plan.session)

    def _store(self, log: LogFile, plan: Plan) -> None:
        if plan.other is not None:
            self._follow(log, plan.other)
            return
        known, reading, now = plan.known, plan.reading, plan.now
        assert reading is not None
        assert now is not None
        self._report.bad_lines += reading.damage.bad_lines
        if known and known.state == "read" and known.session and known.session != now.session:
            self._writer.remove(known.session)
            plan.copied = None  # what only that session told is no copy any more
        if plan.session is not None:
            self._store_session(log, plan, plan.session, reading)
        self._count(now.state, known, plan.grown)
        remember(self._database, now)

    def _store_session(
        self, log: LogFile, plan: Plan, session: SessionRead, reading: Reading
    ) -> None:
        if plan.overtakes:
            logfiles.is_copy_now(self._database, plan.overtakes)
        since = plan.resume.offset if plan.resume else 0
        copied = self._writer.write(
            session.key,
            session.head,
            session.project.slug,
            str(log.path),
            reading,
            since,
            plan.copied,
            log.owner,
        )
        if self._visit is not None and not plan.failed:
            turns = plan.turns_of(copied)
            if plan.keep is None or turns != session.copied:
                plan.keep = self._visit(replace(session, copied=turns))
            plan.keep()

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
        self, log: LogFile, plan: Plan, reading: Reading, project: ProjectId
    ) -> tuple[str, State]:
        """The key under which a reading is stored, and what becomes of it."""
        head, known = reading.head, plan.known
        if self._policy and self._policy.session(
            cwd=head.cwd, project=project.slug, root=project.root
        ):
            return "", "ignored"
        base = base_key(log, reading)
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
            plan.overtakes = path
            return base, "read"
        # Two logs claim one session id and tell different stories: both are kept, told apart by
        # how they begin.
        return f"{base}~{short_hash(repr(reading.rows[0][4:6]))}", "read"

    def _follow(self, log: LogFile, other: Known) -> None:
        """Another known file has these bytes: it was moved here, or this is a copy of it."""
        inode, size, mtime = stat_of(log)
        here = replace(
            other, path=name_of(log), relative=log.relative,
            inode=inode, size=size, mtime_ns=mtime,
        )  # fmt: skip
        if os.path.exists(other.path):
            remember(self._database, replace(here, state="copy", resume=None))
            self._report.copies += 1
            return
        logfiles.forget(self._database, other.path)
        self._writer.moved(other.session, other.path, str(log.path))
        remember(self._database, here)
        self._report.moved += 1


def _stamp(policy: Ignored | None) -> str:
    """The policy as text, to see that it has changed; "" when it forbids nothing."""
    if policy is None or not (policy.projects or policy.paths or policy.turns):
        return ""
    turns = [expression.pattern for expression in policy.turns]
    return repr((sorted(policy.projects), policy.paths, turns))
