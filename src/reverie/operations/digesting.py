"""Digesting: what a session that begins now is told of this project."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from reverie.clock import iso
from reverie.home import Home
from reverie.operations import reach

if TYPE_CHECKING:
    from reverie.recall.digest import Digest, Lesson

_MOST = 400  # lessons of each sort that are looked at; far more than fit
_TEACHES = 0.05  # how likely something has to teach anything to be told unconfirmed
_LAST_TIME = 90  # characters of each line of it


def digest(home: Home, *, budget: int | None = None) -> "Digest":
    """The best lines of the project and of the shared memory, in `digest.budget` characters."""
    from reverie.errors import InvalidInput
    from reverie.recall import digest as composing

    settings = home.settings.digest
    size = settings.budget if budget is None else budget
    if size < 1:
        raise InvalidInput("a digest has at least one character")
    slug = home.here.slug
    memories = list(_memories(home))
    told = {place for one in memories for place in one.entry.evidence}
    waiting = _unconfirmed(home, slug, told) if settings.unconfirmed else ()
    last = _last_time(home, slug) if settings.last_time else ()
    return composing.digest(slug, [*memories, *waiting], size, last)


def _memories(home: Home) -> "Iterable[Lesson]":
    """What is remembered of the project and everywhere, of those that may be told unasked."""
    from reverie.recall.digest import Lesson, shown
    from reverie.recall.memories import Memories, Wanted

    stores = tuple(info.id for info in reach.stores(home))
    memories = Memories(home.database, home.index_database)
    memories.follow(stores)
    wanted = Wanted(stores, (), "", iso(home.clock()))
    for entry in memories.best(wanted, _MOST, rules=False):
        if line := shown(entry.title or entry.text):
            yield Lesson(entry, line, confirmed=True)


def _unconfirmed(home: Home, slug: str, told: set[str]) -> "Iterable[Lesson]":
    """What the person said in sessions of the project and nobody decided about."""
    from reverie.recall.digest import Lesson, shown
    from reverie.recall.relevance import TermCounts
    from reverie.recall.sources import Candidates, Scope

    scope = Scope(slug, (), (), "", iso(home.clock()))
    candidates = Candidates(home.database, home.index_database, scope, TermCounts())
    refused = _refused(home)
    for gist, entry in candidates.teaching(_MOST, _TEACHES):
        if entry.id not in told and entry.id not in refused and (line := shown(gist)):
            yield Lesson(entry, line, confirmed=False)


def _refused(home: Home) -> set[str]:
    """Evidence of what a person rejected, or let go of."""
    from reverie.documents.document import load
    from reverie.learn.memories.queue import Queue
    from reverie.recall.memories import ASIDE

    rejected = Queue(home.database, home.clock).rejected_evidence()
    for info in reach.stores(home):
        for memory in home.store.walk(info.id, prefix=ASIDE[0]):
            rejected.update(load(memory.content or "").evidence)
    return rejected


def _last_time(home: Home, slug: str) -> "list[str]":
    """What the last session was about, how it ended, and what was left open of it."""
    import json

    from reverie.sessions.diaries import diaries

    kept = diaries(home.index_database, project=slug)
    if not kept:
        return []
    last = kept[-1]
    told = [f"{last.day}: {last.title}", f"It ended: {last.outcome}."]
    data = json.loads(last.data)
    left = [part["why"] or part["aim"]["text"] for part in data["approaches"] if _is_open(part)]
    if left:
        told.append(f"Open: {left[-1]}")
    return [line if len(line) <= _LAST_TIME else f"{line[: _LAST_TIME - 1]}…" for line in told]


def _is_open(approach: "dict[str, Any]") -> bool:
    return approach["verdict"] in {"failed", "interrupted"} and bool(approach["aim"])
