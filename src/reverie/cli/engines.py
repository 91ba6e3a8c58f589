"""`engines` and `costs`: who can do the thinking, what it may cost, and what it did."""

import os
import shutil
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.app import App
from reverie.cli.options import json_option, start_of
from reverie.cli.printing import out_json, say, table

if TYPE_CHECKING:
    from reverie.engines.receipts import Receipt


@click.command()
@json_option
def engines(as_json: bool) -> None:
    """List who can do the thinking, whether it is there, and what it costs."""
    limits = App.load().settings.engines
    client = shutil.which("claude", path=os.environ.get("PATH"))
    cap = f"at most {limits.max_usd_per_run:.2f} USD a run, {limits.max_usd_per_day:.2f} a day"
    found: list[dict[str, Any]] = [
        {
            "engine": "rules",
            "available": True,
            "costs": "nothing",
            "how": "the default: no model, no network",
        },
        {
            "engine": "agent",
            "available": True,
            "costs": "what your agent costs anyway",
            "how": "`reverie work next` in a session, or /reverie:synthesize",
        },
        {
            "engine": "claude-code",
            "available": client is not None,
            "costs": cap,
            "how": f"a fork of the conversation by {client or 'claude, which is not on the PATH'}",
        },
    ]
    if as_json:
        out_json(found)
        return
    table(
        [[one["engine"], "yes" if one["available"] else "no", one["costs"], one["how"]]
         for one in found],
        ["engine", "there", "costs", ""],
    )  # fmt: skip


@click.command()
@click.option("--since", help="From this day on (2026-11-01, 7d = for a week); else all.")
@json_option
def costs(since: str | None, as_json: bool) -> None:
    """Show the receipts of runs that cost money, and what is left for today."""
    from reverie.engines.receipts import Receipts

    app = App.load()
    kept = Receipts(app.config.home, app.clock)
    found = list(kept.all(start_of(since, app.clock()) or ""))
    cap = app.settings.engines.max_usd_per_day
    today = kept.spent_today()
    if as_json:
        out_json({
            "total_usd": round(sum(one.cost_usd for one in found), 6),
            "today_usd": round(today, 6),
            "cap_usd_per_day": cap,
            "receipts": [asdict(one) for one in found],
        })  # fmt: skip
        return
    if found:
        table([_row(one) for one in found], ["at", "engine", "for", "USD", "tokens", "session"])
    total = sum(one.cost_usd for one in found)
    say(f"{len(found)} runs, {total:.2f} USD; today {today:.2f} of {cap:.2f}")


def _row(one: "Receipt") -> list[str]:
    # A client that died without telling is charged with the most it may have cost.
    cost = f"{one.cost_usd:.4f}" + ("" if one.known else " (at most)")
    tokens = f"{one.input_tokens}+{one.cache_read_tokens} in, {one.output_tokens} out"
    return [one.at[:16].replace("T", " "), one.engine, one.purpose, cost, tokens, one.session]
