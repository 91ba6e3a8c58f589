"""`reverie connect`: tell an agent that this memory is there, and ask what it may be told."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.cli.opening import opened
from reverie.cli.printing import agree, diff_line, out, say
from reverie.cli.speaker import only_a_person, only_the_person
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.config import Config
    from reverie.connect.clients import Client
    from reverie.files.change import Change, Connections
    from reverie.memory import Memory

_PLUGIN = "Use the plugin (hooks, skills and tools)? No means: only the tools, in plain settings"
_HOURS = 4  # between regular runs
_SCHEDULE = "Have it run regularly from now on?"


@click.command()
@click.argument("agent", metavar="claude-code|codex|gemini|opencode|copilot|cursor", required=False)
@click.option(
    "--plugin/--plain",
    default=None,
    help="Claude Code: its plugin (hooks, skills, tools), or plain settings; asked on a terminal.",
)
@click.option("--hooks", is_flag=True, help="Also let sessions be read when they end (no plugin).")
@click.option("--hint", is_flag=True, help="Codex: also say in its AGENTS.md when to ask.")
@click.option(
    "--digest/--no-digest",
    default=None,
    help="Tell a short digest when a session starts, or never; asked once.",
)
@click.option(
    "--follow/--no-follow",
    default=None,
    help="Take over what Claude Code and Codex save as their own memory, or never; asked once.",
)
@click.option("--undo", is_flag=True, help="Take the entries, and the plugin, out again.")
@click.option(
    "--everything",
    is_flag=True,
    help="With --undo: out of every agent, and mounts, blocks and all that is kept go, too.",
)
@click.option("--yes", is_flag=True, help="Do not ask; every answer is yes.")
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
def connect(
    agent: str | None,
    plugin: bool | None,
    hooks: bool,
    hint: bool,
    digest: bool | None,
    follow: bool | None,
    undo: bool,
    everything: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Add the MCP server to an agent's own settings, or take it out.

    Shows the exact change and asks first; the file from before is kept in the home. For Claude Code
    the plugin does the same and brings hooks and skills. Asks once whether a digest of what you
    taught may be shown to your agents when a session starts, whether what they save as their own
    memory is taken over, and, at a terminal, whether they may distil lessons when a session ends.
    """
    from reverie.cli.asking import ask_for_digest, ask_for_engine, ask_to_follow
    from reverie.connect.clients import client
    from reverie.connect.plugin import installed
    from reverie.files.change import Connections
    from reverie.operations.starts.instructing import USERS

    _leave_to_the_person(agent, undo=undo and not dry_run, answers=(digest, follow))
    if everything:
        _everything(undo=undo, agent=agent, yes=yes, dry_run=dry_run)
        return
    if agent is None:
        raise InvalidInput("which agent?", hint="`reverie connect claude-code`, for example")
    which = client(agent)
    memory = opened()
    if memory.claim:
        say(memory.claim)
    _tell_ignored(memory.config)
    if plugin and agent != "claude-code":
        raise InvalidInput(f"{agent} has no plugin", hint="without --plugin, its settings are used")
    if plugin is None and agent == "claude-code" and not (undo or hooks or yes or dry_run):
        plugin = sys.stdin.isatty() and click.confirm(_PLUGIN, default=True, err=True)
    config = memory.config
    asked = _Asked(which, Connections(config.home), config.environ, yes, dry_run)
    if undo:
        _block_out(memory, asked, f"{agent}{USERS}")
    if plugin:
        _plugin(config.environ, undo=undo, yes=yes, dry_run=dry_run)
    else:
        _settings(asked, hooks=hooks, hint=hint, undo=undo)
        if undo and plugin is None and agent == "claude-code" and installed(config.environ):
            _plugin(config.environ, undo=True, yes=yes, dry_run=dry_run)
    if undo:
        _leave_nothing(asked, config)
        return
    if not dry_run:
        _note_moved(memory)
        ask_for_digest(config, digest, yes=yes)
        ask_to_follow(config, follow, agent, yes=yes)
        ask_for_engine(config, agent, hooked=_is_hooked(asked))
    # What was answered counts from here on.
    _hand_over(opened(), asked, hooks=hooks, shown=bool(digest))
    if not plugin and not hooks:
        _tell_who_learns(asked)


def _leave_to_the_person(
    agent: str | None, *, undo: bool, answers: tuple[bool | None, ...]
) -> None:
    """Whether a memory is there at all, and what it may tell, no agent decides.

    Raises:
        Refused: this is an agent's shell.
    """
    if undo:
        only_a_person("take the memory away", f"connect --undo {agent or '--everything'}")
    if any(answer is not None for answer in answers):
        only_a_person("say what is told and taken over", f"connect {agent or 'AGENT'}")


def _note_moved(memory: "Memory") -> None:
    """Where a variable has moved an agent's folder, hooks believe it once a person connected."""
    from reverie.config import account
    from reverie.sessions.logs.vouching import roots_in, write_roots

    environ = memory.config.environ
    moved = set(roots_in(environ)) - set(roots_in(account(environ)))
    if moved and not memory.agent_above():
        write_roots(memory.make_home(), moved)


def _leave_nothing(asked: "_Asked", config: "Config") -> None:
    """What was allowed goes; after the last agent all that only agents need, and an empty home."""
    from contextlib import suppress
    from shutil import rmtree

    from reverie.cli.asking import keep, take_back_engine
    from reverie.connect.plugin import installed
    from reverie.connect.questions import AGENT_MEMORY, DIGEST, unanswering
    from reverie.privacy import SEAL_FILE
    from reverie.sessions.logs.vouching import ROOTS_FILE

    if asked.dry_run:
        return
    take_back_engine(config, asked.which.name)
    if asked.connections.names() or installed(config.environ):
        return
    keep(unanswering(config.file, DIGEST, AGENT_MEMORY))
    for folder in ("digests", "remembered"):
        rmtree(config.home / folder, ignore_errors=True)
    for name in ("hooks.json", "start.json", "due", "reminded", "followed.json", ROOTS_FILE):
        (config.home / name).unlink(missing_ok=True)
    if not (config.has_memories or config.has_index):
        (config.home / SEAL_FILE).unlink(missing_ok=True)  # it sealed nothing but the digests
    with suppress(OSError):
        config.home.rmdir()


def _tell_who_learns(asked: "_Asked") -> None:
    """Without hooks an agent can ask, and nothing new comes to be known by itself."""
    from reverie.connect.hook_files import HOOK_FILES
    from reverie.connect.schedule import carry_out, default_kind, installing, is_installed

    agent = asked.which.name
    if asked.dry_run or _is_hooked(asked) or is_installed(asked.env):
        return
    say("nothing is learned from your sessions until you run `reverie learn`")
    say("`reverie schedule install` has it run regularly")
    if agent in HOOK_FILES:
        say(f"`reverie connect {agent} --hooks` has sessions read when they end")
    if not asked.yes and sys.stdin.isatty() and click.confirm(_SCHEDULE, err=True):
        plan = installing(default_kind(sys.platform, asked.env), _HOURS, asked.env)
        out(plan.text())
        agree("Do this?", yes=False, otherwise="nothing was installed")
        carry_out(plan)


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
        for client in filter(None, (asked.which, hooked, hinted)):
            planned = disconnecting(client, asked.env, connections)
            if _agreed(planned, "undo", asked):
                connections.undo(client.name, planned)
                say(f"{planned.path} is as it was without Reverie")
        return
    planned = connecting(asked.which, asked.env)
    if _agreed(planned, "change", asked):
        _applied(connections, agent, planned)
        say(f"start a new session of {agent} to use it")
        say(f"`reverie connect {agent} --undo` takes it out")
    for wanted, client in ((hooks, hooked), (hint, hinted)):
        if wanted and client is not None:
            planned = hooking(client, asked.env)
            if _agreed(planned, "change", asked):
                _applied(connections, client.name, planned)
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


def _agreed(planned: "Change", verb: str, asked: _Asked) -> bool:
    if not planned.needed:
        say(f"{planned.path}: nothing to {verb}")
        return False
    show_diff(planned)
    if asked.dry_run:
        return False
    agree(f"Write {planned.path}?", yes=asked.yes, otherwise="nothing was written")
    return True


def show_diff(planned: "Change") -> None:
    """A change of somebody's file, as people know it."""
    for line in planned.diff().splitlines():
        click.echo(diff_line(line))


def _applied(connections: "Connections", name: str, planned: "Change") -> None:
    backup = connections.apply(name, planned)
    say(f"{planned.path} written" + (f"; before: {backup}" if backup else ""))


def _hand_over(memory: "Memory", asked: _Asked, *, hooks: bool, shown: bool) -> None:
    """Prepare what sessions are told, and put it where an agent without hooks reads it."""
    from reverie.connect.hint_files import INSTRUCTIONS
    from reverie.operations.starts import instructing, starting
    from reverie.operations.starts.instructing import USERS

    agent = asked.which.name
    name = f"{agent}{USERS}"
    if hooks:
        _block_out(memory, asked, name)  # its hook tells it now
    allowed = memory.settings.hooks.digest or (asked.dry_run and shown)
    if not allowed:
        for block in instructing.blocks(memory):
            if block.endswith(USERS):
                _block_out(memory, asked, block)
    if allowed and agent in INSTRUCTIONS and not hooks and not _has_hooks(asked):
        planned = instructing.users_file(memory, INSTRUCTIONS[agent](asked.env))
        if planned.needed and _agreed(planned, "change", asked):
            instructing.put(memory, name, planned)
            say(f"{planned.path} written; it is kept up to date")
    if not asked.dry_run:
        starting.refresh(memory)


def _is_hooked(asked: _Asked) -> bool:
    """Whether its sessions are read when they end, through its settings or the plugin."""
    from reverie.connect.plugin import installed

    return _has_hooks(asked) or (asked.which.name == "claude-code" and installed(asked.env))


def _has_hooks(asked: _Asked) -> bool:
    return f"{asked.which.name}-hooks" in asked.connections.names()


def _block_out(memory: "Memory", asked: _Asked, name: str) -> None:
    from reverie.operations.starts import instructing

    if path := instructing.blocks(memory).get(name):
        planned = instructing.taking_out(memory, name, path)
        if planned.needed and not _agreed(planned, "undo", asked):
            return
        instructing.take_out(memory, name, planned)
        say(f"{path} is as it was without Reverie")


def _everything(*, undo: bool, agent: str | None, yes: bool, dry_run: bool) -> None:
    """List all that is Reverie's on this machine, ask, and remove it."""
    from reverie.connect import removal

    if not undo or agent is not None:
        raise InvalidInput(
            "--everything takes all of it out, of every agent",
            hint="`reverie connect --undo --everything`",
        )
    memory = opened(speaking=not dry_run)
    if not dry_run:
        only_the_person(memory, "take all of it away", "connect --undo --everything")
    steps = removal.steps(memory)
    if not steps:
        say("there is nothing of Reverie's here")
        return
    for step in steps:
        out(f"{step.what}: {step.where}")
    for line in removal.staying(memory):
        say(line)
    if dry_run:
        return
    agree("Remove all of this, for good?", yes=yes, otherwise="nothing was removed")
    for step in steps:
        step.remove()
        say(f"removed {step.what}: {step.where}")
    for left in removal.left_in_home(memory):
        say(f"left, for it is not Reverie's: {left}")
