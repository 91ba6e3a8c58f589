"""Shared by the tests of hosting: a server's home on either database, and guests of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.databases import PATIENT
from tests.hosting.nights import DUPLICATES

from reverie.asker import Asker
from reverie.clock import fixed
from reverie.config import Config, load
from reverie.hosting.guests import Guest
from reverie.hosting.home import ServerHome
from reverie.operations.serving import acting, keys
from reverie.store.model import Actor, Author

NOW = "2026-11-18T09:30:00Z"
BY = Author(Actor("key", "apikey_test"), "a test", "agent")


@pytest.fixture
def config(database_url: str, tmp_path: Path) -> Config:
    """With the stores, and on PostgreSQL the index too, in the database of the test."""
    given = {
        "HOME": str(tmp_path),
        "REVERIE_HOME": str(tmp_path / "home"),
        "REVERIE_DATABASE_URL": database_url,
        "REVERIE_STORE_BUSY_TIMEOUT_MS": str(PATIENT.busy_timeout_ms),
    }
    if database_url.startswith("postgres"):
        given["REVERIE_INDEX_URL"] = database_url
    return load(given)


@pytest.fixture
def home(config: Config) -> Iterator[ServerHome]:
    folder = str(config.home)
    with ServerHome(config, folder=folder, asker=Asker("http"), clock=fixed(NOW)) as opened:
        yield opened


@pytest.fixture
def guest_of(home: ServerHome) -> Callable[..., Guest]:
    """Makes a key, and who comes with it."""

    def make(*stores: str, all_stores: bool = False) -> Guest:
        made = keys.create_key(
            home, "test", ["memory:read", "memory:write"], stores=stores, all_stores=all_stores
        )
        return Guest(made.key.id, acting.store_for(home, made.key))

    return make


@pytest.fixture
def notes(home: ServerHome) -> str:
    """The id of a store with two memories that say the same, and a third."""
    made = home.store.create_store("Watch notes", "what the watch knows", {"team": "ops"})
    for path, text in DUPLICATES.items():
        home.store.create(made.id, path, text, BY)
    return made.id


@pytest.fixture
def guest(guest_of: Callable[..., Guest], notes: str) -> Guest:
    return guest_of(notes)
