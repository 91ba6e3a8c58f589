"""`reverie export`: stores with their history, or long-term memory of a scope as one page."""

from pathlib import Path

import click

from reverie.cli.app import App
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say
from reverie.documents.long_term import tokens
from reverie.errors import InvalidInput
from reverie.store.library import GLOBAL, Library

_OTHER_ARCHIVES = frozenset({".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z"})


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
    if not long_term:
        if target is None:
            raise InvalidInput("say what to export", hint="`reverie export FOLDER`, or --long-term")
        if claude_code:
            _into_claude_code(App.load(), target.expanduser().absolute(), scope, as_json)
            return
        from reverie.cli.transfer import export_stores
        from reverie.connect.imports.archives import is_archive

        if target.suffix in _OTHER_ARCHIVES and not is_archive(target):
            raise InvalidInput(
                f"no {target.suffix} is written", hint="name a new folder, or FILE.tar.gz"
            )
        export_stores(App.load(), target.expanduser().absolute(), stores, as_json)
        return
    app = App.load()
    chosen = scope_of(app, scope)
    text = Library(app.store, chosen).long_term(chosen)
    if output is not None:
        from reverie.files import replace_file

        replace_file(output, text)
        say(f"{chosen}: about {tokens(text):,} tokens written to {output}")
    elif as_json:
        out_json({"scope": chosen, "tokens": tokens(text), "text": text})
    else:
        out(text.rstrip())


def _into_claude_code(app: App, folder: Path, scope: str | None, as_json: bool) -> None:
    from reverie.connect.write_back import write_back

    chosen = scope_of(app, scope)
    items = Library(app.store, chosen).documents(chosen)
    done = write_back((item.document for item in items if not item.document.problem), folder)
    if as_json:
        out_json(
            {
                "written": done.written,
                "unchanged": done.unchanged,
                "left_alone": done.left,
                "not_in_index": done.unlisted,
            }
        )
        return
    say(f"{len(done.written)} written to {folder}, {len(done.unchanged)} were there already")
    for name in done.left:
        say(f"left alone, another text is there: {name}")
    for name in done.unlisted:
        say(f"not in MEMORY.md, which is full: {name}")


def scope_of(app: App, scope: str | None) -> str:
    """The slug of a scope: as named, else the project here, else `global`."""
    if scope is None:
        return app.project or GLOBAL
    known = {info.name for info in app.store.stores()} | {GLOBAL}
    return scope if scope in known else app.projects.find(scope).slug
