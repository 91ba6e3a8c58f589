"""`reverie export --long-term`: long-term memory of a scope as one page."""

from pathlib import Path

import click

from reverie.cli.app import App
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say
from reverie.errors import InvalidInput
from reverie.store.library import GLOBAL, Library
from reverie.store.long_term import tokens


@click.command()
@click.option("--long-term", is_flag=True, help="Long-term memory as one Markdown page.")
@click.option("--scope", help="global, or a project (name, slug or path); default: where you are.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to a file.")
@json_option
def export(long_term: bool, scope: str | None, output: Path | None, as_json: bool) -> None:
    """Write memory down for other tools and for reading.

    The page has fixed sections and stays under about 10,000 tokens; for a project without memories
    it is the empty template.
    """
    if not long_term:
        raise InvalidInput("say what to export", hint="`reverie export --long-term`")
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


def scope_of(app: App, scope: str | None) -> str:
    """The slug of a scope: as named, else the project here, else `global`."""
    if scope is None:
        return app.project or GLOBAL
    known = {info.name for info in app.store.stores()} | {GLOBAL}
    return scope if scope in known else app.projects.find(scope).slug
