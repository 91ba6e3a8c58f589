"""Small nights for the tests of single steps, and whole dreams over made-up logs."""

from pathlib import Path

from reverie.clock import fixed
from reverie.dream.model import Ask, Night, Observation
from reverie.dream.run import Dreamer
from reverie.learn.detect.judge import Judge
from reverie.learn.memories.queue import Queue
from reverie.learn.memories.writing import Writer
from reverie.learn.run import Learner
from reverie.sessions.index import Index
from reverie.sessions.logs.discover import logs_in
from reverie.settings import Store as Limits
from reverie.store.store import Store

NOW = "2026-06-01T08:00:00Z"
CLOCK = fixed(NOW)


def said(
    text: str, session: int, *, lasting: float = 0.5, project: str = "app", standing: bool = False
) -> Observation:
    """Somebody said `text` in session `session`, one session a day."""
    key = f"claude-code:{session:04d}"
    day = f"2026-05-{1 + session % 28:02d}T09:00:00.000Z"
    return Observation(
        "said", text, key, project, day, f"{key}#1", lasting=lasting, standing=standing
    )


def night(*observations: Observation, sessions: int = 40) -> Night:
    """A night that has gathered `observations`, among so many sessions."""
    known = tuple(f"claude-code:{number:04d}" for number in range(sessions))
    return Night(Ask(), NOW, sessions=known, observations=observations)


class Sleeper:
    """A home with a store and an index, and a dreamer over both."""

    def __init__(self, home: Path, database_url: str | None = None) -> None:
        from reverie.settings import Learn

        url = database_url or f"sqlite:///{home / 'memory.db'}"
        elsewhere = url.startswith("postgresql")
        self.store = Store.open(url, clock=CLOCK, limits=Limits())
        # On PostgreSQL both live in one schema.
        self.index = Index.open(home / "index.db", url=database_url if elsewhere else None)
        self.learner = Learner(
            index=self.index,
            writer=Writer(self.store, Queue(self.store.database, CLOCK)),
            judge=Judge.load(Learn()),
            redact=lambda text: text,
        )
        self.dreamer = Dreamer(self.store, self.index, CLOCK)

    def read(self, logs: Path) -> None:
        self.learner.read(logs_in(logs).logs)

    def close(self) -> None:
        self.index.close()
        self.store.close()
