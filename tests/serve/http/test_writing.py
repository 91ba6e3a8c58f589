"""Requests that write: those that wait together share a commit, and nothing else."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
from tests.serve.http.served import Served

from reverie.db.database import Database
from reverie.db.opening import open_database
from reverie.errors import Conflict, Unavailable
from reverie.serve.http.routing import Reply
from reverie.serve.http.writing import Writers


class Line:
    """A line of writers that stands still until it is told to go on."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.writers = Writers(database, 4)
        self.commits = 0
        self._free = threading.Event()
        database.after_commit = self._count
        self.writers.submit(self._stand, together=False)

    def _count(self) -> None:
        self.commits += 1

    def _stand(self) -> Reply:
        self._free.wait()
        return Reply(b"")

    def join(self, work: Callable[[], Reply]) -> Future[Reply]:
        return self.writers.submit(work, together=True)

    def note(self, number: int) -> Callable[[], Reply]:
        """Work that writes a number down."""

        def work() -> Reply:
            with self.database.atomic() as tx:
                tx.execute("INSERT INTO notes VALUES (?)", (number,))
            return Reply(str(number).encode())

        return work

    def go(self) -> None:
        self._free.set()
        self.writers.close()

    @property
    def noted(self) -> list[int]:
        return [row[0] for row in self.database.query("SELECT number FROM notes ORDER BY number")]


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    database = open_database(f"sqlite:///{tmp_path}/notes.db")
    database.query("CREATE TABLE notes (number INTEGER PRIMARY KEY)")
    yield Line(database)
    database.close()


def test_those_who_wait_together_share_one_commit_and_all_have_their_answer(line: Line) -> None:
    answers = [line.join(line.note(number)) for number in range(20)]
    line.go()
    assert [answer.result().body for answer in answers] == [str(n).encode() for n in range(20)]
    assert line.noted == list(range(20))
    assert line.commits == 1


def test_what_is_refused_undoes_itself_alone(line: Line) -> None:
    def refused() -> Reply:
        with line.database.atomic() as tx:
            tx.execute("INSERT INTO notes VALUES (99)")
            raise Conflict("somebody was faster")

    before, between, after = line.join(line.note(1)), line.join(refused), line.join(line.note(2))
    line.go()
    assert (before.result().body, after.result().body) == (b"1", b"2")
    assert isinstance(between.exception(), Conflict)
    assert line.noted == [1, 2]
    assert line.commits == 1


def test_a_fault_of_one_leaves_nothing_half_done_and_the_others_are_written(line: Line) -> None:
    def faulty() -> Reply:
        with line.database.atomic() as tx:
            tx.execute("INSERT INTO notes VALUES (99)")
            raise Unavailable("the disk is full")

    before, between, after = line.join(line.note(1)), line.join(faulty), line.join(line.note(2))
    line.go()
    assert (before.result().body, after.result().body) == (b"1", b"2")
    assert isinstance(between.exception(), Unavailable)
    assert line.noted == [1, 2]


def test_nobody_is_answered_before_the_commit(line: Line) -> None:
    seen: list[bool] = []

    def last() -> Reply:
        seen.append(first.done())
        return Reply(b"last")

    first = line.join(line.note(1))
    done = line.join(last)
    line.go()
    assert done.result().body == b"last"
    assert seen == [False]


def test_whoever_went_away_is_not_written(line: Line) -> None:
    gone, stays = line.join(line.note(1)), line.join(line.note(2))
    assert gone.cancel()
    line.go()
    assert stays.result().body == b"2"
    assert line.noted == [2]


def test_many_clients_that_count_up_at_once_lose_nothing(served: Served) -> None:
    clients, rounds = 12, 10
    store = served.client.post("/v1/memory_stores", {"name": "notes"}).json["id"]
    all_of_it = f"/v1/memory_stores/{store}/memories"
    made = served.client.post(all_of_it, {"path": "/count", "content": "0 by nobody"}).json
    place = f"{all_of_it}/{made['id']}"

    def count_up(name: int) -> None:
        client = served.client
        for number in range(rounds):
            status = 409
            while status == 409:
                head = client.get(place).json
                more = int(head["content"].split()[0]) + 1
                asked = {"type": "content_sha256", "content_sha256": head["content_sha256"]}
                body = {"content": f"{more} by {name}, {number}", "precondition": asked}
                status = client.post(place, body).status
            assert status == 200

    threads = [threading.Thread(target=count_up, args=(name,)) for name in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counted = int(served.client.get(place).json["content"].split()[0])
    assert counted == clients * rounds
