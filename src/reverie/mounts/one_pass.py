"""One pass over a mounted folder: each file against its base and the store, each memory shown.

See `sync` for the rules and `reconcile` for what happens to an edited text.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from reverie.clock import parse_iso
from reverie.db.points import reached
from reverie.documents.vocabulary import ASIDE
from reverie.errors import Archived, Conflict, InvalidInput, NotFound, Refused
from reverie.mounts import reconcile
from reverie.mounts import table as mounts
from reverie.mounts.names import Names
from reverie.mounts.table import INDEX_ROW, Mount, Shown
from reverie.mounts.worktree import (
    Changed,
    Left,
    Scan,
    Stamp,
    Worktree,
    holds_what_was_seen,
    shown_by,
)
from reverie.store import paths
from reverie.store.access import protected
from reverie.store.chain import content_hash
from reverie.store.heads import ever_said, text_with_hash
from reverie.store.model import Author, Entry, Memory
from reverie.store.store import Store

INDEX_FILE = "MEMORY.md"
SECOND_LOOK = timedelta(seconds=30)
_BATCH = 200
_RACY_NS = 50_000_000  # a file this fresh may be written again within the same clock tick
_UNSETTLED = Stamp(0, 0, 0, 0)
_ANNOUNCED = Stamp(0, 0, 0, 1)  # a file that is about to be made

Redact = Callable[[str], str]
# Who wants this sync: every command looks by itself, so mostly nobody.
Asking = Literal["nobody", "agent", "person"]


@dataclass(slots=True)
class Report:
    """What one sync of one folder did, for the person who asked."""

    folder: str
    taken: int = 0  # from the folder into the store
    shown: int = 0  # from the store into the folder
    merged: int = 0
    deleted: int = 0
    restored: int = 0
    waiting: int = 0  # missing files that are looked for a second time later
    kept_beside: list[str] = field(default_factory=list[str])
    left: list[Left] = field(default_factory=list[Left])
    lowered: list[str] = field(default_factory=list[str])  # files whose words are trusted less now
    claimed: list[str] = field(default_factory=list[str])  # files that are the asker's word now

    def note(self, file: str, why: str) -> None:
        self.left.append(Left(file, why))


@dataclass
class Pass:
    """One pass over one folder."""

    store: Store
    mount: Mount
    tree: Worktree
    rows: dict[str, Shown]
    scan: Scan
    by: Author
    redact: Redact
    report: Report
    asked_by: Asking = "nobody"
    read_only: bool = False
    failed: bool = False

    def __post_init__(self) -> None:
        self.entries = {entry.id: entry for entry in self.store.manifest(self.mount.store_id)}
        self.at_path = {entry.path: entry for entry in self.entries.values()}
        self._changed: dict[str, Shown] = {}
        # A kill came between the announcement and the file: the file is made now.
        self._gone = [
            file
            for file, row in self.rows.items()
            if row.stamp == _ANNOUNCED and file not in self.scan.files
        ]
        for file in self._gone:
            del self.rows[file]
        shown = [row for row in self.rows.values() if row.memory_id != INDEX_ROW]
        self.names = Names((row.path, row.file) for row in shown)
        self._placed = {row.memory_id for row in self.rows.values()}

    def go(self, *, intact: bool) -> None:
        for file in self.scan.swaps:
            self._rebase(file)
            self._rescue(file)
        known = {file: row for file, row in self.rows.items() if row.memory_id != INDEX_ROW}
        missing = {f: r for f, r in known.items() if f not in self.scan.files and self._seen(f)}
        fresh = [f for f in sorted(self.scan.files) if f not in known and not self._is_index(f)]
        for file, row in known.items():
            if file in self.scan.files:
                self._guarded(file, lambda row=row: self._compare(row))
        for file in fresh:
            self._guarded(file, lambda file=file: self._meet(file, missing))
        self._look_for(missing, len(known), intact=intact)
        without = [entry for entry in self.entries.values() if entry.id not in self._placed]
        self._announce(without)
        for entry in without:
            self._guarded(entry.path, lambda entry=entry: self._place(entry))

    @property
    def index_shown(self) -> bool:
        """Does `MEMORY.md` stand there as it was written?"""
        row = self.rows.get(INDEX_FILE)
        return row is not None and self.scan.files.get(INDEX_FILE) == row.stamp

    def make_index(self) -> None:
        self._guarded(INDEX_FILE, self._index)

    def save(self, sequence: int | None = None) -> None:
        """Names reach the disk, then the bases are written down."""
        self.tree.flush()
        mounts.record(self.store.database, self.mount, self._changed.values(), self._gone, sequence)
        self.tree.forget_replaced()
        self._changed, self._gone = {}, []

    # Files that were here before

    def _compare(self, row: Shown) -> None:
        stamp, text = row.stamp, None
        if self.scan.files[row.file] != row.stamp or row.missing_at:
            stamp, text = self._read(row.file)
        sha = row.content_sha256 if text is None else content_hash(text)
        edited = sha != row.content_sha256
        if edited and self.read_only:
            self.report.note(row.file, "edited in a read-only mount: not taken over")
            return
        entry = self.entries.get(row.memory_id)
        if entry is None and not edited:
            self._take_away(row, sha)
        elif entry is not None and entry.path != row.path:
            self._move(row, text if edited else None, sha)
        elif edited and text is not None:
            self._settle(row, text, sha, stamp)
        elif entry is not None and entry.content_sha256 != sha:
            self._show(row, self.store.get(self.mount.store_id, entry.id), sha, stamp)
        elif entry is not None and text is not None:
            self._record(row._replace(version=entry.version, stamp=stamp, missing_at=None))

    def _settle(self, row: Shown, text: str, sha: str, stamp: Stamp) -> None:
        # With the text itself it is written down that both sides agree on it: after a kill, the
        # next edit of the file is one of this text.
        with self.store.database.atomic():
            memory = self._take_in(row, text)
            if memory.content_sha256 == sha:
                agreed = _agreed(row, memory, _UNSETTLED)
                mounts.record(self.store.database, self.mount, [agreed])
        self._show(row, memory, sha, stamp)

    def _rebase(self, swap: str) -> None:
        """After a kill: a file that was shown a newer text was edited, if at all, from that."""
        with suppress(Changed, InvalidInput):
            replaced = content_hash(self._read(swap)[1])
            for file, row in self.rows.items():
                shown = shown_by(swap, file) if row.content_sha256 == replaced else ""
                if shown and text_with_hash(self.store.database, row.memory_id, shown) is not None:
                    self.rows[file] = row._replace(content_sha256=shown)

    def _take_in(self, row: Shown, text: str) -> Memory:
        clean = self.redact(text)
        if clean != text:
            self.report.note(row.file, "held a secret, which was replaced")
        done = reconcile.take_in(self.store, self.mount.store_id, row, clean, self.by)
        if done.lowered:
            self.report.lowered.append(row.file)
        self._count(done, row.file)
        return done.memory

    def _count(self, done: reconcile.Outcome, file: str) -> None:
        self.report.taken += done.what in ("pushed", "merged", "kept")
        self.report.merged += done.what == "merged"
        if done.beside:
            self.report.kept_beside.append(done.beside)
            self.report.note(file, f"changed on both sides: your text is now {done.beside}")
            self._knows(self.store.get(self.mount.store_id, done.beside))
        self._knows(done.memory)

    def _knows(self, memory: Memory) -> None:
        entry = Entry(
            memory.id, memory.path, memory.content_sha256, memory.size_bytes,
            memory.version_id, memory.version, memory.created_at, memory.updated_at,
        )  # fmt: skip
        self.entries[memory.id] = self.at_path[memory.path] = entry

    def _show(self, row: Shown, memory: Memory, on_disk: str, stamp: Stamp) -> None:
        """Let the file say what the memory says; an edit of that moment is taken in as well."""
        while memory.content_sha256 != on_disk:
            base = row
            stamp, aside = self.tree.replace(row.file, memory.content.encode(), on_disk)
            self.report.shown += 1
            row, on_disk = _agreed(row, memory, stamp), memory.content_sha256
            if aside is not None:
                self._record(row)
                _, text = self._read(aside)
                memory = self._take_in(base, text)
                self.tree.drop(aside)
        self._record(_agreed(row, memory, stamp))

    def _take_away(self, row: Shown, sha: str) -> None:
        """Deleted in the store, untouched here: the file goes too."""
        aside = self.tree.remove(row.file, sha)
        self._forget(row)
        self.report.shown += 1
        if aside is not None:
            self._rescue(aside, row)

    def _move(self, row: Shown, text: str | None, sha: str) -> None:
        """Renamed in the store: the file follows, with what was edited in it."""
        if text is None:
            memory = self.store.get(self.mount.store_id, row.memory_id)
        else:
            memory = self._take_in(row, text)
        self._forget(row)
        file = self.names.file_of(memory.path)
        if file == row.file:
            self._show(row._replace(path=memory.path), memory, sha, row.stamp)
            return
        if file not in self.rows:  # else it was made before a kill
            self._announce([self.entries[memory.id]])
            stamp = self.tree.create(file, memory.content.encode())
            self._record(_agreed(row._replace(file=file, path=memory.path), memory, stamp))
            self.report.shown += 1
        aside = self.tree.remove(row.file, sha)
        if aside is not None:
            self._rescue(aside, row)

    # Files that are new here

    def _meet(self, file: str, missing: dict[str, Shown]) -> None:
        if self.read_only:
            self.report.note(file, "new in a read-only mount: not taken over")
            return
        path = paths.checked(self.names.path_of(file), self.store.context.limits)
        stamp, text = self._read(file)
        sha = content_hash(text)
        inode = self.scan.files[file].inode
        for old in missing.values():
            if sha == old.content_sha256 or inode == old.stamp.inode:
                if self._renamed(old, file, path, text, sha, stamp):
                    del missing[old.file]
                    return
                break
        row = Shown(file, "", path, 0, "", stamp)
        self.names.add(path, file)
        taken = self.at_path.get(path)
        if taken is None:
            self._settle(row, text, sha, stamp)
            return
        memory = self.store.get(self.mount.store_id, taken.id)
        if memory.content_sha256 != sha:
            done = reconcile.keep_beside(self.store, memory, self.redact(text), self.by)
            self._count(done, file)
        self._show(row, memory, sha, stamp)

    def _renamed(self, old: Shown, file: str, path: str, text: str, sha: str, stamp: Stamp) -> bool:
        """The missing file under a new name: the memory keeps its id and history."""
        entry = self.entries.get(old.memory_id)
        if entry is None or entry.content_sha256 != old.content_sha256:
            return False
        if path.startswith(ASIDE) and self._is_a_persons(entry.id):
            return False  # what lies there is told to nobody, so it would be as good as gone
        # The words are the same, whoever gave the file another name.
        trust = self.store.get(self.mount.store_id, entry.id).trust
        try:
            memory = self.store.update(
                self.mount.store_id,
                entry.id,
                path=path,
                if_version=entry.version,
                by=self.by._replace(trust=trust),
            )
        except (Conflict, NotFound):
            return False
        self.at_path.pop(entry.path, None)
        self._knows(memory)
        self.report.taken += 1
        self._forget(old)
        self.names.add(path, file)
        row = _agreed(old._replace(file=file, path=path), memory, stamp)
        if sha == memory.content_sha256:
            self._record(row)
        else:
            self._settle(row, text, sha, stamp)
        return True

    # Files that are not here

    def _look_for(self, missing: dict[str, Shown], known: int, *, intact: bool) -> None:
        few = min(max(known // 4, 8), 50)
        wiped = not intact or (len(missing) == known > 1) or len(missing) > few
        for row in missing.values():
            self._guarded(row.file, lambda row=row: self._lost(row, wiped))
        if wiped and self.report.restored and intact:
            self.report.note(
                "", f"{self.report.restored} files were missing at once and were put back;"
                " `reverie forget NAME` deletes a memory",
            )  # fmt: skip

    def _lost(self, row: Shown, wiped: bool) -> None:
        entry = self.entries.get(row.memory_id)
        if entry is None:
            self._forget(row)
            return
        changed = entry.content_sha256 != row.content_sha256 or entry.path != row.path
        due = self.asked_by != "nobody" or self._looked_before(row)
        kept = due and not wiped and self._is_a_persons(row.memory_id)
        if kept:
            self.report.note(
                row.file, "missing, but a person's word or pinned: it stays in the store;"
                " `reverie sync` in a terminal of your own deletes it",
            )  # fmt: skip
        if wiped or changed or self.read_only or (kept and self.asked_by == "agent"):
            self._forget(row)
            self._place(entry)
            self.report.restored += 1
        elif due and not kept:
            self.store.delete(
                self.mount.store_id, row.memory_id, if_sha256=row.content_sha256, by=self.by
            )
            del self.entries[row.memory_id]
            self._forget(row)
            self.report.deleted += 1
        else:
            self.report.waiting += 1
            if row.missing_at is None:
                self._record(row._replace(missing_at=self.store.context.now()))

    def _is_a_persons(self, memory_id: str) -> bool:
        """Whether only a person may take a memory away, and none asked for this sync."""
        if self.asked_by == "person":
            return False
        if protected(self.store.get(self.mount.store_id, memory_id)):
            return True
        # A word of theirs stays one, whoever else had a hand in it since.
        versions = self.store.versions(self.mount.store_id, memory=memory_id).items
        return any(version.trust == "user" for version in versions)

    def _looked_before(self, row: Shown) -> bool:
        if row.missing_at is None:
            return False
        return self.store.context.clock() - parse_iso(row.missing_at) >= SECOND_LOOK

    def _announce(self, entries: Iterable[Entry]) -> None:
        """Write down what files will say before they are made: after a kill, what somebody typed
        into one of them is an edit of that, and not a text of unknown origin."""
        rows = [
            Shown(file, entry.id, entry.path, entry.version, entry.content_sha256, _ANNOUNCED)
            for entry in entries
            if (file := self.names.file_of(entry.path)) not in self.scan.files
        ]
        if rows:
            mounts.record(self.store.database, self.mount, rows)

    def _place(self, entry: Entry) -> None:
        """A memory that has no file yet gets one."""
        memory = self.store.get(self.mount.store_id, entry.id)
        file = self.names.file_of(memory.path)
        try:
            stamp = self.tree.create(file, memory.content.encode())
        except Changed:
            self._gone.append(file)  # what stands there now was not made by us
            raise
        self.report.shown += 1
        self._record(_agreed(Shown(file, memory.id, memory.path, 0, "", stamp), memory, stamp))

    # The index, crashes, and the small things

    def _is_index(self, file: str) -> bool:
        return file == INDEX_FILE and f"/{INDEX_FILE}" not in self.at_path

    def _index(self) -> None:
        """`MEMORY.md` is made from the memories; what somebody wrote into it is set aside."""
        if f"/{INDEX_FILE}" in self.at_path:
            return
        from reverie.store.library import Library

        text = Library(self.store).index_markdown(self.mount.store_id)
        row = self.rows.get(INDEX_FILE)
        sha = content_hash(text)
        stamp, old = self._read(INDEX_FILE) if INDEX_FILE in self.scan.files else (_UNSETTLED, None)
        standing = "" if old is None else content_hash(old)
        ours = standing in _indexes(row)
        # The hash to come and the one that stands there are written down first: a kill in between
        # must not make an index of ours look like somebody's edit.
        before = standing if ours else row.content_sha256 if row else ""
        self._record(Shown(INDEX_FILE, INDEX_ROW, before, 0, sha, _UNSETTLED))
        self.save()
        if old is None:
            stamp = self.tree.create(INDEX_FILE, text.encode())
        elif old != text:
            if not ours:
                self._set_aside(old)
            stamp, aside = self.tree.replace(INDEX_FILE, text.encode(), standing)
            if aside is not None:
                self._set_aside(self._read(aside)[1])
                self.tree.drop(aside)
        self._record(Shown(INDEX_FILE, INDEX_ROW, before, 0, sha, stamp))

    def _set_aside(self, text: str) -> None:
        name = f"{INDEX_FILE}.{content_hash(text)[:8]}.orig"
        with suppress(Changed):  # the same words were set aside before
            self.tree.create(name, text.encode())
        self.report.note(
            INDEX_FILE, f"is made from the memories: your edit was not taken over, it is in {name}"
        )

    def _rescue(self, file: str, row: Shown | None = None) -> None:
        """What a replaced file really held; words the history does not know become a memory."""
        try:
            _, text = self._read(file)
        except (Changed, InvalidInput):
            self.report.note(file, "holds what stood in a replaced file, and is no text")
            return
        sha = content_hash(text)
        # What was seen before it was replaced is kept already, perhaps without what it claimed of
        # itself; and an index is made from the memories: neither need stand in the history.
        known = (
            holds_what_was_seen(file, sha)
            or sha in _indexes(self.rows.get(INDEX_FILE))
            or ever_said(self.store.database, self.mount.store_id, sha)
        )
        if not known and not self.read_only:
            path = row.path if row else f"/recovered-{sha[:8]}.md"
            base = row or Shown(file, "", path, 0, "", _UNSETTLED)
            self._take_in(base, text)
        self.tree.drop(file)

    def _read(self, file: str) -> tuple[Stamp, str]:
        """Text and stamp; raises InvalidInput for what cannot be a memory."""
        stamp, data = self.tree.read(file, self.store.context.limits.max_content_bytes)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise InvalidInput("not UTF-8 text") from None
        if "\0" in text:
            raise InvalidInput("holds a NUL character")
        return stamp, text

    def _seen(self, file: str) -> bool:
        """False for a file whose place is taken by a link or cannot be looked into."""
        places = [left.file.rstrip("/") for left in self.scan.left]
        return not any(file == place or file.startswith(f"{place}/") for place in places)

    def _guarded(self, file: str, step: Callable[[], None]) -> None:
        """One file's trouble is a line in the report, and the others go on."""
        try:
            step()
        except Changed:
            pass  # somebody is writing it right now: the next sync looks again
        except (InvalidInput, Conflict, Refused, Archived, NotFound) as error:
            self.report.note(file, error.message)
        except OSError as error:
            self.failed = True
            self.report.note(file, str(error.strerror).lower())
        reached("sync_file")
        if len(self._changed) >= _BATCH:
            self.save()

    def _record(self, row: Shown) -> None:
        if time.time_ns() - row.stamp.mtime_ns < _RACY_NS:
            row = row._replace(stamp=_UNSETTLED)
        self._changed[row.file] = row
        self._placed.add(row.memory_id)

    def _forget(self, row: Shown) -> None:
        self.names.forget(row.path)
        self._changed.pop(row.file, None)
        self._gone.append(row.file)


def _indexes(row: Shown | None) -> tuple[str, ...]:
    """The hashes of the indexes we wrote last: the one to come, and the one before."""
    return (row.content_sha256, row.path) if row else ()


def _agreed(row: Shown, memory: Memory, stamp: Stamp) -> Shown:
    # The path stays the one this file stands for: a memory that was moved since the pass began is
    # found by the next one to be elsewhere, and takes its file along.
    return Shown(row.file, memory.id, row.path, memory.version, memory.content_sha256, stamp)
