"""Exchange: one round with one remote. What is new there is taken in, what is new here is sent.

Order of effects: what arrives is written in one transaction for each store, with the note of the
packs it was in; own packs are durable on the remote before they are noted as sent. Whatever is
killed in between is repeated, and what is repeated changes nothing.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from reverie.db.points import reached
from reverie.errors import Refused, ReverieError
from reverie.store.context import Context
from reverie.store.rows import TABLES_WITH_TEXT
from reverie.sync import links
from reverie.sync.journal import Journal, Outgoing
from reverie.sync.keys import Signer
from reverie.sync.links import Link
from reverie.sync.pack import Damaged, Pack, Place, decoded, place_of
from reverie.sync.receiving import Receiver, Taken

_MOST_PACKS = 200  # of this home, before its journal is written anew as one


class Remote(Protocol):
    """Where packs lie that several homes see."""

    def begin(self) -> None: ...

    def listing(self) -> list[str]: ...

    def read(self, paths: Iterable[str]) -> dict[str, bytes]: ...

    def publish(self, new: dict[str, bytes], gone: Iterable[str] = ()) -> None: ...


class Shared(NamedTuple):
    """A store of this home, as it is called between machines."""

    id: str
    name: str
    key: str


class Stores(Protocol):
    """Which stores travel by a link, and which store of this home a name between machines is."""

    def shared(self, link: Link) -> list[Shared]: ...

    def arriving(self, link: Link, pack: Pack) -> Shared | None: ...


class Cipher(Protocol):
    """What hides packs from whoever keeps the remote."""

    def closed(self, data: bytes) -> bytes: ...

    def opened(self, data: bytes) -> bytes: ...


@dataclass(slots=True)
class Exchanged:
    """What came and went with one remote."""

    remote: str
    received: dict[str, Taken] = field(default_factory=dict[str, Taken])  # by store
    sent: dict[str, int] = field(default_factory=dict[str, int])  # versions, by store
    refused: list[str] = field(default_factory=list[str])
    waiting: int = 0  # packs that are not whole, or follow what is not there yet
    dry_run: bool = False


class Exchange:
    """One home and one remote."""

    def __init__(
        self,
        context: Context,
        signer: Signer,
        home: str,
        link: Link,
        remote: Remote,
        stores: Stores,
        cipher: Cipher | None = None,
    ) -> None:
        self._context = context
        self._database = context.database
        self._signer = signer
        self._home = home
        self._link = link
        self._remote = remote
        self._stores = stores
        self._cipher = cipher
        self._receiver = Receiver(context, signer.person, link)
        self._strange = 0  # packs of somebody else

    def run(self, *, dry_run: bool = False) -> Exchanged:
        """Take in what is new there, then send what is new here."""
        result = Exchanged(self._link.remote, dry_run=dry_run)
        self._remote.begin()
        places = [place for path in self._remote.listing() if (place := place_of(path))]
        known = links.known_packs(self._database, self._link)
        self._receiver.absorb()
        new = [place for place in places if place.path not in known and not self._is_old(place)]
        if self._cipher is None and any(place.path.endswith(".age") for place in new):
            raise Refused("what is there is encrypted", hint="repeat it with `--encrypt`")
        self._take_in(new, result, dry_run=dry_run)
        self._send(places, known, result, dry_run=dry_run)
        if not dry_run:
            self._scrub()
        return result

    def _is_old(self, place: Place) -> bool:
        """Whether it is of this home, from before its journal was to be written anew."""
        return place.home == self._home and place.epoch < self._link.epoch

    # In

    def _take_in(self, places: list[Place], result: Exchanged, *, dry_run: bool) -> None:
        by_store: dict[Shared, dict[str, Pack]] = {}
        data = self._remote.read(place.path for place in places)
        for place in places:
            content = data.get(place.path)
            if content is None or not place.fits(content):
                result.waiting += 1
                continue
            try:
                pack = self._opened(place, content)
                store = self._stores.arriving(self._link, pack) if pack else None
            except ReverieError as error:
                result.refused.append(f"{place.path}: {error.message}")
                continue
            if pack is not None and store is not None:
                by_store.setdefault(store, {})[place.path] = pack
        if self._strange and not by_store and not self._link.synced_at:
            raise Refused(
                "another machine keeps its memory there, and it has another key",
                hint="is it yours? `reverie sync --show-key` there, then `--key -` here;"
                " is it a team's? `--team --store PROJECT`",
            )
        for store, packs in sorted(by_store.items(), key=lambda item: item[0].name):
            taken = self._receiver.take(store.id, packs, dry_run=dry_run)
            result.refused += taken.refused
            result.waiting += taken.waiting
            if taken.versions or taken.redacted or taken.forgotten or taken.described:
                result.received[store.name] = taken
            reached("sync_taken")

    def _opened(self, place: Place, data: bytes) -> Pack | None:
        """A pack, if it is one to be taken in.

        Raises:
            Damaged: it is none, or not whose it says.
        """
        if place.path.endswith(".age"):
            if self._cipher is None:
                raise Damaged("it is encrypted, and this link has no key for it")
            data = self._decrypted(self._cipher, data)
        pack = decoded(data, self._signer)
        if pack.body.home != place.home:
            raise Damaged("it lies in the journal of another machine")
        if pack.whose == "theirs":
            if pack.body.home == self._home:
                raise Damaged("it claims to be of this machine and is not signed with its key")
            if not self._link.team:
                self._strange += 1
                raise Damaged(
                    "it is of somebody else, or of a machine of yours that has another key"
                )
        return pack

    def _decrypted(self, cipher: Cipher, data: bytes) -> bytes:
        try:
            return cipher.opened(data)
        except Damaged:
            self._strange += not self._link.team
            raise

    # Out

    def _send(
        self, places: list[Place], known: set[str], result: Exchanged, *, dry_run: bool
    ) -> None:
        own_places = [place for place in places if place.home == self._home]
        there = {place.path for place in own_places}
        lost = {path for path in known if f"/{self._home}/" in path} - there
        journal = Journal(self._context, self._link, self._home)
        shared = self._stores.shared(self._link)
        stale = bool(own_places) and any(journal.holds_redacted(store.id) for store in shared)
        stale = stale or any(self._is_old(place) for place in own_places)
        with self._database.snapshot() as tx:
            relayed = bool(lost) or links.relays(tx, self._link)
        again = bool(lost) or stale or len(own_places) > _MOST_PACKS
        epoch = max(self._link.epoch, *(place.epoch for place in own_places), 1)
        if again:
            epoch, own_places = epoch + 1, []
        outgoing = [
            journal.outgoing(store.id, store.key, store.name, again=again, everything=relayed)
            for store in shared
        ]
        for out in outgoing:
            if out.versions:
                result.sent[out.name] = out.versions
        if dry_run or not (again or any(out.changes_anything for out in outgoing)):
            return
        files: dict[str, bytes] = {}
        for out in outgoing:
            files |= self._packed(out, epoch, own_places)
        gone = sorted(there) if again else []
        if files or gone:
            self._remote.publish(files, gone)
        reached("sync_sent")
        with self._database.atomic() as tx:
            if again:
                links.start_again(tx, self._link)
                links.note_told(tx, self._link, "relayed", [""] if relayed else [])
                links.forget_packs(tx, self._link, [*gone, *lost])
                tx.execute("UPDATE sync_links SET epoch = ? WHERE id = ?", (epoch, self._link.id))
            links.note_packs(tx, self._link, files)
            for out in outgoing:
                out.note(tx, self._link)
        reached("sync_noted")

    def _packed(self, outgoing: Outgoing, epoch: int, own_places: list[Place]) -> dict[str, bytes]:
        """The files of a store's packs, each naming the one before it."""
        from reverie.sync.pack import encoded, file_name

        folder = store_folder(outgoing.key, self._signer if self._cipher else None)
        before = [place for place in own_places if place.store == folder and place.epoch == epoch]
        last = max(before, key=lambda place: place.number, default=None)
        number = last.number if last else 0
        previous = last.path.rpartition("/")[2] if last else ""
        files: dict[str, bytes] = {}
        for body in outgoing.bodies():
            number += 1
            data, ending = encoded(body(previous), self._signer), ""
            if self._cipher is not None:
                data, ending = self._cipher.closed(data), ".age"
            previous = file_name(epoch, number, data, ending)
            files[f"journals/{self._home}/{folder}/{previous}"] = data
        return files

    def _scrub(self) -> None:
        """Overwrite what was emptied; after a kill the next exchange does it."""
        if links.left_to_scrub(self._database):
            self._database.scrub(TABLES_WITH_TEXT)
            links.scrubbed(self._database)


def store_folder(key: str, signer: Signer | None) -> str:
    """The folder of a store's packs in a journal; with a key its name tells nothing."""
    name = f"reverie store {key}".encode()
    if signer is not None:
        name += signer.derived("folders")
    return hashlib.sha256(name).hexdigest()[:16]
