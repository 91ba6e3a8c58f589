"""Workers are processes: they share the jobs, are replaced when they die, and stop at once."""

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess

import pytest
from tests.hosting.nights import brought
from tests.hosting.test_dreams import heads, told
from tests.patience import eventually

from reverie.config import Config
from reverie.hosting import dreams, jobs, worker
from reverie.hosting.guests import Guest
from reverie.hosting.home import ServerHome
from reverie.hosting.jobs import Job


@pytest.fixture
def asked(home: ServerHome, guest: Guest, notes: str) -> Callable[[], Job]:
    ids = [one.id for one in brought(home, guest)]
    return lambda: dreams.ask(home, guest, store=notes, session_ids=ids, model="rules")


def begun(home: ServerHome, job: Job) -> bool:
    """Whether a process reads the sessions of the job by now."""
    return jobs.find(home.database, job.id).status == "running" and len(told(home, job)) >= 2


def leased(home: ServerHome) -> list[tuple[str, ...]]:
    return home.database.query("SELECT name FROM leases WHERE name LIKE 'job %' AND holder != ''")


def started(config: Config) -> SpawnProcess:
    process = get_context("spawn").Process(target=worker.work_until_told, args=(config,))
    process.start()
    return process


def test_several_workers_share_the_jobs_and_each_is_done_once(
    config: Config, home: ServerHome, asked: Callable[[], Job]
) -> None:
    made = [asked() for _ in range(3)]
    with worker.workers(config, 2):
        assert eventually(lambda: all(jobs.find(home.database, one.id).is_over for one in made))
    ended = [jobs.find(home.database, one.id) for one in made]
    assert [one.status for one in ended] == ["completed"] * 3
    stores = [info.metadata.get("dream") for info in home.store.stores()]
    assert sorted(filter(None, stores)) == sorted(one.id for one in made)
    assert len({tuple(sorted(heads(home, one.output or "").items())) for one in ended}) == 1
    assert home.database.query("SELECT name FROM leases WHERE name LIKE 'job %'") == []


@pytest.mark.hostile("K2")
def test_a_worker_that_was_killed_is_gone_on_from_by_another(
    config: Config, home: ServerHome, asked: Callable[[], Job]
) -> None:
    job = asked()
    first = started(config)
    with home.index.atomic():  # whoever reads sessions now waits
        assert eventually(lambda: begun(home, job))
        assert first.pid is not None
        os.kill(first.pid, signal.SIGKILL)
        first.join()
    assert jobs.find(home.database, job.id).status == "running"
    with worker.workers(config, 1):
        assert eventually(lambda: jobs.find(home.database, job.id).is_over)
    done = jobs.find(home.database, job.id)
    assert done.status == "completed"
    assert sum(info.metadata.get("dream") == job.id for info in home.store.stores()) == 1
    assert "taken up again by another worker" in told(home, done)


def test_a_canceled_dream_is_stopped_inside_of_a_step(
    config: Config, home: ServerHome, guest: Guest, asked: Callable[[], Job]
) -> None:
    job = asked()
    with worker.workers(config, 1):
        with home.index.atomic():
            assert eventually(lambda: begun(home, job))
            assert leased(home)
            dreams.cancel(home, guest, job.id)
            # The step it is in cannot end: it was ended.
            assert eventually(lambda: not leased(home))
        after = asked()
        assert eventually(lambda: jobs.find(home.database, after.id).is_over)
    over = jobs.find(home.database, job.id)
    assert (over.status, over.output) == ("canceled", None)
    assert jobs.find(home.database, after.id).status == "completed"


@pytest.mark.hostile("K9")
def test_a_worker_told_to_stop_leaves_its_job_to_the_next_and_no_lease(
    config: Config, home: ServerHome, asked: Callable[[], Job]
) -> None:
    job = asked()
    first = started(config)
    with home.index.atomic():
        assert eventually(lambda: begun(home, job))
        first.terminate()
        first.join()
    assert first.exitcode == 0
    assert leased(home) == []
    assert jobs.find(home.database, job.id).status == "running"
    assert worker.work(config, threading.Event(), once=True) == 1
    assert jobs.find(home.database, job.id).status == "completed"


def test_a_dream_that_takes_too_long_or_whose_process_dies_has_failed(
    config: Config, home: ServerHome, asked: Callable[[], Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = replace(config.settings.server, dream_minutes=0)
    hurried = replace(config, settings=replace(config.settings, server=slow))
    job = asked()
    with home.index.atomic():
        assert worker.work(hurried, threading.Event(), once=True) == 1
    assert jobs.find(home.database, job.id).error == "timeout"
    job = asked()
    monkeypatch.setenv("REVERIE_TEST_KILL_AT", "job_step")
    assert worker.work(config, threading.Event(), once=True) == 1
    assert jobs.find(home.database, job.id).error == "internal_error"
    assert leased(home) == []
