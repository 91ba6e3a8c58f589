"""The stores themselves: made, renamed, described, archived, deleted."""

import json
import unicodedata
from collections.abc import Mapping
from datetime import timedelta
from typing import cast

from reverie.clock import iso, parse_iso
from reverie.db.database import Transaction
from reverie.db.migrations import references
from reverie.errors import Ambiguous, Full, InvalidInput, NotFound, Refused, TooLarge
from reverie.privacy import redact_value
from reverie.store import access, chain, listing, search
from reverie.store.context import Context
from reverie.store.model import Page, StoreInfo
from reverie.store.seals import DESCRIPTION, END, Kind

MAX_KEY_CHARS = 64
MAX_VALUE_CHARS = 512


def create(
    context: Context,
    name: str,
    description: str = "",
    metadata: Mapping[str, str] | None = None,
    *,
    ensure: bool = False,
    by_key: bool = False,
) -> StoreInfo:
    """A new store; with `ensure`, the live one of that name if the asker sees one.

    Names need not be unique. A principal that makes a store is attached to it as `read_write`.
    `by_key` says that name and description are those of a server's key, whoever makes it.
    """
    check_name(context, name)
    description = context.redact(description)
    check_description(context, description)
    metadata = _without_secrets(context, metadata or {})
    check_metadata(context, metadata)

    def work(tx: Transaction) -> StoreInfo:
        tx.lock("stores")
        if ensure:
            guests = () if context.principals else access.named_by_guests(tx.execute)
            for view in access.visible(context, tx.execute, archived=False):
                owners = view.info.name == name and view.info.id not in guests
                if owners or view.info.id == name:
                    return view.info
        return _insert(context, tx, name, description, metadata, by_key=by_key)

    return context.database.run(work)


def page_of(
    context: Context,
    *,
    archived: bool = False,
    since: str | None = None,
    until: str | None = None,
    limit: int = listing.DEFAULT_LIMIT,
    page: str | None = None,
) -> Page[StoreInfo]:
    """Some of the stores the asker may see, newest first, made `since` and `until` (with both).

    Raises:
        InvalidInput: a limit, a moment or a cursor that is none.
    """
    listing.check_limit(limit)
    since, until = (moment and iso(parse_iso(moment)) for moment in (since, until))
    question = repr(("stores", archived, since, until))
    after: tuple[str, str] | None = None
    if page:
        made, _, last = listing.open_cursor(page, question).partition(" ")
        after = made, last
    views = access.visible_page(
        context,
        context.database.query,
        archived=archived,
        since=since,
        until=until,
        after=after,
        limit=limit + 1,
    )
    infos = tuple(view.info for view in views[:limit])
    more = len(views) > limit
    last_one = f"{infos[-1].created_at} {infos[-1].id}" if more else ""
    return Page(infos, listing.cursor(last_one, question) if more else None)


def resolve(context: Context, ref: str) -> StoreInfo:
    """The store of that id, name or unique beginning of a name, also an archived one.

    Raises:
        NotFound: none; the hint names the nearest.
        Ambiguous: several names begin so.
    """
    query = context.database.query
    try:
        return access.readable(context, query, ref).info
    except Ambiguous:
        raise
    except NotFound:
        known = [view.info for view in access.visible(context, query, archived=True)]
    begins = [info for info in known if ref and info.name.startswith(ref)]
    if len(begins) == 1:
        return begins[0]
    if begins:
        names = ", ".join(sorted(info.name for info in begins))
        raise Ambiguous(f"{ref!r} is the beginning of several stores", hint=names)
    import difflib

    close = difflib.get_close_matches(ref, [info.name for info in known], n=1)
    hint = f"did you mean {close[0]!r}?" if close else "`reverie stores list` shows them"
    raise NotFound(f"there is no store {ref!r}", hint=hint)


def update(
    context: Context,
    ref: str,
    *,
    name: str | None = None,
    description: str | None = None,
    metadata: Mapping[str, str | None] | None = None,
) -> StoreInfo:
    """Change what is given; metadata is merged, and a value of `None` removes its key."""
    if name is not None:
        check_name(context, name)
    original = description
    if description is not None:
        description = context.redact(description)
        check_description(context, description)

    def work(tx: Transaction) -> StoreInfo:
        info = access.writable(context, tx, ref).info
        merged = {**info.metadata, **(metadata or {})}
        kept = _without_secrets(
            context, {key: value for key, value in merged.items() if value is not None}
        )
        check_metadata(context, kept)
        new_name = info.name if name is None else name
        new_description = info.description if description is None else description
        by_key = info.by_key and original in (None, info.description)
        if (new_name, new_description, kept) == (info.name, info.description, info.metadata):
            return info
        if (new_name, new_description) != (info.name, info.description):
            _refuse_owners(context, tx, info)
        tx.execute(
            "UPDATE stores SET name = ?, description = ?, metadata = ?, updated_at = ?,"
            " description_seal = ? WHERE id = ?",
            (
                *(new_name, new_description, _json(kept), _after(context, info.updated_at)),
                _described(context, info.id, new_name, new_description, by_key=by_key),
                info.id,
            ),
        )
        if new_name != info.name:
            access.note_name(context, tx, info.id)
        return access.readable(context, tx.execute, info.id).info

    return context.database.run(work)


def _after(context: Context, before: str) -> str:
    """Now, or a moment after what another home wrote by a clock that is ahead."""
    now = context.now()
    return now if now > before else iso(parse_iso(before) + timedelta(milliseconds=1))


def describe(context: Context, tx: Transaction, store_id: str, words: str, at: str) -> bool:
    """Take over what a person said about a store in another home of theirs; False if it is old.

    Of two descriptions the later one stands, and any before none.

    Raises:
        InvalidInput: it cannot be a description.
    """
    words = context.redact(words)
    check_description(context, words)
    info = access.readable(context, tx.execute, store_id).info
    here = "" if info.by_key else info.description
    if not words or (here and (info.updated_at, here) >= (at, words)):
        return False
    tx.execute(
        "UPDATE stores SET description = ?, updated_at = ?, description_seal = ? WHERE id = ?",
        (words, at, _described(context, info.id, info.name, words), info.id),
    )
    return True


def archive(context: Context, ref: str) -> StoreInfo:
    """Close a store to changes for good; reading, deleting and redacting stay allowed."""

    def work(tx: Transaction) -> StoreInfo:
        info = access.writable(context, tx, ref, archived=True).info
        access.owner_only(context, "archive a store", "archive")
        if info.archived_at is not None:
            return info
        _refuse_owners(context, tx, info)
        _refuse_protected(context, info)
        now = context.now()
        tx.execute(
            "UPDATE stores SET archived_at = ?, updated_at = ? WHERE id = ?", (now, now, info.id)
        )
        return access.readable(context, tx.execute, info.id).info

    return context.database.run(work)


def delete(context: Context, ref: str) -> StoreInfo:
    """Remove a store with all memories and versions, for good; returns what it was.

    The rows are overwritten; words may stay in the full-text index until `scrub`.
    """

    def work(tx: Transaction) -> StoreInfo:
        info = access.writable(context, tx, ref, archived=True).info
        access.owner_only(context, "delete a store", "delete")
        _refuse_owners(context, tx, info)
        _refuse_protected(context, info)
        search.forget_store(tx, info.id)
        _delete_with_dependents(tx, "stores", "id = ?", info.id)
        return info

    return context.database.run(work)


def _refuse_owners(context: Context, tx: Transaction, info: StoreInfo) -> None:
    """What the owner named is theirs to name and to close: sessions find a project's rules by it.

    Raises:
        Refused: a principal is asking that no person holds.
    """
    if not context.acts_for_nobody or info.id in access.named_by_guests(tx.execute):
        return
    raise Refused(f"the store {info.name} is the owner's: only they rename, describe or close it")


def _refuse_protected(context: Context, info: StoreInfo) -> None:
    """What a principal may not change one by one it may not put away as a whole either."""
    if context.acts_for_nobody:
        for memory in listing.walk(context, info.id):
            access.refuse_protected(context, memory)


def _delete_with_dependents(tx: Transaction, table: str, where: str, value: str) -> None:
    """Delete rows, and before them whatever of any table refers to them."""
    for other, column, key in references(table):
        dependents = f"{column} IN (SELECT {key} FROM {table} WHERE {where})"
        _delete_with_dependents(tx, other, dependents, value)
    tx.execute(f"DELETE FROM {table} WHERE {where}", (value,))


def check_name(context: Context, name: str) -> None:
    if not 1 <= len(name) <= context.limits.max_name_chars:
        raise InvalidInput(f"a store's name has 1 to {context.limits.max_name_chars} characters")
    if any(unicodedata.category(char) in {"Cc", "Cs"} for char in name):
        raise InvalidInput(f"the name {name!a} holds a control character")
    if context.redact(name) != name:
        raise InvalidInput("the name holds a secret")


def check_description(context: Context, description: str) -> None:
    if len(description) > context.limits.max_description_chars:
        limit = context.limits.max_description_chars
        raise TooLarge(f"a store's description has at most {limit} characters")
    _check_text(description)


def check_metadata(context: Context, metadata: Mapping[str, str]) -> None:
    if len(metadata) > context.limits.max_metadata_pairs:
        raise InvalidInput(f"at most {context.limits.max_metadata_pairs} metadata pairs")
    for key, value in metadata.items():
        if not 1 <= len(key) <= MAX_KEY_CHARS or len(value) > MAX_VALUE_CHARS:
            raise InvalidInput(
                f"metadata keys have 1 to {MAX_KEY_CHARS} characters, values at most"
                f" {MAX_VALUE_CHARS}"
            )
        _check_text(key)
        _check_text(value)


def _check_text(text: str) -> None:
    if any(char == "\0" or unicodedata.category(char) == "Cs" for char in text):
        raise InvalidInput("text holds a NUL character or a lone surrogate")


def _insert(
    context: Context,
    tx: Transaction,
    name: str,
    description: str,
    metadata: Mapping[str, str],
    *,
    by_key: bool,
) -> StoreInfo:
    limit = context.limits.max_stores
    if limit and tx.execute("SELECT count(*) FROM stores")[0][0] >= limit:
        raise Full(f"there are {limit} stores already, which is the limit")
    now = context.now()
    info = StoreInfo(context.id("memstore"), name, description, dict(metadata), now, now, None)
    tx.execute(
        f"INSERT INTO stores ({access.COLUMNS}, seal)"
        " VALUES (?, ?, ?, ?, ?, ?, NULL, 0, 0, ?, ?, ?)",
        (
            *(info.id, name, description, _json(metadata), now, now, chain.GENESIS),
            _described(context, info.id, name, description, by_key=by_key),
            _seal(context, END, info.id, 0, chain.GENESIS),
        ),
    )
    for principal in context.principals:
        access.grant(context, tx, info.id, principal, "read_write")
    access.note_name(context, tx, info.id, by_key=by_key)
    return info


def _without_secrets(context: Context, metadata: Mapping[str, str]) -> dict[str, str]:
    return cast("dict[str, str]", redact_value(dict(metadata), context.redact))


def _described(
    context: Context, store_id: str, name: str, description: str, *, by_key: bool = False
) -> str | None:
    """The seal of what is said about a store, and who says it."""
    if context.sealer is None:
        return None
    by_key = by_key or any(principal.kind == "key" for principal in context.principals)
    return DESCRIPTION.seal_of(context.sealer, store_id, name, description, by_key=by_key)


def _seal(context: Context, kind: Kind, *fields: str | int) -> str | None:
    return context.sealer.seal(kind.name, *fields) if context.sealer else None


def _json(metadata: Mapping[str, str]) -> str:
    return json.dumps(dict(metadata), ensure_ascii=False)
