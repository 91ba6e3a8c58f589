"""Settling: after versions arrived, every memory they touch says what its history stands for.

Heads are moved, several tips merged, what cannot be merged is put beside, two memories never share
a path, and what says the same as another becomes one with it. Whatever is decided here is a version
with an id that follows from what it was made of: two machines that decide alone decide the same.
"""

import heapq
from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple

from reverie.db.database import Transaction
from reverie.store import paths
from reverie.store.arrivals import (
    MERGED,
    Change,
    Head,
    Pen,
    holders,
    in_place,
    is_in_place,
    present,
    put_head,
    take_head,
    whereabouts,
)
from reverie.store.library import ARCHIVE, is_memory, stem
from reverie.sync.facts import ACTOR, Kept, facts_of, kept
from reverie.sync.history import (
    BESIDE,
    State,
    beside_id,
    conflict_path,
    derived_id,
    state_of,
)
from reverie.sync.sameness import Claims, says_more
from reverie.trust import as_trusted

Alike = Callable[[str, str], bool]  # whether two texts (with their paths) say the same
Away = Callable[[str, str, str], str]  # path, content, since when: the day it was forgotten, or ""


class Settled(NamedTuple):
    """What became of the memories that were touched, by path."""

    merged: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    held: tuple[str, ...] = ()  # a person's word, which somebody else's version would change


class _Row(NamedTuple):
    """A memory on its way to its place."""

    versions: list[Kept]
    state: State
    created_at: str


class Settling:
    """One store, inside one transaction."""

    def __init__(self, tx: Transaction, pen: Pen, person: str, away: Away, alike: Alike) -> None:
        self._person = person
        self._alike = alike
        self._tx = tx
        self._pen = pen
        self._away = away
        self._store = pen.state.store_id
        self._rows: dict[str, _Row] = {}
        self._said: dict[str, list[str]] = {name: [] for name in Settled._fields}
        self._paths: dict[str, str] = {}  # assigned so far: path to memory
        self._above: dict[str, str] = {}  # folders of assigned paths

    def settle(self, touched: Iterable[str], blank: Callable[[], None]) -> Settled:
        """Bring these memories to what their histories stand for.

        `blank` empties what is redacted: when the index has forgotten its words, and before
        anything is made of it.
        """
        wanted = sorted(set(touched))
        self._lift(wanted)
        blank()
        self._arrange(self._loaded(wanted))
        return Settled(*(tuple(self._said[name]) for name in Settled._fields))

    def _arrange(self, queue: list[str]) -> None:
        """Give these memories, and whoever has to leave for them, their places and heads."""
        heapq.heapify(queue)
        while queue:
            memory = heapq.heappop(queue)
            for copied in self._keep_beside(memory):
                heapq.heappush(queue, copied)
            for pushed in self._find_place(memory):
                heapq.heappush(queue, pushed)
        for memory in sorted(self._rows):
            if not self._is_here(memory):  # some were only looked at
                self._put(memory)
        self._paths.clear()
        self._above.clear()

    # Where everything goes

    def _lift(self, memories: Iterable[str]) -> None:
        """Take heads from their places, so that any two may change them."""
        for memory in memories:
            take_head(self._tx, memory)

    def _loaded(self, memories: Iterable[str]) -> list[str]:
        """Read histories again; ids of those that have any."""
        histories = kept(self._tx.execute, memories)
        for memory, versions in histories.items():
            created = self._began(versions[0].change)
            self._rows[memory] = _Row(versions, state_of(facts_of(versions)), created)
        return list(histories)

    def _began(self, first: Change) -> str:
        """When a memory was first said: the other text of a conflict is no younger than the one."""
        for place in whereabouts(self._tx.execute, _copied(first)):
            return self._began(kept(self._tx.execute, [place.memory_id])[place.memory_id][0].change)
        return first.created_at

    def _keep_beside(self, memory: str) -> list[str]:
        """Words that could not be merged become a memory of their own; ids of new ones."""
        row = self._rows[memory]
        made: list[str] = []
        for loser in row.state.beside:
            lost = next(entry.change for entry in row.versions if entry.change.id == loser)
            # What was put away takes the other text along.
            away = row.state.path or ""
            start = away if away.startswith(ARCHIVE) else lost.path or "/"
            # Not by its words: they say less of trust and pins in another person's home.
            path = conflict_path(start, beside_id(loser)[-8:])
            version = derived_id("memver", BESIDE, loser, path)
            if self._is_written(version):
                continue
            copy = beside_id(loser)
            self._lift([copy])
            change = lost._replace(
                id=version,
                memory=copy,
                parents=(loser,),
                operation="created",
                path=path,
                reason=f"kept beside {lost.path}: both sides changed the same lines",
            )
            self._pen.write(change, None)
            self._said["beside"].append(path)
            made += self._loaded([copy])
        return made

    def _is_written(self, version: str) -> bool:
        return bool(present(self._tx.execute, [version]))

    def _find_place(self, memory: str) -> list[str]:
        """Give a memory its path; ids of those that have to leave theirs for it."""
        row = self._rows[memory]
        if not row.state.live:
            return []
        path, content = row.state.path or "", row.state.content or ""
        if not path.startswith(ARCHIVE) and (day := self._away(path, content, row.created_at)):
            self._decide(memory, f"{ARCHIVE}{day}/{stem(path)}.md", "forgotten", "forgotten")
            path = self._rows[memory].state.path or ""
        pushed: list[str] = []
        while True:
            if (other := self._assigned(path)) is None:
                taken = holders(self._tx, self._store, path)
                larger = [holder for holder in taken if holder > memory]
                if larger and len(larger) == len(taken):
                    self._lift(larger)
                    pushed += self._loaded(larger)
                elif taken:
                    other = min(taken)
            if other is None:
                break
            if self._same_words(memory, other, path):
                self._end(memory, other)
                if not self._rows[memory].state.live:
                    return pushed
                path = self._rows[memory].state.path or ""
                continue
            path = self._free(path)
            why = "another memory has its path"
            self._decide(memory, path, "moved", why)
        self._paths[path] = memory
        for folder in paths.ancestors(path):
            self._above.setdefault(folder, memory)
        return pushed

    def _free(self, path: str) -> str:
        """The next name after a path that nobody has."""
        folder, slash, file = path.rpartition("/")
        start, dot, ending = file.rpartition(".") if "." in file else (file, "", "")
        names = islice(paths.numbered(f"{folder}{slash}{start}", f"{dot}{ending}"), 1, None)
        return next(
            name
            for name in names
            if not self._assigned(name) and not holders(self._tx, self._store, name)
        )

    def _same_words(self, memory: str, other: str, path: str) -> bool:
        """Whether it says what the other one says, which is at its path."""
        if other not in self._rows:
            self._loaded([other])
        other_state = self._rows[other].state
        apart = _is_beside(self._rows[memory]) or _is_beside(self._rows[other])
        return (
            not apart
            and not path.startswith(ARCHIVE)
            and other_state.path == path
            and self._alike(self._rows[memory].state.content or "", other_state.content or "")
        )

    def _assigned(self, path: str) -> str | None:
        """Who was given this path, one above or one below it."""
        if (owner := self._paths.get(path) or self._above.get(path)) is not None:
            return owner
        return next(
            (self._paths[folder] for folder in paths.ancestors(path) if folder in self._paths), None
        )

    def _decide(self, memory: str, path: str, what: str, why: str) -> None:
        """Move a memory by a version that every machine would make."""
        state = self._rows[memory].state
        self._follow(memory, state._replace(path=path), what, why)
        self._said[what].append(path)

    def _follow(self, memory: str, state: State, what: str, why: str) -> None:
        path = state.path if state.live else self._last_path(memory)
        dates = (state.valid_from, state.valid_to, state.created_at)
        # Not trust, which differs in a team, but whose it is: what another person decided waits.
        parts = (self._person, what, *state.tips, path, state.content, why, *dates)
        change = Change(
            derived_id("memver", *(part or "" for part in parts)),
            memory,
            state.tips,
            "modified" if state.live else "deleted",
            path,
            state.content,
            ACTOR,
            why,
            state.trust,
            *dates,
        )
        if not self._is_written(change.id):
            self._pen.write(change, None)
        self._loaded([memory])

    def _last_path(self, memory: str) -> str:
        versions = self._rows[memory].versions
        return next(
            (version.change.path for version in reversed(versions) if version.change.path),
            "/gone.md",
        )

    # Heads

    def _put(self, memory: str) -> None:
        """The head, and a version for it where none of the history's own is the last word."""
        row = self._rows[memory]
        state, last = row.state, row.versions[-1]
        if not state.live:
            if last.change.operation != "deleted":
                self._merge(memory, "what it said is redacted")
            return
        if state.waiting:
            self._said["held"].append(state.path or "")
        if not self._says(last, state):
            waits = "stays: what somebody else wrote waits to be accepted"
            self._merge(
                memory, waits if state.waiting else "merged with what another machine wrote"
            )
            if len(state.tips) > 1:
                self._said["merged"].append(state.path or "")
            last = self._rows[memory].versions[-1]
        self._write_head(memory, last)

    def _says(self, last: Kept, state: State) -> bool:
        change = last.change
        return (
            (change.id,) == state.tips or (last.origin == MERGED and change.parents == state.tips)
        ) and (change.path, change.content, change.trust, change.valid_from, change.valid_to) == (
            state.path,
            state.content,
            state.trust,
            state.valid_from,
            state.valid_to,
        )

    def _merge(self, memory: str, why: str) -> None:
        row = self._rows[memory]
        state = row.state
        change = Change(
            self._merged_id(memory),
            memory,
            state.tips,
            "modified" if state.live else "deleted",
            state.path if state.live else self._last_path(memory),
            state.content,
            ACTOR,
            why,
            state.trust,
            state.valid_from,
            state.valid_to,
            state.created_at,
        )
        self._pen.write(change, MERGED)
        self._loaded([memory])

    def _merged_id(self, memory: str) -> str:
        """The same on every machine that merges the same; a state that came back gets another."""
        state, number = self._rows[memory].state, 0
        parts = (state.path or "", state.content or "", state.trust)
        dates = (state.valid_from or "", state.valid_to or "")
        while True:
            made = derived_id("memver", "merged", memory, *state.tips, *parts, *dates, str(number))
            redacted = "SELECT 1 FROM sync_redactions WHERE version_id = ?"
            if not self._is_written(made) and not self._tx.execute(redacted, (made,)):
                return made
            number += 1

    def _write_head(self, memory: str, last: Kept) -> None:
        change, created = last.change, self._rows[memory].created_at
        head = Head(
            memory,
            self._store,
            change.path or "",
            change.content or "",
            change.id,
            last.number,
            created,
            change.created_at,
            change.trust,
            change.valid_from,
            change.valid_to,
        )
        put_head(self._tx, head)

    def leftovers(self) -> set[str]:
        """What a sync once made from versions that are redacted now, and no head shows."""
        shown = {row[4] for row in in_place(self._tx, self._store)}
        leftovers: set[str] = set()
        for row in self._rows.values():
            gone = {version.change.id for version in row.versions if version.change.redacted}
            for version in row.versions:
                change = version.change
                made = change.actor == ACTOR and not gone.isdisjoint(change.parents)
                if made and change.content is not None and change.id not in shown:
                    leftovers.add(change.id)
                    gone.add(change.id)
        return leftovers

    # What says the same

    def join(self, fresh: Iterable[str]) -> tuple[str, ...]:
        """Memories that are new here and say what another one says become one with it.

        The one with the smaller id keeps its place, on every machine.
        """
        new = set(fresh)
        older = Claims(
            (memory, content)
            for memory, path, content, *_ in in_place(self._tx, self._store)
            if memory not in new and is_memory(path) and not path.startswith(ARCHIVE)
        )
        for memory in sorted(new):
            row = self._rows.get(memory)
            if row is None or not row.state.live or not self._is_here(memory):
                continue
            path, content = row.state.path or "", row.state.content or ""
            if _is_beside(row) or path.startswith(ARCHIVE) or not is_memory(path):
                continue
            for other in older.near(content):
                if self._alike(content, older[other]) and self._are_one(memory, other):
                    older.discard(other)
                    break
        return tuple(self._said["joined"])

    def _are_one(self, memory: str, other: str) -> bool:
        """Make two that say the same one, unless a person has to decide about one of them."""
        if other not in self._rows:
            self._loaded([other])
        if _is_beside(self._rows[other]) or not self._is_here(other):
            return False
        stays, goes = sorted((memory, other))
        self._lift([goes])
        self._end(goes, stays)
        self._arrange([goes])
        return True

    def _is_here(self, memory: str) -> bool:
        return is_in_place(self._tx, memory)

    def _end(self, goes: str, stays: str) -> None:
        """One memory ends in another, which takes its words where those are trusted more.

        What says more than the one that stays is put away, so that a person finds it.
        """
        mine, going = self._rows[stays].state, self._rows[goes].state
        if not as_trusted(mine.trust, going.trust):
            self._lift([stays])
            better = mine._replace(content=going.content, trust=going.trust)
            why = f"says the same as {going.path}, which is trusted more"
            self._follow(stays, better, "taken", why)
            self._paths.setdefault(mine.path or "", stays)
            mine = better
        path = going.path or ""
        gone = going._replace(path=None, content=None)
        if says_more(going.content or "", mine.content or ""):
            path = f"{ARCHIVE}{going.created_at[:10]}/{stem(path)}.md"
            gone = going._replace(path=path)
        self._follow(goes, gone, "joined", f"says the same as {mine.path}")
        self._said["joined"].append(path)


def _is_beside(row: _Row) -> bool:
    """Whether it is the other text of a conflict: that a person decides, whatever it says."""
    return bool(_copied(row.versions[0].change))


def _copied(first: Change) -> list[str]:
    """The version whose words the first one of a memory keeps beside, if it does."""
    return [parent for parent in first.parents if first.memory == beside_id(parent)]
