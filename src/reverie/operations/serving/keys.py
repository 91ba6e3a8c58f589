"""Keys of the HTTP server: made, listed, revoked, and found again."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from reverie.errors import InvalidInput
from reverie.home import Home

if TYPE_CHECKING:
    from reverie.store.keys import Key, NewKey
    from reverie.store.model import Access

READ_ONLY = ":ro"


class Reach(NamedTuple):
    """A key with the stores it is attached to."""

    key: "Key"
    stores: tuple[tuple[str, "Access"], ...] = ()  # names, as they are now


def create_key(
    home: Home,
    name: str,
    scopes: Sequence[str],
    *,
    stores: Sequence[str] = (),
    all_stores: bool = False,
    human: bool = False,
    expires: str | None = None,
) -> "NewKey":
    """Make a key for some stores (`NAME`, or `NAME:ro` to be read alone), or for all.

    Raises:
        InvalidInput: a scope that is none, or some stores and all of them.
        NotFound: a store is not there.
    """
    from reverie.store import keys

    if stores and all_stores:
        raise InvalidInput("name some stores, or give all of them")
    chosen: list[tuple[str, Access]] = []
    for ref in stores:
        access: Access = "read_only" if ref.endswith(READ_ONLY) else "read_write"
        chosen.append((home.store.resolve_store(ref.removesuffix(READ_ONLY)).id, access))
    with home.database.atomic():
        made = keys.create(
            home.context, name, scopes, all_stores=all_stores, human=human, expires=expires
        )
        for store_id, access in chosen:
            home.store.attach(store_id, made.key.principal, access)
    return made


def keys_of(home: Home) -> list[Reach]:
    """Every key, newest first, with its stores."""
    from reverie.store import keys

    known = keys.all_keys(home.context)
    if not known:
        return []
    names = {info.id: info.name for info in home.store.stores(archived=True)}
    attached = home.store.attachments()
    return [
        Reach(
            key,
            tuple((names[a.store_id], a.access) for a in attached if a.principal == key.principal),
        )
        for key in known
    ]


def revoke_key(home: Home, ref: str) -> "Key":
    """End the key of that id or name at once.

    Raises:
        NotFound: there is none.
        InvalidInput: several keys have that name.
    """
    from reverie.store import keys

    named = [key.id for key in keys.all_keys(home.context) if key.name == ref]
    if len(named) > 1:
        raise InvalidInput(f"{len(named)} keys are named {ref!r}", hint=", ".join(named))
    return keys.revoke(home.context, named[0] if named else ref)


def any_key(home: Home) -> bool:
    """Whether there is a key that could be used now."""
    from reverie.store import keys

    return keys.usable(home.context)


def key_of(home: Home, text: str) -> "Key | None":
    """The key of that text, if it counts now."""
    from reverie.store import keys

    return keys.find(home.context, text)


def counting(home: Home, key_id: str) -> "Key | None":
    """The key of that id, if it counts now."""
    from reverie.store import keys

    return keys.counting(home.context, key_id)
