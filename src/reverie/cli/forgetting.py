"""`reverie decay`: what has had its day goes to the archive, with the reason."""

import sys
from typing import TYPE_CHECKING

import click

from reverie import forms
from reverie.cli.opening import opened_in_step
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say, several, table
from reverie.cli.speaker import only_a_person
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from reverie.forget.run import Decayed, Plan
    from reverie.memory import Memory

SHOWN = 8  # stale memories named in the summary
FEW = 5  # memories that go without a question


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would go, and why; change nothing.")
@click.option("--archive", is_flag=True, help="Show the archive instead, by day, with sources.")
@click.option("--undo", is_flag=True, help="Bring back what the last run archived.")
@click.option("--by-calendar", is_flag=True, help="With --undo: all that mere time had archived.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def decay(
    dry_run: bool, archive: bool, undo: bool, by_calendar: bool, yes: bool, as_json: bool
) -> None:
    """Let old memories go: archive, prune, purge; pin what must stay.

    A memory goes to the archive when on 30 days of work in its project nothing spoke for it: not
    said again, not told to a session, not touched by you. What you accepted, wrote, pinned or said
    as a standing rule stays, and so does the profile. Nothing is lost: every step is a version with
    its reason; `reverie restore` brings a memory back, `--undo` all that the last run took.
    """
    if by_calendar and not undo:
        raise InvalidInput("--by-calendar goes with --undo")
    if sum((undo, archive, dry_run)) > 1:
        raise InvalidInput("--undo, --archive and --dry-run exclude each other")
    if not (archive or dry_run):
        only_a_person("let memories go, or bring all of them back", "decay")
    memory = opened_in_step(speaking=undo)
    if archive:
        _show_archive(memory, as_json=as_json)
    elif undo:
        _undo(memory, by_calendar=by_calendar, as_json=as_json)
    elif as_json:
        out_json(memory.decay(dry_run=dry_run).record())
    else:
        asks = not (yes or dry_run) and sys.stdin.isatty() and sys.stderr.isatty()
        done = memory.decay(dry_run=dry_run, agreed=_agreed if asks else None)
        if not asks:
            _show(done.plan)
        _tell(done, "day" if memory.settings.forget.clock == "calendar" else "day of work")
        _offer(memory)


def _agreed(plan: "Plan") -> bool:
    """Whether a person lets go of what is shown; a few go without a question."""
    _show(plan)
    gone = len(plan.leaving)
    if gone <= FEW:
        return True
    return click.confirm(f"Archive {several(gone, 'memory')}?", err=True)


def _show(plan: "Plan") -> None:
    table([step.deed, f"{step.item.store}:{step.item.name}", step.why] for step in plan.steps)


def _undo(memory: "Memory", *, by_calendar: bool, as_json: bool) -> None:
    from reverie.operations import forgetting

    back = forgetting.undo_decay(memory, by_calendar=by_calendar)
    if as_json:
        out_json([forms.item(item) for item in back])
        return
    for item in back:
        out(f"{item.store}:{item.name}")
    say(f"{several(len(back), 'memory')} brought back")


def _offer(memory: "Memory") -> None:
    """Say once what the calendar took before days of work were counted."""
    from reverie.operations import forgetting, status

    if count := forgetting.taken_by_calendar(memory):
        say(status.calendar_offer(count))
        forgetting.told_of_calendar(memory)


def _tell(done: "Decayed", day: str) -> None:
    plan, rates = done.plan, done.rates
    for outdated in done.stale[:SHOWN]:
        out(f"stale  {outdated.item.store}:{outdated.item.name}")
        for change in outdated.changes:
            out(f"       {change.reference}: {change.what}")
    if len(done.stale) > SHOWN:
        out(f"… and {len(done.stale) - SHOWN} more: `reverie memories --stale`")
    verb = "would change" if done.dry_run else "changed"
    what = f"{len(plan.steps) - len(done.void)} of {plan.looked_at} memories"
    say(f"{what} {verb}, {len(done.stale)} to look at again (`reverie review --stale`)")
    for step in done.void:
        say(f"left alone, edited meanwhile: {step.item.store}:{step.item.name}")
    if plan.next_leaves_in is not None:
        days = several(plan.next_leaves_in, "day") + day.removeprefix("day")
        say(f"the next would go after {days} without a sign of it")
    after = ", ".join(f"{rate:.2f} after {days} d" for days, rate in rates.after)
    say(f"rates: half-life {rates.half_life_days:g} days ({after})")
    if rates.corrections:
        say(f"       {rates.corrections} corrections count {rates.mean:.2f} on average now")
    if rates.standing:
        say(f"       {several(rates.standing, 'correction')} that stand do not fade")


def _show_archive(memory: "Memory", *, as_json: bool) -> None:
    from reverie.operations import forgetting

    entries = forgetting.archived(memory)
    if as_json:
        out_json([forms.archived(entry) for entry in entries])
    elif entries:
        from reverie.forget.archive import listing

        out(listing(entries).rstrip())
    else:
        say("the archive is empty")
