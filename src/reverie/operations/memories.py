"""Memories by name: listed, protected, renamed, judged, and what each rests on."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from reverie.errors import InvalidDocument, InvalidInput
from reverie.home import Home
from reverie.operations import reach

if TYPE_CHECKING:
    from reverie.learn.memories.quotes import Quote
    from reverie.recall.ledger import HandedOver
    from reverie.store.library import Item
    from reverie.store.model import Version

Use = Literal["helpful", "harmful"]
VERSIONS = 20  # of a memory, shown with what it rests on


class Renamed(NamedTuple):
    """A memory under its new name, and those that still link to the old one."""

    item: "Item"
    old: str
    linking: "list[Item]"


class Reasons(NamedTuple):
    """What a memory rests on, what became of it, and whether it was of use."""

    item: "Item"
    helpful: int
    harmful: int
    quotes: "list[tuple[str, Quote | None]]"  # with its evidence; None when no words were kept
    versions: "tuple[Version, ...]"  # the newest
    recalled: int
    last_recalls: "list[HandedOver]"


def elsewhere(home: Home) -> int:
    """How many memories the stores hold that are not looked into from here."""
    library = home.library
    others = [info.name for info in home.store.stores() if info.name not in library.scopes]
    return sum(len(library.documents(name)) for name in others)


def outdated(home: Home, items: "Sequence[Item]") -> dict[str, tuple[str, ...]]:
    """Memory id → what it names that changed or is gone, for the project's own of `items`."""
    from reverie.operations.forgetting import known_past, stale_in
    from reverie.sessions.projects import locate

    in_project = [item for item in items if item.store == home.project]
    flags = stale_in(locate(home.folder).root, in_project, known_past(home, in_project))
    return {
        flag.item.memory.id: tuple(f"{change.reference}: {change.what}" for change in flag.changes)
        for flag in flags
    }


def pin(home: Home, name: str, why: str = "") -> "Item":
    """Protect a memory from decay and list it first; the reason is kept in it.

    Raises:
        Refused: a pin makes a rule of it, and no person asks.
    """
    item = home.library.find(name)
    reach.refuse_protected(home, item)
    reach.refuse_pin(home)
    by = home.asker.author(f"pinned: {why}" if why else "pinned")
    return home.library.pin(item, why or item.document.pin_reason, by)


def unpin(home: Home, name: str, why: str = "") -> "Item":
    """Let a memory age again."""
    from reverie.store.causes import Cause

    item = home.library.find(name)
    reach.refuse_protected(home, item)
    by = home.asker.author(Cause("unpinned", why).reason)
    return home.library.unpin(item, by)


def rename(home: Home, name: str, new_name: str) -> Renamed:
    """Give a memory another name; its history stays with it.

    Raises:
        InvalidInput: the new name is empty or holds a secret.
        PathTaken: another memory has it.
    """
    from reverie.operations.remembering import refuse_secret

    item = home.library.find(name)
    refuse_secret(home, new_name)
    reach.refuse_protected(home, item)
    old = item.name
    by = home.asker.author(f"renamed from {old}")
    renamed = home.library.rename(item, new_name.removesuffix(".md"), by)
    return Renamed(renamed, old, home.library.linking_to(old))


def judge(home: Home, name: str, use: Use) -> "Item":
    """Count one verdict in a memory; the words and their trust stay as they are.

    Raises:
        InvalidInput: it has no frontmatter to count in.
        Refused: it is a person's word that counts as harmful, and none asks.
    """
    from dataclasses import replace

    from reverie.documents import frontmatter
    from reverie.store import roads

    item = home.library.find(name)
    if use == "harmful":
        reach.refuse_protected(home, item)
    document = item.document
    if document.problem:
        raise InvalidInput(f"{item.name} has no usable frontmatter: {document.problem}")
    text = document.text()
    front = frontmatter.split(text) or frontmatter.split(replace(document, source=None).text())
    if front is None:
        raise InvalidDocument(f"{item.name} cannot hold a count")
    place = (use,) if use in front.values else ("metadata", use)
    changed = front.with_value(place, str(uses(item, use) + 1)).text()
    by = home.asker.author(f"found {use}")._replace(trust=item.memory.trust)
    memory = roads.change(home.store, item.memory, changed, by, roads.SAID)
    return type(item)(item.store, memory)


def uses(item: "Item", use: Use) -> int:
    """How often a memory was found helpful or harmful."""
    text = item.document.extra.get(use, "")
    return int(text) if text.isascii() and text.isdigit() else 0


def told(home: Home, entry: str) -> "tuple[int, list[HandedOver]]":
    """How often something was handed over, by the name of a memory or a place; the latest times."""
    from reverie.recall.ledger import handed_over

    return handed_over(home.database, entry)


def why(home: Home, name: str) -> Reasons:
    """Where a memory comes from: the words it rests on, its versions, when it was recalled."""
    from reverie.learn.memories.quotes import quotes

    item = home.library.find(name)
    evidence = item.document.evidence
    kept = quotes(home.database, evidence)
    times, latest = told(home, item.document.name)
    memory = item.memory
    return Reasons(
        item=item,
        helpful=uses(item, "helpful"),
        harmful=uses(item, "harmful"),
        quotes=[(place, kept.get(place)) for place in evidence],
        versions=home.store.versions(memory.store_id, memory.id, limit=VERSIONS).items,
        recalled=times,
        last_recalls=latest,
    )
