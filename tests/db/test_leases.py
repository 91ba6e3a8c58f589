"""Leases: one run at a time, taken over from the dead and the slow."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from reverie.clock import fixed, parse_iso
from reverie.db import leases
from reverie.errors import LeaseHeld
from reverie.store.store import Store

NOON = "2026-11-15T12:00:00Z"
CLOCK = fixed(NOON)
DOING = "learning"


def later(minutes: int) -> leases.Clock:
    return lambda: parse_iso(NOON) + timedelta(minutes=minutes)


def test_whoever_finds_it_taken_is_told_by_whom_since_when_and_what_to_do(store: Store):
    leases.take(store.database, CLOCK, "learn", "box:17", doing=DOING)
    with pytest.raises(LeaseHeld) as refused:
        leases.take(store.database, later(3), "learn", "box:18", doing=DOING)
    told = refused.value.message
    assert told == "learning is under way in process 17 on box since 2026-11-15 12:00 UTC"
    assert refused.value.hint == "wait for it, or stop it"


def test_whoever_waits_gets_it_when_it_is_free(store: Store):
    first = leases.take(store.database, CLOCK, "learn", "box:17", doing=DOING)
    told: list[str] = []

    def wait(error: LeaseHeld) -> None:
        told.append(error.message)
        if len(told) == 2:
            leases.give_back(store.database, first)

    second = leases.take(store.database, CLOCK, "learn", "box:18", doing=DOING, wait=wait)
    assert len(told) == 2
    assert second.token > first.token


def test_two_names_do_not_stand_in_each_others_way(store: Store):
    leases.take(store.database, CLOCK, "learn", "box:17", doing=DOING)
    leases.take(store.database, CLOCK, "dream", "box:18", doing="a dream")


@pytest.mark.hostile("CC7")
def test_a_renewed_lease_lasts_on_and_one_that_ran_out_is_taken_over(store: Store):
    first = leases.take(store.database, CLOCK, "learn", "box:17", doing=DOING)
    leases.renew(store.database, later(10), first)
    with pytest.raises(LeaseHeld):
        leases.take(store.database, later(20), "learn", "box:18", doing=DOING)
    leases.take(store.database, later(26), "learn", "box:18", doing=DOING)
    with pytest.raises(LeaseHeld, match="taken over"):
        leases.renew(store.database, later(27), first)
    leases.give_back(store.database, first)
    with pytest.raises(LeaseHeld):
        leases.take(store.database, later(28), "learn", "box:19", doing=DOING)


def test_threads_of_one_process_wait_for_each_other(store: Store) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work(number: int) -> None:
        lease = leases.take(store.database, CLOCK, "learn", doing=DOING, wait=lambda _: None)
        inside.append(number)
        most.append(len(inside))
        inside.remove(number)
        leases.give_back(store.database, lease)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(40)))
    assert set(most) == {1} and len(most) == 40


def test_a_thread_is_told_that_another_one_is_at_it(store: Store) -> None:
    lease = leases.take(store.database, CLOCK, "learn", doing=DOING)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(leases.take, store.database, CLOCK, "learn", doing=DOING)
        with pytest.raises(LeaseHeld, match="learning is under way in this process"):
            other.result()
        leases.give_back(store.database, lease)
        taken = pool.submit(leases.take, store.database, CLOCK, "learn", doing=DOING).result()
    leases.give_back(store.database, taken)
