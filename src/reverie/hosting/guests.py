"""Guests: whoever speaks to the server with a key, and what of others they see."""

from typing import NamedTuple

from reverie.clock import iso, parse_iso
from reverie.db.database import Database
from reverie.store import listing
from reverie.store.store import Store


class Guest(NamedTuple):
    """A key with its stores. Sessions and dreams are seen by the key that made them, and by keys
    that were given all stores: whoever shares memories has not agreed to share transcripts."""

    owner: str  # the id of the key; "" for the person at this home
    store: Store  # as the guest sees it

    @property
    def sees_all(self) -> bool:
        return not self.store.context.principals or self.store.context.everywhere

    def where(self) -> tuple[str, tuple[str, ...]]:
        """A condition on the column `owner`, and its values."""
        return ("1 = 1", ()) if self.sees_all else ("owner = ?", (self.owner,))


class Window(NamedTuple):
    """Which part of a listing is asked for."""

    limit: int = listing.DEFAULT_LIMIT
    page: str | None = None
    newest_first: bool = True
    bounds: tuple[tuple[str, str], ...] = ()  # (`>=`, a moment)

    def of(self, question: str) -> str:
        """The question that a cursor of this listing belongs to."""
        return f"{question} {self.newest_first} {self.bounds}"


class Keyset(NamedTuple):
    """How a window is read: by two columns that grow, from where the last page ended."""

    sql: str
    values: tuple[object, ...]
    order: str


def keyset(window: Window, moment: str, key: str, question: str) -> Keyset:
    """The conditions of a window over the columns `moment` and `key`.

    Raises:
        InvalidInput: a limit or moment that is none, or a cursor of another listing.
    """
    listing.check_limit(window.limit)
    clauses = [f"{moment} {sign} ?" for sign, _ in window.bounds]
    values: list[object] = [iso(parse_iso(at)) for _, at in window.bounds]
    sign, way = ("<", "DESC") if window.newest_first else (">", "ASC")
    if window.page:
        at, _, last = listing.open_cursor(window.page, window.of(question)).partition(" ")
        clauses.append(f"({moment} {sign} ? OR ({moment} = ? AND {key} {sign} ?))")
        values += [at, at, int(last) if last.isdecimal() else last]
    order = f"ORDER BY {moment} {way}, {key} {way} LIMIT {window.limit + 1}"
    return Keyset(" AND ".join(clauses) or "1 = 1", tuple(values), order)


def next_page(window: Window, question: str, at: str, key: str | int) -> str:
    """The cursor of what follows the item of that moment and key."""
    return listing.cursor(f"{at} {key}", window.of(question))


def keys_in(database: Database, column: str) -> str:
    """A condition on a column: it is in the JSON list that is given as the value."""
    if database.dialect == "postgresql":
        return f"{column} IN (SELECT json_array_elements_text(CAST(? AS json)))"
    return f"{column} IN (SELECT value FROM json_each(?))"
