"""Pieces of work on both databases: one holder at a time, and no piece for ever."""

from datetime import timedelta

import pytest
from tests.databases import TickingClock

from reverie.errors import Ambiguous, Conflict, NotFound, Refused
from reverie.learn.work.assignments import LEASE, MOST_REFUSALS, Assignments, Stretch
from reverie.store.store import Store


def test_a_piece_has_one_holder_until_its_lease_ends(store: Store, clock: TickingClock) -> None:
    work = Assignments(store.database, clock)
    first = work.begin("session", [Stretch("codex:s", 0, 9)])
    assert first is not None
    assert work.begin("session", [Stretch("codex:s", 0, 9)]) is None
    assert work.lapsed("session") == []
    clock.now += LEASE + timedelta(seconds=1)
    (known,) = work.lapsed("session")
    second = work.again(known)
    assert second is not None
    # Who looked at the same moment comes too late.
    assert work.again(known) is None
    assert second.id == first.id


def test_an_answer_counts_once(store: Store, clock: TickingClock) -> None:
    work = Assignments(store.database, clock)
    piece = work.begin("dream", [Stretch("shop", seed="a")])
    assert piece is not None
    work.done(piece)
    with pytest.raises(Conflict):
        work.find(piece.id)
    assert work.begin("dream", [Stretch("shop", seed="a")]) is None
    assert work.begin("dream", [Stretch("shop", seed="b")]) is not None


def test_refusals_are_counted_to_an_end(store: Store, clock: TickingClock) -> None:
    work = Assignments(store.database, clock)
    piece = work.begin("session", [Stretch("codex:s")])
    assert piece is not None
    left = [work.refused(work.find(piece.id)) for _ in range(MOST_REFUSALS)]
    assert left == [2, 1, 0]
    with pytest.raises(Refused):
        work.find(piece.id)


def test_a_piece_is_found_by_a_beginning_that_fits_only_one(
    store: Store, clock: TickingClock
) -> None:
    work = Assignments(store.database, clock)
    pieces = [work.begin("session", [Stretch(f"codex:{n}")]) for n in range(3)]
    assert pieces[0] is not None
    assert work.find(pieces[0].id[:-1]) == pieces[0]
    with pytest.raises(Ambiguous):
        work.find("work_")
    with pytest.raises(NotFound):
        work.find("")


def test_the_parts_of_a_piece_are_taken_renewed_and_finished_together(
    store: Store, clock: TickingClock
) -> None:
    work = Assignments(store.database, clock)
    both = [Stretch("codex:1", 0, 9), Stretch("codex:2", 0, 4)]
    piece = work.begin("session", both)
    assert piece is not None
    assert {part.subject for part in work.find(piece.id).parts} == {"codex:1", "codex:2"}
    # Whoever wants one part of it, with others, gets none of them.
    assert work.begin("session", [Stretch("codex:3"), both[0]]) is None
    assert "codex:3" not in work.of("session")
    clock.now += LEASE - timedelta(minutes=1)
    work.renew(piece)
    clock.now += timedelta(minutes=2)
    assert work.lapsed("session") == []
    work.give_back(piece)
    assert [one.id for one in work.lapsed("session")] == [piece.id]
    work.done(piece)
    assert {part.status for parts in work.of("session").values() for part in parts} == {"done"}
