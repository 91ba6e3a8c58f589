"""A worker: takes one job after another, each in a process of its own that can be stopped at once.

A dream has no effects before it writes, and whatever it writes is whole or not there; so the
process that runs it may be killed at any moment, and is, when the job was canceled, took too long,
or belongs to another worker by now. This process only looks after it: it renews the lease, sees
that the job is still wanted, and tells what became of it.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from multiprocessing import connection, get_context, parent_process
from typing import TYPE_CHECKING

from reverie.asker import Asker
from reverie.config import Config
from reverie.db import leases
from reverie.errors import LeaseHeld, Unavailable
from reverie.hosting import dreams, jobs
from reverie.hosting.home import ServerHome
from reverie.hosting.jobs import Failure, Job, Stopped

if TYPE_CHECKING:
    from multiprocessing.context import SpawnContext, SpawnProcess

LOOK_SECONDS = 0.25  # between two looks at a job that runs, or for one that waits
RENEW_SECONDS = jobs.LASTS.total_seconds() / 3
_TRY_AGAIN = 75  # the process could not reach its database
MOST_TRIES = 5
_REPLACED_SECONDS = 1.0


def server_home(config: Config) -> ServerHome:
    """The home of a server, for one process of it."""
    return ServerHome(config, folder=str(config.home), asker=Asker("http"))


def work(config: Config, stop: threading.Event, *, once: bool = False) -> int:
    """Run jobs until told to stop, or with `once` until none waits; how many came to an end."""
    done = 0
    tries: dict[str, int] = {}
    with server_home(config) as home:
        while not stop.is_set():
            claimed = None
            # A database that does not answer is asked again.
            with suppress(Unavailable):
                claimed = jobs.claim(home.database, home.clock)
            if claimed is None:
                if once:
                    break
                stop.wait(LOOK_SECONDS)
                continue
            job, lease = claimed
            tries[job.id] = tries.get(job.id, 0) + 1
            done += _Attended(home, job, lease, stop, tries[job.id]).run()
    return done


@contextmanager
def workers(config: Config, count: int) -> Generator[None]:
    """So many workers beside whatever is done in the block; one that died is replaced."""
    context = get_context("spawn")
    over = threading.Event()
    running = [_started(context, config) for _ in range(count)]

    def replace_the_dead() -> None:
        while not over.wait(_REPLACED_SECONDS):
            for place, process in enumerate(running):
                if process.exitcode is not None:
                    running[place] = _started(context, config)

    threading.Thread(target=replace_the_dead, daemon=True).start()
    try:
        yield
    finally:
        over.set()
        for process in running:
            process.terminate()
        for process in running:
            process.join()


def _started(context: "SpawnContext", config: Config) -> "SpawnProcess":
    process = context.Process(target=work_until_told, args=(config,))
    process.start()
    return process


def work_until_told(config: Config) -> None:
    """A worker as a process of its own: a signal, or the end of its parent, stops it."""
    stop = threading.Event()

    def told(_number: int, _frame: object) -> None:
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, told)
    parent = parent_process()
    if parent is not None:

        def watch() -> None:
            connection.wait([parent.sentinel])
            stop.set()

        threading.Thread(target=watch, daemon=True).start()
    work(config, stop)


class _Attended:
    """One job while its process runs."""

    def __init__(
        self, home: ServerHome, job: Job, lease: leases.Lease, stop: threading.Event, tries: int
    ) -> None:
        self._home = home
        self._job = job
        self._lease = lease
        self._stop = stop
        self._tries = tries
        self._renewed = time.monotonic()
        self._ends = self._renewed + home.settings.server.dream_minutes * 60

    def run(self) -> bool:
        """Look after the job; whether it is over."""
        process = get_context("spawn").Process(
            target=_run, args=(self._home.config, self._job.id, self._lease), daemon=True
        )
        process.start()
        failure: tuple[Failure, str] | None = None
        try:
            while process.exitcode is None:
                process.join(LOOK_SECONDS)
                if self._stop.is_set() or not self._wanted():
                    break
                if time.monotonic() > self._ends:
                    failure = "timeout", "the dream took too long"
                    break
        finally:
            _kill(process)
        if failure is None and process.exitcode == _TRY_AGAIN and self._tries >= MOST_TRIES:
            failure = "internal_error", "the database did not answer"
        if failure is None and process.exitcode not in (0, _TRY_AGAIN) and not self._stop.is_set():
            failure = "internal_error", "the process that dreamt it ended"
        return self._over(failure)

    def _wanted(self) -> bool:
        """Whether the job is still to be run, and by us."""
        try:
            if not jobs.is_running(self._home.database, self._job.id):
                return False
            if time.monotonic() - self._renewed >= RENEW_SECONDS:
                leases.renew(self._home.database, self._home.clock, self._lease)
                self._renewed = time.monotonic()
        except LeaseHeld:
            return False
        except Unavailable:
            # Nobody else can take it before it has run out.
            return time.monotonic() - self._renewed < jobs.LASTS.total_seconds()
        return True

    def _over(self, failure: tuple[Failure, str] | None) -> bool:
        database = self._home.database
        try:
            if failure is not None:
                with suppress(Stopped):
                    dreams.fail(self._home, self._job, self._lease, *failure)
            leases.give_back(database, self._lease)
            over = not jobs.is_running(database, self._job.id)
            if over:
                with database.atomic() as tx:
                    leases.end(tx, self._lease)
        except Unavailable:
            return False  # the lease runs out by itself
        return over


def _kill(process: "SpawnProcess") -> None:
    """End a process and all that it started."""
    if process.exitcode is None and process.pid is not None:
        with suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    process.join()


def _run(config: Config, identity: str, lease: leases.Lease) -> None:
    """What the process of a job does."""
    if os.name == "posix":
        os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        with server_home(config) as home:
            dreams.run(home, identity, lease)
    except Stopped:
        return
    except Unavailable:
        sys.exit(_TRY_AGAIN)


def _end_with_parent() -> None:
    """A job without the one who looks after it is another worker's."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
