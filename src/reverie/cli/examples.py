"""Examples for `--help` and the reference; a test runs each through the parser."""

from collections.abc import Iterator

import click

from reverie.data import sections

# Command → lines as one would type them.
EXAMPLES = {name: tuple(text.splitlines()) for name, text in sections("examples.txt").items()}


def tell(command: click.Command, name: str) -> None:
    """Put its examples below the help of a command and of those below it."""
    for path, subcommand in _with_subcommands(command, name):
        if lines := EXAMPLES.get(path):
            # \b keeps click from joining the lines.
            subcommand.epilog = "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def _with_subcommands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for sub, child in command.commands.items():
            yield from _with_subcommands(child, f"{name} {sub}")
