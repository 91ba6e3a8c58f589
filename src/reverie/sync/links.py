"""Links: which remotes this home exchanges with, and how far it has come with each."""

import json
from collections.abc import Iterable
from typing import Literal, NamedTuple

from reverie.db.database import Database, Transaction
from reverie.errors import NotFound
from reverie.store.context import Context
from reverie.sync.addresses import shown

Kind = Literal["folder", "git"]
Told = Literal["redaction", "deed", "lifted", "described", "scrub", "relayed"]
_COLUMNS = "id, remote, kind, team, stores, author, recipients, epoch, synced_at, trouble"


class Link(NamedTuple):
    """One remote, as this home uses it."""

    id: str
    remote: str
    kind: Kind
    team: bool = False  # shared with others: projects only, and what they write is theirs
    stores: tuple[str, ...] = ()  # names; empty for all
    author: str = ""  # the name others see
    recipients: tuple[str, ...] = ()  # for whom packs are encrypted
    epoch: int = 1
    synced_at: str = ""
    trouble: str = ""

    @property
    def state(self) -> str:
        """The remote, and what is wrong with it if anything is."""
        name = shown(self.remote)
        return self.trouble if name in self.trouble else f"{name}: {self.trouble}".rstrip(": ")


def links(database: Database) -> list[Link]:
    """All remotes, oldest first."""
    rows = database.query(f"SELECT {_COLUMNS} FROM sync_links ORDER BY id")
    return [_link(row) for row in rows]


def find(database: Database, remote: str) -> Link | None:
    return next((link for link in links(database) if remote in (link.remote, link.id)), None)


def required(database: Database, remote: str) -> Link:
    """The link to a remote.

    Raises:
        NotFound: there is none.
    """
    link = find(database, remote)
    if link is None:
        raise NotFound(f"nothing is exchanged with {remote}", hint="`reverie sync --list`")
    return link


def keep(context: Context, link: Link) -> Link:
    """Remember a link, new or changed."""
    kept = link if link.id else link._replace(id=context.id("link"))
    values = (
        *kept[:3],
        int(kept.team),
        json.dumps(kept.stores),
        kept.author,
        json.dumps(kept.recipients),
        *kept[7:],
    )
    with context.database.atomic() as tx:
        tx.execute(
            f"INSERT INTO sync_links ({_COLUMNS}) VALUES ({', '.join('?' * 10)})"
            " ON CONFLICT (id) DO UPDATE SET team = excluded.team, stores = excluded.stores,"
            " author = excluded.author, recipients = excluded.recipients, epoch = excluded.epoch,"
            " synced_at = excluded.synced_at, trouble = excluded.trouble",
            values,
        )
    return kept


def remove(database: Database, link: Link) -> None:
    """Exchange nothing with a remote any more; what came from there stays."""
    with database.atomic() as tx:
        for table in ("sync_packs", "sync_marks", "sync_told"):
            tx.execute(f"DELETE FROM {table} WHERE link = ?", (link.id,))
        tx.execute("DELETE FROM sync_links WHERE id = ?", (link.id,))


def settled(database: Database, link: Link, at: str, trouble: str = "") -> None:
    """How the last exchange went; a failed one leaves the time of the last good one."""
    with database.atomic() as tx:
        tx.execute(
            "UPDATE sync_links SET trouble = ?, synced_at = CASE WHEN ? = '' THEN ? ELSE synced_at"
            " END WHERE id = ?",
            (trouble, trouble, at, link.id),
        )


def known_packs(database: Database, link: Link) -> set[str]:
    rows = database.query("SELECT place FROM sync_packs WHERE link = ?", (link.id,))
    return {place for (place,) in rows}


def note_packs(tx: Transaction, link: Link, places: Iterable[str]) -> None:
    tx.execute_many(
        "INSERT INTO sync_packs (link, place) VALUES (?, ?) ON CONFLICT (link, place) DO NOTHING",
        [(link.id, place) for place in places],
    )


def forget_packs(tx: Transaction, link: Link, places: Iterable[str]) -> None:
    tx.execute_many(
        "DELETE FROM sync_packs WHERE link = ? AND place = ?",
        [(link.id, place) for place in places],
    )


def mark(tx: Transaction, link: Link, store_id: str) -> int:
    """Up to which version a store is in this home's journal."""
    rows = tx.execute(
        "SELECT sequence FROM sync_marks WHERE link = ? AND store_id = ?", (link.id, store_id)
    )
    return int(rows[0][0]) if rows else 0


def set_mark(tx: Transaction, link: Link, store_id: str, sequence: int) -> None:
    tx.execute(
        "INSERT INTO sync_marks (link, store_id, sequence) VALUES (?, ?, ?)"
        " ON CONFLICT (link, store_id) DO UPDATE SET sequence = excluded.sequence",
        (link.id, store_id, sequence),
    )


def told(tx: Transaction, link: Link, kind: Told) -> set[str]:
    rows = tx.execute("SELECT value FROM sync_told WHERE link = ? AND kind = ?", (link.id, kind))
    return {value for (value,) in rows}


def note_told(tx: Transaction, link: Link, kind: Told, values: Iterable[str]) -> None:
    tx.execute_many(
        "INSERT INTO sync_told (link, kind, value) VALUES (?, ?, ?)"
        " ON CONFLICT (link, kind, value) DO NOTHING",
        [(link.id, kind, value) for value in values],
    )


def relays(tx: Transaction, link: Link) -> bool:
    """Whether the journal of this home holds what others wrote, since theirs was lost."""
    return bool(told(tx, link, "relayed"))


def left_to_scrub(database: Database) -> bool:
    """Whether something was emptied whose bytes may still be in the file."""
    return bool(database.query("SELECT 1 FROM sync_told WHERE kind = 'scrub' LIMIT 1"))


def scrubbed(database: Database) -> None:
    with database.atomic() as tx:
        tx.execute("DELETE FROM sync_told WHERE kind = 'scrub'")


def start_again(tx: Transaction, link: Link) -> None:
    """The journal of this home is written anew: nothing of it counts as sent."""
    tx.execute("DELETE FROM sync_marks WHERE link = ?", (link.id,))
    tx.execute("DELETE FROM sync_told WHERE link = ? AND kind <> 'scrub'", (link.id,))
    tx.execute("UPDATE sync_links SET epoch = epoch + 1 WHERE id = ?", (link.id,))


def _link(row: tuple[object, ...]) -> Link:
    link = Link(*row)  # type: ignore[arg-type]
    return link._replace(
        team=bool(link.team),
        stores=tuple(json.loads(str(row[4]))),
        recipients=tuple(json.loads(str(row[6]))),
    )
