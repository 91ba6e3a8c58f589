"""`reverie connect`: tell an agent that this memory is there."""

import os
from typing import TYPE_CHECKING

import click

from reverie.cli.printing import out, say
from reverie.errors import Refused

if TYPE_CHECKING:
    from reverie.connect.change import Change, Connections


@click.command()
@click.argument("agent", metavar="claude-code|codex|gemini|opencode|copilot|cursor")
@click.option("--hooks", is_flag=True, help="Also let sessions be read when they end (no plugin).")
@click.option(
    "--rules/--no-rules",
    default=None,
    help="Show standing rules when a session starts, or never; asked with --hooks.",
)
@click.option("--undo", is_flag=True, help="Take the entries out again.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
def connect(
    agent: str, hooks: bool, rules: bool | None, undo: bool, yes: bool, dry_run: bool
) -> None:
    """Add the MCP server to an agent's own settings, or take it out.

    Shows the exact change and asks first; the file from before is kept in the home. For Claude Code
    the plugin does the same and brings skills: `/plugin marketplace add`, see the guide.
    """
    from reverie import config
    from reverie.connect.change import Connections
    from reverie.connect.clients import client, connecting, disconnecting
    from reverie.connect.hook_files import HOOK_FILES, hook_file, hooking

    which = client(agent)
    hooked = hook_file(agent) if hooks or agent in HOOK_FILES else None
    connections = Connections(config.load().home)
    if undo:
        for one in filter(None, (which, hooked)):
            planned = disconnecting(one, os.environ, connections)
            if _agreed(planned, "undo", yes=yes, dry_run=dry_run):
                connections.undo(one.name, planned)
                say(f"{planned.path} is as it was without Reverie")
        return
    planned = connecting(which, os.environ)
    if _agreed(planned, "change", yes=yes, dry_run=dry_run):
        _applied(connections, which.name, planned)
        say(f"start a new session of {agent} to use it")
        say(f"`reverie connect {agent} --undo` takes it out")
    if hooks and hooked:
        planned = hooking(hooked, os.environ)
        if _agreed(planned, "change", yes=yes, dry_run=dry_run):
            _applied(connections, hooked.name, planned)
            if agent == "codex":
                say("Codex runs new hooks after you trust them once: /hooks")
    if not dry_run:
        _standing_rules(rules if rules is not None or not hooks or yes else _asked_about_rules())


def _agreed(planned: "Change", verb: str, *, yes: bool, dry_run: bool) -> bool:
    if not planned.needed:
        say(f"{planned.path}: nothing to {verb}")
        return False
    out(planned.diff().rstrip("\n"))
    if dry_run:
        return False
    if not yes and not click.confirm(f"Write {planned.path}?", err=True):
        raise Refused("nothing was written")
    return True


def _applied(connections: "Connections", name: str, planned: "Change") -> None:
    backup = connections.apply(name, planned)
    say(f"{planned.path} written" + (f"; before: {backup}" if backup else ""))


def _asked_about_rules() -> bool:
    question = "May your standing rules (few, short) be shown to the agent at session start?"
    return click.confirm(question, err=True)


def _standing_rules(show: bool | None) -> None:
    """Write the answer into our own settings; no answer changes nothing."""
    if show is None:
        return
    from reverie import config
    from reverie.connect.hook_files import showing_rules
    from reverie.files import replace_file

    file = config.load().file
    planned = showing_rules(file, show)
    if planned.needed and planned.after is not None:
        replace_file(file, planned.after)
    say("standing rules are " + ("shown at session start" if show else "not shown"))
