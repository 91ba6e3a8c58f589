"""Learning and unlearning: who may, from which logs, and what is noted afterwards."""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.home import Home
from reverie.operations import keeping
from reverie.operations.keeping import unheard

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from reverie.errors import LeaseHeld
    from reverie.learn.detect.records import Judged
    from reverie.learn.due import Due
    from reverie.learn.memories.unlearn import Derived, Unlearned
    from reverie.learn.report import Followed, LearnReport
    from reverie.learn.run import Learner
    from reverie.sessions.index import IndexReport, Progress, SessionRead
    from reverie.sessions.logs.discover import LogFile, Skipped
    from reverie.sessions.logs.saved import Saved
    from reverie.sessions.model import Head, Turn

LOOK_AGAIN_SECONDS = 0.2
RENEW_AFTER = timedelta(minutes=1)

Keep = Callable[[], None]  # holds the lease for longer; raises LeaseHeld when it was taken over
Waiting = Callable[[str], None]  # is told, once, for whom this one waits


@contextmanager
def alone(home: Home, waiting: Waiting | None = unheard) -> Generator[Keep]:
    """The right to change what was learned: one process at a time learns into a home.

    Raises:
        LeaseHeld: another process learns, and nobody is `waiting`.
    """
    import socket

    from reverie.db import leases

    messages: list[str] = []

    def look_again(error: "LeaseHeld") -> None:
        if not messages and waiting is not None:
            waiting(error.message)
        messages.append(error.message)
        time.sleep(LOOK_AGAIN_SECONDS)

    # The index is what cannot be shared; on PostgreSQL other machines learn with their own.
    name = f"learn {socket.gethostname()}:{home.config.index_db}"
    wait = None if waiting is None else look_again
    lease = leases.take(home.database, home.clock, name, doing="learning", wait=wait)
    renewed = home.clock()

    def keep() -> None:
        nonlocal renewed
        if home.clock() - renewed >= RENEW_AFTER:
            leases.renew(home.database, home.clock, lease)
            renewed = home.clock()

    try:
        yield keep
    finally:
        leases.give_back(home.database, lease)


def learn(
    home: Home,
    logs: Path | None = None,
    *,
    project: str | None = None,
    since: str | None = None,
    jobs: int | None = None,
    mine: bool = False,
    waiting: Waiting | None = unheard,
    progress: "Progress" = unheard,
    tell: keeping.Tell = unheard,
) -> "LearnReport":
    """Read what is new in the logs, write what is sure, queue the rest; note what was learned.

    Args:
        logs: Only logs below this folder, or this one log; all that are known if absent.
        project: Only sessions of this project, by name, slug or path.
        since: Only sessions since this moment, ISO.
        jobs: Processes to read with; the setting `learn.jobs` if absent.
        mine: A person says that these logs are theirs, wherever they lie.
        waiting: Told for whom this one waits; with None it does not wait.
        tell: Told what could not be taken over from mounted folders.

    Raises:
        LeaseHeld: another process learns, and nobody is `waiting`.
    """
    followed = _follow(home)
    files = found_logs(home, logs)
    if mine:
        files = _believed(home, files)
    filtered = project is not None or since is not None
    if files and not filtered and nothing_new(home, files):
        return _nothing(files, followed)
    with keeping.in_step(home, tell):
        with alone(home, waiting) as keep:
            if filtered:
                files = _wanted(home, files, logs, project, since, progress)
            # Another process may have been first while this one waited.
            if files and nothing_new(home, files):
                return _nothing(files, followed)
            _learn_into(home)
            _note_roots(home)
            files = _with_those_over(home, files)
            with processes(jobs or home.settings.learn.jobs) as pool:
                report = learner(home, keep, pool).learn(files, progress)
        note(home)
    report.followed = followed
    if report.count("queued"):
        report.waiting = home.queue.waiting()
    return report


def _follow(home: Home) -> "Followed":
    """What agents saved into their own memory folders, taken over if that is allowed."""
    from reverie.learn.report import Followed

    if not home.settings.learn.agent_memory:
        return Followed()
    from reverie.operations.following import follow

    done = follow(home)
    return Followed(
        tuple(f"{memory.store}:{memory.path}" for each in done for memory in each.written),
        tuple(f"{memory.store}:{memory.path}" for each in done for memory in each.gone),
        tuple((kept.source, kept.why) for each in done for kept in each.kept),
    )


def _learn_into(home: Home) -> None:
    """Where `memory.db` was lost or replaced, all sessions that are known are learned again."""
    from reverie.db.migrations import made_at
    from reverie.sessions.awaiting import learn_into, learned_into

    made = made_at(home.database)
    if learned_into(home.index.database) != made:
        with home.index.atomic() as database:
            learn_into(database, made)


def _believed(home: Home, files: "list[LogFile]") -> "list[LogFile]":
    """The logs as the person's own; what waits of those that were in doubt is judged anew."""
    from reverie.learn.memories.queue import forget_waiting

    for session in home.index.believe(files):
        with home.database.atomic() as tx:
            forget_waiting(tx, session)
    return [replace(log, vouched=True) for log in files]


def _note_roots(home: Home) -> None:
    """Where the person's agents log now is known to their hooks and shells from now on."""
    from reverie.sessions.logs.vouching import known_roots, note_roots, roots_in

    if home.agent_above() or set(roots_in(home.config.environ)) <= {
        *known_roots(home.index.database)
    }:
        return
    with home.index.atomic() as database:
        note_roots(database, home.config.environ)


def _with_those_over(home: Home, files: "list[LogFile]") -> "list[LogFile]":
    """Besides the logs that are asked for, those of sessions that are over and not settled yet."""
    from reverie.sessions.growing import to_settle

    asked = {str(log.path) for log in files}
    paths = {session.path for session in to_settle(home.index.database, home.clock())} - asked
    more = [log for path in sorted(paths) if path for log in found_logs(home, Path(path))]
    return [*files, *(log for log in more if log.path.is_file())]


def _nothing(files: "Sequence[LogFile]", followed: "Followed") -> "LearnReport":
    from reverie.learn.report import LearnReport
    from reverie.sessions.index import IndexReport

    return LearnReport(IndexReport(files=len(files), unchanged=len(files)), followed=followed)


def found_logs(home: Home, logs: Path | None = None) -> "list[LogFile]":
    """The logs below a folder, or the one log that is named; all that are known if none is."""
    if logs is None or not logs.is_file():
        return home.logs(logs).logs
    log = logs.resolve()
    return [file for file in home.logs(log.parent).logs if file.path == log]


def would_learn(
    home: Home,
    logs: Path | None = None,
    *,
    project: str | None = None,
    since: str | None = None,
    skipped: "Callable[[Skipped], None]" = unheard,
) -> "Judged":
    """What `learn` would find in every human turn, with nothing written and no home made.

    Args:
        skipped: Told which files are not read, and why.
    """
    from reverie.learn.detect.judge import Judge
    from reverie.learn.detect.records import Judged, judged_logs
    from reverie.privacy import passing_redactor, redact_value

    slug = home.projects.find(project).slug if project else None

    def wanted(head: "Head") -> bool:
        recent = since is None or head.ended >= since
        known = home.projects.identify
        return recent and (slug is None or known(head.cwd, head.remote, head.branch).slug == slug)

    discovered = home.logs(logs)
    for item in discovered.skipped:
        skipped(item)
    judge = Judge.load(home.settings.learn)
    redact = passing_redactor()
    turns = (
        redact_value(turn, redact) for turn in judged_logs(discovered.logs, judge, skipped, wanted)
    )
    return Judged(len(discovered.logs), turns)


def read(home: Home, logs: Path | None = None, *, progress: "Progress" = unheard) -> "IndexReport":
    """Bring the index up to date; what is unchanged is not opened, and nothing is learned."""
    from reverie.privacy import Ignored

    return home.index.update(
        home.logs(logs).logs,
        redact=home.redact,
        policy=Ignored.load(home.settings.privacy),
        progress=progress,
        buried=home.buried,
    )


def note(home: Home) -> None:
    """After something was learned: what had been said before, the reminder that a dream is due, and
    the backup of the day."""
    from reverie.sessions.awaiting import is_untold, told

    if is_untold(home.index.database):
        from reverie.operations.copies import back_up_daily
        from reverie.recall.repeating import note_repeats

        note_repeats(home.index.database)
        remind(home)
        back_up_daily(home)
        with home.index.atomic() as database:
            told(database)


def due(home: Home) -> "Due":
    """Whether a dream is due; changes nothing."""
    from reverie.dream.proposals.proposals import last_dreamt
    from reverie.learn.due import due as is_due

    last = last_dreamt(home.database)
    return is_due(home.database, last, home.marks.learned_at, home.clock(), home.settings.due)


def remind(home: Home) -> "Due":
    """See whether a dream is due, and leave or take away the reminder for the next session."""
    from reverie.operations.starts.starting import read_due, write_due

    state = due(home)
    if read_due(home) != state.sentence:
        write_due(home, state.sentence)
    return state


def nothing_new(home: Home, files: "list[LogFile]") -> bool:
    """Whether a run would do nothing: then the detector and its phrases are not even loaded."""
    from reverie.db.migrations import made_at
    from reverie.privacy import Ignored
    from reverie.sessions.aside import asides
    from reverie.sessions.awaiting import any_awaits, learned_into
    from reverie.sessions.growing import to_settle

    if not home.config.has_index or not home.exists:
        return False
    if learned_into(home.index.database) != made_at(home.database):
        return False  # other memories took the place of those that were learned into
    if any_awaits(home.index.database) or asides(home.index.database):
        return False  # a run died before it wrote all that follows, or could not
    if to_settle(home.index.database, home.clock()):
        return False  # a session is over by now
    if not is_fitted(home):
        return False  # a person labelled turns
    return home.index.is_current(files, Ignored.load(home.settings.privacy))


def is_fitted(home: Home) -> bool:
    """Whether the misstep probability rests on all labels that were given."""
    from reverie.sessions.awaiting import fact
    from reverie.sessions.labels import FITTED, stamp

    return stamp(home.labels.all()) == fact(home.index.database, FITTED)


def learner(home: Home, keep: Keep, executor: "Executor | None" = None) -> "Learner":
    """What learns while it holds the lease; an executor reads logs ahead."""
    from reverie.learn.detect.judge import Judge
    from reverie.learn.diary.diaries import Diarist
    from reverie.learn.memories.writing import Writer
    from reverie.learn.run import Learner
    from reverie.privacy import Ignored

    queue = home.queue
    return Learner(
        index=home.index,
        writer=Writer(home.store, queue, unasked=home.settings.learn.write != "never"),
        judge=Judge.load(home.settings.learn),
        diarist=Diarist(home.store),
        chronicler=home.dailies,
        redact=home.redact,
        policy=Ignored.load(home.settings.privacy),
        buried=home.buried,
        clock=home.clock,
        executor=executor,
        credit=_credit(home),
        saved=_saved(home),
        labels=home.labels.all(),
        mark=lambda session: home.marks.mark(home.index.days(session=session), "learn", home.now),
        keep=keep,
    )


def _saved(home: Home) -> "Saved":
    """Where agents saved memory themselves; into folders of their own only if these are followed:
    a lesson that stays there would be one agent's alone."""
    from reverie.sessions.logs.own_memory import saves_for_itself, saves_here
    from reverie.sessions.logs.saved import Saved, watched

    folders: list[str] = []
    followed = home.settings.learn.agent_memory
    if followed:
        from reverie.operations.following import folders as of_agents

        folders = [str(folder.path) for folder in of_agents(home)]

    def saves(turn: "Turn") -> bool:
        return saves_here(turn) or (followed and saves_for_itself(turn, folders))

    return Saved(watched(home.config.home), saves, home.settings.hooks.every_turns)


def _credit(home: Home) -> "Callable[[SessionRead], None] | None":
    """Sessions become the authors of what they wrote into mounts, if there are any."""
    from reverie.mounts import any_mount

    if not any_mount(home.database):
        return None
    from reverie.learn.traffic.attempts import disk_writes
    from reverie.mounts.attribution import credit

    def credited(read: "SessionRead") -> None:
        credit(home.store, disk_writes(read))

    return credited


@contextmanager
def processes(jobs: int) -> "Generator[Executor | None]":
    """A pool of `jobs` processes, or none: one process reads as it goes."""
    if jobs == 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Started afresh, not forked: a fork would inherit open databases.
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_deaf)
    try:
        yield pool
    finally:
        # Whoever stops the run does not wait for what was only queued.
        pool.shutdown(cancel_futures=True)


def _deaf() -> None:
    """Ctrl-C reaches every process of a terminal; the one that was started answers for all."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _wanted(
    home: Home,
    files: "list[LogFile]",
    folder: Path | None,
    project: str | None,
    since: str | None,
    progress: "Progress",
) -> "list[LogFile]":
    """The logs of the sessions a filter names: whose they are is known after indexing."""
    read(home, folder, progress=progress)
    slug = home.projects.find(project).slug if project else None
    paths = {row.path for row in home.index.sessions(project=slug, since=since)}
    return [log for log in files if str(log.path) in paths]


def derived(home: Home, session: str) -> "Derived":
    """What rests on a session.

    Raises:
        NotFound: there is no such session, and none was unlearned.
    """
    from reverie.learn.memories.unlearn import Derived
    from reverie.learn.memories.unlearn import derived as resting

    key = _session_or_tombstone(home, session)
    memories = resting(home.store, key)
    return Derived(key, tuple(f"{item.store}{item.memory.path}" for item in memories))


def unlearn(
    home: Home, session: str, reason: str, *, waiting: Waiting | None = unheard
) -> "Unlearned":
    """Remove what a session taught, for good; repeating it finishes what was interrupted.

    Raises:
        NotFound: there is no such session, and none was unlearned.
    """
    from reverie.dream.proposals import proposals
    from reverie.forget.stale import drop_outdated
    from reverie.learn.memories.unlearn import scrub
    from reverie.learn.memories.unlearn import unlearn as removed
    from reverie.learn.work.assignments import forget_answers
    from reverie.recall import ledger
    from reverie.sessions.logs.kept import drop

    with keeping.in_step(home), alone(home, waiting):
        key = _session_or_tombstone(home, session)
        chronicler = home.dailies
        tombstones = home.tombstones
        also = (proposals.forget_session, ledger.forget_session, forget_answers)
        done = removed(home.store, home.index, chronicler, tombstones, key, reason, also)
        heads = home.store.heads()
        with home.index.atomic() as database:
            drop_outdated(database, heads)
        copies = drop(home.index.files_of(key), home.config.kept)
        scrub(home.store, home.index, key)
    return replace(done, copies=copies)


def _session_or_tombstone(home: Home, reference: str) -> str:
    """The key of a session, also of one whose unlearning was interrupted after it had left."""
    from reverie.errors import NotFound

    try:
        return home.index.session(reference).key
    except NotFound:
        buried = home.tombstones.find(reference)
        if buried is None:
            raise
        return buried
