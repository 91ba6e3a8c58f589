"""Who really wrote into a mounted folder.

The file system does not say who edited a file, so the edit enters as `filesystem` with trust
`tool`. When the log of an agent's session shows that very write, the session becomes the author by
a further version of the same text: history is added to, never rewritten. The trust is then that of
the agent, and never higher than the memory had before the edit.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from reverie.clock import parse_iso
from reverie.db.database import Transaction
from reverie.errors import InvalidInput, NotFound
from reverie.mounts import table as mounts
from reverie.mounts.table import Mount
from reverie.store.heads import version_before
from reverie.store.model import Actor, Author, Memory, Version
from reverie.store.store import Store
from reverie.store.writing import credit as credit_author
from reverie.store.writing import lock, required_head, run
from reverie.trust import Trust, lowest


class DiskWrite(NamedTuple):
    """A session's log says it wrote this file."""

    file: str
    session: str
    evidence: str
    at: str  # ISO


def credit(store: Store, writes: Iterable[DiskWrite]) -> int:
    """Make sessions the authors of what they wrote into mounts; how many versions that took."""
    shown = [(mount, mounts.shown(store.database, mount)) for mount in mounts.mounts(store)]
    done = 0
    for write in writes:
        place = os.path.realpath(write.file)
        for mount, rows in shown:
            row = rows.get(place.removeprefix(mount.folder + "/"))
            if row is not None and row.memory_id and place.startswith(mount.folder + "/"):
                done += _credit(store, mount.store_id, row.memory_id, write)
    return done


def claim(store: Store, mount: Mount, by: Author) -> list[str]:
    """Make somebody the author of what was edited in a mount and nobody's since; the files."""
    files: list[str] = []
    for row in mounts.shown(store.database, mount).values():
        with suppress(NotFound):
            head = store.get(mount.store_id, row.memory_id)
            actor = store.version(head.version_id).actor
            if actor == Actor("filesystem", mount.id) and _written_by(store, head, by):
                files.append(row.file)
    return sorted(files)


def _credit(store: Store, store_id: str, memory_id: str, write: DiskWrite) -> bool:
    try:
        head = store.get(store_id, memory_id)
    except NotFound:
        return False
    version = store.version(head.version_id)
    before = _before(store, version)
    if version.actor.kind != "filesystem" or not _between(before, write.at, version):
        return False
    # What the file system created has no earlier trust that could be kept.
    trust: Trust = lowest(before.trust, "agent") if before else "agent"
    reason = f"the session's log shows this write ({write.evidence})"
    return _written_by(store, head, Author(Actor("agent", write.session), reason, trust))


def _written_by(store: Store, head: Memory, by: Author) -> bool:
    """A further version says who wrote the text; False when it was changed meanwhile."""

    def work(tx: Transaction) -> bool:
        state = lock(store.context, tx, head.store_id)
        now = required_head(store.context, tx, state, head.id)
        if now.version_id != head.version_id:
            return False
        credit_author(store.context, tx, state, now, by)
        return True

    return run(store.context, work)


def _before(store: Store, version: Version) -> Version | None:
    before = version_before(store.database, version.memory_id, version.number)
    return store.version(before) if before else None


def _between(before: Version | None, at: str, version: Version) -> bool:
    """A write shows in the next sync: after the version before it, and not after its own."""
    try:
        moment = parse_iso(at)
    except InvalidInput:
        return False
    started = before is None or parse_iso(before.created_at) <= moment
    return started and moment <= parse_iso(version.created_at)
