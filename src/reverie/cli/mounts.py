"""`mount`, `sync`, `unmount`: a store as a folder of files."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.app import App
from reverie.cli.memories import by_user
from reverie.cli.mounting import tell
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say, several, table
from reverie.cli.stores import resolve
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from reverie.mounts.sync import Report


@click.command()
@click.argument("store", required=False)
@click.argument("folder", required=False, type=click.Path())
@click.option("--read-only", is_flag=True, help="Show the store; edits are not taken over.")
@json_option
def mount(store: str | None, folder: str | None, read_only: bool, as_json: bool) -> None:
    """Show STORE as the files of FOLDER, which must be new or empty; alone, list the mounts.

    What is edited there becomes a version, what changes in the store appears there: at every
    `reverie` command, or with `reverie sync`.
    """
    app = App.load()
    if store is None:
        _list(app, as_json)
        return
    if folder is None:
        raise InvalidInput("mount needs a store and a folder", hint="reverie mount global ~/memory")
    from reverie.mounts import table as mounts
    from reverie.mounts.sync import sync as sync_one

    info = resolve(app.stored, store)
    access = "read_only" if read_only else "read_write"
    made = mounts.add(app.stored, info.id, folder, access)
    report = sync_one(app.stored, made, redact=lambda text: app.redact(text))
    tell(report)
    if as_json:
        out_json(made._asdict() | {"files": report.shown})
    else:
        say(f"{info.name} is shown in {made.folder}: {several(report.shown, 'file')} ({access})")
        out(made.folder)


@click.command()
@click.argument("folder", required=False, type=click.Path())
@click.option("--mine", is_flag=True, help="What was edited there is in your name, not the disk's.")
@json_option
def sync(folder: str | None, mine: bool, as_json: bool) -> None:
    """Bring mounted folders and their stores together: FOLDER, or all of them.

    A file you deleted is deleted in the store; files that vanished all at once are put back.
    """
    from reverie.mounts import table as mounts
    from reverie.mounts.sync import sync as sync_one

    app = App.load()
    store = app.stored
    chosen = [mounts.find(store, folder)] if folder is not None else mounts.mounts(store)
    if not chosen:
        say("no folder shows a store: `reverie mount STORE FOLDER` makes one")
    reports: list[Report] = []
    for one in chosen:
        by = by_user(f"edited in {one.folder}") if mine else None
        done = sync_one(store, one, redact=lambda text: app.redact(text), by=by, confirmed=True)
        reports.append(done)
        tell(done)
        if not as_json:
            say(f"{one.folder}: {_words(done)}")
    if as_json:
        out_json([_data(report) for report in reports])


@click.command()
@click.argument("folder", type=click.Path())
@click.option("--delete", is_flag=True, help="Delete the files too, if all of them are stored.")
def unmount(folder: str, delete: bool) -> None:
    """End a mount after one last sync. The files stay, unless --delete is given."""
    from reverie.mounts import table as mounts
    from reverie.mounts.sync import clear
    from reverie.mounts.sync import sync as sync_one

    app = App.load()
    found = mounts.find(app.stored, folder)
    report = sync_one(app.stored, found, redact=lambda text: app.redact(text))
    tell(report)
    gone = clear(app.stored, found) if delete else 0
    mounts.remove(app.stored, found)
    deleted = f"; {several(gone, 'file')} deleted" if delete else ""
    say(f"{found.folder} shows no store any more{deleted}")


def _list(app: App, as_json: bool) -> None:
    from reverie.mounts.table import mounts

    found = mounts(app.stored)
    if as_json:
        out_json([one._asdict() for one in found])
        return
    if not found:
        say("no folder shows a store: `reverie mount STORE FOLDER` makes one")
        return
    names = {info.id: info.name for info in app.stored.stores(archived=True)}
    table(
        [[names[one.store_id], one.folder, one.access.replace("_", "-")] for one in found],
        ["store", "folder", "access"],
    )


def _words(report: "Report") -> str:
    counts = {
        "taken over": report.taken,
        "shown": report.shown,
        "merged": report.merged,
        "kept beside": len(report.kept_beside),
        "deleted": report.deleted,
        "put back": report.restored,
        "left alone": len(report.left),
    }
    said = ", ".join(f"{count} {words}" for words, count in counts.items() if count)
    return said or "nothing to do"


def _data(report: "Report") -> dict[str, Any]:
    left = [
        # A name on disk may hold bytes that are no text.
        {"file": one.file.encode(errors="backslashreplace").decode(), "why": one.why}
        for one in report.left
    ]
    return asdict(report) | {"left": left}
