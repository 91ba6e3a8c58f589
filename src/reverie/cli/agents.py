"""Agents: `connect` tells one that this memory is there, `mcp` serves it, `work` has it think."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.opening import opened, opened_in_step, session
from reverie.cli.options import json_option, text_of
from reverie.cli.printing import agree, diff_line, out, out_json, say, several
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.config import Config
    from reverie.connect.clients import Client
    from reverie.dream.proposals.work import Taken
    from reverie.files.change import Change, Connections
    from reverie.operations.working import Kind


# --- connect ------------------------------------------------------------------------------------


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
    import shutil

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


# --- mcp ----------------------------------------------------------------------------------------


@click.command()
@click.option("--project", metavar="NAME", help="Serve this project, whatever the directory.")
@click.option("--agent", default="", metavar="NAME", help="The agent that asks: `claude-code`, ….")
@click.option("--read-only", is_flag=True, help="Refuse every write.")
@click.option("--home", metavar="PATH", default="", help="The home; REVERIE_* is ignored with it.")
def mcp(project: str | None, agent: str, read_only: bool, home: str) -> None:
    """Serve recall and memory over MCP (stdio); agents start this themselves."""
    from reverie.asker import Asker
    from reverie.connect.switches import trusted
    from reverie.memory import Memory
    from reverie.serve.mcp import Server, own_stdout
    from reverie.serve.tools import Tools

    sink = own_stdout()
    folder = os.getcwd()
    env = trusted(os.environ, home, folder)
    asker = Asker("mcp", session(), agent=agent)
    with Memory.open(project=project, asker=asker, folder=folder, environ=env) as memory:
        tools = Tools(memory, read_only=read_only)
        Server(tools, sys.stdin.buffer, sink, sys.stderr).run()


# --- work ---------------------------------------------------------------------------------------

KINDS = ("learn", "dream")


@click.group()
def work() -> None:
    """Let the agent you already use do the thinking; every answer is checked."""


@work.command("next")
@click.option("--kind", type=click.Choice(KINDS), default="learn", help="What sort of work.")
@click.option("--project", help="Only this project (name, slug or path); else the one here.")
@click.option("--all", "everything", is_flag=True, help="Pieces of all projects.")
@json_option
def next_(kind: "Kind", project: str | None, everything: bool, as_json: bool) -> None:
    """Take the oldest piece of work that nobody has.

    A piece has instructions, the form of the answer and material quoted from past sessions. It is
    yours for half an hour; then it is given to the next who asks.
    """
    from reverie import forms
    from reverie.operations import working

    piece = working.next_piece(opened_in_step(), kind, project=project, everything=everything)
    if piece is None:
        if as_json:
            out_json(None)
        say("no work: all there is was looked at")
        return
    form = forms.task(piece)
    if as_json:
        out_json(form)
    else:
        _show(form)


@work.command()
@click.argument("piece", metavar="ID")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@json_option
def submit(piece: str, file: Path, as_json: bool) -> None:
    """Hand in the answer to piece ID: FILE with JSON, `-` for standard input.

    Checked are form, size, evidence, secrets, and whether it is worth keeping. A refusal has every
    reason; what is taken waits for `reverie review`, unless a person said it outright.
    """
    from reverie import forms
    from reverie.operations import working

    text = text_of(file)
    taken = working.submit(opened_in_step(), piece, text)
    if as_json:
        out_json(forms.taken(taken))
        return
    _say_lessons(taken)
    for change in taken.changes:
        say(f"{change.verb}: {change.title}")
    if taken.proposal:
        say(f"proposal {taken.proposal}: `reverie review` shows each change")
    elif not taken.lessons:
        say("taken: nothing to keep in this piece")


@work.command("run")
@click.option("--pieces", type=click.IntRange(1), default=1, help="At most so many.")
@click.option("--project", help="Only this project (name, slug or path); else the one here.")
@click.option("--all", "everything", is_flag=True, help="Pieces of all projects.")
@click.option("--yes", is_flag=True, help="Do not ask; the caps hold all the same.")
@json_option
def run_(pieces: int, project: str | None, everything: bool, yes: bool, as_json: bool) -> None:
    """Have Claude Code do pieces of work now, each in a fork of its own past session.

    It costs money: `reverie engines` shows the caps, `reverie costs` the receipts.
    """
    from reverie import forms
    from reverie.operations import working

    memory = opened_in_step()
    runs = working.run(memory, pieces, project=project, everything=everything)
    most = memory.settings.engines.max_usd_per_run * pieces
    agree(f"This may cost up to {most:.2f} USD. Go on?", yes=yes, otherwise="nothing was run")
    done: list[Taken] = []
    for taken in runs:
        done.append(taken)
        _say_lessons(taken)
    if as_json:
        out_json([forms.taken(taken) for taken in done])
    say(f"{several(len(done), 'piece')} done")


def _say_lessons(taken: "Taken") -> None:
    for lesson, outcome in taken.lessons:
        say(f"{outcome.action}: {lesson.text} ({outcome.why})")


def _show(form: dict[str, Any]) -> None:
    import json

    say(f"{form['id']}: {form['kind']}, until {form['answer_before']}")
    say(f"hand in with: reverie work submit {form['id']} FILE")
    out(f"{form['instructions']}\n")
    out(json.dumps(form["schema"], indent=2))
    for entry in form["material"]:
        out("\n" + "\n".join(f"{name}: {value}" for name, value in entry.items()))
