"""A short run of the chaos harness, and proof that its checker sees what it should."""

import os

import pytest
from bench.chaos import check, run_postgres, run_sqlite

from reverie.store.model import Author
from reverie.store.store import Store

# As many as the requirement says where everything is tested; elsewhere a taste of it.
KILLS = 500 if os.environ.get("REVERIE_TEST_ALL") == "1" else 60


@pytest.mark.proves("C3")
@pytest.mark.hostile("K1", "K2", "K3")
def test_killed_writers_lose_nothing_that_was_acknowledged():
    outcome = run_sqlite(KILLS, seed=1)
    assert outcome.violations == []
    assert outcome.kills >= KILLS
    assert outcome.acknowledged > 0


@pytest.mark.needs("postgres")
@pytest.mark.proves("C3")
@pytest.mark.hostile("K1", "K2", "K3")
def test_killed_writers_lose_nothing_on_postgresql_either():
    outcome = run_postgres(16, seed=1)
    assert outcome.violations == []
    assert outcome.kills >= 16


@pytest.fixture
def chaos(store: Store) -> Store:
    store.create_store("chaos")
    return store


def test_the_checker_sees_lost_doubled_and_unseen_writes(chaos: Store, me: Author):
    first = chaos.create("chaos", "/a", "one", me)
    second = chaos.update("chaos", first.id, content="two", by=me)
    honest = {
        "version": second.version_id,
        "memory": first.id,
        "number": 2,
        "sha256": second.content_sha256,
        "before": first.content_sha256,
    }
    assert check(chaos, [honest]) == []
    for forged, said in (
        ([honest, honest], "two writers"),
        ([{**honest, "number": 3}], "not there"),
        ([{**honest, "version": "memver_lost"}], "not there"),
        ([{**honest, "sha256": "0"}], "other content"),
        ([{**honest, "before": "0"}], "unseen"),
        ([{"deleted": first.id, "number": 2, "before": ""}], "something else"),
        ([{"violation": "went back"}], "went back"),
    ):
        (found,) = check(chaos, forged)
        assert said in found


def test_the_checker_sees_a_gap_and_a_wrong_head(chaos: Store, me: Author):
    memory = chaos.create("chaos", "/a", "one", me)
    chaos.update("chaos", memory.id, content="two", by=me)
    chaos.database.query("UPDATE memories SET content_sha256 = 'x'")
    chaos.database.query("UPDATE versions SET number = 7 WHERE number = 1")
    found = check(chaos, [])
    assert any("has versions [2, 7]" in sentence for sentence in found)
    assert any("head" in sentence for sentence in found)
