"""Forgetting: what has had its day goes to the archive; what names something gone is looked at."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from reverie.errors import InvalidInput
from reverie.files import append_line
from reverie.forget.archive import Archived
from reverie.forget.decay import Rates
from reverie.forget.history import History
from reverie.forget.life import Past
from reverie.forget.pins import claim
from reverie.forget.run import Decayed, Forgetter, Plan
from reverie.forget.stale import Stale, keep_flags
from reverie.home import Home
from reverie.operations import keeping, reach
from reverie.recall.verify import Tree, references, verify
from reverie.sessions.corrections import corrections_said
from reverie.sessions.fixes import tries
from reverie.sessions.projects import locate
from reverie.sessions.query import projects_of_sessions
from reverie.store.library import GLOBAL, Item, Library

SECONDS = 20.0  # longest look at one project's tree
MAX_BYTES = 512 * 1024


def always(_plan: Plan) -> bool:
    """Agree to whatever decay would do."""
    return True


def decay(home: Home, *, dry_run: bool = False, agreed: Callable[[Plan], bool] = always) -> Decayed:
    """Archive, prune and purge what has had its day, pin what must stay, flag what is stale.

    A run is a line of `audit.jsonl`. With `dry_run`, or if what it would do is not `agreed` to,
    nothing is changed.
    """
    with keeping.in_step(home):
        items = every_item(home)
        past = known_past(home, items)
        forgetter = Forgetter(home.store, home.settings.forget, home.clock())
        plan = forgetter.plan(items, past)
        dry_run = dry_run or not agreed(plan)
        leaving = {step.item.memory.id for step in plan.leaving}
        staying = [item for item in items if item.memory.id not in leaving]
        stale = stale_memories(home, staying, past, keep=not dry_run)
        rates = _rates(home)
        void = [] if dry_run else forgetter.carry_out(plan)
        done = Decayed(plan, tuple(void), tuple(stale), rates, dry_run)
        if not dry_run:
            _log(home, done)
    return done


def _log(home: Home, done: Decayed) -> None:
    """One line of `audit.jsonl`: the rates that applied, and what was done."""
    import json

    record = {"event": "decay", "at": home.now} | done.record()
    append_line(home.make_home() / "audit.jsonl", json.dumps(record, sort_keys=True))


def _rates(home: Home) -> Rates:
    from reverie.forget.decay import rates

    return rates(corrections_said(home.index.database), home.clock(), home.settings.decay)


def archived(home: Home) -> list[Archived]:
    """What lies in the archive, by day, with where it came from and when it will be purged."""
    from reverie.forget.archive import archived

    return archived(home.store, every_item(home), home.settings.forget)


def undo_decay(home: Home, *, by_calendar: bool = False) -> list[Item]:
    """Bring back what the last run archived; or all that mere time took, before work was counted.

    Raises:
        InvalidInput: there is nothing of it in the archive.
    """
    from reverie.forget.archive import last_run

    lying = archived(home)
    back = [memory for memory in lying if memory.by_calendar] if by_calendar else last_run(lying)
    if not back:
        what = "the calendar took" if by_calendar else "a run of decay archived"
        raise InvalidInput(f"nothing that {what} lies in the archive")
    library, by = Library(home.store), home.asker.author("decay undone")
    with keeping.in_step(home):
        return [library.unarchive(memory.item, by) for memory in back]


def taken_by_calendar(home: Home) -> int:
    """How many memories only the calendar took; 0 once a person was told."""
    from reverie.forget.archive import BY_CALENDAR, is_told
    from reverie.store.library import ARCHIVE

    if home.settings.forget.clock == "calendar" or is_told(home.database, BY_CALENDAR):
        return 0
    # What every version says is read only where there is an archive at all.
    if not any(path.startswith(ARCHIVE) for path in home.store.paths()):
        return 0
    return sum(memory.by_calendar for memory in archived(home))


def told_of_calendar(home: Home) -> None:
    """A person was told what the calendar took, and how it comes back."""
    from reverie.forget.archive import BY_CALENDAR, now_told

    with home.database.atomic() as tx:
        now_told(tx, BY_CALENDAR, home.now)


def in_digest(home: Home) -> frozenset[tuple[str, str]]:
    """(store, name) of the memories that sessions are told at their start: decay leaves them."""
    from reverie.operations.starts.digesting import composed, project_scope

    if not home.settings.hooks.digest:
        return frozenset()
    known = {project.slug for project in home.projects.all()}
    slugs = sorted({info.name for info in home.store.stores()} & known)
    return frozenset(
        (line.entry.place.partition("/")[0], line.entry.id)
        for slug in ("", *slugs)
        for line in composed(home, project_scope(home, slug)).lines
        if line.entry.origin == "memory"
    )


def every_item(home: Home) -> list[Item]:
    """The memories of `global` and of every project, known or imported; also archived ones."""
    known = {GLOBAL, home.project, *(project.slug for project in home.projects.all())}
    imported = {made.store_id for made in home.store.made_by("imported")}
    names = sorted(
        info.name for info in home.store.stores() if info.name in known or info.id in imported
    )
    library = Library(home.store)
    return [
        item
        for name in names
        for gone in (False, True)
        for item in library.documents(name, archived=gone)
    ]


def known_past(home: Home, items: Sequence[Item]) -> Past:
    """What the databases hold about the lives of `items`."""
    from reverie.forget.life import WorkedDays, past

    connection = home.index.database
    worked = WorkedDays.of((row.project, row.day) for row in home.index.days())
    return past(
        home.database,
        items,
        projects_of_sessions(connection),
        tries(connection),
        worked,
        in_digest(home),
    )


def stale(home: Home) -> list[Stale]:
    """The memories that name something which changed, to be looked at again."""
    items = [item for item in every_item(home) if not item.archived]
    return stale_memories(home, items, known_past(home, items), keep=True)


def stale_memories(home: Home, items: Sequence[Item], past: Past, *, keep: bool) -> list[Stale]:
    """What is stale among `items`, for every project whose tree is here; `keep` stores the flags.

    Shared memories belong to no tree and are not looked up.
    """
    flags: list[Stale] = []
    looked: list[str] = []
    for slug, root in sorted(_trees(home).items()):
        in_store = [item for item in items if item.store == slug and not item.archived]
        if in_store:
            looked.append(slug)
            flags += stale_in(root, in_store, past)
    if keep and looked:
        with home.index.atomic() as connection:
            keep_flags(connection, looked, flags)
    return flags


def _trees(home: Home) -> dict[str, str]:
    """Project → a root of it that is on this machine; of the project here, the tree here."""
    roots = {
        project.slug: root
        for project in home.projects.all()
        for root in reversed(project.roots)
        if os.path.isdir(root)
    }
    return roots | ({home.project: locate(home.folder).root} if home.project else {})


def stale_in(root: str, items: Sequence[Item], past: Past) -> list[Stale]:
    """What is stale among `items`, by the working tree and the history at `root`."""
    from reverie.forget.stale import stale

    deadline = time.monotonic() + SECONDS
    tree = Tree(root, expired=lambda: time.monotonic() > deadline)
    history: History | None = None
    flags: list[Stale] = []

    def present(path: str) -> str:
        file = Path(root, path)
        small = file.is_file() and not file.is_symlink() and file.stat().st_size <= MAX_BYTES
        return file.read_text(encoding="utf-8", errors="replace") if small else ""

    for item in items:
        named = references(claim(item.document))
        if not named:
            continue
        history = history or History(root)
        flag = stale(item, past.life(item), verify(named, tree), history, present)
        if flag is not None:
            flags.append(flag)
    return flags


def still_right(home: Home, what: str | Item) -> Item:
    """Somebody looked at a memory: it is right as of today, and no longer stale.

    Raises:
        Refused: only a person may change it, and none asks.
    """
    item = _changeable(home, what)
    looked = replace(item.document, modified=home.now[:10])
    with keeping.in_step(home):
        home.library.rewrite(item, looked, home.asker.author("looked at again: still right"))
    return item


def no_longer_right(home: Home, what: str | Item) -> Item:
    """Somebody looked at a memory: what it names changed, and so must it go.

    Raises:
        Refused: only a person may remove it, and none asks.
    """
    item = _changeable(home, what)
    by = home.asker.author("no longer right: what it names has changed")
    with keeping.in_step(home):
        home.library.archive(item, by)
    return item


def put_away(home: Home, what: str | Item) -> Item:
    """Somebody has no use for a memory: it goes to the archive, from where it can come back.

    Raises:
        Refused: only a person may remove it, and none asks.
        InvalidInput: it is in the archive already.
    """
    item = _changeable(home, what)
    if item.archived:
        raise InvalidInput(f"{item.name} is in the archive already")
    with keeping.in_step(home):
        return home.library.archive(item, home.asker.author("put into the archive"))


def put_right(home: Home, item: Item, text: str) -> None:
    """Write a stale memory anew, as `editing.edit` does.

    Raises:
        Refused: only a person may change it, and none asks.
        InvalidDocument: the text is no memory; it is kept in the home.
        Conflict: somebody else changed the same lines meanwhile.
    """
    from reverie.operations import editing

    with keeping.in_step(home):
        editing.edit(home, item, text, why="edited: what it names has changed")


def as_before(home: Home, item: Item) -> Item:
    """Take back what was decided about a memory that was read as `item`: it is that again.

    Raises:
        Refused: only a person may change it, and none asks.
    """
    from reverie.dream.proposals.applying import put_back

    now = home.store.get(item.memory.store_id, item.memory.id)
    by = home.asker.author("taken back in review")
    reach.refuse_protected(home, item)
    with keeping.in_step(home):
        put_back(home.store, now, item.memory.version_id, item.memory.path, by)
    return Item(item.store, home.store.get(item.memory.store_id, item.memory.id))


def _changeable(home: Home, what: str | Item) -> Item:
    item = home.library.find(what) if isinstance(what, str) else what
    reach.refuse_protected(home, item)
    return item
