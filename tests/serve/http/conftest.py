"""A server on each database, for the tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import PATIENT
from tests.serve.http.served import Client, Served, serving

from reverie.memory import Memory


@pytest.fixture
def served(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A server whose stores lie in the database of the test."""
    monkeypatch.setenv("REVERIE_STORE_BUSY_TIMEOUT_MS", str(PATIENT.busy_timeout_ms))
    monkeypatch.setenv("REVERIE_SERVER_REQUESTS_PER_SECOND", "0")
    with Memory.open(database_url) as memory, serving(memory) as running:
        yield running


@pytest.fixture
def client(served: Served) -> Client:
    return served.client


@pytest.fixture
def store_id(client: Client) -> str:
    """The id of a new, empty store."""
    return client.post("/v1/memory_stores", {"name": "notes"}).json["id"]


@pytest.fixture
def hasty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A server on SQLite that waits for nobody."""
    monkeypatch.setenv("REVERIE_SERVER_READ_SECONDS", "0.3")
    with Memory.open(f"sqlite:///{tmp_path}/memory.db") as memory, serving(memory) as running:
        yield running
