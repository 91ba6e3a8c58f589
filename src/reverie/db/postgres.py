"""The PostgreSQL driver (psycopg 3, extra `[postgres]`)."""

import itertools
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, LiteralString, cast
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from reverie.db.database import Collided, Connection, Dialect, Row
from reverie.errors import (
    Busy,
    Conflict,
    InvalidInput,
    ReadOnly,
    ReverieError,
    StoreDamaged,
    Unavailable,
)

if TYPE_CHECKING:
    import psycopg

# Serialization failure and deadlock: the transaction is undone, and may simply be tried again.
_COLLISIONS = frozenset({"40001", "40P01"})
_LOCKED = frozenset({"55P03", "57014"})
_DAMAGED = frozenset({"XX001", "XX002"})
_POLL_SECONDS = 0.02
_streams = itertools.count()


class PostgresDriver:
    """Opens connections to one server."""

    dialect: Dialect = "postgresql"
    begin = "BEGIN"
    begin_snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    begin_private = "BEGIN"
    for_update = " FOR UPDATE"

    def __init__(self, url: str, busy_timeout_ms: int) -> None:
        self.url = url
        self._busy_timeout_ms = busy_timeout_ms

    def connect(self) -> "PostgresConnection":
        try:
            import psycopg
        except ImportError:
            raise Unavailable(
                "PostgreSQL needs the package psycopg", hint="pip install 'psycopg[binary]>=3.2'"
            ) from None
        try:
            raw = psycopg.connect(self.url, autocommit=True, connect_timeout=10)
            _take_yes_for_one(raw)
            raw.execute(f"SET lock_timeout = {int(self._busy_timeout_ms)}".encode())
        except psycopg.Error as error:
            # The URL may hold a password, so the message names only what the server said.
            raise Unavailable(f"PostgreSQL does not answer: {_first_line(error)}") from error
        return PostgresConnection(raw)

    def has_table(self, connection: Connection, name: str) -> bool:
        return connection.execute("SELECT to_regclass(?)", (name,))[0][0] is not None

    def columns(self, connection: Connection, table: str) -> list[str]:
        rows = connection.execute(
            "SELECT column_name FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND table_name = ? ORDER BY ordinal_position",
            (table,),
        )
        return [row[0] for row in rows]

    def lock(self, connection: Connection, name: str) -> None:
        # Such locks belong to the whole database, and another schema's stores are not ours.
        connection.execute(
            "SELECT pg_advisory_xact_lock(hashtext(?), hashtext(coalesce(current_schema(), '')))",
            (name,),
        )

    def wait_for_disk(self, connection: Connection, *, wait: bool) -> None:
        connection.execute("RESET synchronous_commit" if wait else "SET synchronous_commit = off")

    def be_patient(self, connection: Connection, milliseconds: int | None) -> None:
        patience = self._busy_timeout_ms if milliseconds is None else milliseconds
        connection.execute(f"SET lock_timeout = {int(patience)}")

    def scrub(self, connection: Connection, tables: Sequence[str]) -> None:
        # Freed rows stay in the heap and the GIN pages until they are rewritten; the server's own
        # log and its backups are the operator's to rotate (docs/design/stores.md).
        alone = self._outlive_older_transactions(connection)
        for table in tables:
            connection.execute(f"VACUUM (FULL) {table}")
        if not alone:
            raise Busy(
                "deleted text is out of the history, but an older transaction of the PostgreSQL"
                " server can still see it",
                hint="repeat the command when that transaction has ended",
            )

    def _outlive_older_transactions(self, connection: Connection) -> bool:
        """Wait until nobody can see what is deleted by now; False when that takes too long.

        A rewrite keeps every row that some older snapshot may still need. A snapshot is as old as
        the oldest transaction that was writing when it was taken, in any database of the server.
        """
        now = connection.execute("SELECT pg_current_xact_id()::text")[0][0]
        deadline = time.monotonic() + self._busy_timeout_ms / 1000
        while True:
            (writing,) = connection.execute(
                "SELECT pg_snapshot_xmin(pg_current_snapshot()) <= ?::xid8", (now,)
            )[0]
            (reading,) = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND age(backend_xmin) >= age(?::xid)",
                (now,),
            )[0]
            if not writing and not reading:
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)

    def damage(self, connection: Connection) -> list[str]:
        for (table,) in connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
        ):
            connection.execute(f"SELECT count(*) FROM {table}")
        return []


class PostgresConnection:
    """One connection; its errors are ours."""

    __slots__ = ("raw",)
    passing = False

    def __init__(self, raw: "psycopg.Connection[Row]") -> None:
        self.raw = raw

    @property
    def broken(self) -> bool:
        return self.raw.closed or self.raw.broken

    def execute(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        with _translating():
            cursor = self.raw.execute(_numbered(sql), params)
            return cursor.fetchall() if cursor.description else []

    def execute_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with _translating(), self.raw.cursor() as cursor:
            cursor.executemany(_numbered(sql), rows)

    def stream(self, sql: str, params: Sequence[Any] = ()) -> Iterator[Row]:
        from psycopg.pq import TransactionStatus

        # Several may be open at once. Outside of a transaction one has to outlive its statement.
        alone = self.raw.info.transaction_status == TransactionStatus.IDLE
        name = f"stream_{next(_streams)}"
        with _translating(), self.raw.cursor(name, withhold=alone) as cursor:
            yield from cursor.execute(_numbered(sql), params)

    def close(self) -> None:
        self.raw.close()


@contextmanager
def _translating() -> Generator[None]:
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise translated(error) from error
    except UnicodeEncodeError:
        raise InvalidInput("text holds a lone surrogate, which no encoding can store") from None


def _take_yes_for_one(raw: "psycopg.Connection[Row]") -> None:
    """Yes and no are stored as 1 and 0, as SQLite does it by itself."""
    from psycopg.adapt import Dumper
    from psycopg.postgres import types

    class Number(Dumper):
        oid = types["int8"].oid

        def dump(self, obj: bool) -> bytes:
            return b"1" if obj else b"0"

    raw.adapters.register_dumper(bool, Number)


@lru_cache(maxsize=512)
def _numbered(sql: str) -> LiteralString:
    """`?` placeholders in psycopg's spelling; no statement of ours has a literal question mark."""
    return cast("LiteralString", sql.replace("%", "%%").replace("?", "%s"))


def translated(error: "psycopg.Error") -> ReverieError:
    """The error of ours that says the same."""
    import psycopg

    state = error.sqlstate or ""
    message = _first_line(error)
    if state in _COLLISIONS:
        return Collided("another transaction was first, several times over", hint="try again")
    if state in _LOCKED:
        return Busy("another writer held the row for too long", hint="try again")
    if state == "25006":
        return ReadOnly("the PostgreSQL server allows no writes")
    if state in _DAMAGED:
        return StoreDamaged(f"the PostgreSQL server reports damage: {message}")
    if state.startswith("23"):
        return Conflict(f"the database refused the change: {message}")
    if isinstance(error, psycopg.DataError):
        return InvalidInput(f"the database cannot store this: {message}")
    if state.startswith("53"):
        return Unavailable(f"the PostgreSQL server is out of room: {message}")
    return Unavailable(f"PostgreSQL failed: {message}")


def in_schema(url: str, name: str) -> str:
    """The URL of a schema of that name, which is made if it is not there.

    Beside another schema than the usual one it is named after that too: two installations in one
    database stay apart.

    Raises:
        Unavailable: the server does not answer, or does not let this user make one.
    """
    connection = PostgresDriver(url, 10_000).connect()
    try:
        ((beside,),) = connection.execute("SELECT coalesce(current_schema(), 'public')")
        if beside != "public":
            name = f"{beside}_{name}"
        connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{name}"')
    except Conflict:
        pass  # another process made it at the same moment
    except Unavailable as error:
        raise Unavailable(error.message, hint="GRANT CREATE ON DATABASE … TO …") from error
    finally:
        connection.close()
    parts = urlsplit(url)
    parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    parameters["options"] = f"{parameters.get('options', '')} -csearch_path={name}".strip()
    return urlunsplit(parts._replace(query=urlencode(parameters, quote_via=quote)))


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
