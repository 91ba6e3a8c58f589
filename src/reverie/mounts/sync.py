"""Bringing a mounted folder and its store together.

Each file has a base: the content both sides last agreed on. A side that still has the base takes
what the other has; when both moved, they are merged (see `reconcile`). Content goes into the store
first and to the disk second, and the base is written down last, so that a kill at any moment
leaves a state the next sync understands.

A file that is missing is a deletion only if the folder is otherwise whole, few are missing, and a
second look (half a minute later, or a `reverie sync`) still misses it. Everything else, an emptied
or unplugged folder above all, is put back. What a person said or pinned is deleted by a person's
own `reverie sync` alone.
"""

from contextlib import suppress

from reverie.db.points import reached
from reverie.errors import ReverieError
from reverie.mounts import table as mounts
from reverie.mounts.one_pass import INDEX_FILE, Asking, Pass, Redact, Report
from reverie.mounts.table import Mount
from reverie.mounts.worktree import MARKER, Changed, Left, Worktree
from reverie.store.model import Actor, Author
from reverie.store.store import Store


def sync_mounts(store: Store, *, redact: Redact) -> list[Report]:
    """Sync every mount of this machine; a folder that cannot be synced stops nothing."""
    return [attempt(store, mount, redact=redact) for mount in mounts.mounts(store)]


def attempt(store: Store, mount: Mount, *, redact: Redact) -> Report:
    """One sync whose failure is a line of its report."""
    try:
        return sync(store, mount, redact=redact)
    except (ReverieError, OSError) as error:
        words = error.message if isinstance(error, ReverieError) else str(error.strerror)
        return Report(mount.folder, left=[Left("", f"not synced: {words}")])


def sync(
    store: Store,
    mount: Mount,
    *,
    redact: Redact,
    by: Author | None = None,
    asked_by: Asking = "nobody",
) -> Report:
    """Bring one folder and its store together.

    `by` is the author of what was edited on disk, by default the file system with trust `tool`.
    Whoever asked for it means a missing file to be gone, without a second look; but only a person
    deletes what a person said or pinned.

    Raises:
        Refused: the folder's path has become a link, or cannot be opened.
        Busy: another sync of the folder did not end in time.
    """
    report = _synced(store, mount, redact, by, asked_by)
    # A file may be left alone for its name; whoever tells of it tells the name.
    report.left = [Left(redact(left.file), redact(left.why)) for left in report.left]
    return report


def _synced(
    store: Store, mount: Mount, redact: Redact, by: Author | None, asked_by: Asking
) -> Report:
    database = store.database
    read_only = mount.access == "read_only"
    with Worktree(mount.folder, mode=0o400 if read_only else 0o600) as tree:
        tree.lock()
        sequence = mounts.sequence_of(database, mount.store_id)
        intact = tree.marker() == _marker(mount)
        scan = tree.scan()
        last = database.query("SELECT sequence FROM mounts WHERE id = ?", (mount.id,))
        report = Report(mount.folder, left=list(scan.left))
        if not last:
            return report  # unmounted while this one waited
        in_step = intact and last[0][0] == sequence and not scan.swaps
        if in_step and mounts.as_shown(database, mount, scan.files):
            return report
        rows = mounts.shown(database, mount)
        author = by or Author(Actor("filesystem", mount.id), f"edited in {mount.folder}", "tool")
        run = Pass(store, mount, tree, rows, scan, author, redact, report, asked_by)
        run.read_only = read_only or store.find_store(mount.store_id).archived_at is not None
        if not intact:
            tree.write_marker(_marker(mount))
        run.go(intact=intact)
        if last[0][0] != sequence or report.taken or report.deleted or not run.index_shown:
            run.make_index()
        reached("sync_shown")
        run.save(-1 if run.failed else sequence)
        return report


def clear(store: Store, mount: Mount) -> int:
    """Delete the files of a mount that say what the store has; how many went."""
    gone = 0
    with Worktree(mount.folder) as tree:
        tree.lock()
        for row in mounts.shown(store.database, mount).values():
            with suppress(Changed, OSError):
                aside = tree.remove(row.file, row.content_sha256)
                gone += aside is None
        with suppress(OSError, Changed):
            tree.drop(MARKER)
    return gone


def _marker(mount: Mount) -> str:
    return f"This folder shows a Reverie store: `reverie unmount` ends that.\n{mount.id}\n"


__all__ = ["INDEX_FILE", "Report", "attempt", "clear", "sync", "sync_mounts"]
