"""Guests: whoever speaks to the server with a key, and what of others they see."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple

from reverie.db.database import Database
from reverie.errors import InvalidInput
from reverie.store.store import Store

DEFAULT_LIMIT = 20
MAX_LIMIT = 100


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
    """Which part of a listing is asked for; the bounds say whether they count themselves."""

    limit: int = DEFAULT_LIMIT
    page: str | None = None
    newest_first: bool = True
    bounds: tuple[tuple[str, str], ...] = ()  # (`>=`, a moment as `iso` writes it)


class Keyset(NamedTuple):
    """How a window is read: by two columns that grow, from where the last page ended."""

    sql: str
    values: tuple[object, ...]
    order: str


def keyset(window: Window, moment: str, key: str, question: str) -> Keyset:
    """The conditions of a window over the columns `moment` and `key`.

    Raises:
        InvalidInput: the limit is none, or the cursor belongs to another listing.
    """
    if not 1 <= window.limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is 1 to {MAX_LIMIT}, not {window.limit}")
    clauses = [f"{moment} {sign} ?" for sign, _ in window.bounds]
    values: list[object] = [at for _, at in window.bounds]
    sign, way = ("<", "DESC") if window.newest_first else (">", "ASC")
    if window.page:
        at, last = _opened(window.page, _asked(window, question))
        clauses.append(f"({moment} {sign} ? OR ({moment} = ? AND {key} {sign} ?))")
        values += [at, at, last]
    order = f"ORDER BY {moment} {way}, {key} {way} LIMIT {window.limit + 1}"
    return Keyset(" AND ".join(clauses) or "1 = 1", tuple(values), order)


def next_page(window: Window, question: str, last: tuple[str, str | int]) -> str:
    """The cursor of what follows the last item of a page."""
    data = json.dumps([*last, _asked(window, question)], ensure_ascii=False).encode()
    return "page_" + urlsafe_b64encode(data).decode().rstrip("=")


def keys_in(database: Database, column: str) -> str:
    """A condition on a column: it is in the JSON list that is given as the value."""
    if database.dialect == "postgresql":
        return f"{column} IN (SELECT json_array_elements_text(CAST(? AS json)))"
    return f"{column} IN (SELECT value FROM json_each(?))"


def _asked(window: Window, question: str) -> str:
    return json.dumps([question, window.newest_first, window.bounds])


def _opened(page: str, asked: str) -> tuple[str, str | int]:
    try:
        body = page.removeprefix("page_")
        at, key, question = json.loads(urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (ValueError, TypeError):
        raise InvalidInput("that is not a page cursor") from None
    sound = isinstance(at, str) and isinstance(key, str | int) and not isinstance(key, bool)
    if question != asked or not sound or "\0" in f"{at}{key}":
        raise InvalidInput("this page cursor belongs to another listing")
    return at, key
