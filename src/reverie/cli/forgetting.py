"""`reverie decay`: what has had its day goes to the archive, with the reason."""

from typing import TYPE_CHECKING

import click

from reverie import forms
from reverie.cli.opening import opened_in_step
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say, table
from reverie.cli.speaker import only_a_person

if TYPE_CHECKING:
    from reverie.forget.run import Decayed
    from reverie.memory import Memory

SHOWN = 8  # stale memories named in the summary


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would go, and why; change nothing.")
@click.option("--archive", is_flag=True, help="Show the archive instead, by day, with sources.")
@json_option
def decay(dry_run: bool, archive: bool, as_json: bool) -> None:
    """Let old memories go: archive, prune, purge; pin what must stay.

    A memory goes to the archive when for 30 days nothing spoke for it: not said again, not recalled
    as an answer, not touched by you. Pinned ones and the profile stay. Nothing is lost: every step
    is a version with its reason, and `reverie restore` brings a memory back.
    """
    memory = opened_in_step()
    if archive:
        _show_archive(memory, as_json=as_json)
        return
    if not dry_run:
        only_a_person("let memories go", "decay")
    done = memory.decay(dry_run=dry_run)
    if as_json:
        out_json(done.record())
    else:
        _tell(done)


def _tell(done: "Decayed") -> None:
    plan, rates = done.plan, done.rates
    table([step.deed, f"{step.item.store}:{step.item.name}", step.why] for step in plan.steps)
    for one in done.stale[:SHOWN]:
        out(f"stale  {one.item.store}:{one.item.name}")
        for change in one.changes:
            out(f"       {change.reference}: {change.what}")
    if len(done.stale) > SHOWN:
        out(f"… and {len(done.stale) - SHOWN} more: `reverie memories --stale`")
    verb = "would change" if done.dry_run else "changed"
    what = f"{len(plan.steps) - len(done.void)} of {plan.looked_at} memories"
    say(f"{what} {verb}, {len(done.stale)} to look at again (`reverie review --stale`)")
    for step in done.void:
        say(f"left alone, edited meanwhile: {step.item.store}:{step.item.name}")
    if plan.next_leaves:
        say(f"the next to go would go on {plan.next_leaves}")
    after = ", ".join(f"{rate:.2f} after {days} d" for days, rate in rates.after)
    say(f"rates: half-life {rates.half_life_days:g} days ({after})")
    if rates.corrections:
        say(f"       {rates.corrections} corrections count {rates.mean:.2f} on average now")


def _show_archive(memory: "Memory", *, as_json: bool) -> None:
    from reverie.operations import forgetting

    entries = forgetting.archived(memory)
    if as_json:
        out_json([forms.archived(one) for one in entries])
    elif entries:
        from reverie.forget.archive import listing

        out(listing(entries).rstrip())
    else:
        say("the archive is empty")
