"""`reverie learn` and `reverie unlearn`."""

from collections.abc import Generator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.alone import learning
from reverie.cli.app import App
from reverie.cli.asking import agree
from reverie.cli.daily import tell_sizes
from reverie.cli.due import remind
from reverie.cli.options import json_option, logs_option, start_of
from reverie.cli.printing import out, out_json, say, several
from reverie.cli.refresh import no_logs, progress_bar, update

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from reverie.cli.alone import Keep
    from reverie.learn.memories.unlearn import Unlearned
    from reverie.learn.run import LearnReport
    from reverie.sessions.discover import LogFile

SHOWN = 12  # lessons named in the summary
COUNTS = ("sessions", "human_turns", "corrections", "durable", "diaries", "bad_lines")


@click.command()
@logs_option
@click.option("--project", help="Only sessions of this project (name, slug or path).")
@click.option("--since", help="Only sessions since this day (2026-11-01, 7d).")
@click.option("--jobs", type=click.IntRange(1), default=None, help="Processes to read logs with.")
@click.option("--dry-run", is_flag=True, help="Say what would be found; write nothing.")
@click.option("--no-wait", is_flag=True, help="Fail at once if another process is learning.")
@json_option
def learn(
    folder: Path | None,
    project: str | None,
    since: str | None,
    jobs: int | None,
    dry_run: bool,
    no_wait: bool,
    as_json: bool,
) -> None:
    """Read what is new in your agents' logs and keep what it teaches.

    Finds corrections and lasting statements, writes memories where they are sure enough and queues
    the rest for `reverie review`. With --dry-run it only shows what it would find. While another
    process is learning it says so and waits.
    """
    app = App.load()
    if dry_run:
        from reverie.cli.dry_run import show

        show(app, folder, project=project, since=since, as_json=as_json)
        return
    files = app.log_files(folder)
    filtered = project is not None or since is not None
    if files and not filtered and nothing_new(app, files):
        report = None
    else:
        with learning(app, wait=not no_wait) as keep:
            if filtered:
                files = wanted_logs(app, files, folder, project, since)
            report = _learned(app, keep, files, jobs)
    if report is None:
        _tell_nothing(len(files), as_json=as_json)
        return
    learned = set(report.learned)
    days = [day for day in app.index.days() if day.session in learned] if learned else []
    app.marks.mark(days, "learn", app.now)
    if learned:
        remind(app)
    if as_json:
        out_json(as_data(report))
    else:
        summarise(report)


def _learned(
    app: App, keep: "Keep", files: "list[LogFile]", jobs: int | None
) -> "LearnReport | None":
    """What was learned; None when nothing is new, perhaps because another process was first."""
    if files and nothing_new(app, files):
        return None
    with processes(jobs or app.settings.learn.jobs) as pool, progress_bar("learning") as progress:
        return app.learner(keep, pool).learn(files, progress)


def _tell_nothing(logs: int, *, as_json: bool) -> None:
    if as_json:
        counts = {"files": logs, "unchanged": logs} | dict.fromkeys(COUNTS, 0)
        out_json(counts | {"dailies": [], "outcomes": []})
    else:
        say(f"nothing new in {several(logs, 'log')}")


def nothing_new(app: App, files: "list[LogFile]") -> bool:
    """Whether a run would do nothing: then the detector and its phrases are not even loaded."""
    from reverie.privacy import Ignored
    from reverie.sessions.awaiting import any_awaits

    if not app.config.has_index:
        return False
    if any_awaits(app.index.database):
        return False  # a run died before it wrote what it had read
    return app.index.is_current(files, Ignored.load(app.settings.privacy))


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


def wanted_logs(
    app: App, files: "list[LogFile]", folder: Path | None, project: str | None, since: str | None
) -> "list[LogFile]":
    """The logs of the sessions a filter names: whose they are is known after indexing."""
    update(app, folder)
    slug = app.projects.find(project).slug if project else None
    rows = app.index.sessions(project=slug, since=start_of(since, app.clock()))
    paths = {row.path for row in rows}
    return [log for log in files if str(log.path) in paths]


def as_data(report: "LearnReport") -> dict[str, Any]:
    return {
        "files": report.index.files,
        "unchanged": report.index.unchanged,
        "sessions": report.sessions,
        "human_turns": report.human_turns,
        "corrections": report.corrections,
        "durable": report.durable,
        "diaries": report.diaries,
        "dailies": [
            {"day": one.day, "action": one.action, "bytes": one.size, "grade": one.grade}
            for one in report.dailies
        ],
        "bad_lines": report.index.bad_lines,
        "outcomes": [
            {
                "action": outcome.action,
                "why": outcome.why,
                "memory": outcome.memory_id,
                "replaced": list(outcome.replaced),
                "candidate": candidate.id,
                "store": candidate.store,
                "lesson": candidate.lesson,
                "evidence": candidate.evidence,
            }
            for candidate, outcome in report.outcomes
        ],
    }


def summarise(report: "LearnReport") -> None:
    """The end of a run, in words."""
    if not report.index.files:
        no_logs()
        return
    if not report.sessions and not report.outcomes:
        say(f"nothing new in {several(report.index.files, 'log')}")
        return
    counts = (
        (report.sessions, "session"),
        (report.human_turns, "human turn"),
        (report.corrections, "correction"),
        (report.diaries, "diary"),
    )
    say(", ".join(several(count, one) for count, one in counts))
    written = [(c, o) for c, o in report.outcomes if o.action in {"created", "corroborated"}]
    for candidate, outcome in islice(written, SHOWN):
        verb = "wrote" if outcome.action == "created" else "confirmed"
        before = f" (instead of {', '.join(outcome.replaced)})" if outcome.replaced else ""
        say(f"  {verb} [{candidate.store}] {candidate.lesson}{before}")
    if len(written) > SHOWN:
        say(f"  … and {len(written) - SHOWN} more (`reverie memories`)")
    tell_sizes([one.warning for one in report.dailies if one.warning])
    if report.count("excluded"):
        say(f"{report.count('excluded')} left out: readable from code or git, or one-off")
    if report.index.bad_lines:
        say(f"{report.index.bad_lines} damaged lines passed over (`reverie doctor`)")
    if report.count("queued"):
        say(f"{report.count('queued')} wait for you: `reverie review`")


@click.command()
@click.argument("session")
@click.option("--reason", default="asked by the user", help="Why; kept with the tombstone.")
@click.option("--dry-run", is_flag=True, help="List what came from it; remove nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def unlearn(session: str, reason: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Remove everything that was learned from SESSION, and never learn from it again.

    Memories that rest on it alone are deleted and their versions redacted, others lose this source,
    and what only it had superseded comes back. The kept copy goes, a tombstone stays. The agent's
    own log is not touched. Repeating it finishes what was interrupted.
    """
    from reverie.learn.memories.unlearn import derived

    app = App.load()
    key = _session_or_tombstone(app, session)
    found = derived(app.store, key)
    if dry_run:
        listed = [f"{store}{memory.path}" for store, memory, _ in found]
        if as_json:
            out_json({"session": key, "memories": listed})
        else:
            say(f"{key}: {len(found)} memories rest on it")
            for path in listed:
                out(path)
        return
    question = f"Remove what {key} taught ({several(len(found), 'memory')})?"
    agree(question, yes=yes, otherwise="nothing was removed")
    with learning(app):
        done, copies = _removed(app, key, reason)
    if as_json:
        out_json(
            {
                "session": done.session, "deleted": done.deleted, "weakened": done.weakened,
                "restored": done.restored, "redacted_versions": done.redacted,
                "reviews": done.reviews, "turns": done.turns, "kept_copies": copies,
            }
        )  # fmt: skip
        return
    gone = several(len(done.deleted), "memory")
    say(f"{key} is unlearned: {gone} deleted, {len(done.weakened)} weakened,")
    taken = f"{several(done.turns, 'turn')} and {several(copies, 'kept copy')} removed"
    say(f"{several(done.redacted, 'version')} redacted, {taken}")
    for path in done.restored:
        say(f"  right again: {path}")


def _session_or_tombstone(app: App, reference: str) -> str:
    """The key of a session, also of one whose unlearning was interrupted after it had left."""
    from reverie.errors import NotFound
    from reverie.learn.memories.tombstones import Tombstones

    try:
        return app.index.session(reference).key
    except NotFound:
        buried = Tombstones(app.store.database, app.clock).find(reference)
        if buried is None:
            raise
        return buried


def _removed(app: App, key: str, reason: str) -> "tuple[Unlearned, int]":
    """Unlearn a session; what was removed, and how many kept copies went."""
    from reverie.dream.proposals import proposals
    from reverie.forget.stale import drop_outdated
    from reverie.learn.daily.dailies import Chronicler
    from reverie.learn.memories.queue import Queue
    from reverie.learn.memories.tombstones import Tombstones
    from reverie.learn.memories.unlearn import scrub, unlearn
    from reverie.recall import ledger

    database = app.store.database
    chronicler = Chronicler(app.store, Queue(database, app.clock))
    tombstones = Tombstones(database, app.clock)
    also = (proposals.forget_session, ledger.forget_session)
    done = unlearn(app.store, app.index, chronicler, tombstones, key, reason, also)
    heads = {head for (head,) in database.query("SELECT version_id FROM memories")}
    with app.index.atomic() as index:
        drop_outdated(index, heads)
    copies = app.drop_kept(key)
    scrub(app.store, app.index, key)
    return done, copies
