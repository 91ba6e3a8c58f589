"""What a session is told: `digest`, `pause` and `resume`, which hold it back, and `allow`."""

from typing import TYPE_CHECKING

import click

from reverie.cli.opening import opened, opened_in_step
from reverie.cli.options import json_option
from reverie.cli.printing import agree, out, out_json, out_told, say
from reverie.cli.speaker import only_a_person, only_the_person

if TYPE_CHECKING:
    from datetime import datetime

    from reverie.memory import Memory


@click.command()
@click.option("--project", metavar="NAME", help="Another project than the one of this directory.")
@click.option("--budget", type=int, metavar="CHARS", help="Most characters; default 2000.")
@click.option("--session", metavar="SESSION", help="What that session was told when it began.")
@click.option(
    "--into",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Keep what is confirmed of this project in a block of FILE, such as CLAUDE.md.",
)
@click.option("--undo", is_flag=True, help="With --into: take the block out again.")
@click.option("--yes", is_flag=True, help="With --into: do not ask.")
@json_option
def digest(
    project: str | None,
    budget: int | None,
    session: str | None,
    into: str | None,
    undo: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """What a session that begins now is told: one line per lesson, the best first.

    Lines marked with ? wait for your review. `reverie show CODE` tells more of a line. A FILE gets
    only what is confirmed of this project, after you saw the change; the same command brings it up
    to date.
    """
    from reverie.operations.starts import digesting

    if into is not None and undo:
        only_a_person("take away what sessions are told", f"digest --into {into} --undo")
    memory = opened_in_step(project)
    if into is not None:
        _into(memory, into, undo=undo, yes=yes)
        return
    if session is not None:
        _told(memory, session, as_json)
        return
    composed = digesting.digest(memory, budget=budget)
    if as_json:
        from reverie import forms

        out_json(forms.digest(composed))
    elif composed.text:
        out_told(composed.text)
    elif digesting.is_ignored(memory, memory.here.slug):
        say("digest.ignore_projects says that this project is told nothing")
    else:
        say("nothing is known yet that a session could be told")


def _told(memory: "Memory", session: str, as_json: bool) -> None:
    from reverie.operations.starts import telling

    rows = telling.told_to(memory, session)
    if as_json:
        from reverie import forms

        out_json([forms.told(row) for row in rows])
        return
    for row in rows:
        out(f"{row.at[:16].replace('T', ' ')}  {row.session}  {row.characters} characters")
        for entry in row.entries:
            out(f"  {entry.entry}")


def _into(memory: "Memory", into: str, *, undo: bool, yes: bool) -> None:
    """Show the change of a project's file, ask, and write it."""
    import os
    from pathlib import Path

    from reverie.cli.connect import show_diff
    from reverie.operations.starts import instructing

    path = Path(os.path.normpath(os.path.join(memory.folder, into)))
    name = instructing.name_of(path)
    if undo:
        plan = instructing.taking_out(memory, name, path)
    else:
        plan = instructing.projects_file(memory, path)
    if not plan.needed:
        say(f"{path}: nothing to {'undo' if undo else 'change'}")
        return
    show_diff(plan)
    agree(f"Write {path}?", yes=yes, otherwise="nothing was written")
    if undo:
        instructing.take_out(memory, name, plan)
    else:
        instructing.put(memory, name, plan)
        say(f"`reverie digest --into {into}` brings it up to date, with --undo it goes")
    say(f"{path} written")


@click.command()
@click.argument("duration", default="", metavar="[DURATION]")
def pause(duration: str) -> None:
    """Hand nothing over and learn nothing by itself, for 30m, 2h, 1d, 1w, or until `resume`.

    Hooks and the MCP server do nothing meanwhile. What is said stays in your agents' logs, where
    `reverie learn` finds it.
    """
    from reverie.operations import pausing

    only_a_person("silence the memory", f"pause {duration}".strip())
    end = pausing.pause(opened(), duration)
    say(f"paused {until(end)}; `reverie resume` ends it")


@click.command()
def resume() -> None:
    """End a pause."""
    from reverie.operations import pausing

    only_a_person("end your pause", "resume")
    say("hooks and tools work again" if pausing.resume(opened()) else "there was no pause")


@click.command()
@click.argument("characters", type=int, required=False)
@click.option("--for", "duration", default="1h", metavar="TIME", show_default=True, help="30m, 2h.")
@click.option("--end", is_flag=True, help="Take it back.")
def allow(characters: int | None, duration: str, end: bool) -> None:
    """Let agents be handed up to CHARACTERS at once, for a while.

    More than `recall.ask_above_chars` needs your yes. An agent's client asks you, if it can; else
    you say so here, in a terminal of your own. Without CHARACTERS: what is allowed now.
    """
    from reverie.errors import InvalidInput
    from reverie.operations import allowing

    if characters is not None and end:
        raise InvalidInput("CHARACTERS and --end exclude each other")
    memory = opened(speaking=characters is not None)
    if end:
        say("taken back" if allowing.end(memory) else "nothing was allowed")
        return
    if characters is not None:
        only_the_person(memory, "allow a large hand-over", f"allow {characters}")
        allowing.allow(memory, characters, duration)
    allowance = allowing.allowed(memory)
    say(
        f"agents are handed up to {allowing.limit(memory)} characters at once"
        + (f" {until(allowance.until)}; `reverie allow --end` ends it" if allowance else "")
    )


def until(end: "datetime") -> str:
    """When a pause ends, in the person's own time."""
    from reverie.operations.pausing import FOR_GOOD

    return "until you say so" if end == FOR_GOOD else f"until {end.astimezone():%Y-%m-%d %H:%M}"
