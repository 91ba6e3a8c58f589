"""A dream is due after ten sessions or a day, and only if something new was learned."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.clock import fixed, parse_iso
from reverie.dream.proposals.proposals import last_dreamt
from reverie.learn.due import Due, due
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.queue import Queue
from reverie.settings import Due as Interval
from reverie.store.store import Store

START = "2026-03-01T12:00:00.000Z"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/memory.db", clock=fixed(START)) as opened:
        yield opened


def found(store: Store, number: int, at: str) -> None:
    """A lesson that was found at a moment."""
    one = Candidate(
        lesson=f"lesson {number}", type="feedback", kind="error", scope="project", project="shop",
        session=f"claude-code:s{number}", evidence=f"claude-code:s{number}#1", at=at, quote="q",
        premise="", standing=False, trust="user", score=0.5,
    )  # fmt: skip
    Queue(store.database, fixed(at)).add(one, why="not sure")


def dreamt(store: Store, at: str) -> None:
    with store.database.atomic() as tx:
        tx.execute(
            "INSERT INTO dreams (id, scope, status, token, inputs, asked, steps, started_at,"
            " finished_at) VALUES ('d1', 'all', 'done', 1, '', '', '', ?, ?)",
            (at, at),
        )


def look(store: Store, now: str, sessions: int = 0, learned_at: str = START) -> Due:
    marks = {f"s{n}": learned_at for n in range(sessions)}
    return due(store.database, last_dreamt(store.database), marks, parse_iso(now), Interval())


@pytest.mark.proves("B13")
def test_with_nothing_learned_no_dream_is_due_however_long_ago_the_last_was(store: Store) -> None:
    assert not look(store, "2026-03-01T12:00:00Z").due
    dreamt(store, "2025-01-01T00:00:00.000Z")
    assert not look(store, "2026-03-01T12:00:00Z", sessions=50).due


@pytest.mark.proves("B13")
def test_ten_sessions_or_a_day_make_it_due(store: Store) -> None:
    found(store, 1, START)
    assert not look(store, "2026-03-01T13:00:00Z", sessions=9).due
    assert look(store, "2026-03-01T13:00:00Z", sessions=10).due
    assert not look(store, "2026-03-02T11:59:00Z", sessions=1).due
    assert look(store, "2026-03-02T12:00:00Z", sessions=1).due


@pytest.mark.proves("B13")
def test_a_dream_starts_the_count_anew(store: Store) -> None:
    found(store, 1, START)
    dreamt(store, "2026-03-03T00:00:00.000Z")
    after = look(store, "2026-03-05T00:00:00Z", sessions=20)
    assert (after.due, after.learned, after.sessions) == (False, 0, 0)
    assert after.last == "2026-03-03T00:00:00.000Z"
    found(store, 2, "2026-03-04T10:00:00.000Z")
    later = look(store, "2026-03-05T00:00:00Z", sessions=3, learned_at="2026-03-04T10:00:00Z")
    assert later.due
    assert later.sentence == (
        "A dream is due: 1 lesson from 3 sessions since 2026-03-03. Run `reverie dream`."
    )


def test_a_dream_that_has_not_ended_does_not_count(store: Store) -> None:
    found(store, 1, START)
    dreamt(store, "2026-03-03T00:00:00.000Z")
    with store.database.atomic() as tx:
        tx.execute("UPDATE dreams SET finished_at = NULL")
    assert look(store, "2026-03-05T00:00:00Z").due


def test_the_reminder_is_silent_when_nothing_is_due(store: Store) -> None:
    assert look(store, START).sentence == ""
    interval = Interval(sessions=1, hours=1000)
    found(store, 1, START)
    assert due(store.database, "", {"s1": START}, parse_iso(START), interval).due
