"""Memories that name something which changed: found, shown, and put before a person."""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.cli import asking
from reverie.cli.app import App
from reverie.cli.printing import out, out_json, say, say_dim
from reverie.store.model import Actor, Author

if TYPE_CHECKING:
    from reverie.forget.life import Past
    from reverie.forget.stale import Stale
    from reverie.store.library import Item

SECONDS = 20.0  # longest look at one project's tree
MAX_BYTES = 512 * 1024
KEYS = "k still right · a archive · e edit · s skip · q quit"


def stale_memories(app: App, items: "Sequence[Item]", past: "Past", *, keep: bool) -> "list[Stale]":
    """What is stale among `items`, for every project whose tree is here; `keep` stores the flags.

    Shared memories belong to no tree and are not looked up.
    """
    from reverie.forget.stale import keep_flags

    found: list[Stale] = []
    looked: list[str] = []
    for slug, root in sorted(_trees(app).items()):
        own = [item for item in items if item.store == slug and not item.archived]
        if own:
            looked.append(slug)
            found += stale_in(root, own, past)
    if keep and looked:
        with app.index.atomic() as database:
            keep_flags(database, looked, found)
    return found


def _trees(app: App) -> dict[str, str]:
    """Project → a root of it that is on this machine; of the project here, the tree here."""
    from reverie.sessions.projects import locate

    found = {
        project.slug: root
        for project in app.projects.all()
        for root in reversed(project.roots)
        if os.path.isdir(root)
    }
    return found | ({app.project: locate(os.getcwd()).root} if app.project else {})


def stale_in(root: str, items: "Sequence[Item]", past: "Past") -> "list[Stale]":
    """What is stale among `items`, by the working tree and the history at `root`."""
    from reverie.forget.history import History
    from reverie.forget.pins import claim
    from reverie.forget.stale import stale
    from reverie.recall.verify import Tree, references, verify

    deadline = time.monotonic() + SECONDS
    tree = Tree(root, expired=lambda: time.monotonic() > deadline)
    history: History | None = None
    found: list[Stale] = []

    def present(path: str) -> str:
        file = Path(root, path)
        small = file.is_file() and not file.is_symlink() and file.stat().st_size <= MAX_BYTES
        return file.read_text(encoding="utf-8", errors="replace") if small else ""

    for item in items:
        named = references(claim(item.document))
        if not named:
            continue
        history = history or History(root)
        one = stale(item, past.life(item), verify(named, tree), history, present)
        if one is not None:
            found.append(one)
    return found


def review_stale(
    app: App, accept: Sequence[str] = (), reject: Sequence[str] = (), *, as_json: bool = False
) -> None:
    """Put each stale memory before a person: still right, archive, edit, or later."""
    from reverie.cli.decay import every_item, known_past

    for name in accept:
        still_right(app, app.library.find(name))
    for name in reject:
        no_longer_right(app, app.library.find(name))
    items = [item for item in every_item(app) if not item.archived]
    waiting = stale_memories(app, items, known_past(app, items), keep=True)
    if as_json:
        out_json([as_data(one) for one in waiting])
        return
    if not waiting:
        say("no memory names anything that changed")
    asking = sys.stdin.isatty() and sys.stderr.isatty() and not (accept or reject)
    for number, one in enumerate(waiting, 1):
        out(f"{one.item.store}:{one.item.name}  {one.item.document.description}")
        for change in one.changes:
            out(f"  {change.state}: {change.reference}, {change.what}")
        if asking and not _decided(app, one):
            say(f"{len(waiting) - number + 1} left for later")
            return


def as_data(one: "Stale") -> dict[str, Any]:
    return {
        "store": one.item.store,
        "name": one.item.name,
        "description": one.item.document.description,
        "changes": [change._asdict() for change in one.changes],
    }


def _decided(app: App, one: "Stale") -> bool:
    """Take one decision; False when the person wants to stop."""
    say_dim(KEYS)
    while True:
        match asking.key():
            case "q":
                return False
            case "s":
                return True
            case "k":
                still_right(app, one.item)
                return True
            case "a":
                no_longer_right(app, one.item)
                return True
            case "e":
                text = click.edit(one.item.document.text(), extension=".md")
                if text is not None:
                    by, memory = _by("edited: what it names has changed"), one.item.memory
                    sha = memory.content_sha256
                    app.store.update(memory.store_id, memory.id, content=text, if_sha256=sha, by=by)
                    return True
            case _:
                say_dim(KEYS)


def still_right(app: App, item: "Item") -> None:
    """A person looked at it: it is right as of today, and no longer stale."""
    looked = replace(item.document, modified=app.now[:10])
    app.library.rewrite(item, looked, _by("looked at again: still right"))
    say(f"{item.store}:{item.name} is still right")


def no_longer_right(app: App, item: "Item") -> None:
    """A person looked at it: what it names changed, and so must it go."""
    app.library.archive(item, _by("no longer right: what it names has changed"))
    say(f"{item.store}:{item.name} archived")


def _by(reason: str) -> Author:
    return Author(Actor("user"), reason, "user")
