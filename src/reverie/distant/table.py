"""Which stores here are copies of stores elsewhere, and what both sides last agreed on."""

from typing import NamedTuple

from reverie.db.database import Database, Transaction
from reverie.errors import Conflict, NotFound
from reverie.store.model import Access

_LINK = "store_id, url, remote_id, access, key_source, looked_at, tried_at, trouble"
_PAIR = "remote_id, memory_id, path_there, sha_there, path_here, sha_here"


class Link(NamedTuple):
    """One store here and the one it is a copy of."""

    store_id: str
    url: str
    remote_id: str
    access: Access
    key_source: str
    looked_at: str = ""
    tried_at: str = ""
    trouble: str = ""


class Pair(NamedTuple):
    """One memory as both sides last agreed on it.

    They may differ: this home takes secrets out, and what a text says of itself; and what a person
    said here stays, whatever is said there.
    """

    remote_id: str
    memory_id: str
    path_there: str
    sha_there: str
    path_here: str
    sha_here: str


def any_link(database: Database) -> bool:
    """Whether there is any copy at all; asked before everything else is loaded."""
    return bool(database.query("SELECT 1 FROM distant_stores LIMIT 1"))


def links(database: Database) -> list[Link]:
    rows = database.query(f"SELECT {_LINK} FROM distant_stores ORDER BY url, remote_id, store_id")
    return [Link(*row) for row in rows]


def find(database: Database, store_id: str) -> Link:
    """The link of a store here.

    Raises:
        NotFound: it is no copy.
    """
    for link in links(database):
        if link.store_id == store_id:
            return link
    raise NotFound("this store is no copy of one elsewhere")


def add(tx: Transaction, link: Link) -> None:
    """Remember a new link.

    Raises:
        Conflict: the same store is copied here already.
    """
    rows = tx.execute(
        "SELECT store_id FROM distant_stores WHERE url = ? AND remote_id = ?",
        (link.url, link.remote_id),
    )
    if rows:
        raise Conflict("this store is attached already", hint="`reverie sync` brings it up to date")
    tx.execute(f"INSERT INTO distant_stores ({_LINK}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", link)


def remove(tx: Transaction, store_id: str) -> None:
    """Forget a link; the copy stays, as a store of this home."""
    tx.execute("DELETE FROM distant_memories WHERE store_id = ?", (store_id,))
    tx.execute("DELETE FROM distant_stores WHERE store_id = ?", (store_id,))


def note(tx: Transaction, link: Link, at: str, trouble: str) -> None:
    """When both were last brought together, or why that failed."""
    looked = link.looked_at if trouble else at
    tx.execute(
        "UPDATE distant_stores SET looked_at = ?, tried_at = ?, trouble = ? WHERE store_id = ?",
        (looked, at, trouble, link.store_id),
    )


def pairs(database: Database, store_id: str) -> list[Pair]:
    rows = database.query(
        f"SELECT {_PAIR} FROM distant_memories WHERE store_id = ? ORDER BY path_there, remote_id",
        (store_id,),
    )
    return [Pair(*row) for row in rows]


def agree(tx: Transaction, store_id: str, pair: Pair) -> None:
    """Both sides have the same now."""
    tx.execute(
        f"INSERT INTO distant_memories (store_id, {_PAIR}) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (store_id, remote_id) DO UPDATE SET memory_id = excluded.memory_id,"
        " path_there = excluded.path_there, sha_there = excluded.sha_there,"
        " path_here = excluded.path_here, sha_here = excluded.sha_here",
        (store_id, *pair),
    )


def part(tx: Transaction, store_id: str, remote_id: str) -> None:
    """Neither side has it any more."""
    tx.execute(
        "DELETE FROM distant_memories WHERE store_id = ? AND remote_id = ?", (store_id, remote_id)
    )
