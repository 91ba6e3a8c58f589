"""Both databases on one bench, and sessions of one sentence each."""

from dataclasses import dataclass, replace

from reverie.clock import fixed
from reverie.dream.proposals import proposals
from reverie.learn.daily.dailies import Chronicler
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.queue import Queue
from reverie.learn.memories.tombstones import Tombstones
from reverie.learn.memories.unlearn import Unlearned, unlearn
from reverie.learn.memories.writing import Writer
from reverie.recall import ledger
from reverie.sessions.index import Index
from reverie.store.library import Library
from reverie.store.store import Store

CLOCK = fixed("2026-11-15T09:00:00Z")
PROJECT = "shop"


def said(lesson: str, day: int = 1, **changes: object) -> Candidate:
    """A standing rule of one session per day."""
    rule = Candidate(
        lesson=lesson,
        type="feedback",
        kind="best-practice",
        scope="project",
        project=PROJECT,
        session=f"claude-code:s{day}",
        evidence=f"claude-code:s{day}#4",
        at=f"2026-11-{day:02}T10:00:00Z",
        quote=lesson,
        premise="",
        standing=True,
        trust="user",
        score=0.9,
    )
    return replace(rule, **changes)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True)
class Bench:
    """Both databases, and what is said in them."""

    store: Store
    index: Index

    def say(self, lesson: str, day: int) -> None:
        """One session per day says one thing."""
        rule = said(lesson, day)
        Writer(self.store, Queue(self.store.database, CLOCK)).write(rule, sure=True)

    def unlearn(self, day: int) -> Unlearned:
        queue = Queue(self.store.database, CLOCK)
        return unlearn(
            self.store, self.index, Chronicler(self.store, queue),
            Tombstones(self.store.database, CLOCK), f"claude-code:s{day}", "asked",
            (proposals.forget_session, ledger.forget_session),
        )  # fmt: skip

    def active(self) -> list[str]:
        found = Library(self.store, PROJECT).documents()
        return sorted(item.document.description for item in found)
