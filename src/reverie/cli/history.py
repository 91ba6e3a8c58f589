"""`log`, `diff`, `restore`, `redact`: what became of a memory, and the way back."""

import re
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.app import App
from reverie.cli.asking import agree
from reverie.cli.memories import by_user
from reverie.cli.options import json_option
from reverie.cli.printing import diff_line, out_json, say, table
from reverie.cli.show import as_data
from reverie.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from reverie.store.library import Item
    from reverie.store.model import Version


@click.command()
@click.argument("name", required=False, metavar="[NAME|STORE]")
@click.option(
    "--limit", type=click.IntRange(1), default=50, show_default=True, help="Most versions."
)
@json_option
def log(name: str | None, limit: int, as_json: bool) -> None:
    """Versions of a memory or a store, newest first: who, when, why.

    Without a name: of this project's store and the shared one.
    """
    app = App.load()
    found = _versions(app, name, limit)
    if as_json:
        out_json([version_data(version) for version in found])
        return
    table(
        [
            version.created_at[:16].replace("T", " "),
            version.id,
            f"v{version.number}",
            version.operation,
            version.path or "(redacted)",
            f"{version.actor.kind}{' ' + version.actor.id if version.actor.id else ''}",
            version.reason,
        ]
        for version in found
    )
    if not found:
        say("no versions yet: nothing was written here")
    elif len(found) == limit:
        say(f"older ones are not shown: --limit {2 * limit}")


@click.command()
@click.argument("name")
@click.argument("old", required=False, metavar="[V1")
@click.argument("new", required=False, metavar="V2]")
@json_option
def diff(name: str, old: str | None, new: str | None, as_json: bool) -> None:
    """What changed between two versions of a memory.

    V1 and V2 are version numbers or ids; with one of them, from it to now; with none, the last
    change.
    """
    from difflib import unified_diff

    app = App.load()
    item = app.library.find(name)
    history = _history(app, item)
    after = _pick(history, new) if new else history[0]
    before = _pick(history, old) if old else _before(history, after)
    lines = list(
        unified_diff(
            _text(before).splitlines() if before else [],
            _text(after).splitlines(),
            f"{item.name} v{before.number}" if before else "nothing",
            f"{item.name} v{after.number}",
            lineterm="",
        )
    )
    if as_json:
        out_json(
            {
                "name": item.name,
                "from": version_data(before) if before else None,
                "to": version_data(after),
                "diff": lines,
            }
        )
        return
    for line in lines:
        click.echo(diff_line(line))
    if not lines:
        say("no difference in the text")


@click.command()
@click.argument("name")
@click.argument("version", required=False)
@click.option("--why", default="", help="The reason, kept in the history.")
@json_option
def restore(name: str, version: str | None, why: str, as_json: bool) -> None:
    """Bring an old version back as the newest, or a memory back from the archive.

    VERSION is a number or an id; without it NAME is taken out of the archive.
    """
    app = App.load()
    library = app.library
    item = library.find(name)
    if version is None:
        if not item.archived:
            raise InvalidInput(
                f"{item.name} is not in the archive", hint="name the version to restore"
            )
        restored = library.unarchive(item, by_user(why or "restored from the archive"))
    else:
        chosen = _pick(_history(app, item), version)
        by = by_user(why or f"restored version {chosen.number}")
        app.store.restore(item.memory.store_id, item.memory.id, chosen.id, by)
        restored = library.find(f"{item.store}:{item.memory.id}")
    if as_json:
        out_json(as_data(restored))
    else:
        say(f"{restored.store}:{restored.name} is now version {restored.memory.version}")


@click.command()
@click.argument("version")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--why", default="", help="The reason, kept in the history.")
@json_option
def redact(version: str, yes: bool, why: str, as_json: bool) -> None:
    """Take the text out of one old version, for good.

    VERSION is an id from `reverie log`, or NAME@NUMBER. Its place in the history stays.
    """
    app = App.load()
    name, at, number = version.rpartition("@")
    version_id = _pick(_history(app, app.library.find(name)), number).id if at else version
    chosen = app.store.version(version_id)
    what = f"version {chosen.number} of {chosen.path or 'a redacted memory'}"
    agree(f"Redact {what}? Its text cannot be brought back", yes=yes)
    done = app.store.redact(version_id, by_user(why or "redacted"))
    if as_json:
        out_json(version_data(done))
    else:
        say(f"{done.id} is redacted")


def version_data(version: "Version") -> dict[str, Any]:
    """A version for machines, without its text."""
    return {
        "id": version.id,
        "memory_id": version.memory_id,
        "number": version.number,
        "operation": version.operation,
        "path": version.path,
        "sha256": version.content_sha256,
        "size_bytes": version.size_bytes,
        "actor": {"kind": version.actor.kind, "id": version.actor.id or None},
        "reason": version.reason,
        "trust": version.trust,
        "created": version.created_at,
        "valid_from": version.valid_from,
        "valid_to": version.valid_to,
        "redacted": version.redacted_at,
    }


def _versions(app: App, name: str | None, limit: int) -> "list[Version]":
    names = {info.name for info in app.store.stores(archived=True)}
    if name is None:
        stores = [scope for scope in app.library.scopes if scope in names]
    elif name in names:
        stores = [name]
    else:
        return _history(app, app.library.find(name), limit)
    found = [version for store in stores for version in _pages(app, store, None, limit)]
    found.sort(key=lambda version: (version.created_at, version.sequence), reverse=True)
    return found[:limit]


def _pages(app: App, store: str, memory: str | None, limit: int) -> "list[Version]":
    found: list[Version] = []
    page: str | None = None
    while len(found) < limit:
        answer = app.store.versions(store, memory, limit=min(100, limit - len(found)), page=page)
        found += answer.items
        page = answer.next_page
        if page is None:
            break
    return found


def _history(app: App, item: "Item", limit: int = 100_000) -> "list[Version]":
    return _pages(app, item.memory.store_id, item.memory.id, limit)


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
