"""`reverie recall`: what is remembered, for a question or for this project as it stands."""

import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from reverie.errors import InvalidInput, Refused
from reverie.operations import recalling

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.recall.recall import Recall


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
    budget: int | None,
    window: int | None,
    project: str | None,
    types: str | None,
    strategy: str,
    since: str | None,
    sessions: bool,
    no_rules: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Standing rules, then what QUERY finds in memories and corrections.

    `-` reads QUERY from standard input. Without QUERY: what this project and you most need now.
    """
    from reverie import forms
    from reverie.cli.opening import opened
    from reverie.cli.printing import out, out_json, say

    question = sys.stdin.read() if query == ("-",) else " ".join(query)
    wanted = chosen_types(types)
    from_day = _since(since)
    memory = opened(project)

    ask = partial(
        memory.recall,
        question,
        budget=budget,
        window=window,
        types=wanted,
        strategy=strategy,
        since=from_day,
        rules=not no_rules,
        sessions=sessions,
    )
    if memory.claim:
        say(memory.claim)
    result = _agreed(ask, yes=yes)
    if result.warning:
        say(f"warning: {result.warning}")
    if as_json:
        out_json(forms.recall(result, memory.here.slug))
        return
    if result.text:
        out(result.text)
    if not result.text or (question and all(item.part != "found" for item in result.items)):
        known = recalling.anything_known(memory)
        say(_silence(known, ruled=bool(result.text)))
        if not known:
            say("hint: `reverie learn` reads your agents' logs")
        elif result.text and budget is not None:
            say("hint: a larger --budget, or --no-rules, leaves room for an answer")
        elif not memory.known:
            say("hint: no session ran in this folder; --project NAME asks about another")
        elif question and not sessions:
            say("hint: --sessions looks into what was said in past sessions, too")


def _agreed(ask: "Callable[..., Recall]", *, yes: bool) -> "Recall":
    """The answer; a very large one after the person at the terminal agreed."""
    try:
        return ask(confirmed=yes)
    except Refused as refusal:
        interactive = sys.stdin.isatty()
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
    from reverie.documents.vocabulary import TYPES

    wanted = tuple(part.strip() for part in (text or "").split(",") if part.strip())
    for name in wanted:
        if name not in TYPES:
            raise InvalidInput(f"{name!r} is not a type", hint="one of " + ", ".join(TYPES))
    return wanted


def _since(text: str | None) -> str:
    if not text:
        return ""
    from reverie.cli.options import start_of
    from reverie.clock import system_clock

    return (start_of(text, system_clock()) or "")[:10]
