"""`reverie connect`: tell an agent that this memory is there."""

import os

import click

from reverie.cli.printing import out, say
from reverie.errors import Refused


@click.command()
@click.argument("agent", metavar="claude-code|codex")
@click.option("--undo", is_flag=True, help="Take the entry out again.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
def connect(agent: str, undo: bool, yes: bool, dry_run: bool) -> None:
    """Add the MCP server to an agent's own settings, or take it out.

    Shows the exact change and asks first; the file from before is kept in the home.
    """
    from reverie import config
    from reverie.connect.change import Connections
    from reverie.connect.clients import client, connecting, disconnecting

    which = client(agent)
    connections = Connections(config.load().home)
    planned = (
        disconnecting(which, os.environ, connections) if undo else connecting(which, os.environ)
    )
    if not planned.needed:
        say(f"{planned.path}: nothing to {'undo' if undo else 'change'}")
        return
    out(planned.diff().rstrip("\n"))
    if dry_run:
        return
    if not yes and not click.confirm(f"Write {planned.path}?", err=True):
        raise Refused("nothing was written")
    if undo:
        connections.undo(agent, planned)
        say(f"{planned.path} is as it was without Reverie")
        return
    backup = connections.apply(agent, planned)
    say(f"{planned.path} written" + (f"; before: {backup}" if backup else ""))
    say(f"start a new session of {agent} to use it; `reverie connect {agent} --undo` takes it out")
