"""Every day: `recall`, `remember`, and the status that `reverie` alone prints."""

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.opening import opened, opened_in_step
from reverie.cli.options import json_option, start_of
from reverie.cli.printing import out, out_json, out_told, say, several
from reverie.documents.vocabulary import KINDS, SECTIONS, TYPES
from reverie.errors import InvalidInput, Refused
from reverie.operations import recalling

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.config import Config
    from reverie.operations.status import Status
    from reverie.recall.recall import Recall


# --- recall -------------------------------------------------------------------------------------


@click.command()
@click.argument("query", nargs=-1)
@click.option("--budget", type=int, metavar="CHARS", help="Most characters; default 4096.")
@click.option("--window", type=int, metavar="TOKENS", help="Your window; warns above 70 % of it.")
@click.option("--project", metavar="NAME", help="Another project than the one of this directory.")
@click.option("--types", metavar="A,B", help="Only user, feedback, project or reference.")
@click.option("--strategy", default="ours", show_default=True, help="How entries are ranked.")
@click.option("--since", metavar="DATE", help="Nothing older than this day (2026-11-01, 7d).")
@click.option("--sessions", is_flag=True, help="Search past sessions too.")
@click.option("--no-rules", is_flag=True, help="Leave the standing rules out.")
@click.option("--yes", is_flag=True, help="Agree to a large hand-over.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def recall(
    query: tuple[str, ...],
    project: str | None,
    types: str | None,
    since: str | None,
    no_rules: bool,
    yes: bool,
    as_json: bool,
    **asked: Any,
) -> None:
    """Standing rules, then what QUERY finds in memories and corrections.

    `-` reads QUERY from standard input. Without QUERY: what this project and you most need now.
    """
    question = sys.stdin.read() if query == ("-",) else " ".join(query)
    asked |= {"types": chosen_types(types), "since": _since(since), "rules": not no_rules}
    memory = opened(project)
    if memory.claim:
        say(memory.claim)
    result = _agreed(partial(memory.recall, question, **asked), yes=yes)
    if result.warning:
        say(f"warning: {result.warning}")
    if as_json:
        from reverie import forms

        out_json(forms.recall(result, memory.here.slug))
        return
    if result.text:
        out_told(result.text)
    if not result.text or (question and all(item.part != "found" for item in result.items)):
        known = recalling.anything_known(memory)
        say(_silence(known, ruled=bool(result.text)))
        if not known:
            say("hint: `reverie learn` reads your agents' logs")
        elif result.text and asked["budget"] is not None:
            say("hint: a larger --budget, or --no-rules, leaves room for an answer")
        elif not memory.known:
            say("hint: no session ran in this folder; --project NAME asks about another")
        elif question and not asked["sessions"]:
            say("hint: --sessions looks into what was said in past sessions, too")


def _agreed(ask: "Callable[..., Recall]", *, yes: bool) -> "Recall":
    """The answer; a very large one after the person at the terminal agreed."""
    from reverie.cli.speaker import agent_here

    try:
        # The flag of an agent is not a person's yes.
        return ask(confirmed=yes and not agent_here(os.environ))
    except Refused as refusal:
        interactive = sys.stdin.isatty() and not agent_here(os.environ)
        if not (interactive and click.confirm(f"{refusal.message}. Go on?", err=True)):
            raise
        return ask(confirmed=True)


def _silence(known: bool, *, ruled: bool) -> str:
    """That there is no answer; silence is an answer too."""
    if not known:
        return "nothing is known yet"
    return f"{'besides the standing rules ' if ruled else ''}nothing that is good enough"


def chosen_types(text: str | None) -> tuple[str, ...]:
    """`feedback,project` as a tuple of known types."""
    wanted = tuple(part.strip() for part in (text or "").split(",") if part.strip())
    for name in wanted:
        if name not in TYPES:
            raise InvalidInput(f"{name!r} is not a type", hint="one of " + ", ".join(TYPES))
    return wanted


def _since(text: str | None) -> str:
    if not text:
        return ""
    from reverie.clock import system_clock

    return (start_of(text, system_clock()) or "")[:10]


# --- remember, and the status -------------------------------------------------------------------


STEPS = 3  # named at most: the whole stays within ten lines


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--type", type=click.Choice(TYPES), help="What it is about; guessed if absent.")
@click.option("--kind", type=click.Choice(KINDS), help="What sort of lesson it is.")
@click.option("--scope", help="`global`, or a project's slug; the project here if absent.")
@click.option("--section", type=click.Choice(SECTIONS), help="Which part of the user's profile.")
@click.option("--why", default="", help="The reason; often the most useful part.")
@click.option("--how", default="", help="How to apply it.")
@click.option("--name", help="Its name; derived from TEXT if absent.")
@click.option("--pin", is_flag=True, help="Protect it from decay.")
@click.option("--expires", default="", help="When it no longer holds: 4h, 2d, 2026-11-30.")
@click.option("--store", help="Write to this store instead of the project's or the shared one.")
@json_option
def remember(text: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Keep TEXT as a memory (`-` reads it from standard input).

    Relative dates become absolute and secrets are replaced. What code or git already say is kept
    with a word on what would be worth saving instead (and refused if an agent says it); a reason
    given with --why makes most such things worth it. What CLAUDE.md says is refused.
    """
    words = sys.stdin.read() if text == ("-",) else " ".join(text)
    done = opened_in_step(speaking=True).remember(words, **options)
    item = done.item
    if as_json:
        from reverie import forms

        out_json(forms.item(item))
    elif done.created:
        say(f"remembered as {item.store}:{item.name} ({item.document.type})")
    else:
        confirmed = ", and is your word from now on" if done.confirmed else ""
        say(f"{item.store}:{item.name} says this already{confirmed}")
    if done.derivable and done.created:
        say(f"hint: {done.derivable.reason}. {done.derivable.instead}")
    for over in done.ended:
        say(f"no longer holds: {over.name} (back with `reverie restore {over.store}:{over.name}`)")


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
    if status.paused:
        from reverie.cli.digest import until
        from reverie.clock import parse_iso

        out(f"paused:   {until(parse_iso(status.paused))}; `reverie resume` ends it")
    _listed("known:", _known(status), "nothing yet")
    _listed("pending:", _pending(status), "nothing")
    for number, step in enumerate(status.next[:STEPS]):
        out(f"{'next:' if number == 0 else '':10}{step}")


def _connected(config: "Config") -> list[str]:
    """The agents whose settings name this memory, as far as `reverie connect` wrote them."""
    from reverie.connect.plugin import installed
    from reverie.files.change import Connections
    from reverie.operations.starts.instructing import PROJECTS, USERS

    # Blocks of lines in files of instructions are connected, too, but do not ask.
    known = Connections(config.home).names()
    names = {name for name in known if not name.endswith(USERS) and not name.startswith(PROJECTS)}
    if installed(config.environ):
        names.add("claude-code")
    return sorted(names)


def _known(status: "Status") -> list[str]:
    spoken = several(status.human_turns, "thing")
    read = f"{several(status.sessions, 'session')} of {several(status.projects, 'project')}"
    kept = ", ".join(
        several(count, noun)
        for count, noun in (
            (status.memories, "memory"),
            (status.diaries, "diary"),
            (status.dailies, "daily"),
        )
        if count
    )
    return [
        line for line in (f"{read}, {spoken} you said" if status.sessions else "", kept) if line
    ]


def _pending(status: "Status") -> list[str]:
    parts: list[str] = []
    if status.unread_logs:
        parts.append(f"{status.unread_logs} of {several(status.logs, 'log')} not read")
    if status.pending_days:
        days = several(status.pending_days, "day")
        since = f" since {status.first_pending}" if status.first_pending else ""
        parts.append(f"{days} not processed{since}")
    if status.set_aside:
        parts.append(f"{status.set_aside} set aside (`reverie doctor` says why)")
    waiting = [
        several(count, noun)
        for count, noun in ((status.reviews, "lesson"), (status.proposed, "proposed change"))
        if count
    ]
    if waiting:
        parts.append(f"{' and '.join(waiting)} to review")
    return [", ".join(parts)] if parts else []


def _listed(title: str, lines: list[str], otherwise: str) -> None:
    for number, line in enumerate(lines or [otherwise]):
        out(f"{title if number == 0 else '':10}{line}")
