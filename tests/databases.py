"""One fixture, two databases: every test that asks for `store` runs on SQLite and PostgreSQL."""

import os
import re
import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from bench.postgres import serving

from reverie.db.database import Database
from reverie.sealing import Sealer
from reverie.sessions.index import Index
from reverie.sessions.schema import open_tables
from reverie.settings import Store as Limits
from reverie.store.model import Actor, Author
from reverie.store.store import Store

BOTH = ("sqlite", pytest.param("postgresql", marks=pytest.mark.needs("postgres")))

# A busy machine must not fail a test: who waits here waits for as long as it takes.
PATIENT = Limits(busy_timeout_ms=300_000)

# The key of the home that tests write with.
SEALER = Sealer(lambda: b"k" * 32)

Open = Callable[[], Store]


class TickingClock:
    """Starts at a fixed moment and moves one millisecond at each look."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URI of a real server, started once and shared by all workers of a run."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid.uuid4().hex
    with serving(Path(tempfile.gettempdir()) / f"reverie-pg-{run[:12]}") as uri:
        yield uri


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """An empty schema of its own on the shared server."""
    import psycopg

    schema = f"t{uuid.uuid4().hex}"
    with psycopg.connect(postgres_server, autocommit=True) as admin:
        admin.execute(f"CREATE SCHEMA {schema}".encode())
        yield f"{postgres_server}&options={quote(f'-csearch_path={schema}')}"
        admin.execute(f"DROP SCHEMA {schema} CASCADE".encode())


@pytest.fixture
def own_postgres(postgres_server: str) -> Iterator[str]:
    """A database of its own: open transactions of other tests would keep dead rows alive."""
    import psycopg

    name = f"d{uuid.uuid4().hex}"
    with psycopg.connect(postgres_server, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}".encode())
        yield re.sub(r"/\w+\?", f"/{name}?", postgres_server, count=1)
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture(params=BOTH)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path}/memory.db"


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock()


@pytest.fixture
def reopen(database_url: str, clock: TickingClock) -> Iterator[Open]:
    """Opens the test's database as often as asked; closes all of them at the end."""
    opened: list[Store] = []

    def open_store(**limits: int) -> Store:
        opened.append(
            Store.open(database_url, clock=clock, limits=replace(PATIENT, **limits), sealer=SEALER)
        )
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()


@pytest.fixture
def store(reopen: Open) -> Store:
    """An open store with one empty store named `notes`."""
    opened = reopen()
    opened.create_store("notes")
    return opened


@pytest.fixture
def me() -> Author:
    return Author(Actor("user", "me"), "because")


@pytest.fixture
def sqlite_store(tmp_path: Path, clock: TickingClock) -> Iterator[Store]:
    with Store.open(
        f"sqlite:///{tmp_path}/memory.db", clock=clock, limits=PATIENT, sealer=SEALER
    ) as opened:
        opened.create_store("notes")
        yield opened


# What opens the index at a path; on PostgreSQL each path stands for a schema of its own.
OpenIndex = Callable[[Path], Index]


class Schemas:
    """Empty schemas on the shared server, as many as asked for."""

    def __init__(self, server: str) -> None:
        import psycopg

        self._server = server
        self._admin = psycopg.connect(server, autocommit=True)
        self._made: list[str] = []

    def url(self) -> str:
        self._made.append(f"t{uuid.uuid4().hex}")
        self._admin.execute(f"CREATE SCHEMA {self._made[-1]}".encode())
        return f"{self._server}&options={quote(f'-csearch_path={self._made[-1]}')}"

    def close(self) -> None:
        for schema in self._made:
            self._admin.execute(f"DROP SCHEMA {schema} CASCADE".encode())
        self._admin.close()


@pytest.fixture(params=BOTH)
def index_urls(request: pytest.FixtureRequest) -> Iterator[Callable[[], str] | None]:
    """Makes the URL of an empty database for an index; none where the index is a file."""
    if request.param == "sqlite":
        yield None
        return
    schemas = Schemas(request.getfixturevalue("postgres_server"))
    yield schemas.url
    schemas.close()


@pytest.fixture
def open_index(index_urls: Callable[[], str] | None) -> Iterator[OpenIndex]:
    opened: list[Index] = []
    urls: dict[Path, str] = {}

    def open_at(path: Path) -> Index:
        if index_urls is not None and path not in urls:
            urls[path] = index_urls()
        patience = PATIENT.busy_timeout_ms
        opened.append(Index.open(path, url=urls.get(path), busy_timeout_ms=patience))
        return opened[-1]

    yield open_at
    for index in opened:
        index.close()


@pytest.fixture
def index_database(open_index: OpenIndex, tmp_path: Path) -> Database:
    """The database of an empty index."""
    return open_index(tmp_path / "scratch" / "index.db").database


_urls: Callable[[], str] | None = None
_scratch: list[Database] = []


@pytest.fixture
def scratch_on_both(index_urls: Callable[[], str] | None) -> Iterator[None]:
    """Lets `scratch_index` make its databases in memory, and once more on PostgreSQL."""
    global _urls
    _urls = index_urls
    yield
    _urls = None
    while _scratch:
        _scratch.pop().close()


def scratch_index() -> Database:
    """The database of an index that nobody keeps."""
    if _urls is None:
        return open_tables("sqlite:///:memory:")
    _scratch.append(open_tables(_urls()))
    return _scratch[-1]
