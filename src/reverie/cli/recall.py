"""`reverie recall`: what is remembered, for a question or for this project as it stands."""

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from reverie.errors import InvalidInput, Refused

if TYPE_CHECKING:
    from reverie.recall.recall import Item, Recall, Request
    from reverie.serve.workspace import Workspace


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
    from reverie import config
    from reverie.cli.printing import out, out_json, say
    from reverie.recall.recall import Request
    from reverie.serve.workspace import Workspace

    request = Request(
        query=sys.stdin.read() if query == ("-",) else " ".join(query),
        budget=budget,
        window=window,
        types=chosen_types(types),
        strategy=strategy,
        since=_since(since),
        rules=not no_rules,
        sessions=sessions,
        confirmed=yes,
    )
    workspace = Workspace(config.load(), project=project)
    click.get_current_context().call_on_close(workspace.close)
    result = _asked(workspace, request)
    if result.warning:
        say(f"warning: {result.warning}")
    if as_json:
        out_json(as_data(result, workspace.project.slug))
        return
    if result.text:
        out(result.text)
    if not result.text or (request.query and all(item.part != "found" for item in result.items)):
        for line in _silence(workspace, request, ruled=bool(result.text)):
            say(line)


def _silence(workspace: "Workspace", request: "Request", *, ruled: bool) -> list[str]:
    """Why there is no answer, and what to try; silence is an answer too."""
    if not (workspace.database.query("SELECT 1 FROM memories LIMIT 1") or workspace.sessions_read):
        return ["nothing is known yet", "hint: `reverie learn` reads your agents' logs"]
    lines = [
        "besides the standing rules nothing that is good enough"
        if ruled
        else "nothing that is good enough"
    ]
    if ruled and request.budget is not None:
        lines.append("hint: a larger --budget, or --no-rules, leaves room for an answer")
    elif not workspace.known:
        lines.append("hint: no session ran in this folder; --project NAME asks about another")
    elif request.query and not request.sessions:
        lines.append("hint: --sessions looks into what was said in past sessions, too")
    return lines


def _asked(workspace: "Workspace", request: "Request") -> "Recall":
    from reverie.recall.ledger import Asker

    asker = Asker("cli", os.environ.get("CLAUDE_CODE_SESSION_ID", ""))
    try:
        return workspace.recall(request, asker)
    except Refused as refusal:
        interactive = sys.stdin.isatty()
        if not (interactive and click.confirm(f"{refusal.message}. Go on?", err=True)):
            raise
        return workspace.recall(request._replace(confirmed=True), asker)


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


def as_data(result: "Recall", project: str) -> dict[str, Any]:
    """The answer for programs; `text` is exactly what an agent would get."""
    return {
        "project": project,
        "text": result.text,
        "characters": result.characters,
        "tokens": result.tokens,
        "budget": result.budget,
        "warning": result.warning or None,
        "entries": [_entry(item) for item in result.items],
    }


def _entry(item: "Item") -> dict[str, Any]:
    entry = item.entry
    return {
        "id": entry.id,
        "part": item.part,
        "origin": entry.origin,
        "type": entry.type,
        "at": entry.at,
        "place": entry.place,
        "trust": entry.trust,
        "support": entry.support,
        "premise": entry.premise or None,
        "text": entry.text,
        "evidence": list(entry.evidence),
        "checked": [
            {"name": f.reference.text, "sort": f.reference.sort, "state": f.state, "now": f.where}
            for f in item.findings
        ],
        "score": round(item.score, 4),
    }
