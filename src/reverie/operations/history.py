"""History: the versions of memories, the way back, and words that go for good."""

import re
from typing import TYPE_CHECKING, NamedTuple

from reverie.documents.document import load
from reverie.errors import InvalidInput, NotFound
from reverie.home import Home
from reverie.operations import reach
from reverie.operations.forgotten import said_anew

if TYPE_CHECKING:
    from reverie.store.library import Item
    from reverie.store.model import Version

_ALL = 100_000
_PAGE = 100


class Difference(NamedTuple):
    """What changed from one version of a memory to another."""

    name: str
    before: "Version | None"  # None when `after` is the first
    after: "Version"
    lines: list[str]  # a unified diff


def versions(home: Home, name: str | None = None, limit: int = 50) -> "list[Version]":
    """Versions of a memory or a store, newest first; else of the project's store and `global`."""
    names = {info.name for info in home.store.stores(archived=True)}
    if name is None:
        stores = [scope for scope in home.library.scopes if scope in names]
    elif name in names:
        stores = [name]
    else:
        return _history(home, home.library.find(name), limit)
    newest = [version for store in stores for version in _pages(home, store, None, limit)]
    newest.sort(key=lambda version: (version.created_at, version.sequence), reverse=True)
    return newest[:limit]


def compare(home: Home, name: str, old: str | None = None, new: str | None = None) -> Difference:
    """What changed between two versions of a memory; without any, the last change.

    Raises:
        NotFound: no such version.
        InvalidInput: the text of one was redacted.
    """
    from difflib import unified_diff

    item = home.library.find(name)
    history = _history(home, item)
    after = _pick(history, new) if new else history[0]
    before = _pick(history, old) if old else _before(history, after)
    lines = unified_diff(
        _text(before).splitlines() if before else [],
        _text(after).splitlines(),
        f"{item.name} v{before.number}" if before else "nothing",
        f"{item.name} v{after.number}",
        lineterm="",
    )
    return Difference(item.name, before, after, list(lines))


def restore(home: Home, name: str, version: str, why: str = "") -> "Item":
    """Bring an old version of a memory back as the newest.

    Raises:
        InvalidInput: the version has no text any more.
        NotFound: no such version.
        Refused: only a person may change it, and none asks.
    """
    library = home.library
    item = library.find(name)
    reach.refuse_protected(home, item)
    chosen = _pick(_history(home, item), version)
    if load(chosen.content or "", path=item.memory.path).pinned:
        reach.refuse_pin(home)
    said_anew(home, item.store, item.document.description)
    by = home.asker.author(why or f"restored version {chosen.number}")
    home.store.restore(item.memory.store_id, item.memory.id, chosen.id, by)
    return library.find(f"{item.store}:{item.memory.id}")


def find_version(home: Home, reference: str) -> "Version":
    """A version by its id, or by NAME@NUMBER."""
    name, at, number = reference.rpartition("@")
    if not at:
        return home.store.version(reference)
    return home.store.version(_pick(_history(home, home.library.find(name)), number).id)


def redact_version(home: Home, reference: str, why: str = "") -> "Version":
    """Take the text out of one old version, for good; its place in the history stays."""
    chosen = find_version(home, reference)
    return home.store.redact(chosen.id, home.asker.author(why or "redacted"))


def _pages(home: Home, store: str, memory: str | None, limit: int) -> "list[Version]":
    newest: list[Version] = []
    page: str | None = None
    while len(newest) < limit:
        few = min(_PAGE, limit - len(newest))
        answer = home.store.versions(store, memory, limit=few, page=page)
        newest += answer.items
        page = answer.next_page
        if page is None:
            break
    return newest


def _history(home: Home, item: "Item", limit: int = _ALL) -> "list[Version]":
    return _pages(home, item.memory.store_id, item.memory.id, limit)


def _pick(history: "list[Version]", reference: str) -> "Version":
    number = re.fullmatch(r"v?(\d+)", reference)
    for version in history:
        if number and version.number == int(number[1]):
            return version
        if not number and (version.id == reference or _begins(version.id, reference)):
            return version
    raise NotFound(
        f"there is no version {reference!r} of it",
        hint=f"it has versions {history[-1].number} to {history[0].number}",
    )


def _begins(identity: str, reference: str) -> bool:
    return len(reference) >= 12 and identity.startswith(reference)


def _before(history: "list[Version]", after: "Version") -> "Version | None":
    return next((version for version in history if version.number < after.number), None)


def _text(version: "Version") -> str:
    if version.content is None:
        raise InvalidInput(f"version {version.number} is redacted: its text is gone")
    return version.content
