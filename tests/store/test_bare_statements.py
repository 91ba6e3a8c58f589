"""What benches compare the store with does the same work on the schema of today."""

from pathlib import Path

import pytest
from bench.store import BY, Bare

from reverie.store.store import Store


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        store.create_store("bench")
        store.create("bench", "/m", "0 words", BY)
    return Bare(f"{tmp_path}/store.db")


def test_a_write_is_a_version_more_and_a_search_finds_it(bare: Bare) -> None:
    assert bare.write("/m", "1 penguin")
    assert bare.db.execute("SELECT count(*) FROM versions").fetchone() == (2,)
    assert bare.search("penguin") == 1


def test_a_write_that_fails_lets_the_next_one_in(bare: Bare) -> None:
    with pytest.raises(ValueError, match="unpack"):
        bare.write("/no such memory", "1")
    assert bare.write("/m", "1")


def test_a_write_over_something_else_than_expected_is_refused(bare: Bare) -> None:
    assert not bare.write("/m", "1", expected="0" * 64)
    assert bare.write("/m", "1")
