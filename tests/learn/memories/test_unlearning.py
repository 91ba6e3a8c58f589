"""Unlearning on both databases; on PostgreSQL also while an older transaction sees the words."""

from pathlib import Path

import pytest
from tests.databases import OpenIndex
from tests.learn.benches import PROJECT, Bench

from reverie.errors import Busy
from reverie.sessions.index import Index
from reverie.settings import Store as Limits
from reverie.store.store import Store

WORDS = "Feed the walrus before every release."


def test_a_session_goes_and_what_it_superseded_comes_back(
    store: Store, open_index: OpenIndex, tmp_path: Path
) -> None:
    with open_index(tmp_path / "index.db") as index:
        bench = Bench(store, index)
        bench.say("The dev server listens on port 8080.", 1)
        bench.say("The dev server listens on port 8443.", 2)
        bench.say(WORDS, 2)
        done = bench.unlearn(2)
        assert (len(done.deleted), len(done.restored)) == (2, 1)
        assert bench.active() == ["The dev server listens on port 8080."]
        assert bench.unlearn(2).redacted == 0
        assert store.verify() == []


@pytest.mark.needs("postgres")
@pytest.mark.hostile("X3")
def test_an_older_transaction_of_the_server_delays_only_the_scrub(
    own_postgres: str, tmp_path: Path
) -> None:
    import psycopg

    from reverie.learn.memories.unlearn import scrub

    with (
        Store.open(own_postgres, limits=Limits(busy_timeout_ms=200)) as store,
        Index.open(tmp_path / "index.db") as index,
    ):
        bench = Bench(store, index)
        bench.say(WORDS, 1)
        index.database.query("CREATE TABLE told (word TEXT)")
        index.database.query("INSERT INTO told VALUES ('walrus')")
        with psycopg.connect(own_postgres) as older:
            older.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            older.execute("SELECT 1")
            bench.unlearn(1)
            index.database.query("DELETE FROM told")
            with pytest.raises(Busy, match="is unlearned, but"):
                scrub(store, index, "claude-code:s1")
        assert bench.active() == []
        assert all(v.content is None for v in store.versions(PROJECT).items)
        assert not any(b"walrus" in file.read_bytes() for file in tmp_path.glob("index.db*"))
