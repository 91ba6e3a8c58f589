"""Homes that exchange: each a memory of its own, with the word of a person."""

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from reverie.asker import OWNER
from reverie.memory import Memory
from reverie.operations import syncing
from reverie.store.model import Actor, Author
from reverie.sync.exchange import Exchanged

BY = Author(Actor("user"), "typed")
START = datetime(2026, 3, 1, 9, tzinfo=UTC)


class Machines(NamedTuple):
    """Some homes of one person, and the folder they share."""

    homes: list[Memory]
    remote: str

    def sync(self, *numbers: int) -> list[Exchanged]:
        return [syncing.sync_with(self.homes[number], self.remote) for number in numbers]

    def settle(self) -> None:
        """As many rounds as it takes; the last one has nothing to do."""
        rounds = [*range(len(self.homes))] * 3
        self.sync(*rounds)
        for done in self.sync(*range(len(self.homes))):
            assert not (done.received or done.sent or done.refused or done.waiting), done


def ticking(start: datetime = START) -> Callable[[], datetime]:
    moments = iter(start + timedelta(seconds=second) for second in range(10**6))
    return lambda: next(moments)


def opened(place: Path, clock: Callable[[], datetime] | None = None, url: str = "") -> Memory:
    """A home with the word of a person; its stores are in a file, or in the database at a URL."""
    work = place.parent / "work"
    work.mkdir(exist_ok=True)
    environ = {"HOME": str(place.parent)} | ({"REVERIE_DATABASE_URL": url} if url else {})
    return Memory.open(place, asker=OWNER, folder=work, clock=clock or ticking(), environ=environ)


@contextmanager
def machines(
    folder: Path, count: int = 2, remote: str = "", urls: Sequence[str] = ("", "", "")
) -> Generator[Machines]:
    """Homes that know each other's key and have met once; every clock is a day off the next."""
    with ExitStack() as stack:
        homes = [
            stack.enter_context(
                opened(folder / f"home-{number}", ticking(START + timedelta(days=1 - number)), url)
            )
            for number, url in zip(range(count), urls, strict=False)
        ]
        both = Machines(homes, remote or str(folder / "remote"))
        key = syncing.key_of(homes[0])
        for number, home in enumerate(homes):
            home.store.ensure_store("global")
            syncing.sync_with(home, both.remote, key=key if number else None)
        yield both


def texts(home: Memory, store: str = "global") -> dict[str, str]:
    """Path → text of every memory."""
    return {memory.path: memory.content for memory in home.store.walk(store)}


def heads(home: Memory, store: str = "global") -> set[tuple[object, ...]]:
    return {
        (one.id, one.path, one.content, one.trust, one.valid_from, one.valid_to, one.created_at)
        for one in home.store.walk(store)
    }


def versions(home: Memory) -> dict[str, tuple[object, ...]]:
    """What is the same in every home by its id: all versions but those a home merged itself."""
    rows = home.database.query(
        "SELECT id, memory_id, operation, path, content, actor_kind, actor_id, reason, trust,"
        " valid_from, valid_to, created_at"
        " FROM versions WHERE coalesce(origin, '') <> 'merged'"
    )
    return {one: tuple(fields) for one, *fields in rows}
