"""`reverie stats`: whether memory helps, and what that number cannot say."""

from typing import TYPE_CHECKING, Any

import click

from reverie.cli.options import json_option, must_be_known, start_of
from reverie.cli.printing import out, out_json, say, table

if TYPE_CHECKING:
    from reverie.recall.ledger import LedgerRow
    from reverie.recall.stats import Stats


@click.command()
@click.option("--project", metavar="NAME", help="Only this project (name, slug or path).")
@click.option("--agent", metavar="NAME", help="Only sessions of this agent.")
@click.option("--since", metavar="DATE", help="Only since this day (2026-11-01, 7d).")
@json_option
def stats(project: str | None, agent: str | None, since: str | None, as_json: bool) -> None:
    """Corrections per 100 turns, repeated corrections, and what was recalled before them."""
    from reverie.cli.app import App
    from reverie.recall.ledger import Ledger
    from reverie.recall.stats import stats as counted
    from reverie.sessions.corrections import corrections as rows_of

    app = App.load()
    slug = app.projects.find(project).slug if project else None
    start = start_of(since, app.clock()) or ""
    projects = [slug] if slug else None
    rows = rows_of(app.index.database, projects=projects, since=start)
    ledger = Ledger(app.store.database, app.home / "audit.jsonl", app.clock, app.redact)
    recalls = ledger.rows(project=slug, since=start)
    chosen = [row for row in rows if agent in (None, row.agent)]
    if agent and not chosen:
        must_be_known(agent)
    found = counted(app.index.database, chosen, recalls)
    periods = [
        p
        for p in found.periods
        if slug in (None, p.project) and agent in (None, p.agent) and p.month >= start[:7]
    ]
    if as_json:
        out_json(as_data(found, recalls, periods))
        return
    _show(found, recalls, periods)


def as_data(found: "Stats", recalls: "list[LedgerRow]", periods: list[Any]) -> dict[str, Any]:
    from reverie.recall.stats import CONFOUNDERS

    return {
        "periods": [
            {
                "project": p.project,
                "agent": p.agent,
                "month": p.month,
                "sessions": p.sessions,
                "human_turns": p.turns,
                "corrections": p.corrections,
                "per_100_turns": round(p.per_100_turns, 2),
            }
            for p in periods
        ],
        "corrections": found.corrections,
        "repeats": [
            {
                "first": one.first.id,
                "again": one.again.id,
                "text": one.again.text,
                "recalled_before": [recall.id for recall in one.recalls],
            }
            for one in found.repeats
        ],
        "repeat_share": round(found.repeat_share, 4),
        "recalled_corrections": found.recalled,
        "repeat_correction_rate": found.repeat_rate,
        "recalls": len(recalls),
        "recalled_characters": sum(row.characters for row in recalls),
        "recalled_tokens": sum(row.tokens for row in recalls),
        "confounded_by": list(CONFOUNDERS),
    }


def _show(found: "Stats", recalls: "list[LedgerRow]", periods: list[Any]) -> None:
    from reverie.recall.stats import CONFOUNDERS

    if not periods and not recalls:
        say("no sessions were read yet, or none fits")
        say("hint: `reverie learn` reads your agents' logs")
        return
    table(
        [
            [
                *(p.project, p.agent, p.month, str(p.sessions), str(p.turns), str(p.corrections)),
                f"{p.per_100_turns:.1f}",
            ]
            for p in periods
        ],
        ["project", "agent", "month", "sessions", "human turns", "corrections", "per 100 turns"],
    )
    out()
    characters = sum(row.characters for row in recalls)
    tokens = sum(row.tokens for row in recalls)
    out(f"recalls: {len(recalls)}, {characters} characters, about {tokens} tokens")
    out(
        f"said before: {len(found.repeats)} of {found.corrections} corrections"
        f" ({found.repeat_share:.0%})"
    )
    rate = found.repeat_rate
    if rate is None:
        out("repeat-correction rate: no correction was recalled yet")
    else:
        out(f"repeat-correction rate: {rate:.0%} of {found.recalled} recalled corrections")
    for one in found.repeats[-10:]:
        asked = ", ".join(f"{r.at[:10]} {r.query or 'no question'}" for r in one.recalls[-3:])
        out(f"- {one.again.at[:10]} {one.again.id}: again what {one.first.id} said")
        out(f"  recalled before: {asked or 'never'}")
    say("what this does not show:")
    for line in CONFOUNDERS:
        say(f"- {line}")
