"""Fixtures that several tests of learning share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import PATIENT, OpenIndex
from tests.learn.benches import CLOCK, Bench

from reverie.settings import Store as Limits
from reverie.store.store import Store


@pytest.fixture
def bench(request: pytest.FixtureRequest, open_index: OpenIndex, tmp_path: Path) -> Iterator[Bench]:
    """Memories and index, both on SQLite or both on PostgreSQL."""
    index = open_index(tmp_path / "index.db")
    if index.database.dialect == "postgresql":
        # Other tests write on the same server: scrubbing outlasts their transactions.
        url, limits = request.getfixturevalue("postgres_url"), PATIENT
    else:
        url, limits = f"sqlite:///{tmp_path / 'memory.db'}", Limits(busy_timeout_ms=1)
        index.database.query("PRAGMA busy_timeout = 1")
    with Store.open(url, clock=CLOCK, limits=limits) as store, index.database.held():
        yield Bench(store, index)
