"""One connection per thread, held ones, private tables, streams: the same on both databases."""

import threading
from collections.abc import Iterator

import pytest

from reverie.db.database import Database
from reverie.db.opening import open_database
from reverie.errors import Busy, ConfigError, StoreDamaged


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    opened = open_database(database_url)
    opened.query("CREATE TABLE unit (id INTEGER PRIMARY KEY, yes INTEGER)")
    yield opened
    opened.close()


def test_many_rows_are_all_written_or_none(database: Database) -> None:
    database.execute_many("INSERT INTO unit VALUES (?, ?)", [(1, True), (2, False)])
    assert database.query("SELECT id, yes FROM unit ORDER BY id") == [(1, 1), (2, 0)]
    with pytest.raises(Exception, match="refused"):
        database.execute_many("INSERT INTO unit VALUES (?, ?)", [(3, 1), (1, 1)])
    assert len(database.query("SELECT id FROM unit")) == 2


def test_streams_may_be_read_side_by_side(database: Database) -> None:
    database.execute_many("INSERT INTO unit VALUES (?, ?)", [(n, n % 2) for n in range(500)])
    first = database.stream("SELECT id FROM unit ORDER BY id")
    second = database.stream("SELECT id FROM unit WHERE yes = ? ORDER BY id", (1,))
    pairs = [(a, b) for (a,), (b,) in zip(first, second, strict=False)]
    assert pairs[:2] == [(0, 1), (1, 3)]
    assert len(pairs) == 250
    with database.snapshot():
        assert sum(1 for _ in database.stream("SELECT id FROM unit")) == 500


def test_private_tables_are_seen_by_whoever_holds_the_connection(database: Database) -> None:
    database.query("INSERT INTO unit VALUES (1, 1)")
    with database.held():
        with database.private() as tx:
            tx.execute("CREATE TEMP TABLE unit AS SELECT * FROM unit")
            tx.execute("INSERT INTO unit VALUES (2, 0)")
        assert len(database.query("SELECT id FROM unit")) == 2
        other: list[int] = []
        thread = threading.Thread(
            target=lambda: other.append(len(database.query("SELECT id FROM unit")))
        )
        thread.start()
        thread.join()
        assert other == [1]


def test_an_impatient_writer_is_told_soon(database_url: str, database: Database) -> None:
    second = open_database(database_url, busy_timeout_ms=3_600_000)
    with database.atomic() as tx:
        tx.lock("units")
        with pytest.raises(Busy), second.atomic(patience_ms=20) as impatient:
            impatient.lock("units")
    with second.atomic() as patient:
        patient.lock("units")
        patient.execute("INSERT INTO unit VALUES (1, 1)")
    second.close()
    assert len(database.query("SELECT id FROM unit")) == 1


@pytest.mark.parametrize("url", ["", "sqlite://", "mysql://host/name", "/tmp/memory.db"])
def test_what_is_no_url_of_a_database_is_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        open_database(url)


def test_a_database_in_memory_is_shared_by_its_connections() -> None:
    database = open_database("sqlite:///:memory:")
    database.query("CREATE TABLE unit (id INTEGER)")
    with database.lend() as first, database.lend() as second:
        first.execute("INSERT INTO unit VALUES (1)")
        assert second.execute("SELECT id FROM unit") == [(1,)]
    database.close()
    assert open_database("sqlite:///:memory:").query("SELECT * FROM sqlite_master") == []


@pytest.mark.parametrize(("derived", "way"), [(True, "reverie reindex"), (False, "reverie repair")])
def test_what_to_do_about_damage_depends_on_what_is_damaged(
    tmp_path_factory: pytest.TempPathFactory, derived: bool, way: str
) -> None:
    file = tmp_path_factory.mktemp("damaged") / "a.db"
    file.write_bytes(b"not a database, but somebody's text " * 100)
    with pytest.raises(StoreDamaged) as raised:
        open_database(f"sqlite:///{file}", derived=derived).query("SELECT 1 FROM sqlite_master")
    assert way in (raised.value.hint or "")
