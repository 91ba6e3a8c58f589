"""Dreams as jobs: what they read and write, and what stops them."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from tests.hosting.nights import DUPLICATES, brought, lines, transcript

from reverie.db import leases
from reverie.errors import Archived, Conflict, InvalidInput, NotFound, ReadOnly
from reverie.hosting import dreams, jobs, reading, sessions
from reverie.hosting.guests import Guest
from reverie.hosting.home import ServerHome
from reverie.hosting.jobs import Job, Stopped
from reverie.store.model import Actor, Author

BY = Author(Actor("key", "apikey_test"), "a test", "agent")


def heads(home: ServerHome, store: str) -> dict[str, str]:
    return {entry.path: entry.content_sha256 for entry in home.store.manifest(store)}


def everything(home: ServerHome) -> dict[str, list[tuple[Any, ...]]]:
    """All that a dream must leave alone, row by row."""
    return {
        table: home.database.query(f"SELECT * FROM {table} ORDER BY 1, 2")
        for table in ("stores", "memories", "versions", "hosted_sessions", "hosted_events")
    }


def claimed(home: ServerHome, job: Job) -> leases.Lease:
    found = jobs.claim(home.database, home.clock)
    assert found is not None
    assert found[0].id == job.id
    return found[1]


def dreamt(home: ServerHome, job: Job) -> Job:
    dreams.run(home, job.id, claimed(home, job))
    return jobs.find(home.database, job.id)


def told(home: ServerHome, job: Job) -> list[str]:
    session = jobs.find(home.database, job.id).session or ""
    return [event.body["content"][0]["text"] for event in sessions.walk(home.database, session)]


@pytest.mark.proves("C5")
def test_a_dream_finds_the_lag_and_the_duplicate_and_leaves_the_input_as_it_is(
    home: ServerHome, guest: Guest, notes: str
) -> None:
    ids = [one.id for one in brought(home, guest)]
    before = heads(home, notes)
    history = home.store.sequences()[notes]
    job = dreams.ask(home, guest, store=notes, session_ids=ids[::-1], model="rules")
    assert (job.status, job.sessions) == ("pending", tuple(sorted(ids)))
    done = dreamt(home, job)
    assert (done.status, done.error, bool(done.ended_at)) == ("completed", None, True)
    assert heads(home, notes) == before
    assert home.store.sequences()[notes] == history
    assert done.output is not None
    result = {memory.path: memory for memory in home.store.walk(done.output)}
    # What no change touched is the same to the byte.
    assert result["/tabs.md"].content == DUPLICATES["/tabs.md"]
    (lag,) = [one for path, one in result.items() if path not in DUPLICATES and "queue" in path]
    assert "after about 31 minutes" in lag.content
    for identity in ids:
        assert f"managed-agent:{identity}#" in lag.content
    assert lag.trust == "agent"
    # Of two that say the same one stands, the other is in the archive and says which.
    standing = {"/staging-port.md", "/port-of-staging.md"} & result.keys()
    (away,) = [one for path, one in result.items() if path.startswith("/archive/")]
    assert len(standing) == 1
    (version, *_) = home.store.versions(done.output, memory=away.id).items
    assert standing.pop().strip("/").removesuffix(".md") in version.reason
    assert version.actor == Actor("dream", done.session or "")
    made = home.store.find_store(done.output)
    assert made.metadata == {"team": "ops", "dream": job.id}
    assert guest.store.find_store(made.id) == made
    assert told(home, done)[0] == "begun"
    assert sessions.find(home.database, done.session or "").archived_at


def test_a_dream_in_place_writes_into_the_store_and_can_be_undone(
    home: ServerHome, guest: Guest, notes: str
) -> None:
    ids = [one.id for one in brought(home, guest)]
    job = dreams.ask(home, guest, store=notes, session_ids=ids, model="rules", in_place=True)
    with pytest.raises(Conflict, match=job.id):
        dreams.ask(home, guest, store=notes, session_ids=ids, model="rules", in_place=True)
    done = dreamt(home, job)
    assert (done.status, done.output) == ("completed", notes)
    assert any("queue" in path for path in heads(home, notes))
    # The store is free again; dreamt again over the same there is nothing to do.
    again = dreams.ask(home, guest, store=notes, session_ids=ids, model="rules", in_place=True)
    before = heads(home, notes)
    assert dreamt(home, again).status == "completed"
    assert heads(home, notes) == before


def test_a_dream_in_place_leaves_alone_what_a_person_said(
    home: ServerHome, guest: Guest, notes: str
) -> None:
    (one,) = brought(home, guest, days=1)
    said = Author(Actor("user"), "said so", "user")
    kept = {"/mine.md": DUPLICATES["/staging-port.md"], "/mine-too.md": DUPLICATES["/tabs.md"]}
    for path, text in kept.items():
        home.store.create(notes, path, text, said)
    job = dreams.ask(home, guest, store=notes, session_ids=[one.id], model="rules", in_place=True)
    assert dreamt(home, job).status == "completed"
    for path, text in kept.items():
        memory = home.store.get(notes, path)
        assert (memory.content, memory.trust, memory.version) == (text, "user", 1)


def test_unrelated_sessions_and_stores_change_no_byte_and_are_not_changed(
    home: ServerHome, guest_of: Callable[..., Guest], notes: str
) -> None:
    guest, other = guest_of(notes), guest_of()
    ids = [one.id for one in brought(home, guest)]
    first = dreamt(home, dreams.ask(home, guest, store=notes, session_ids=ids, model="rules"))
    # Another owner has the very same watches, and a store that says something else.
    brought(home, other)
    foreign = other.store.create_store("Watch notes")
    other.store.create(foreign.id, "/lag.md", "The backlog follows the spike at once\n", BY)
    before = everything(home)
    second = dreamt(home, dreams.ask(home, guest, store=notes, session_ids=ids, model="rules"))
    assert first.output and second.output
    assert [heads(home, first.output)] == [heads(home, second.output)]
    after = everything(home)
    for table, rows in before.items():
        # Events are told beside them, nothing that was there is another.
        assert [row for row in after[table] if row in rows] == rows, table


def test_only_what_was_asked_for_is_read_into_the_index(
    home: ServerHome, guest: Guest, notes: str
) -> None:
    ids = [one.id for one in brought(home, guest)]
    dreamt(home, dreams.ask(home, guest, store=notes, session_ids=ids[:3], model="rules"))
    read = home.index.sessions()
    assert {row.session_id for row in read} == set(ids[:3])
    owners = home.index_database.query("SELECT DISTINCT owner FROM sessions")
    assert owners == [(guest.owner,)]
    typed = home.index_database.query("SELECT DISTINCT typed FROM turns WHERE role = 'human'")
    assert typed == [("probable",)]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"session_ids": []}, InvalidInput),
        ({"session_ids": ["sesn_x"] * 2}, InvalidInput),
        ({"session_ids": [f"sesn_{n}" for n in range(101)]}, InvalidInput),
        ({"session_ids": ["sesn_x"]}, NotFound),
        ({"model": "claude-opus-5"}, InvalidInput),
        ({"instructions": ""}, InvalidInput),
        ({"instructions": "x" * 4_097}, InvalidInput),
        ({"store": "memstore_x"}, NotFound),
        ({"store": "Watch notes"}, NotFound),
    ],
)
def test_what_cannot_be_dreamt_is_refused_and_leaves_nothing(
    home: ServerHome, guest: Guest, notes: str, wrong: dict[str, Any], error: type[Exception]
) -> None:
    (one,) = brought(home, guest, days=1)
    given: dict[str, Any] = {"store": notes, "session_ids": [one.id], "model": "rules"}
    with pytest.raises(error):
        dreams.ask(home, guest, **(given | wrong))
    assert jobs.claim(home.database, home.clock) is None


def test_whoever_may_not_see_or_write_the_inputs_dreams_of_nothing(
    home: ServerHome, guest_of: Callable[..., Guest], guest: Guest, notes: str
) -> None:
    (one,) = brought(home, guest, days=1)
    stranger, reader = guest_of(), guest_of(f"{notes}:ro")
    (theirs,) = brought(home, reader, days=1)
    with pytest.raises(NotFound):
        dreams.ask(home, stranger, store=notes, session_ids=[one.id], model="rules")
    with pytest.raises(NotFound):
        dreams.ask(home, reader, store=notes, session_ids=[one.id], model="rules")
    with pytest.raises(ReadOnly):
        dreams.ask(home, reader, store=notes, session_ids=[theirs.id], model="rules", in_place=True)
    home.store.archive_store(notes)
    with pytest.raises(Archived):
        dreams.ask(home, guest, store=notes, session_ids=[one.id], model="rules")


@pytest.mark.parametrize("what", ["store", "session"])
def test_an_input_that_goes_before_the_dream_begins_fails_it(
    home: ServerHome, guest: Guest, notes: str, what: str
) -> None:
    ids = [one.id for one in brought(home, guest, days=2)]
    job = dreams.ask(home, guest, store=notes, session_ids=ids, model="rules")
    if what == "store":
        home.store.archive_store(notes)
    else:
        reading.deleted(home, guest, ids[1])
    done = dreamt(home, job)
    assert done.status == "failed"
    assert done.error == f"input_{'memory_store' if what == 'store' else 'session'}_unavailable"
    assert done.output is None
    assert jobs.claim(home.database, home.clock) is None


def test_no_room_for_another_store_fails_the_dream(
    home: ServerHome, guest: Guest, notes: str
) -> None:
    (one,) = brought(home, guest, days=1)
    job = dreams.ask(home, guest, store=notes, session_ids=[one.id], model="rules")
    full = home.context._replace(limits=_with_one_store(home))
    vars(home)["store"] = type(home.store)(full)
    assert dreamt(home, job).error == "memory_store_org_limit_exceeded"


def _with_one_store(home: ServerHome) -> Any:
    from dataclasses import replace

    return replace(home.context.limits, max_stores=1)


def test_whoever_lost_the_lease_or_was_canceled_writes_nothing_more(
    home: ServerHome, guest: Guest, notes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [one.id for one in brought(home, guest)]
    job = dreams.ask(home, guest, store=notes, session_ids=ids, model="rules")
    late = claimed(home, job)
    newer = leases.take(home.database, home.clock, late.name, doing="a test", holder=late.holder)
    before = everything(home)
    with pytest.raises(Stopped):
        dreams.run(home, job.id, late)
    assert everything(home) == before
    # Canceled in the middle: nothing comes after it.
    left: list[Any] = []

    def cancel_at_grouping(step: str) -> None:
        if step == "job_copied":
            assert dreams.cancel(home, guest, job.id).status == "canceled"
            left.append(everything(home))

    monkeypatch.setattr(dreams, "reached", cancel_at_grouping)
    with pytest.raises(Stopped):
        dreams.run(home, job.id, newer)
    assert everything(home) == left[0]
    over = jobs.find(home.database, job.id)
    assert (over.status, over.error) == ("canceled", None)
    # What was copied by then stays, as the contract says.
    assert over.output and heads(home, over.output) == heads(home, notes)


@pytest.mark.parametrize("point", ["job_step", "job_copied", "job_ended"])
@pytest.mark.parametrize("in_place", [False, True])
def test_a_run_that_died_anywhere_is_gone_on_with_and_does_nothing_twice(
    home: ServerHome,
    guest: Guest,
    notes: str,
    point: str,
    in_place: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if in_place and point == "job_copied":
        pytest.skip("in place nothing is copied")
    ids = [one.id for one in brought(home, guest)]

    class Died(Exception):
        pass

    def die(step: str) -> None:
        if step == point:
            raise Died

    monkeypatch.setattr(dreams, "COPIED_AT_ONCE", 1)
    job = dreams.ask(home, guest, store=notes, session_ids=ids, model="rules", in_place=in_place)
    lease = claimed(home, job)
    with monkeypatch.context() as patched, pytest.raises(Died):
        patched.setattr(dreams, "reached", die)
        dreams.run(home, job.id, lease)
    leases.give_back(home.database, lease)
    assert jobs.find(home.database, job.id).status == "running"
    done = dreamt(home, job)
    assert done.status == "completed"
    clean = dreamt(home, dreams.ask(home, guest, store=notes, session_ids=ids, model="rules"))
    assert done.output and clean.output
    if not in_place:
        assert heads(home, done.output) == heads(home, clean.output)
    assert sum("queue" in path for path in heads(home, done.output)) == 1
    assert sum(info.metadata.get("dream") == job.id for info in home.store.stores()) == (
        0 if in_place else 1
    )
    assert "taken up again by another worker" in told(home, done)


def test_cancel_and_archive_follow_the_life_of_a_job(
    home: ServerHome, guest: Guest, guest_of: Callable[..., Guest], notes: str
) -> None:
    (one,) = brought(home, guest, days=1)
    job = dreams.ask(home, guest, store=notes, session_ids=[one.id], model="rules")
    now = home.now
    with pytest.raises(InvalidInput):
        jobs.archive(home.database, job.id, now)
    with pytest.raises(NotFound):
        dreams.cancel(home, guest_of(), job.id)
    canceled = dreams.cancel(home, guest, job.id)
    assert (canceled.status, bool(canceled.ended_at)) == ("canceled", True)
    assert dreams.cancel(home, guest, job.id) == canceled
    assert jobs.claim(home.database, home.clock) is None
    archived = jobs.archive(home.database, job.id, now)
    assert archived.archived_at
    assert jobs.archive(home.database, job.id, "2030-01-01T00:00:00.000Z") == archived
    done = dreamt(home, dreams.ask(home, guest, store=notes, session_ids=[one.id], model="rules"))
    with pytest.raises(InvalidInput):
        dreams.cancel(home, guest, done.id)


def test_a_grown_transcript_is_read_again_and_only_then(
    home: ServerHome, guest: Guest, notes: str
) -> None:
    ids = [one.id for one in brought(home, guest)]
    dreamt(home, dreams.ask(home, guest, store=notes, session_ids=ids, model="rules"))
    times = home.index_database.query("SELECT times FROM index_writes")
    dreamt(home, dreams.ask(home, guest, store=notes, session_ids=ids, model="rules"))
    assert home.index_database.query("SELECT times FROM index_writes") == times
    more = [*transcript(0), *transcript(0)[:1]]
    more[-1] = more[-1] | {"uuid": "later", "timestamp": "2026-09-01T15:00:00.000Z"}
    (same,) = reading.imported(home, guest, io.BytesIO(lines(more)), "watch-0.jsonl")
    assert (same.id, same.events) == (ids[0], 5)
    dreamt(home, dreams.ask(home, guest, store=notes, session_ids=ids, model="rules"))
    assert home.index.session(ids[0]).turns == 5
