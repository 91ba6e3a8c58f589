"""Facts: the versions of a home as the history of each memory, and as changes that travel.

What this home merged itself is no fact: whoever has the same versions makes it again. What follows
such a version follows those it was made from.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from reverie.db.database import Row
from reverie.store.arrivals import MERGED, Change, histories
from reverie.store.context import Execute
from reverie.store.model import ActorKind
from reverie.sync.history import Fact

ACTOR: tuple[ActorKind, str] = ("filesystem", "sync")  # of what a sync decided


class Kept(NamedTuple):
    """A version of this home, with the versions it really follows."""

    change: Change
    number: int
    sequence: int
    origin: str  # "" for this home's own, MERGED, or a link (and a person)

    @property
    def fact(self) -> Fact:
        change = self.change
        return Fact(
            change.id,
            change.parents,
            change.path,
            change.content,
            change.trust,
            change.valid_from,
            change.valid_to,
            change.created_at,
            deleted=change.operation == "deleted",
            automatic=change.actor == ACTOR,
            foreign=bool(change.person),
        )


def kept(
    execute: Execute,
    memories: Iterable[str],
    hidden: Callable[[Change], bool] = lambda _: False,
) -> dict[str, list[Kept]]:
    """The versions of these memories, oldest first by their own numbers.

    What is merged, or `hidden`, is passed over: its followers follow what is behind it.
    """
    by_memory: dict[str, list[Kept]] = {}
    for row in histories(execute, memories):
        by_memory.setdefault(row[0], []).append(_kept(row))
    return {memory: _followed(versions, hidden) for memory, versions in by_memory.items()}


def facts_of(versions: Sequence[Kept]) -> dict[str, Fact]:
    """The history of a memory, without what was only merged."""
    return {version.change.id: version.fact for version in versions if version.origin != MERGED}


def _kept(row: Row) -> Kept:
    parents = tuple(json.loads(row[3])) if row[3] is not None else ()
    change = Change(
        row[1], row[0], parents, row[5], row[6], row[7], (row[8], row[9]), row[10],
        row[11], row[12], row[13], row[14], row[15] is not None, (row[4] or "").partition(" ")[2],
    )  # fmt: skip
    # No parents named: it follows the one before it, which is looked up below.
    return Kept(change, row[2], row[16], row[4] or ("" if row[3] is not None else "own"))


def _followed(versions: list[Kept], hidden: Callable[[Change], bool]) -> list[Kept]:
    """With the parents of each that count."""
    by_number = {version.number: version.change.id for version in versions}
    stands: dict[str, tuple[str, ...]] = {}  # what a version stands for as a parent
    done: list[Kept] = []
    for version in versions:
        parents = version.change.parents
        if version.origin == "own":
            before = by_number.get(version.number - 1)
            parents = (before,) if before is not None else ()
        counting = tuple(
            dict.fromkeys(real for parent in parents for real in stands.get(parent, (parent,)))
        )
        change = version.change._replace(parents=counting)
        passed = version.origin == MERGED or hidden(change)
        stands[change.id] = counting if passed else (change.id,)
        done.append(
            version._replace(
                change=change, origin="" if version.origin == "own" else version.origin
            )
        )
    return done
