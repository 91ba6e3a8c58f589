"""Keys of the HTTP server: made once, shown once, kept as a hash.

    rvk_<id>_<secret><check>

The prefix is for scanners that look for leaked keys, the id finds the row, the check turns typing
errors away without asking the database. The secret has 256 bits of chance, so a plain hash of the
whole key is as good as a slow one. The stores of a key are its attachments (`access.py`).
"""

import hashlib
import hmac
import os
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple, cast
from zlib import crc32

from reverie.clock import iso, parse_iso
from reverie.db.database import Row, Transaction
from reverie.errors import InvalidInput, NotFound
from reverie.store import access
from reverie.store.context import Context
from reverie.store.model import Principal

Scope = Literal["memory:read", "memory:write", "dream:run", "admin"]
SCOPES: tuple[Scope, ...] = ("memory:read", "memory:write", "dream:run", "admin")

TABLE = "api_keys"
PREFIX = "rvk_"
MAX_NAME_CHARS = 100
_ID = "apikey_"
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SECRET_CHARS = 43
_CHECK_CHARS = 6
_FORM = re.compile(rf"{PREFIX}([0-9A-Za-z]{{24}})_([0-9A-Za-z]{{{_SECRET_CHARS + _CHECK_CHARS}}})")
# How far back a key's last use may be told wrongly: not every request is worth a write.
_NOTED_EVERY_SECONDS = 3_600
_COLUMNS = (
    "id, name, scopes, all_stores, human, created_at, expires_at, revoked_at, last_used_at, hash"
)


class Key(NamedTuple):
    """What is known of a key, but for the key itself."""

    id: str
    name: str
    scopes: tuple[Scope, ...]
    all_stores: bool
    human: bool  # a person holds it
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None

    @property
    def principal(self) -> Principal:
        return Principal("key", self.id)


class NewKey(NamedTuple):
    """A key just made; `text` is told to nobody ever again."""

    key: Key
    text: str


def create(
    context: Context,
    name: str,
    scopes: Sequence[str],
    *,
    all_stores: bool = False,
    human: bool = False,
    expires: str | None = None,
) -> NewKey:
    """Make a key; the stores it may use are attached to it.

    Raises:
        InvalidInput: no name, a scope that is none, or an end that is past.
    """
    access.owner_only(context, "make keys")
    if not 1 <= len(name) <= MAX_NAME_CHARS or not name.isprintable():
        raise InvalidInput(f"a key has a name of 1 to {MAX_NAME_CHARS} printable characters")
    if context.redact(name) != name:
        raise InvalidInput("the name of a key holds a secret")
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        wrong = f"{unknown[0]!r} is no scope" if unknown else "a key needs a scope"
        raise InvalidInput(wrong, hint=f"there are {', '.join(SCOPES)}")
    now = context.now()
    expires_at = iso(parse_iso(expires)) if expires else None
    if expires_at is not None and expires_at <= now:
        raise InvalidInput("a key cannot end before it is made")
    ordered: tuple[Scope, ...] = tuple(scope for scope in SCOPES if scope in scopes)
    key = Key(context.id("apikey"), name, ordered, all_stores, human, now, expires_at, None, None)
    text = _text(key.id)
    context.database.query(
        "INSERT INTO api_keys (id, name, scopes, all_stores, human, created_at, expires_at, hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (key.id, name, " ".join(ordered), all_stores, human, now, expires_at, _hash(text)),
    )
    return NewKey(key, text)


def all_keys(context: Context) -> list[Key]:
    """Every key that was ever made, newest first."""
    access.owner_only(context, "look at keys")
    rows = context.database.query(f"SELECT {_COLUMNS} FROM api_keys ORDER BY created_at DESC, id")
    return [_key(row) for row in rows]


def revoke(context: Context, key_id: str) -> Key:
    """End a key at once and for good; one that is revoked stays as it is.

    Raises:
        NotFound: there is no such key.
    """
    access.owner_only(context, "revoke keys")

    def work(tx: Transaction) -> Key:
        rows = tx.execute(f"SELECT {_COLUMNS} FROM api_keys WHERE id = ?", (key_id,))
        if not rows:
            raise NotFound(f"there is no key {key_id!r}", hint="`reverie keys list` shows them")
        key = _key(rows[0])
        if key.revoked_at is not None:
            return key
        now = context.now()
        tx.execute("UPDATE api_keys SET revoked_at = ? WHERE id = ?", (now, key_id))
        return key._replace(revoked_at=now)

    return context.database.run(work)


@contextmanager
def kept(context: Context) -> Generator[None]:
    """The same keys after the block as before it, whatever took the place of the database."""
    rows = context.database.query(f"SELECT {_COLUMNS} FROM api_keys")
    yield
    with context.database.atomic() as tx:
        tx.execute("DELETE FROM api_keys")
        tx.execute_many(f"INSERT INTO api_keys ({_COLUMNS}) VALUES ({', '.join('?' * 10)})", rows)


def usable(context: Context) -> bool:
    """Whether any key could be used now."""
    rows = context.database.query(
        "SELECT 1 FROM api_keys WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)"
        " LIMIT 1",
        (context.now(),),
    )
    return bool(rows)


def well_formed(text: str) -> bool:
    """Whether this can be a key at all: its form and its check say so, without a database."""
    match = _FORM.fullmatch(text)
    return match is not None and _check(text[:-_CHECK_CHARS]) == text[-_CHECK_CHARS:]


def find(context: Context, text: str) -> Key | None:
    """The key of that text, if it counts now; its hash is compared in constant time."""
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    rows = context.database.query(
        f"SELECT {_COLUMNS} FROM api_keys WHERE id = ?", (_ID + match[1],)
    )
    # Without a row the same work is done, so that a stranger cannot tell which ids there are.
    kept = str(rows[0][-1]) if rows else "0" * 64
    if not hmac.compare_digest(_hash(text), kept) or not rows:
        return None
    key = _key(rows[0])
    now = context.now()
    if not _counts(key, now):
        return None
    _note_use(context, key, now)
    return key


def counting(context: Context, key_id: str) -> Key | None:
    """The key of that id, if it counts now: for somebody who showed the key itself before."""
    rows = context.database.query(f"SELECT {_COLUMNS} FROM api_keys WHERE id = ?", (key_id,))
    key = _key(rows[0]) if rows else None
    return key if key is not None and _counts(key, context.now()) else None


def _counts(key: Key, now: str) -> bool:
    return key.revoked_at is None and (key.expires_at is None or key.expires_at > now)


def _note_use(context: Context, key: Key, now: str) -> None:
    if key.last_used_at is not None:
        since = parse_iso(now) - parse_iso(key.last_used_at)
        if since.total_seconds() < _NOTED_EVERY_SECONDS:
            return
    context.database.run(
        lambda tx: tx.execute("UPDATE api_keys SET last_used_at = ? WHERE id = ?", (now, key.id)),
        promised=False,
    )


def _key(row: Row) -> Key:
    scopes = cast("tuple[Scope, ...]", tuple(row[2].split()))
    return Key(row[0], row[1], scopes, bool(row[3]), bool(row[4]), *row[5:9])


def _text(key_id: str) -> str:
    body = f"{PREFIX}{key_id.removeprefix(_ID)}_{_base62(os.urandom(32), _SECRET_CHARS)}"
    return body + _check(body)


def _check(body: str) -> str:
    return _base62(crc32(body.encode()).to_bytes(4, "big"), _CHECK_CHARS)


def _base62(data: bytes, length: int) -> str:
    left, out = int.from_bytes(data, "big"), ""
    for _ in range(length):
        left, digit = divmod(left, 62)
        out = _ALPHABET[digit] + out
    return out


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
