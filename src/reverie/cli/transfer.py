"""`import`: memories of other tools, of agents, and Reverie's own exports; `export` of stores."""

import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.app import App
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say, several, table
from reverie.cli.stores import held, resolve
from reverie.errors import Ambiguous, InvalidInput, NotFound, Refused

if TYPE_CHECKING:
    from reverie.connect.imports.base import Target
    from reverie.connect.imports.run import Imported

_KINDS = ("memory-system", "instructions", "json", "codex", "claude-code", "basic-memory")
_ALL = (*_KINDS, "markdown", "reverie")
_SHOWN = 20


@click.command("import")
@click.argument("source", required=False)
@click.option("--from", "kind", type=click.Choice(_ALL), help="What SOURCE is; seen if absent.")
@click.option("--store", help="Put everything into this store; made if new.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--undo", is_flag=True, help="Take the last import back (of SOURCE, or of any).")
@json_option
def import_(
    source: str | None,
    kind: str | None,
    store: str | None,
    dry_run: bool,
    undo: bool,
    as_json: bool,
) -> None:
    """Take over the memories at SOURCE: a folder, a file, or an archive of `reverie export`.

    Alone, or with `claude-code` as SOURCE: the memory folders of Claude Code. What is there
    already is not written twice, secrets are replaced, and the source itself is never touched.
    """
    app = App.load()
    if undo:
        _undo(app, source, as_json)
    elif source in (None, "claude-code"):
        _import_claude_code(app, store, dry_run, as_json)
    else:
        _import(app, _place(source or ""), kind, store, dry_run, as_json)


def _import(
    app: App, place: Path, kind: str | None, store: str | None, dry_run: bool, as_json: bool
) -> None:
    from reverie.connect.imports.archives import is_archive, unpack
    from reverie.mounts.transfer import is_export

    if place.is_file() and is_archive(place):
        with tempfile.TemporaryDirectory(prefix="reverie-") as scratch:
            unpack(place, Path(scratch))
            _import(app, Path(scratch), kind, store, dry_run, as_json)
        return
    if kind == "reverie" or (kind is None and place.is_dir() and is_export(place)):
        _load(app, place, dry_run, as_json)
        return
    from reverie.connect.imports import source_for

    found = source_for(place, kind)
    _take_over(app, [(found.kind, place)], store, dry_run, as_json)


def _import_claude_code(app: App, store: str | None, dry_run: bool, as_json: bool) -> None:
    from reverie.connect.imports.claude_code import memory_folders, switched_off

    if why := switched_off(os.environ):
        raise Refused(
            f"Claude Code's memory is switched off: {why}",
            hint="name a folder to import it all the same",
        )
    folders = memory_folders(os.environ)
    if not folders:
        raise NotFound("Claude Code keeps no memory here", hint="name a folder to import")
    _take_over(app, [("claude-code", folder) for folder in folders], store, dry_run, as_json)


def _take_over(
    app: App, places: list[tuple[str, Path]], store: str | None, dry_run: bool, as_json: bool
) -> None:
    from reverie.connect.imports import source_for
    from reverie.connect.imports.run import take_over

    target = _target(app, store, dry_run)
    results: list[Imported] = []
    for kind, place in places:
        found = source_for(place, kind).read(place, target)
        done = take_over(app.store, found, f"{kind} {place}", app.redact, dry_run=dry_run)
        results.append(done)
        if not as_json:
            _tell(done, place, dry_run)
    if as_json:
        out_json([_data(done) for done in results])


def _named(app: App, store: str, dry_run: bool) -> str:
    """The store to put everything into; a new name makes one, a misspelt one does not."""
    try:
        return resolve(app.store, store).name
    except Ambiguous:
        raise
    except NotFound as error:
        if "did you mean" in (error.hint or ""):
            raise
    if not dry_run:
        app.store.ensure_store(store)
        say(f"made the store {store}")
    return store


def _target(app: App, store: str | None, dry_run: bool) -> "Target":
    from reverie.connect.imports.base import Target
    from reverie.store.library import GLOBAL

    def slug_of(name: str) -> str:
        try:
            return app.projects.find(name).slug
        except NotFound:
            return name

    def slug_at(cwd: str) -> str:
        from reverie.sessions.projects import identify

        known = app.projects.at(cwd)
        return known.slug if known else identify(cwd).slug

    project = _named(app, store, dry_run) if store else app.project or GLOBAL
    return Target(project, app.now[:10], slug_of, slug_at, fixed=store is not None)


def _undo(app: App, source: str | None, as_json: bool) -> None:
    from reverie.connect.imports import source_for
    from reverie.connect.imports.run import undo

    what = None
    if source is not None:
        place = _place(source)
        what = f"{source_for(place).kind} {place}"
    done = undo(app.store, what)
    if as_json:
        out_json(asdict(done))
        return
    say(f"undone: {several(done.removed, 'memory')} removed, {done.restored} as they were before")
    for path in done.kept:
        say(f"kept, as it was changed since: {path}")


def _load(app: App, place: Path, dry_run: bool, as_json: bool) -> None:
    from reverie.mounts.transfer import load

    done = load(app.store, place, dry_run=dry_run)
    for file in done.edited:
        say(f"warning: {file} was edited since the export and is not taken over")
    if as_json:
        out_json(
            {
                "stores": [info.id for info in done.copied.stores],
                "already": [info.id for info in done.copied.already],
                "edited": list(done.edited),
            }
        )
        return
    verb = "would import" if dry_run else "imported"
    for info in done.copied.stores:
        say(f"{verb} {info.name}: {held(info)}, verified")
    for info in done.copied.already:
        say(f"{info.name} was already there")


def export_stores(app: App, target: Path, names: tuple[str, ...], as_json: bool) -> None:
    """Write stores with their history to a new folder or `.tar.gz` archive."""
    from reverie.connect.imports.archives import is_archive, pack
    from reverie.mounts.transfer import export

    refs = [resolve(app.store, name).id for name in names] or None
    if is_archive(target):
        with tempfile.TemporaryDirectory(prefix="reverie-") as scratch:
            folder = Path(scratch) / "export"
            done = export(app.store, folder, refs)
            pack(folder, target)
    else:
        done = export(app.store, target, refs)
    if as_json:
        out_json(asdict(done))
        return
    what = f"{several(done.memories, 'memory')}, {several(done.versions, 'version')}"
    say(f"exported {several(len(done.stores), 'store')}, {what}")
    out(str(target))


def _place(source: str) -> Path:
    place = Path(source).expanduser().absolute()
    if not place.exists():
        raise InvalidInput(f"there is no {source}")
    return place


def _tell(done: "Imported", place: Path, dry_run: bool) -> None:
    verb = "would write" if dry_run else "wrote"
    say(
        f"{place}: {verb} {several(len(done.written), 'memory')}, {done.already} were here already,"
        f" {len(done.skipped)} left out, secrets replaced in {done.redacted}"
    )
    if dry_run:
        table([[one.change, f"{one.store}:{one.path}", one.source] for one in done.written])
    for source, why in done.skipped[:_SHOWN]:
        say(f"left out: {source}: {why}")
    if len(done.skipped) > _SHOWN:
        say(f"… and {len(done.skipped) - _SHOWN} more; --json lists all")
    for note in done.notes:
        say(f"note: {note}")


def _data(done: "Imported") -> dict[str, Any]:
    return {
        "batch": done.batch,
        "written": [one._asdict() for one in done.written],
        "already": done.already,
        "redacted": done.redacted,
        "skipped": [one._asdict() for one in done.skipped],
        "notes": done.notes,
    }
