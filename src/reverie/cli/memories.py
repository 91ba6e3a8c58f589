"""`memories`, `forget`, `pin`, `unpin`, `rename`: what is remembered, by name."""

from typing import TYPE_CHECKING, Any

import click

from reverie.cli.app import App
from reverie.cli.options import json_option
from reverie.cli.printing import out_json, say, table
from reverie.cli.show import as_data
from reverie.documents.document import KINDS, TYPES
from reverie.errors import InvalidInput
from reverie.store.model import Actor, Author

if TYPE_CHECKING:
    from reverie.store.library import Item


@click.command()
@click.option("--type", "types", multiple=True, type=click.Choice(TYPES), help="Only this type.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind.")
@click.option("--scope", help="Only this scope: global, or a project's slug.")
@click.option("--store", help="Only this store, also one of another project.")
@click.option("--all", "everything", is_flag=True, help="Of every store, not only those of here.")
@click.option("--pinned", is_flag=True, help="Only pinned ones.")
@click.option("--stale", is_flag=True, help="Only those that name something that changed.")
@click.option("--archived", is_flag=True, help="The archive instead.")
@json_option
def memories(
    types: tuple[str, ...],
    kinds: tuple[str, ...],
    scope: str | None,
    store: str | None,
    everything: bool,
    pinned: bool,
    stale: bool,
    archived: bool,
    as_json: bool,
) -> None:
    """List the memories of this project and the shared ones."""
    app = App.load()
    if everything and store:
        raise InvalidInput("--all and --store exclude each other")
    stores = sorted(info.name for info in app.store.stores()) if everything else [store]
    found = [
        item
        for name in stores
        for item in app.library.documents(
            name,
            types=types,
            kinds=kinds,
            scope=scope,
            pinned=True if pinned else None,
            archived=archived,
        )
    ]
    gone = _gone(app, found) if stale else {}
    if stale:
        found = [item for item in found if item.memory.id in gone]
    if as_json:
        out_json([as_data(item) | _stale_data(gone, item) for item in found])
        return
    for item in found:
        if item.document.problem:
            say(f"warning: {item.store}:{item.name} has no type: {item.document.problem}")
    table(
        [
            f"{item.store}:{item.name}",
            item.document.type or "-",
            item.document.kind or "-",
            item.document.dated or item.memory.updated_at[:10],
            ("pinned  " if item.document.pinned else "")
            + (", ".join(gone.get(item.memory.id, ())) or item.document.description),
        ]
        for item in found
    )
    if not found:
        narrowed = bool(types or kinds or scope or pinned or stale or archived)
        _nothing(app, narrowed=narrowed, everywhere=everything or store is not None)


@click.command()
@click.argument("name")
@click.option("--why", default="", help="The reason, kept in the history.")
@json_option
def forget(name: str, why: str, as_json: bool) -> None:
    """Move a memory to the archive; `restore` brings it back."""
    app = App.load()
    item = app.library.find(name)
    if item.archived:
        raise InvalidInput(f"{item.name} is in the archive already")
    _done(app.library.archive(item, by_user(why or "forgotten")), "archived", as_json)


@click.command()
@click.argument("name")
@click.option("--why", default="", help="Why it must stay; kept in the memory.")
@json_option
def pin(name: str, why: str, as_json: bool) -> None:
    """Protect a memory from decay and list it first."""
    app = App.load()
    item = app.library.find(name)
    by = by_user(f"pinned: {why}" if why else "pinned")
    _done(app.library.pin(item, why or item.document.pin_reason, by), "pinned", as_json)


@click.command()
@click.argument("name")
@click.option("--why", default="", help="The reason, kept in the history.")
@json_option
def unpin(name: str, why: str, as_json: bool) -> None:
    """Let a memory age again."""
    app = App.load()
    by = by_user(f"unpinned: {why}" if why else "unpinned")
    _done(app.library.unpin(app.library.find(name), by), "unpinned", as_json)


@click.command()
@click.argument("name")
@click.argument("new_name")
@json_option
def rename(name: str, new_name: str, as_json: bool) -> None:
    """Give a memory another name; its history stays with it."""
    app = App.load()
    item = app.library.find(name)
    refuse_secret(app, new_name)
    old = item.name
    renamed = app.library.rename(item, new_name.removesuffix(".md"), by_user(f"renamed from {old}"))
    for other in app.library.linking_to(old):
        say(f"{other.store}:{other.name} still links to [[{old}]]")
    _done(renamed, f"renamed from {old}", as_json)


def refuse_secret(app: App, name: str) -> None:
    """Names are shown everywhere and stay in the history, so a secret cannot be one.

    Raises:
        InvalidInput: the name holds a secret.
    """
    if app.redact(name) != name:
        raise InvalidInput("the name holds a secret", hint="choose another name")


def by_user(reason: str) -> Author:
    """The person at the keyboard."""
    return Author(Actor("user"), reason, "user")


def _done(item: "Item", what: str, as_json: bool) -> None:
    if as_json:
        out_json(as_data(item))
    else:
        say(f"{item.store}:{item.name} {what}")


def _nothing(app: App, *, narrowed: bool, everywhere: bool) -> None:
    """Why the list is empty: nothing is known, or it is known of other projects."""
    elsewhere = 0 if everywhere else _elsewhere(app)
    if narrowed:
        say("no such memories")
    elif elsewhere:
        say("no memories of this folder's project, and none that all projects share")
    else:
        say("no memories yet")
    if elsewhere:
        say(f"hint: `reverie memories --all` looks at the {elsewhere} of other projects, too")
    elif not narrowed:
        say("hint: `reverie learn` reads your agents' logs, `reverie remember TEXT` keeps a fact")


def _elsewhere(app: App) -> int:
    """How many memories the stores hold that are not looked into here."""
    scopes = app.library.scopes
    others = [info.name for info in app.store.stores() if info.name not in scopes]
    return sum(len(app.library.documents(name)) for name in others)


def _gone(app: App, items: "list[Item]") -> dict[str, tuple[str, ...]]:
    """Memory id → what it names that changed or is gone, for this project's own."""
    import os

    from reverie.cli.decay import known_past
    from reverie.cli.stale import stale_in
    from reverie.sessions.projects import locate

    own = [item for item in items if item.store == app.project]
    found = stale_in(locate(os.getcwd()).root, own, known_past(app, own))
    return {
        one.item.memory.id: tuple(f"{change.reference}: {change.what}" for change in one.changes)
        for one in found
    }


def _stale_data(gone: dict[str, tuple[str, ...]], item: "Item") -> dict[str, Any]:
    return {"stale": list(gone[item.memory.id])} if item.memory.id in gone else {}
