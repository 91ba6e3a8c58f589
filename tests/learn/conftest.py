"""Fixtures that several tests of learning share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.learn.benches import CLOCK, Bench

from reverie.config import Store as Limits
from reverie.sessions.index import Index
from reverie.store.store import Store


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    limits = Limits(busy_timeout_ms=1)
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    with (
        Store.open(url, clock=CLOCK, limits=limits) as store,
        Index.open(tmp_path / "index.db") as index,
        index.database.held(),
    ):
        index.database.query("PRAGMA busy_timeout = 1")
        yield Bench(store, index)
