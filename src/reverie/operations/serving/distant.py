"""Distant: a store of a server elsewhere, usable here as any other, with or without the network.

A copy lies in a store of this home, so recall, mounts, review and search know nothing of servers.
It is brought together with the server by `reverie sync`, and at most every `sync.server_seconds` by
whatever reads memories; a server that does not answer is left alone for a while, and the copy goes
on being used.
"""

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from reverie.clock import iso
from reverie.db import leases
from reverie.distant import table
from reverie.distant.server import QUICKLY, SECONDS, DistantStore, address, key_from
from reverie.errors import Ambiguous, LeaseHeld, NotFound, RemoteAway, ReverieError
from reverie.home import Home

if TYPE_CHECKING:
    from reverie.distant.exchange import Exchange
    from reverie.distant.table import Link
    from reverie.store.model import Access, Principal


class Attached(NamedTuple):
    """A store elsewhere that is used here now."""

    link: "Link"
    name: str  # of the store here
    exchange: "Exchange"


class Looked(NamedTuple):
    """What became of one try to bring a copy up to date."""

    link: "Link"
    name: str
    exchange: "Exchange | None" = None
    trouble: str = ""


def attach(
    home: Home,
    url: str,
    principal: "Principal",
    *,
    read_only: bool = False,
    key_source: str,
    name: str | None = None,
) -> Attached:
    """Copy a store of a server into a store here, and attach that to somebody.

    Args:
        url: `https://host`, with the name or id of the store behind it if the key sees several.
        key_source: `variable NAME` or `file PATH`; the key itself is kept nowhere.
        name: Of the store here; that of the one there if absent.

    Raises:
        ConfigError: no address that a key may be sent to.
        RemoteAway: there is no key, the server does not answer, or not to this key.
        NotFound, Ambiguous: the key sees no such store, or several.
        Conflict: the store is attached already.
    """
    place = address(url)
    key = key_from(key_source, home.config.environ)
    remote = DistantStore(place.server, "", key, home.config.environ, SECONDS)
    chosen = _chosen(
        [(str(store["id"]), str(store["name"])) for store in remote.stores()], place.store
    )
    access: Access = "read_only" if read_only else "read_write"
    with home.database.atomic() as tx:
        made = home.store.create_store(name or _free(home, chosen[1]))
        link = table.Link(made.id, place.server, chosen[0], access, key_source)
        table.add(tx, link)
        home.store.attach(made.id, principal, access)
    looked = _look(home, link, SECONDS)
    if looked.exchange is None:
        # A first look that failed leaves nothing behind.
        detach(home, made.id)
        home.store.delete_store(made.id)
        raise RemoteAway(looked.trouble)
    return Attached(link, made.name, looked.exchange)


def detach(home: Home, store: str) -> str:
    """Exchange nothing more with the server; what is here stays. The address it had.

    Raises:
        NotFound: the store is no copy of one elsewhere.
    """
    link = table.find(home.database, home.store.resolve_store(store).id)
    with home.database.atomic() as tx:
        table.remove(tx, link.store_id)
    return link.url


def links(home: Home) -> "list[Link]":
    """The stores here that are copies of stores elsewhere."""
    return table.links(home.database)


def sync(home: Home) -> list[Looked]:
    """Bring every copy together with its server; one that fails stops no other."""
    return [_look(home, link, SECONDS) for link in table.links(home.database)]


def refresh(home: Home) -> None:
    """Bring those together that were not for a while; quickly, and without a word."""
    if not home.settings.sync.server_seconds:
        return
    due = iso(home.clock() - timedelta(seconds=home.settings.sync.server_seconds))
    for link in table.links(home.database):
        if link.tried_at < due:
            _look(home, link, QUICKLY)


def _look(home: Home, link: "Link", seconds: float) -> Looked:
    from reverie.distant.exchange import exchange

    store = home.store.find_store(link.store_id)
    trouble, done = "", None
    try:
        key = key_from(link.key_source, home.config.environ)
        remote = DistantStore(link.url, link.remote_id, key, home.config.environ, seconds)
        doing = f"an exchange with {link.url}"
        lease = leases.take(home.database, home.clock, f"distant {link.store_id}", doing=doing)
        try:
            done = exchange(home.store, link, remote)
        finally:
            leases.give_back(home.database, lease)
    except LeaseHeld:
        return Looked(link, store.name, trouble="another process is at it")
    except ReverieError as error:
        trouble = home.redact(error.message)
    with home.database.atomic() as tx:
        table.note(tx, link, home.now, trouble)
    return Looked(link, store.name, done, trouble)


def _chosen(stores: list[tuple[str, str]], wanted: str) -> tuple[str, str]:
    fitting = [store for store in stores if wanted in ("", *store)]
    if not fitting:
        raise NotFound(f"the key sees no store {wanted!r} there" if wanted else "the key sees none")
    if len(fitting) > 1:
        names = ", ".join(f"{name} ({identity})" for identity, name in fitting)
        raise Ambiguous("name one store behind the address", hint=names)
    return fitting[0]


def _free(home: Home, name: str) -> str:
    """The name of the store there, or the next one that no store here has."""
    taken = {info.name for info in home.store.stores(archived=True)}
    number = 1
    while (free := name if number == 1 else f"{name}-{number}") in taken:
        number += 1
    return free
