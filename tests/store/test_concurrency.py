"""Many writers at once: no lost update, no double success, no error a user could not expect."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.databases import PATIENT
from tests.patience import SECONDS

from reverie.db.database import ATTEMPTS, Collided, Transaction
from reverie.errors import Busy, Conflict, NotFound, PathTaken, PreconditionFailed, Unavailable
from reverie.store.model import Author
from reverie.store.store import Store


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Start all calls behind one barrier; what each returned or raised."""
    barrier = threading.Barrier(len(calls))

    def go(call: Callable[[], Any]) -> Any:
        barrier.wait(timeout=SECONDS)
        try:
            return call()
        except (Conflict, NotFound) as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result(timeout=SECONDS) for future in [pool.submit(go, c) for c in calls]]


@pytest.mark.proves("C3")
@pytest.mark.hostile("CC1")
def test_a_thousand_compare_and_sets_lose_nothing(store: Store, me: Author):
    memory = store.create("notes", "/hot.md", "0", me)
    clients, each = 10, 100

    def client(name: int) -> int:
        won = 0
        for _ in range(each):
            head = store.get("notes", memory.id)
            try:
                store.update(
                    "notes",
                    memory.id,
                    content=f"{int(head.content.split()[0]) + 1} by {name}",
                    if_sha256=head.content_sha256,
                    by=me,
                )
                won += 1
            except PreconditionFailed:
                pass
        return won

    with ThreadPoolExecutor(clients) as pool:
        won = sum(pool.map(client, range(clients)))
    head = store.get("notes", memory.id)
    assert head.version == won + 1
    assert int(head.content.split()[0]) == won
    assert store.verify() == []


@pytest.mark.proves("C3")
@pytest.mark.hostile("CC2")
def test_of_two_creates_of_one_path_one_wins(store: Store, me: Author):
    for i in range(10):
        made = at_once(
            lambda i=i: store.create("notes", f"/{i}.md", "left", me),
            lambda i=i: store.create("notes", f"/{i}.md", "right", me),
        )
        assert sum(isinstance(result, PathTaken) for result in made) == 1
    assert len(store.manifest("notes")) == 10
    assert store.verify() == []


@pytest.mark.proves("C3")
@pytest.mark.hostile("CC3")
def test_renames_creates_and_deletes_that_meet_leave_no_ghost(store: Store, me: Author):
    for i in range(8):
        a = store.create("notes", f"/{i}/a", "a", me)
        b = store.create("notes", f"/{i}/b", "b", me)
        at_once(
            lambda i=i, a=a: store.update("notes", a.id, path=f"/{i}/c", by=me),
            lambda i=i: store.create("notes", f"/{i}/c", "c", me),
            lambda i=i, b=b: store.update("notes", b.id, path=f"/{i}/a", by=me),
            lambda b=b: store.delete("notes", b.id, by=me),
            lambda b=b: store.update("notes", b.id, content="changed", by=me),
        )
    paths = [entry.path for entry in store.manifest("notes")]
    assert len(paths) == len(set(paths))
    assert store.verify() == []
    assert store.database.damage() == []


@pytest.mark.hostile("X4")
def test_redacting_an_old_version_while_the_memory_is_updated(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "first", me)
    store.update("notes", memory.id, content="second", by=me)
    at_once(
        lambda: store.redact(memory.version_id, me),
        lambda: store.update("notes", memory.id, content="third", by=me),
    )
    assert store.version(memory.version_id).content is None
    assert store.get("notes", memory.id).content == "third"
    assert store.verify() == []


def test_ensuring_one_store_from_many_threads_makes_one(store: Store):
    made = at_once(*[lambda: store.ensure_store("global").id for _ in range(6)])
    assert len(set(made)) == 1


@pytest.mark.hostile("CC8")
def test_readers_and_a_writer_do_not_lock_each_other_out(store: Store, me: Author, reopen):
    store.create("notes", "/a.md", "old", me)
    other = reopen()
    with store.database.atomic():
        store.update("notes", "/a.md", content="new", by=me)
        assert at_once(lambda: other.get("notes", "/a.md").content) == ["old"]
    with other.database.snapshot() as tx:
        before = tx.execute("SELECT count(*) FROM versions")
        at_once(lambda: store.update("notes", "/a.md", content="newer", by=me))
        assert tx.execute("SELECT count(*) FROM versions") == before
    assert other.get("notes", "/a.md").content == "newer"


@pytest.mark.hostile("CC8", "R4")
def test_the_sqlite_log_stays_bounded_under_many_writes(sqlite_store: Store, me: Author):
    path = sqlite_store.database.url.removeprefix("sqlite:///") + "-wal"
    for i in range(300):
        sqlite_store.put("notes", "/a.md", f"text {i} " * 200, me)
    assert os.stat(path).st_size < 12_000_000


@pytest.mark.hostile("CC9")
def test_a_fork_opens_its_own_connections(store: Store, me: Author):
    store.create("notes", "/parent.md", "before", me)
    child = os.fork()
    if child == 0:
        ended = 1
        try:
            store.create("notes", "/child.md", "from the child", me)
            ended = 0
        finally:
            os._exit(ended)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.create("notes", "/parent2.md", "after", me)
    assert len(store.manifest("notes")) == 3
    assert store.verify() == []


@pytest.mark.hostile("CC9")
def test_an_interruption_inside_a_transaction_leaves_none_open(store: Store, me: Author):
    import asyncio

    for interruption in (KeyboardInterrupt, asyncio.CancelledError, GeneratorExit):
        with pytest.raises(interruption), store.database.atomic():
            store.create("notes", "/half.md", "x", me)
            raise interruption
    assert store.manifest("notes") == []
    store.create("notes", "/whole.md", "x", me)
    assert store.verify() == []


@pytest.mark.hostile("CC10")
def test_a_collision_is_retried_a_bounded_number_of_times(store: Store, me: Author):
    tries: list[int] = []

    def collide(times: int):
        def work(tx: Transaction) -> str:
            tries.append(1)
            store.create("notes", f"/{times}.md", "x", me)
            if len(tries) <= times:
                raise Collided("injected")
            return "done"

        return work

    assert store.database.run(collide(2)) == "done"
    assert len(tries) == 3
    tries.clear()
    with pytest.raises(Busy):
        store.database.run(collide(1_000))
    assert len(tries) == ATTEMPTS
    assert [entry.path for entry in store.manifest("notes")] == ["/2.md"]


@pytest.mark.needs("postgres")
@pytest.mark.hostile("CC10")
def test_a_real_deadlock_is_resolved_by_trying_again(postgres_url: str):
    with Store.open(postgres_url, limits=PATIENT) as store:
        one, two = store.create_store("one").id, store.create_store("two").id
        both_hold = threading.Barrier(2)
        lock = "SELECT 1 FROM stores WHERE id = ? FOR UPDATE"

        def crosswise(first: str, second: str):
            tries = 0

            def work(tx: Transaction) -> int:
                nonlocal tries
                tries += 1
                tx.execute(lock, (first,))
                if tries == 1:
                    both_hold.wait(timeout=SECONDS)
                tx.execute(lock, (second,))
                return tries

            return lambda: store.database.run(work)

        assert sorted(at_once(crosswise(one, two), crosswise(two, one))) == [1, 2]


@pytest.mark.needs("postgres")
@pytest.mark.hostile("CC10")
def test_a_lost_server_connection_is_one_typed_error_and_then_forgotten(
    postgres_url: str, me: Author
):
    with Store.open(postgres_url, limits=PATIENT) as store:
        store.create_store("notes")
        with pytest.raises(Unavailable), store.database.atomic() as tx:
            tx.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        store.create("notes", "/a.md", "x", me)
        assert store.verify() == []


def test_a_held_write_lock_ends_in_busy_not_in_waiting_for_ever(reopen, me: Author):
    holder = reopen()
    store = reopen(busy_timeout_ms=100)
    holder.create_store("notes")
    with holder.database.atomic():
        holder.create("notes", "/a.md", "x", me)

        def blocked() -> str:
            try:
                store.create("notes", "/b.md", "x", me)
            except Busy as error:
                return error.message
            return "got in"

        assert "too long" in at_once(blocked)[0]
