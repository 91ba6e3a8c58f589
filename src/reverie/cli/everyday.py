"""Every day: the status that `reverie` alone prints, and `remember`."""

import sys
from typing import TYPE_CHECKING

import click

from reverie.cli.opening import opened_in_step
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say, several
from reverie.documents.vocabulary import KINDS, SECTIONS, TYPES

if TYPE_CHECKING:
    from reverie.config import Config
    from reverie.operations.status import Status

STEPS = 3  # named at most: the whole stays within ten lines


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option(
    "--type", "type_", type=click.Choice(TYPES), help="What it is about; guessed if absent."
)
@click.option("--kind", type=click.Choice(KINDS), help="What sort of lesson it is.")
@click.option("--scope", help="`global`, or a project's slug; the project here if absent.")
@click.option("--section", type=click.Choice(SECTIONS), help="Which part of the user's profile.")
@click.option("--why", default="", help="The reason; often the most useful part.")
@click.option("--how", default="", help="How to apply it.")
@click.option("--name", help="Its name; derived from TEXT if absent.")
@click.option("--pin", is_flag=True, help="Protect it from decay.")
@click.option("--store", help="Write to this store instead of the project's or the shared one.")
@json_option
def remember(
    text: tuple[str, ...],
    type_: str | None,
    kind: str | None,
    scope: str | None,
    section: str | None,
    why: str,
    how: str,
    name: str | None,
    pin: bool,
    store: str | None,
    as_json: bool,
) -> None:
    """Keep TEXT as a memory (`-` reads it from standard input).

    Relative dates become absolute and secrets are replaced. What code or git already say is
    refused, with a word on what would be worth saving; a reason given with --why makes most such
    things worth it.
    """
    said = sys.stdin.read() if text == ("-",) else " ".join(text)
    done = opened_in_step(speaking=True).remember(
        said,
        type=type_,
        kind=kind,
        scope=scope,
        section=section,
        why=why,
        how=how,
        name=name,
        pin=pin,
        store=store,
    )
    item = done.item
    if as_json:
        from reverie import forms

        out_json(forms.item(item))
    elif done.created:
        say(f"remembered as {item.store}:{item.name} ({item.document.type})")
    else:
        say(f"{item.store}:{item.name} says this already")


def show_status(*, as_json: bool = False) -> None:
    """Print the status in at most ten lines. Nothing is read but stats, nothing is made."""
    memory = opened_in_step()
    status = memory.status(_connected(memory.config))
    if as_json:
        from reverie import forms

        out_json(forms.plain(status))
        return
    if memory.claim:
        say(memory.claim)
    shared = "PostgreSQL, and the rest in " if status.database != "sqlite" else ""
    out(f"reverie keeps its memory in {shared}{status.home}")
    _listed("known:", _known(status), "nothing yet")
    _listed("pending:", _pending(status), "nothing")
    for number, step in enumerate(status.next[:STEPS]):
        out(f"{'next:' if number == 0 else '':10}{step}")


def _connected(config: "Config") -> list[str]:
    """The agents whose settings name this memory, as far as `reverie connect` wrote them."""
    from reverie.connect.plugin import installed

    folder = config.home / "connections"
    names = {file.stem for file in folder.glob("*.after")} if folder.is_dir() else set[str]()
    if installed(config.environ):
        names.add("claude-code")
    return sorted(names)


def _known(status: "Status") -> list[str]:
    said = several(status.human_turns, "thing")
    read = f"{several(status.sessions, 'session')} of {several(status.projects, 'project')}"
    kept = ", ".join(
        several(count, one)
        for count, one in (
            (status.memories, "memory"),
            (status.diaries, "diary"),
            (status.dailies, "daily"),
        )
        if count
    )
    return [line for line in (f"{read}, {said} you said" if status.sessions else "", kept) if line]


def _pending(status: "Status") -> list[str]:
    parts: list[str] = []
    if status.unread_logs:
        parts.append(f"{status.unread_logs} of {several(status.logs, 'log')} not read")
    if status.pending_days:
        days = several(status.pending_days, "day")
        since = f" since {status.first_pending}" if status.first_pending else ""
        parts.append(f"{days} not processed{since}")
    waiting = [
        several(count, one)
        for count, one in ((status.reviews, "lesson"), (status.proposed, "proposed change"))
        if count
    ]
    if waiting:
        parts.append(f"{' and '.join(waiting)} to review")
    return [", ".join(parts)] if parts else []


def _listed(title: str, lines: list[str], otherwise: str) -> None:
    for number, line in enumerate(lines or [otherwise]):
        out(f"{title if number == 0 else '':10}{line}")
