"""One way to speak to a database: `?` placeholders, rows as tuples, transactions that retry.

Two thin drivers (`sqlite.py`, `postgres.py`) open connections and turn their library's errors into
ours; everything else is written once against `Database`, which `opening.py` makes. Connections are
pooled, one per thread at work; after a fork the child leaves its parent's connections alone and
opens its own.
"""

import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from reverie.db.points import reached
from reverie.errors import Busy, Refused, ReverieError

if TYPE_CHECKING:
    from reverie.sealing import Sealer

Dialect = Literal["sqlite", "postgresql"]
Row = tuple[Any, ...]
Result = TypeVar("Result")

ATTEMPTS = 6
IDLE_CONNECTIONS = 8


class Collided(Busy):
    """The database undid the transaction because of another one: worth another try."""


class Connection(Protocol):
    """One open connection of a driver, in autocommit mode."""

    @property
    def broken(self) -> bool: ...

    @property
    def passing(self) -> bool:
        """Whether it is a makeshift, not to be used again when a better one may be had."""
        ...

    def execute(self, sql: str, params: Sequence[Any] = ()) -> list[Row]: ...

    def execute_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None: ...

    def stream(self, sql: str, params: Sequence[Any] = ()) -> Iterator[Row]: ...

    def close(self) -> None: ...


class Driver(Protocol):
    """What differs between the databases."""

    dialect: Dialect
    url: str
    begin: str
    begin_snapshot: str
    begin_private: str
    for_update: str

    def connect(self) -> Connection: ...

    def has_table(self, connection: Connection, name: str) -> bool: ...

    def columns(self, connection: Connection, table: str) -> list[str]: ...

    def lock(self, connection: Connection, name: str) -> None: ...

    def wait_for_disk(self, connection: Connection, *, wait: bool) -> None: ...

    def be_patient(self, connection: Connection, milliseconds: int | None) -> None: ...

    def scrub(self, connection: Connection, tables: Sequence[str]) -> None: ...

    def damage(self, connection: Connection) -> list[str]: ...


class Transaction:
    """What `atomic` hands out: statements inside one transaction."""

    __slots__ = ("_connection", "_driver", "dialect", "for_update", "sealer")

    def __init__(
        self, driver: Driver, connection: Connection, sealer: "Sealer | None" = None
    ) -> None:
        self._driver = driver
        self._connection = connection
        self.dialect: Dialect = driver.dialect
        self.for_update = driver.for_update
        self.sealer = sealer

    def execute(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        """Run one statement; its rows, or `[]` when it has none."""
        return self._connection.execute(sql, params)

    def execute_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement once for each row of values."""
        self._connection.execute_many(sql, rows)

    def stream(self, sql: str, params: Sequence[Any] = ()) -> Iterator[Row]:
        """The rows of one statement, a few at a time; for tables of any size."""
        return self._connection.stream(sql, params)

    def columns(self, table: str) -> list[str]:
        return self._driver.columns(self._connection, table)

    def lock(self, name: str) -> None:
        """Hold a named lock until the end; SQLite's transaction is one already."""
        self._driver.lock(self._connection, name)


class Database:
    """A pool of connections to one database."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._idle: list[Connection] = []
        self._abandoned: list[Connection] = []
        self._guard = threading.Lock()
        self._pid = os.getpid()
        self._current = threading.local()
        # Called after a promised transaction, when nothing is open any more.
        self.after_commit: Callable[[], object] | None = None
        # Seals rows; None for a database that belongs to no home.
        self.sealer: Sealer | None = None
        self.dialect: Dialect = driver.dialect
        self.url = driver.url

    def query(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        """Run one statement by itself, or in this thread's open transaction."""
        open_transaction = self._open_transaction()
        if open_transaction is not None:
            return open_transaction.execute(sql, params)
        connection = self._take()
        try:
            return connection.execute(sql, params)
        finally:
            self._give_back(connection)

    def execute_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement once for each row, in this thread's transaction or one of its own."""
        open_transaction = self._open_transaction()
        if open_transaction is not None:
            open_transaction.execute_many(sql, rows)
            return
        with self.atomic() as tx:
            tx.execute_many(sql, rows)

    def stream(self, sql: str, params: Sequence[Any] = ()) -> Iterator[Row]:
        """The rows of one statement, a few at a time; all of them of one moment."""
        open_transaction = self._open_transaction()
        if open_transaction is not None:
            yield from open_transaction.stream(sql, params)
            return
        with self.lend() as connection:
            yield from connection.stream(sql, params)

    @contextmanager
    def held(self) -> Generator[None]:
        """One connection for all that this thread does in the block, private tables included."""
        if self._held() is not None:
            yield
            return
        with self.lend() as connection:
            self._current.held = connection
            try:
                yield
            finally:
                self._current.held = None

    @contextmanager
    def private(self) -> Generator[Transaction]:
        """A transaction that changes nothing but tables of its own connection, and so never waits.

        They are seen by whoever has the connection: keep it with `held`.
        """
        with self._transaction(self._driver.begin_private, promised=True) as tx:
            yield tx

    @contextmanager
    def atomic(
        self, *, promised: bool = True, patience_ms: int | None = None
    ) -> Generator[Transaction]:
        """A writing transaction; all of it or nothing, whatever interrupts it.

        Inside another one of the same thread it is a savepoint of that. What is not `promised` to
        anybody does not wait for the disk: it outlives a killed process, but perhaps not a power
        cut, until the next promised one. With `patience_ms` it waits no longer than that for other
        writers.

        Raises:
            Busy: no write lock in time, or (PostgreSQL) undone in favour of another.
        """
        outer = self._open_transaction()
        if outer is not None:
            outer.execute("SAVEPOINT inner_step")
            try:
                yield outer
            except BaseException:
                outer.execute("ROLLBACK TO SAVEPOINT inner_step")
                outer.execute("RELEASE SAVEPOINT inner_step")
                raise
            outer.execute("RELEASE SAVEPOINT inner_step")
            return
        with self._transaction(self._driver.begin, promised, patience_ms) as tx:
            yield tx
        if promised and self.after_commit is not None:
            self.after_commit()

    @contextmanager
    def snapshot(self) -> Generator[Transaction]:
        """A reading transaction: every statement sees the same moment."""
        open_transaction = self._open_transaction()
        if open_transaction is not None:
            yield open_transaction
            return
        with self._transaction(self._driver.begin_snapshot, promised=True) as tx:
            yield tx

    def run(self, work: Callable[[Transaction], Result], *, promised: bool = True) -> Result:
        """`work` in a transaction, tried again (a bounded number of times) when it collided."""
        nested = self._open_transaction() is not None
        for attempt in range(ATTEMPTS):
            try:
                with self.atomic(promised=promised) as tx:
                    return work(tx)
            except Collided:
                if nested or attempt == ATTEMPTS - 1:
                    raise
                import random

                # Random, so that those who collided do not meet again.
                time.sleep(random.uniform(0.2, 1.0) * 0.01 * 2**attempt)  # noqa: S311
        raise AssertionError("unreachable: the last attempt returns or raises")

    def has_table(self, name: str) -> bool:
        with self.lend() as connection:
            return self._driver.has_table(connection, name)

    def scrub(self, tables: Sequence[str]) -> None:
        """Overwrite what deleted rows of `tables` left behind in indexes, log and free pages.

        SQLite does it for the whole file.

        Raises:
            Busy: a reader kept the old pages alive; the call may be repeated.
        """
        if self._open_transaction() is not None:
            raise Refused("old pages cannot be overwritten inside a transaction")
        reached("mid_redact")
        with self.lend() as connection:
            self._driver.scrub(connection, tables)

    def damage(self) -> list[str]:
        """What the database's own check finds wrong with its file; empty when nothing."""
        with self.lend() as connection:
            return self._driver.damage(connection)

    @contextmanager
    def lend(self) -> Generator[Connection]:
        """A connection for a driver's own work (the backup API)."""
        connection = self._take()
        try:
            yield connection
        finally:
            self._give_back(connection)

    def close(self) -> None:
        with self._guard:
            idle, self._idle = self._idle, []
        if self._pid == os.getpid():
            for connection in idle:
                connection.close()

    def _open_transaction(self) -> Transaction | None:
        return getattr(self._current, "transaction", None)

    def _held(self) -> Connection | None:
        return getattr(self._current, "held", None)

    @contextmanager
    def _transaction(
        self, begin: str, promised: bool, patience_ms: int | None = None
    ) -> Generator[Transaction]:
        connection = self._take()
        try:
            if not promised:
                self._driver.wait_for_disk(connection, wait=False)
            if patience_ms is not None:
                self._driver.be_patient(connection, patience_ms)
            connection.execute(begin)
            tx = Transaction(self._driver, connection, self.sealer)
            self._current.transaction = tx
            try:
                yield tx
                connection.execute("COMMIT")
            except BaseException:
                _undo(connection)
                raise
            finally:
                self._current.transaction = None
        finally:
            if not promised or patience_ms is not None:
                self._reset(connection)
            self._give_back(connection)

    def _reset(self, connection: Connection) -> None:
        """The next one to use this connection is promised what it writes, and may wait for it."""
        if connection.broken:
            return
        try:
            self._driver.wait_for_disk(connection, wait=True)
            self._driver.be_patient(connection, None)
        except ReverieError:
            connection.close()

    def _take(self) -> Connection:
        if self._pid == os.getpid() and (held := self._held()) is not None:
            return held
        with self._guard:
            if self._pid != os.getpid():
                # Closing an inherited connection would speak on the parent's socket or drop its
                # file locks, so the child only keeps them from being collected.
                self._abandoned, self._idle = self._idle, []
                self._current = threading.local()
                self._pid = os.getpid()
            if self._idle:
                return self._idle.pop()
        return self._driver.connect()

    def _give_back(self, connection: Connection) -> None:
        if connection is self._held() and not connection.broken:
            return
        with self._guard:
            lasting = not connection.broken and not connection.passing
            if lasting and len(self._idle) < IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.close()


def literally(text: str) -> str:
    """For LIKE, with a backslash as escape."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _undo(connection: Connection) -> None:
    """Roll back; a connection that cannot even do that is not used again."""
    if connection.broken:
        return
    try:
        connection.execute("ROLLBACK")
    except ReverieError:
        connection.close()
