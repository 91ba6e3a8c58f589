"""Transfer: `import` of memories of other tools and of exports, and `export` of what is here."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie import forms
from reverie.cli.opening import opened_in_step
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say, several, table
from reverie.cli.speaker import only_a_person
from reverie.cli.stores import holding
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from reverie.imports.run import Imported
    from reverie.memory import Memory
    from reverie.mounts.transfer import Loaded

_KINDS = (
    "memory-system",
    "instructions",
    "json",
    "codex",
    "claude-code",
    "basic-memory",
    "markdown",
    "reverie",
)
_SHOWN = 20


@click.command("import")
@click.argument("source", required=False)
@click.option("--from", "kind", type=click.Choice(_KINDS), help="What SOURCE is; seen if absent.")
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
    from reverie.operations import transfer

    if undo:
        only_a_person("take an import back", "import --undo")
    memory = opened_in_step(speaking=not dry_run)
    if undo:
        _undo(memory, source, as_json)
        return

    def took(place: Path, done: "Imported") -> None:
        if not as_json:
            _tell_taken(done, place, dry_run)

    done = transfer.import_memories(
        memory,
        source,
        kind=kind,
        store=store,
        dry_run=dry_run,
        made=lambda name: say(f"made the store {name}"),
        took=took,
    )
    if not isinstance(done, list):
        _tell_loaded(done, dry_run, as_json)
    elif as_json:
        out_json([forms.imported(one) for one in done])


def _tell_taken(done: "Imported", place: Path, dry_run: bool) -> None:
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


def _tell_loaded(done: "Loaded", dry_run: bool, as_json: bool) -> None:
    if not done.proven:
        say("another home made this: what it holds has the trust of an agent, attached to nothing")
    for file in done.edited:
        say(f"warning: {file} was edited since the export and is not taken over")
    if as_json:
        out_json(forms.loaded(done))
        return
    verb = "would import" if dry_run else "imported"
    for info in done.copied.stores:
        say(f"{verb} {info.name}: {holding(info)}, verified")
    for info in done.copied.already:
        say(f"{info.name} was already there")


def _undo(memory: "Memory", source: str | None, as_json: bool) -> None:
    from reverie.operations import transfer

    done = transfer.undo_import(memory, source)
    if as_json:
        out_json(forms.plain(done))
        return
    say(f"undone: {several(done.removed, 'memory')} removed, {done.restored} as they were before")
    for path in done.kept:
        say(f"kept, as it was changed since: {path}")


@click.command()
@click.argument("target", required=False, type=click.Path(path_type=Path))
@click.option("--store", "stores", multiple=True, help="Only this store; may be given again.")
@click.option(
    "--claude-code",
    is_flag=True,
    help="TARGET is Claude Code's memory folder: add what is missing, change nothing there.",
)
@click.option("--long-term", is_flag=True, help="Long-term memory as one Markdown page.")
@click.option("--scope", help="global, or a project (name, slug or path); default: where you are.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to a file.")
@json_option
def export(
    target: Path | None,
    stores: tuple[str, ...],
    claude_code: bool,
    long_term: bool,
    scope: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Write stores to TARGET (a new folder, or FILE.tar.gz), or a page for reading.

    TARGET holds every memory as a file and the whole history; `reverie import` brings it back with
    the same hashes. The long-term page has fixed sections and stays under about 10,000 tokens; for
    a project without memories it is the empty template.
    """
    from reverie.operations import transfer

    if long_term:
        _export_page(opened_in_step(), scope, output, as_json)
        return
    if target is None:
        raise InvalidInput("say what to export", hint="`reverie export FOLDER`, or --long-term")
    place = target.expanduser().absolute()
    memory = opened_in_step()
    if claude_code:
        _into_claude_code(memory, place, scope, as_json)
        return
    done = transfer.export(memory, place, stores)
    if as_json:
        out_json(forms.plain(done))
        return
    what = f"{several(done.memories, 'memory')}, {several(done.versions, 'version')}"
    say(f"exported {several(len(done.stores), 'store')}, {what}")
    out(str(place))


def _into_claude_code(memory: "Memory", folder: Path, scope: str | None, as_json: bool) -> None:
    from reverie.operations import transfer

    done = transfer.export_to_claude_code(memory, folder, scope)
    if as_json:
        out_json(forms.written_back(done))
        return
    say(f"{len(done.written)} written to {folder}, {len(done.unchanged)} were there already")
    for name in done.left:
        say(f"left alone, another text is there: {name}")
    for name in done.unlisted:
        say(f"not in MEMORY.md, which is full: {name}")


def _export_page(memory: "Memory", scope: str | None, output: Path | None, as_json: bool) -> None:
    from reverie.operations import transfer

    page = transfer.long_term(memory, scope)
    if output is not None:
        from reverie.files import replace_file

        replace_file(output, page.text)
        say(f"{page.scope}: about {page.tokens:,} tokens written to {output}")
    elif as_json:
        out_json(forms.plain(page))
    else:
        out(page.text.rstrip())
