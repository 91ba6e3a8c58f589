"""Stale: memories whose cited file, name or command changed or vanished since they were right.

They are flagged with what changed and offered for review; none is dropped for it. What a memory
names, and whether the working tree still has it, is looked up by the caller; here that is put
together with what the history says. Flags are derived: they live in `index.db` and are found anew.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from reverie.db.database import Database
from reverie.forget.history import Commit, History
from reverie.forget.life import Life
from reverie.recall.verify import Finding, Reference, runner
from reverie.store.library import Item

State = Literal["gone", "changed"]
# Words before a name that define it, in the languages agents mostly write.
_DEFINES = (
    "(def|class|function|func|fn|type|struct|enum|interface|trait|const|let|var|val|module|macro)"
)
Present = Callable[[str], str]  # reads a file of the working tree; "" when it is not there


class Change(NamedTuple):
    """What happened to one thing a memory names."""

    reference: str
    state: State
    what: str


@dataclass(frozen=True, slots=True)
class Stale:
    """A memory to look at again."""

    item: Item
    changes: tuple[Change, ...]

    @property
    def gone(self) -> bool:
        return any(change.state == "gone" for change in self.changes)


def stale(
    item: Item, life: Life, findings: Iterable[Finding], history: History, present: Present
) -> Stale | None:
    """The memory with what changed since it was last right; `None` when nothing did."""
    since = moment(life)
    changes: list[Change] = []
    for finding in findings:
        change = _change(finding, since, history, present)
        if change is not None:
            changes.append(change)
    changes.sort(key=lambda change: (change.state != "gone", change.reference))
    return Stale(item, tuple(changes)) if changes else None


def moment(life: Life) -> str:
    """The end of the day a memory was last right: what changed later may have overtaken it."""
    day = max(life.written, life.seen, life.touched)[:10]
    return f"{day}T23:59:59Z" if day else ""


def _change(finding: Finding, since: str, history: History, present: Present) -> Change | None:
    reference = finding.reference
    known = history.available and bool(since)
    if finding.state == "gone":
        return Change(
            reference.text, "gone", _how_it_went(finding, since, history if known else None)
        )
    if finding.state == "changed":
        what = "now" if reference.sort == "version" else "moved to"
        return Change(reference.text, "changed", f"{what} {finding.where}")
    if not known:
        return None
    if finding.state == "not found here":
        # It was of this repository only if the repository once had it.
        commit = history.dropped(reference.needle, since)
        return Change(reference.text, "gone", f"taken out by {commit}") if commit else None
    match reference.sort:
        case "path":
            return _path_changed(reference, history.changes(reference.needle, since))
        case "symbol" | "name":
            commit = history.touched(rf"{_DEFINES}[^[:alnum:]_]+{reference.needle}", since)
            what = f"its definition was changed by {commit}" if commit else ""
            return Change(reference.text, "changed", what) if what else None
        case "command":
            return _command_changed(reference, since, history, present)
        case _:
            return None


def _how_it_went(finding: Finding, since: str, history: History | None) -> str:
    reference = finding.reference
    if history is None:
        return "not in the working tree"
    if reference.sort == "path":
        commit, moved = history.removed(reference.needle, since)
        if commit is not None:
            return f"moved to {moved} by {commit}" if moved else f"deleted by {commit}"
    elif reference.sort in ("symbol", "flag"):
        if commit := history.dropped(reference.needle, since):
            return f"taken out by {commit}"
    elif (ran := runner(reference.text)) and (commits := history.changes(ran[0], since)):
        return f"no longer in {ran[0]}, last changed by {commits[0]}"
    return "not in the working tree"


def _path_changed(reference: Reference, commits: Sequence[Commit]) -> Change | None:
    if not commits:
        return None
    times = f"{len(commits)} times" if len(commits) > 1 else "once"
    return Change(reference.text, "changed", f"changed {times} since, last by {commits[0]}")


def _command_changed(
    reference: Reference, since: str, history: History, present: Present
) -> Change | None:
    ran = runner(reference.text)
    if ran is None:
        return None
    file, target = ran
    before = definition(history.content(file, since), target)
    now = definition(present(file), target)
    if not before or not now or before == now:
        return None
    return Change(reference.text, "changed", f"{file} now defines it as `{now}`, before `{before}`")


def definition(text: str, target: str) -> str:
    """What a target of a package.json, Makefile or justfile runs; empty when it is not there."""
    script = re.search(rf'"{re.escape(target)}"\s*:\s*"((?:[^"\\]|\\.)*)"', text)
    if script:
        return script[1]
    recipe = re.search(rf"^{re.escape(target)}\b[^\n:]*:[^\n]*((?:\n[ \t]+[^\n]*)*)", text, re.M)
    return " && ".join(line.strip() for line in recipe[1].strip().splitlines()) if recipe else ""


def keep_flags(database: Database, stores: Iterable[str], new_flags: Iterable[Stale]) -> None:
    """Make `new_flags` all the flags of `stores`; the caller owns the transaction."""
    database.execute_many(
        "DELETE FROM stale_memories WHERE store = ?", [(store,) for store in sorted(set(stores))]
    )
    database.execute_many(
        "INSERT INTO stale_memories (memory, version, store, name, place, reference, state, what)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (memory, place) DO UPDATE SET"
        " version = excluded.version, store = excluded.store, name = excluded.name,"
        " reference = excluded.reference, state = excluded.state, what = excluded.what",
        [
            (
                *(
                    flag.item.memory.id,
                    flag.item.memory.version_id,
                    flag.item.store,
                    flag.item.name,
                ),
                *(place, change.reference, change.state, change.what),
            )
            for flag in new_flags
            for place, change in enumerate(flag.changes)
        ],
    )


def drop_outdated(database: Database, heads: Collection[str]) -> None:
    """Remove the flags of versions that are no memory's head; the caller owns the transaction."""
    known = database.query("SELECT DISTINCT version FROM stale_memories")
    database.execute_many(
        "DELETE FROM stale_memories WHERE version = ?",
        [row for row in known if row[0] not in heads],
    )


def flags(database: Database) -> dict[tuple[str, str], list[Change]]:
    """(memory id, version id) → what changed. A memory that was edited since has no flag."""
    by_version: dict[tuple[str, str], list[Change]] = {}
    for memory, version, reference, state, what in database.query(
        "SELECT memory, version, reference, state, what FROM stale_memories ORDER BY memory, place"
    ):
        by_version.setdefault((memory, version), []).append(Change(reference, state, what))
    return by_version


def vanished(database: Database) -> dict[str, str]:
    """Version id → what it names, of memories all of whose names were gone when last looked up."""
    return {
        version: ", ".join(change.reference for change in changes)
        for (_, version), changes in flags(database).items()
        if all(change.state == "gone" for change in changes)
    }
