"""Reading logs, here or ahead of the one that stores them: in other processes, on other machines.

Reading and redacting a whole log depends on nothing but the log, so it can run anywhere an
`Executor` reaches; storing stays in one place and in order, so the result is the same bytes.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future

from reverie.privacy import Ignored
from reverie.sessions.intake import Reading, Redact, take_in
from reverie.sessions.logs.discover import LogFile
from reverie.sessions.logs.transcript import Resume
from reverie.sessions.readers.agents import by_agent

WINDOW = 8  # logs read ahead; more would hold more of them in memory


def read_log(
    log: LogFile,
    resume: Resume | None,
    redact: Redact,
    policy: Ignored | None,
    *,
    unread: bool = False,
) -> Reading:
    """Read one log from where it was left."""
    transcript = by_agent(log.agent).open(log.path, resume, log.part)
    vouched = log.vouched and not log.owner
    return take_in(transcript, redact, policy, vouched=vouched, unread=unread)


# How the index gets at what a log says.
Read = Callable[[LogFile, Resume | None], Reading]


def here(redact: Redact, policy: Ignored | None) -> Read:
    """Reads when asked."""
    return lambda log, resume: read_log(log, resume, redact, policy, unread=True)


class Ahead:
    """Has whole logs read by an executor before they are asked for; asked for in the same order."""

    def __init__(
        self, executor: Executor, logs: Sequence[LogFile], redact: Redact, policy: Ignored | None
    ) -> None:
        self._executor = executor
        self._left: Iterator[LogFile] = iter(logs)
        self._waiting: deque[tuple[LogFile, Future[Reading]]] = deque()
        self._redact = redact
        self._policy = policy
        self._here = here(redact, policy)

    def __call__(self, log: LogFile, resume: Resume | None) -> Reading:
        self._fill()
        while self._waiting:
            ready, future = self._waiting.popleft()
            self._fill()
            if ready == log:
                # What has only grown is cheaper to go on with here than to read again there.
                if resume is not None:
                    return self._here(log, resume)
                try:
                    return future.result()
                except BrokenExecutor:
                    # One of the processes died; the logs it had, and all others, are read here.
                    self._left = iter(())
                    return self._here(log, resume)
            future.cancel()
        return self._here(log, resume)

    def _fill(self) -> None:
        while len(self._waiting) < WINDOW and (log := next(self._left, None)) is not None:
            future = self._executor.submit(read_log, log, None, self._redact, self._policy)
            self._waiting.append((log, future))
