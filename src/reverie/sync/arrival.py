"""Arrival: what came from another machine is checked, attributed and written.

Versions keep their ids, authors, reasons, times and parents; numbers and the chain are this home's
own. A version is written only when all that it follows is here, so the last version of a memory is
always the one that counts. One transaction holds all of it, with the note of which packs it was.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import msgspec

from reverie.clock import parse_iso
from reverie.db.database import Transaction
from reverie.documents.document import without_claims
from reverie.errors import InvalidInput
from reverie.store.arrivals import Change, present
from reverie.store.catalog import check_description
from reverie.store.context import Context
from reverie.store.model import Actor, ActorKind, Author
from reverie.store.writing import check_author, check_content, check_path
from reverie.sync.history import beside_id
from reverie.sync.pack import Damaged, Pack, Redaction
from reverie.trust import lowest

_MAX_AUTHOR = 60


class Ready(NamedTuple):
    """What of several packs can be written now."""

    packs: tuple[str, ...]  # places
    changes: tuple[Change, ...]  # new ones, each after what it follows
    waiting: int  # packs that follow what is not here yet


def ready(tx: Transaction, packs: Mapping[str, Pack]) -> Ready:
    """The packs whose versions follow only what is here, or in another such pack.

    Raises:
        Damaged: versions follow each other in a circle.
    """
    named = {
        version
        for pack in packs.values()
        for change in pack.body.changes
        for version in (change.id, *change.parents)
    }
    here = present(tx.execute, named)
    left = dict(packs)
    while True:
        coming = {change.id for pack in left.values() for change in pack.body.changes}
        late = [place for place, pack in left.items() if _misses(pack, here | coming)]
        if not late:
            break
        for place in late:
            del left[place]
    new = {
        change.id: change
        for pack in left.values()
        for change in pack.body.changes
        if change.id not in here
    }
    return Ready(tuple(left), tuple(_in_order(new)), len(packs) - len(left))


def _misses(pack: Pack, known: set[str]) -> bool:
    return any(parent not in known for change in pack.body.changes for parent in change.parents)


def _in_order(new: Mapping[str, Change]) -> list[Change]:
    """Each after its parents, which are here or among them.

    Raises:
        Damaged: some follow each other in a circle.
    """
    done: dict[str, Change] = {}
    for start in new.values():
        path = [(start, iter(start.parents))]
        under_way = {start.id}
        while path:
            change, parents = path[-1]
            ahead = next(
                (new[parent] for parent in parents if parent in new and parent not in done), None
            )
            if ahead is None:
                path.pop()
                under_way.discard(change.id)
                done.setdefault(change.id, change)
            elif ahead.id in under_way:
                raise Damaged("versions follow each other in a circle")
            else:
                path.append((ahead, iter(ahead.parents)))
                under_way.add(ahead.id)
    return list(done.values())


def checked(context: Context, pack: Pack, redacted: set[str]) -> Pack:
    """A pack as it may be written: its paths and sizes as everywhere, without secrets.

    Raises:
        Damaged: something in it may not be kept.
    """
    author = _one_line(context, pack.body.author)
    try:
        if described := pack.body.described:
            check_description(context, described.words)
            parse_iso(described.at)
    except InvalidInput as error:
        raise Damaged(error.message) from None
    clean = cache(context.redact)  # few reasons and names, said over and over
    changes: list[Change] = []
    for sent in pack.body.changes:
        change = sent
        copied = any(
            parent in redacted and change.memory == beside_id(parent) for parent in change.parents
        )
        gone = copied or change.id in redacted
        if gone and not change.redacted:
            change = change._replace(path=None, content=None, redacted=True)
        try:
            if change.path is not None:
                check_path(context, change.path)
            if change.content is not None:
                check_content(context, change.content)
            by = Author(Actor(*change.actor), change.reason, change.trust)
            check_author(by)
        except InvalidInput as error:
            raise Damaged(f"{change.id}: {error.message}") from None
        change = change._replace(
            content=None if change.content is None else context.redact(change.content),
            reason=clean(change.reason),
            actor=(change.actor[0], clean(change.actor[1])),
        )
        if pack.whose == "theirs":
            change = _of_another(change, author, pack.person)
        elif change.person == pack.person:
            change = change._replace(person="")
        changes.append(change)
    return pack._replace(body=msgspec.structs.replace(pack.body, changes=tuple(changes)))


def _of_another(change: Change, author: str, person: str) -> Change:
    """Another person's word: in their name, trusted as an agent's at most, and never pinned."""
    kind, who = change.actor
    trust = lowest(change.trust, "agent")
    content = change.content
    if content is not None:
        content = without_claims(content, trust, path=change.path or "")
    name = f"{author}: {who}" if who else author
    actor: tuple[ActorKind, str] = ("key" if kind == "user" else kind, name[: _MAX_AUTHOR * 2])
    return change._replace(actor=actor, trust=trust, content=content, person=person)


def _one_line(context: Context, name: str) -> str:
    line = "".join(char for char in " ".join(name.split()) if char.isprintable())
    return context.redact(line)[:_MAX_AUTHOR] or "somebody"


def redactions_known(tx: Transaction) -> dict[str, Redaction]:
    rows = tx.execute("SELECT version_id, at, kind, who FROM sync_redactions")
    return {row[0]: Redaction(*row) for row in rows}


def note_redactions(tx: Transaction, redactions: Iterable[Redaction]) -> None:
    tx.execute_many(
        "INSERT INTO sync_redactions (version_id, at, kind, who) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (version_id) DO NOTHING",
        list(redactions),
    )
