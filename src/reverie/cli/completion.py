"""`reverie completion`: what a shell needs to complete commands and options."""

import click
from click.shell_completion import get_completion_class

from reverie.cli.printing import say
from reverie.errors import Unavailable

_HOW = {
    "bash": "add to ~/.bashrc:  eval \"$(reverie completion bash)\"",
    "zsh": "add to ~/.zshrc:  eval \"$(reverie completion zsh)\"",
    "fish": "run:  reverie completion fish > ~/.config/fish/completions/reverie.fish",
}  # fmt: skip


@click.command()
@click.argument("shell", type=click.Choice(sorted(_HOW)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL: bash, zsh or fish."""
    kind = get_completion_class(shell)
    if kind is None:
        raise Unavailable(f"no completion for {shell}")
    source = kind(ctx.find_root().command, {}, "reverie", "_REVERIE_COMPLETE").source_vars()
    # The template is formatted here: click's own `source` runs bash to ask for its version.
    click.echo(kind.source_template % source)
    say(_HOW[shell])
