"""Forgetting: what a person had forgotten on one machine, or took back, is so on all of them."""

from collections.abc import Iterable, Sequence
from typing import cast

from reverie.db.database import Database, Transaction
from reverie.sessions.forgotten import (
    Forgotten,
    Kind,
    Row,
    Said,
    bury_rows,
    deeds_so_far,
    first_until,
    lift,
)
from reverie.store.arrivals import in_place
from reverie.store.library import ARCHIVE
from reverie.sync import links
from reverie.sync.links import Link
from reverie.sync.pack import Forgetting, Pack
from reverie.sync.sameness import claim_of


class Away:
    """Which memories of a store say what a person had forgotten."""

    def __init__(self, tx: Transaction, database: Database, project: str) -> None:
        self._tx = tx
        self._project = project
        self._known = Forgotten(database)

    def __call__(self, path: str, content: str, since: str) -> str:
        """The day on which the words were forgotten; "" when they were not."""
        if not self._known or not path.endswith(".md"):
            return ""
        deeds = {
            deed
            for words in claim_of(content, path)
            for deed in self._known.deeds(Said("", self._project, (), at=since, whole=words))
        }
        return first_until(self._tx, deeds)[:10] if deeds else ""

    def matching(self, store_id: str) -> set[str]:
        """The memories in their places that say it."""
        return {
            memory
            for memory, path, content, since, _ in in_place(self._tx, store_id)
            if not path.startswith(ARCHIVE) and self(path, content, since)
        }


def absorb(database: Database) -> None:
    """Note what was forgotten here, and taken back, since the last time."""
    here = set(deeds_so_far(database).split())
    known = dict(database.query("SELECT deed, lifted FROM sync_deeds"))
    new = sorted(here - known.keys())
    gone = sorted(deed for deed, lifted in known.items() if not lifted and deed not in here)
    if new or gone:
        with database.atomic() as tx:
            _note(tx, new, lifted=False)
            _note(tx, gone, lifted=True)


def take_over(tx: Transaction, link: Link, project: str, packs: Sequence[Pack]) -> list[str]:
    """What this person had forgotten on another machine, or took back; the deeds that are new."""
    known = dict(tx.execute("SELECT deed, lifted FROM sync_deeds"))
    new: list[str] = []
    for pack in packs:
        if pack.whose == "theirs":
            continue
        for deed in pack.body.forgotten:
            if deed.deed not in known:
                _bury(tx, deed, "" if deed.everywhere else project)
                known[deed.deed] = 0
                new.append(deed.deed)
        for lifted in pack.body.lifted:
            if not known.get(lifted):
                lift(tx, [lifted])
                _note(tx, [lifted], lifted=True)
                known[lifted] = 1
                new.append(lifted)
        links.note_told(tx, link, "deed", [deed.deed for deed in pack.body.forgotten])
        links.note_told(tx, link, "lifted", pack.body.lifted)
    return new


def lifted_deeds(tx: Transaction) -> list[str]:
    """The deeds that were taken back, on whichever machine."""
    rows = tx.execute("SELECT deed FROM sync_deeds WHERE lifted = 1 ORDER BY deed")
    return [deed for (deed,) in rows]


def _bury(tx: Transaction, deed: Forgetting, project: str) -> None:
    rows = [Row(deed.deed, cast("Kind", kind), value, deed.until) for kind, value in deed.rows]
    bury_rows(tx, rows, project)
    _note(tx, [deed.deed], lifted=False)


def _note(tx: Transaction, deeds: Iterable[str], *, lifted: bool) -> None:
    tx.execute_many(
        "INSERT INTO sync_deeds (deed, lifted) VALUES (?, ?)"
        " ON CONFLICT (deed) DO UPDATE SET lifted = excluded.lifted",
        [(deed, int(lifted)) for deed in deeds],
    )
