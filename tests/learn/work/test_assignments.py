"""Pieces of work on both databases: one holder at a time, and no piece for ever."""

from datetime import timedelta

import pytest
from tests.databases import TickingClock

from reverie.errors import Ambiguous, Conflict, NotFound, Refused
from reverie.learn.work.assignments import LEASE, MOST_REFUSALS, Assignments
from reverie.store.store import Store


def test_a_piece_has_one_holder_until_its_lease_ends(store: Store, clock: TickingClock) -> None:
    work = Assignments(store.database, clock)
    first = work.begin("learn", "codex:s", 0, 9)
    assert first is not None
    assert work.begin("learn", "codex:s", 0, 9) is None
    assert not work.lapsed(first)
    clock.now += LEASE + timedelta(seconds=1)
    (known,) = work.of("learn")["codex:s"]
    assert work.lapsed(known)
    second = work.again(known)
    assert second is not None
    # Who looked at the same moment comes too late.
    assert work.again(known) is None
    assert second.id == first.id


def test_an_answer_counts_once(store: Store, clock: TickingClock) -> None:
    work = Assignments(store.database, clock)
    piece = work.begin("dream", "shop", seed="a")
    assert piece is not None
    work.done(piece)
    with pytest.raises(Conflict):
        work.find(piece.id)
    assert work.begin("dream", "shop", seed="a") is None
    assert work.begin("dream", "shop", seed="b") is not None


def test_refusals_are_counted_to_an_end(store: Store, clock: TickingClock) -> None:
    work = Assignments(store.database, clock)
    work.begin("learn", "codex:s")
    (piece,) = work.of("learn")["codex:s"]
    left = [work.refused(work.find(piece.id)) for _ in range(MOST_REFUSALS)]
    assert left == [2, 1, 0]
    with pytest.raises(Refused):
        work.find(piece.id)


def test_a_piece_is_found_by_a_beginning_that_fits_only_one(
    store: Store, clock: TickingClock
) -> None:
    work = Assignments(store.database, clock)
    pieces = [work.begin("learn", f"codex:{n}") for n in range(3)]
    assert pieces[0] is not None
    assert work.find(pieces[0].id[:-1]) == pieces[0]
    with pytest.raises(Ambiguous):
        work.find("work_")
    with pytest.raises(NotFound):
        work.find("")
