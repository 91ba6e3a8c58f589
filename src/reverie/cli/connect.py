"""`reverie connect`: tell an agent that this memory is there."""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.cli.opening import opened
from reverie.cli.printing import agree, diff_line, out, say
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.config import Config
    from reverie.connect.clients import Client
    from reverie.files.change import Change, Connections

_PLUGIN = "Use the plugin (hooks, skills and tools)? No means: only the tools, in plain settings"


@click.command()
@click.argument("agent", metavar="claude-code|codex|gemini|opencode|copilot|cursor")
@click.option(
    "--plugin/--plain",
    default=None,
    help="Claude Code: its plugin (hooks, skills, tools), or plain settings; asked on a terminal.",
)
@click.option("--hooks", is_flag=True, help="Also let sessions be read when they end (no plugin).")
@click.option("--hint", is_flag=True, help="Codex: also say in its AGENTS.md when to ask.")
@click.option(
    "--rules/--no-rules",
    default=None,
    help="Show standing rules when a session starts, or never; asked with --hooks and --plugin.",
)
@click.option("--undo", is_flag=True, help="Take the entries, and the plugin, out again.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
def connect(
    agent: str,
    plugin: bool | None,
    hooks: bool,
    hint: bool,
    rules: bool | None,
    undo: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Add the MCP server to an agent's own settings, or take it out.

    Shows the exact change and asks first; the file from before is kept in the home. For Claude Code
    the plugin does the same and brings hooks and skills.
    """
    from reverie.connect.clients import client
    from reverie.connect.plugin import installed
    from reverie.files.change import Connections

    which = client(agent)
    memory = opened()
    if memory.claim:
        say(memory.claim)
    _tell_ignored(memory.config)
    if plugin and agent != "claude-code":
        raise InvalidInput(f"{agent} has no plugin", hint="without --plugin, its settings are used")
    if plugin is None and agent == "claude-code" and not (undo or hooks or yes or dry_run):
        plugin = sys.stdin.isatty() and click.confirm(_PLUGIN, default=True, err=True)
    config = opened().config
    if plugin:
        _plugin(config.environ, undo=undo, yes=yes, dry_run=dry_run)
    else:
        asked = _Asked(which, Connections(config.home), config.environ, yes, dry_run)
        _settings(asked, hooks=hooks, hint=hint, undo=undo)
        if undo and plugin is None and agent == "claude-code" and installed(config.environ):
            _plugin(config.environ, undo=True, yes=yes, dry_run=dry_run)
    if not (dry_run or undo):
        ask = rules is None and (hooks or plugin) and not yes
        _standing_rules(config.file, _asked_about_rules() if ask else rules)


def _tell_ignored(settings: "Config") -> None:
    """What an agent's server and hooks will not see: a repository could have set it as well."""
    only_home = {"REVERIE_HOME", "REVERIE_DISABLE", "REVERIE_INSIDE"}
    ours = [name for name in settings.environ if name.startswith("REVERIE_")]
    if ignored := sorted(set(ours) - only_home):
        say(f"agents do not see {', '.join(ignored)}: what they need goes into {settings.file}")


@dataclass(frozen=True, slots=True)
class _Asked:
    """Which agent, and how much is to be asked."""

    which: "Client"
    connections: "Connections"
    env: "Mapping[str, str]"
    yes: bool
    dry_run: bool


def _settings(asked: _Asked, *, hooks: bool, hint: bool, undo: bool) -> None:
    """The agent's own files: the server, and with the options its hooks and the hint."""
    from reverie.connect.clients import connecting, disconnecting
    from reverie.connect.hint_files import HINT_FILES
    from reverie.connect.hook_files import HOOK_FILES, hook_file, hooking

    agent, connections = asked.which.name, asked.connections
    hooked = hook_file(agent) if hooks else HOOK_FILES.get(agent)
    hinted = HINT_FILES.get(agent)
    if hint and hinted is None:
        raise InvalidInput(
            f"no hint is written for {agent}", hint="its MCP server says when to ask"
        )
    if undo:
        for one in filter(None, (asked.which, hooked, hinted)):
            planned = disconnecting(one, asked.env, connections)
            if _agreed(planned, "undo", yes=asked.yes, dry_run=asked.dry_run):
                connections.undo(one.name, planned)
                say(f"{planned.path} is as it was without Reverie")
        return
    planned = connecting(asked.which, asked.env)
    if _agreed(planned, "change", yes=asked.yes, dry_run=asked.dry_run):
        _applied(connections, agent, planned)
        say(f"start a new session of {agent} to use it")
        say(f"`reverie connect {agent} --undo` takes it out")
    for wanted, one in ((hooks, hooked), (hint, hinted)):
        if wanted and one is not None:
            planned = hooking(one, asked.env)
            if _agreed(planned, "change", yes=asked.yes, dry_run=asked.dry_run):
                _applied(connections, one.name, planned)
    if hooks and agent == "codex" and not asked.dry_run:
        say("Codex runs new hooks after you trust them once: /hooks")


def _plugin(env: "Mapping[str, str]", *, undo: bool, yes: bool, dry_run: bool) -> None:
    """Have the client put its plugin in, or take it out."""
    import shlex

    from reverie.connect.plugin import commands, run

    planned = commands(undo)
    for command in planned:
        out(shlex.join(command))
    if dry_run:
        return
    agree("Run this?", yes=yes, otherwise="nothing was run")
    run(planned, env)
    say("the plugin is out" if undo else "the plugin is in; start a new session to use it")
    if not undo and shutil.which("reverie-hook") is None:
        folder = Path(sys.executable).parent
        say(f"warning: the plugin calls `reverie`, which is not on the PATH: add {folder} to it,")
        say("or use --undo and then --plain --hooks, which name the interpreter")


def _agreed(planned: "Change", verb: str, *, yes: bool, dry_run: bool) -> bool:
    if not planned.needed:
        say(f"{planned.path}: nothing to {verb}")
        return False
    for line in planned.diff().splitlines():
        click.echo(diff_line(line))
    if dry_run:
        return False
    agree(f"Write {planned.path}?", yes=yes, otherwise="nothing was written")
    return True


def _applied(connections: "Connections", name: str, planned: "Change") -> None:
    backup = connections.apply(name, planned)
    say(f"{planned.path} written" + (f"; before: {backup}" if backup else ""))


def _asked_about_rules() -> bool:
    question = "May your standing rules (few, short) be shown to the agent at session start?"
    return click.confirm(question, err=True)


def _standing_rules(file: Path, show: bool | None) -> None:
    """Write the answer into our own settings; no answer changes nothing."""
    if show is None:
        return
    from reverie.connect.hook_files import showing_rules
    from reverie.files import replace_file

    planned = showing_rules(file, show)
    if planned.needed and planned.after is not None:
        replace_file(file, planned.after)
    say("standing rules are " + ("shown at session start" if show else "not shown"))
