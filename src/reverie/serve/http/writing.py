"""Those who write: several threads, or for SQLite one line whose commits are shared.

SQLite has one writer at a time, and each commit waits for the disk, which takes longer than all
else of a write. So requests that came while the disk worked are written in one transaction, each in
a savepoint of its own: what is refused undoes only itself, and nobody is answered before the disk
has it. Where anything else goes wrong all of it is undone, and each is written by itself.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from reverie.db.database import Database
from reverie.serve.http.errors import failure_of
from reverie.serve.http.routing import Reply

# Other processes wait for the lock as long as the texts of so many requests are checked.
MOST_TOGETHER = 32

Work = Callable[[], Reply]


class Waiting(NamedTuple):
    """A request that writes, and where its answer goes."""

    work: Work
    answer: Future[Reply]


class Writers:
    """Where requests that write are answered, in the order they came."""

    def __init__(self, database: Database, threads: int) -> None:
        self._database = database
        # Other writers would sleep in a thread that reading needs, and look again now and then.
        self._one_line = database.dialect == "sqlite"
        self._pool = ThreadPoolExecutor(1 if self._one_line else threads, "writing")
        self._line: deque[Waiting] = deque()

    def submit(self, work: Work, *, together: bool) -> Future[Reply]:
        """Have it answered; what may be written `together` with others may share their commit."""
        if not (together and self._one_line):
            return self._pool.submit(work)
        answer: Future[Reply] = Future()
        self._line.append(Waiting(work, answer))
        self._pool.submit(self._write_line)
        return answer

    def close(self) -> None:
        self._pool.shutdown()

    def _write_line(self) -> None:
        batch: list[Waiting] = []
        while self._line and len(batch) < MOST_TOGETHER:
            first = self._line.popleft()
            if first.answer.set_running_or_notify_cancel():
                batch.append(first)
        if len(batch) > 1 and self._written_together(batch):
            return
        for waiting in batch:
            try:
                _tell(waiting, waiting.work())
            except Exception as error:  # noqa: BLE001 - outermost of its thread: the request has it
                _tell(waiting, error)

    def _written_together(self, batch: list[Waiting]) -> bool:
        """Whether one transaction held them all; if not, nothing of it is left."""
        try:
            with self._database.atomic():
                outcomes = [_outcome(waiting.work) for waiting in batch]
        except Exception:  # noqa: BLE001 - outermost of its thread: told to whom it concerns, alone
            return False
        for waiting, outcome in zip(batch, outcomes, strict=True):
            _tell(waiting, outcome)
        return True


def _outcome(work: Work) -> Reply | Exception:
    """An answer, or why there is none; a fault is raised, because others may suffer from it."""
    try:
        return work()
    except Exception as error:
        if failure_of(error).status >= 500:
            raise
        return error


def _tell(waiting: Waiting, outcome: Reply | Exception) -> None:
    if isinstance(outcome, Exception):
        waiting.answer.set_exception(outcome)
    else:
        waiting.answer.set_result(outcome)
