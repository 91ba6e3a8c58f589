"""Agents: `mcp` serves this memory to one, `work` has it think."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.opening import opened_in_step, session
from reverie.cli.options import json_option, text_of
from reverie.cli.printing import out, out_json, say

if TYPE_CHECKING:
    from reverie.dream.proposals.work import Taken
    from reverie.memory import Memory
    from reverie.operations.engines.working import Kind


_MCP_LINES = 1_000  # characters

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
    # Whoever says nothing of its session has one as long as it is connected.
    asker = Asker("mcp", session() or f"connection-{int.from_bytes(os.urandom(4))}", agent=agent)
    with Memory.open(project=project, asker=asker, folder=folder, environ=env) as memory:
        tools = Tools(memory, read_only=read_only, opening=lambda: first_lines(memory, agent))
        Server(tools, sys.stdin.buffer, sink, sys.stderr).run()


def first_lines(memory: "Memory", agent: str) -> str:
    """The top of the digest, for a client that is not told it by a hook or a file."""
    if not memory.settings.hooks.digest:
        return ""
    from reverie.files.change import Connections
    from reverie.operations.starts import instructing, starting

    client = agent.removesuffix("-cli")
    if Connections(memory.config.home).names() & {f"{client}-hooks", client + instructing.USERS}:
        return ""
    if client == "claude-code":
        from reverie.connect.plugin import installed

        if installed(memory.config.environ):
            return ""
    return starting.top_lines(memory, _MCP_LINES)


# --- work ---------------------------------------------------------------------------------------

KINDS = ("session", "day", "dream", "triage", "revise")


@click.group()
def work() -> None:
    """Let the agent you already use do the thinking; every answer is checked."""


@work.command("next")
@click.option("--kind", type=click.Choice(KINDS), default="session", help="What sort of work.")
@click.option("--project", help="Only this project (name, slug or path); else the one here.")
@click.option("--all", "everything", is_flag=True, help="Pieces of all projects.")
@json_option
def next_(kind: "Kind", project: str | None, everything: bool, as_json: bool) -> None:
    """Take the oldest piece of work that nobody has.

    A piece has instructions, the form of the answer and material quoted from past sessions. It is
    yours for half an hour; then it is given to the next who asks.
    """
    from reverie import forms
    from reverie.operations.engines import working

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
    from reverie.operations.engines import working

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
    elif taken.advised:
        say(f"advice on {taken.advised} of the queue: `reverie review --advised`")
    elif taken.revised:
        say(f"changed: {taken.revised} of the memories")
    elif taken.day:
        say(f"the daily of {taken.day} is written: `reverie daily {taken.day}`")
    elif not taken.lessons:
        say("taken: nothing to keep in this piece")


@work.command("run")
@click.option("--engine", required=True, metavar="NAME", help="Who thinks: see `reverie engines`.")
@click.option("--kind", type=click.Choice(KINDS), default="session", help="What sort of work.")
@click.option("--project", help="Only this project (name, slug or path); else the one here.")
@click.option("--all", "everything", is_flag=True, help="Pieces of all projects.")
@click.option("--pieces", type=click.IntRange(1), help="At most so many.")
@click.option("--yes", is_flag=True, help="Do not ask; the caps hold all the same.")
@click.option("--dry-run", is_flag=True, help="Say what it would take, and send nothing.")
@json_option
def run_(engine: str, **asked: Any) -> int:
    """Have an engine do the same pieces that `work next` hands out.

    An estimate comes first, `reverie costs` has the receipts, and every answer is checked.
    """
    from reverie.cli.engines import work_with

    return work_with(engine, since=None, **asked)


def _say_lessons(taken: "Taken") -> None:
    for entry in taken.lessons:
        say(f"{entry.outcome.action}: {entry.lesson.text} ({entry.outcome.why})")


def _show(form: dict[str, Any]) -> None:
    import json

    say(f"{form['id']}: {form['kind']}, until {form['answer_before']}")
    say(f"hand in with: reverie work submit {form['id']} FILE")
    out(f"{form['instructions']}\n")
    out(json.dumps(form["schema"], indent=2))
    out(f"\n{form['material']}")
