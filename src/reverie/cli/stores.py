"""`stores …` and `backup …`: the stores themselves, who may use them, copies and backups."""

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.app import App
from reverie.cli.asking import agree
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say, several, table
from reverie.errors import Ambiguous, Conflict, InvalidInput, NotFound
from reverie.store.model import Access, Attachment, StoreInfo

if TYPE_CHECKING:
    from reverie.store.store import Store

HERE = "here"


@click.group()
def stores() -> None:
    """Stores of memories: list, make, share, archive, copy."""


@stores.command("list")
@click.option("--archived", is_flag=True, help="Archived ones too.")
@json_option
def list_stores(archived: bool, as_json: bool) -> None:
    """List the stores, newest first."""
    found = App.load().store.stores(archived)
    if as_json:
        out_json([info._asdict() for info in found])
        return
    if not found:
        say("there is no store yet: `reverie learn` or `reverie remember` makes the first")
        return
    table(
        [
            [
                info.name,
                str(info.memories),
                str(info.versions),
                "archived" if info.archived_at else "",
                info.description,
                info.id,
            ]
            for info in found
        ],
        ["name", "memories", "versions", "state", "description", "id"],
    )


@stores.command()
@click.argument("name")
@click.option("--description", default="", help="What it is for; agents are shown this.")
@click.option("--meta", multiple=True, metavar="KEY=VALUE", help="A note for programs.")
@json_option
def create(name: str, description: str, meta: tuple[str, ...], as_json: bool) -> None:
    """Make a new, empty store."""
    app = App.load()
    if ":" in name:
        raise InvalidInput("a store's name has no colon", hint="STORE:NAME names a memory in it")
    if any(info.name == name for info in app.store.stores()):
        raise Conflict(f"there is a store {name!r} already", hint="choose another name")
    pairs = [part.partition("=") for part in meta]
    if any(not mark for _, mark, _ in pairs):
        raise InvalidInput("--meta is written KEY=VALUE")
    made = app.store.create_store(name, description, {key: value for key, _, value in pairs})
    _tell(made, as_json, f"made the store {made.name}")


@stores.command()
@click.argument("store")
@json_option
def show(store: str, as_json: bool) -> None:
    """Show one store and who it is attached to."""
    app = App.load()
    info = resolve(app.store, store)
    attached = app.store.attachments(info.id)
    if as_json:
        out_json(info._asdict() | {"attachments": [_attached(one) for one in attached]})
        return
    rows = [
        ("name", info.name),
        ("id", info.id),
        ("description", info.description),
        ("memories", str(info.memories)),
        ("versions", str(info.versions)),
        ("created", info.created_at),
        ("archived", info.archived_at or "no"),
    ]
    rows += [(f"metadata {key}", value) for key, value in sorted(info.metadata.items())]
    rows += [
        ("attached to", f"{one.principal.kind}:{one.principal.id} ({one.access})")
        for one in attached
    ]
    table(rows)


@stores.command()
@click.argument("store")
@click.argument("principal")
@click.option("--read-write", is_flag=True, help="May write; without it, only read.")
@json_option
def attach(store: str, principal: str, read_write: bool, as_json: bool) -> None:
    """Let PRINCIPAL (project:SLUG, agent:NAME or key:ID) use a store."""
    from reverie.store.access import parse_principal

    app = App.load()
    access: Access = "read_write" if read_write else "read_only"
    info = resolve(app.store, store)
    whom = parse_principal(principal)
    made = app.store.attach(info.id, whom, access)
    if whom.kind == "project" and whom.id not in {known.slug for known in app.projects.all()}:
        say(f"warning: no project {whom.id!r} is known yet; `reverie projects` lists those known")
    if as_json:
        out_json(_attached(made))
    else:
        say(f"attached {info.name} to {principal} ({access})")


@stores.command()
@click.argument("store")
@click.argument("principal")
def detach(store: str, principal: str) -> None:
    """Take a store away from PRINCIPAL."""
    from reverie.store.access import parse_principal

    app = App.load()
    info = resolve(app.store, store)
    app.store.detach(info.id, parse_principal(principal))
    say(f"detached {info.name} from {principal}")


@stores.command()
@click.argument("store")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def archive(store: str, yes: bool, as_json: bool) -> None:
    """Close a store to changes, for good; it stays readable."""
    app = App.load()
    info = resolve(app.store, store)
    agree(f"Archive {info.name}? It cannot be written again", yes=yes)
    done = app.store.archive_store(info.id)
    _tell(done, as_json, f"archived {done.name}")


@stores.command()
@click.argument("store")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def delete(store: str, yes: bool, as_json: bool) -> None:
    """Delete a store with all its memories and history, for good."""
    app = App.load()
    info = resolve(app.store, store)
    agree(f"Delete {info.name} with {held(info)}?", yes=yes)
    gone = app.store.delete_store(info.id)
    app.store.scrub()
    _tell(gone, as_json, f"deleted {gone.name}")


@stores.command()
@click.argument("source")
@click.argument("target")
@click.option("--store", "names", multiple=True, help="Only this store; may be given again.")
@json_option
def copy(source: str, target: str, names: tuple[str, ...], as_json: bool) -> None:
    """Copy stores between databases with ids, hashes and history.

    SOURCE and TARGET are a database URL, the path of an SQLite file, or `here` for the one in use.
    An empty target receives everything, a used one the stores alone.
    """
    app = App.load()
    if database_url(app, source) == database_url(app, target):
        raise InvalidInput("source and target are the same database")
    if target != HERE and "://" not in target:
        _must_have_a_folder(target)
    with ExitStack() as opened:
        old = opened.enter_context(_open(app, source, create=False))
        new = opened.enter_context(_open(app, target, create=True))
        done = old.copy_to(new, [resolve(old, name).id for name in names] or None)
    if as_json:
        out_json({"copied": [i.id for i in done.stores], "already": [i.id for i in done.already]})
        return
    for info in done.stores:
        say(f"copied {info.name}: {held(info)}, verified")
    for info in done.already:
        say(f"{info.name} was already there")


@click.group()
def backup() -> None:
    """Backups of all stores in one file."""


@backup.command("create")
@click.argument("file", type=click.Path(dir_okay=False))
def create_backup(file: str) -> None:
    """Write a verified backup to a new FILE, while everything stays in use."""
    _must_have_a_folder(file)
    count = App.load().store.backup(os.path.abspath(file))
    say(f"backed up {several(count, 'version')}, every hash checked")
    out(file)


@backup.command("restore")
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--replace", is_flag=True, help="Replace what is there; a backup of it is kept.")
def restore_backup(file: str, replace: bool) -> None:
    """Bring a backup back, after checking every hash in it."""
    kept = App.load().store.restore_backup(os.path.abspath(file), replace=replace)
    say(f"restored {file}, every hash checked")
    if kept:
        say(f"what was there before is in {kept}")


def _must_have_a_folder(file: str) -> None:
    """A slip of the pen in a path must not make folders."""
    folder = os.path.dirname(os.path.abspath(file))
    if not os.path.isdir(folder):
        raise NotFound(f"there is no folder {folder}")


def held(info: StoreInfo) -> str:
    """How much a store holds, in words."""
    return f"{several(info.memories, 'memory')}, {several(info.versions, 'version')}"


def resolve(store: "Store", ref: str) -> StoreInfo:
    """The store of that id, name or unique beginning of a name.

    Raises:
        NotFound: none; the hint names the nearest.
        Ambiguous: several names begin so.
    """
    try:
        return store.find_store(ref)
    except Ambiguous:
        raise
    except NotFound:
        known = store.stores(archived=True)
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


def database_url(app: App, given: str) -> str:
    """The URL of a database named on the command line."""
    if given == HERE:
        return app.config.truth
    return given if "://" in given else f"sqlite:///{os.path.abspath(given)}"


def _open(app: App, given: str, *, create: bool) -> "Store":
    from reverie.store.store import Store

    return Store.open(
        database_url(app, given), clock=app.clock, limits=app.settings.store, create=create
    )


def _attached(one: Attachment) -> dict[str, Any]:
    return one._asdict() | {"principal": one.principal._asdict()}


def _tell(info: StoreInfo, as_json: bool, words: str) -> None:
    if as_json:
        out_json(info._asdict())
    else:
        say(words)
        out(info.id)
