"""`reverie decay`: what has had its day goes to the archive, with the reason."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.app import App
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say, table

if TYPE_CHECKING:
    from reverie.forget.decay import Rates
    from reverie.forget.life import Past
    from reverie.forget.run import Plan, Step
    from reverie.forget.stale import Stale
    from reverie.store.library import Item

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
    from reverie.cli.stale import stale_memories
    from reverie.forget.run import Forgetter

    app = App.load()
    items = every_item(app)
    if archive:
        _show_archive(app, items, as_json)
        return
    known = known_past(app, items)
    forgetter = Forgetter(app.store, app.settings.forget, app.clock())
    plan = forgetter.plan(items, known)
    leaving = {step.item.memory.id for step in plan.steps if step.deed in {"archive", "prune"}}
    staying = [item for item in items if item.memory.id not in leaving]
    found = stale_memories(app, staying, known, keep=not dry_run)
    rates = _rates(app)
    void = [] if dry_run else forgetter.carry_out(plan)
    if not dry_run:
        _log(app, plan, void, found, rates)
    if as_json:
        out_json(_as_data(plan, void, found, rates, dry_run=dry_run))
    else:
        _tell(plan, void, found, rates, dry_run=dry_run)


def every_item(app: App) -> "list[Item]":
    """The memories of `global`, of every known project and of the one here; also archived ones."""
    from reverie.store.library import GLOBAL, Library

    known = {GLOBAL, app.project, *(project.slug for project in app.projects.all())}
    names = sorted({info.name for info in app.store.stores()} & known)
    library = Library(app.store)
    return [
        item
        for name in names
        for gone in (False, True)
        for item in library.documents(name, archived=gone)
    ]


def known_past(app: App, items: "Sequence[Item]") -> "Past":
    """What the databases hold about the lives of `items`."""
    from reverie.forget.life import past

    return past(app.store.database, items, _projects_of(app), _tries(app))


def _projects_of(app: App) -> dict[str, str]:
    return dict(app.index.database.query("SELECT key, project FROM sessions"))


def _tries(app: App) -> dict[str, int]:
    return dict(app.index.database.query("SELECT id, tries FROM fixes"))


def _rates(app: App) -> "Rates":
    from reverie.forget.decay import rates

    times = app.index.database.query("SELECT at FROM corrections WHERE label <> 'none'")
    return rates((at for (at,) in times), app.clock(), app.settings.decay)


def _log(app: App, plan: "Plan", void: "list[Step]", found: "list[Stale]", rates: "Rates") -> None:
    """One line of `audit.jsonl`: the rates that applied, and what was done."""
    import json

    from reverie.files import append_line

    record = {"event": "decay", "at": app.now} | _as_data(plan, void, found, rates, dry_run=False)
    append_line(app.home / "audit.jsonl", json.dumps(record, sort_keys=True))


def _as_data(
    plan: "Plan", void: "list[Step]", found: "list[Stale]", rates: "Rates", *, dry_run: bool
) -> dict[str, Any]:
    from reverie.forget.run import ORDER

    return {
        "dry_run": dry_run,
        "looked_at": plan.looked_at,
        "next_leaves": plan.next_leaves or None,
        "counts": {deed: plan.count(deed) for deed in ORDER} | {"stale": len(found)},
        "rates": {
            "half_life_days": rates.half_life_days,
            "after_days": {str(days): rate for days, rate in rates.after},
            "corrections": rates.corrections,
            "mean": rates.mean,
            "least": rates.least,
        },
        "steps": [
            {
                "deed": step.deed,
                "store": step.item.store,
                "name": step.item.name,
                "path": step.item.memory.path,
                "section": step.section or None,
                "why": step.why,
                "done": not dry_run and step not in void,
            }
            for step in plan.steps
        ],
        "stale": [
            {
                "store": one.item.store,
                "name": one.item.name,
                "changes": [change._asdict() for change in one.changes],
            }
            for one in found
        ],
    }


def _tell(
    plan: "Plan", void: "list[Step]", found: "list[Stale]", rates: "Rates", *, dry_run: bool
) -> None:
    table([step.deed, f"{step.item.store}:{step.item.name}", step.why] for step in plan.steps)
    for one in found[:SHOWN]:
        out(f"stale  {one.item.store}:{one.item.name}")
        for change in one.changes:
            out(f"       {change.reference}: {change.what}")
    if len(found) > SHOWN:
        out(f"… and {len(found) - SHOWN} more: `reverie memories --stale`")
    verb = "would change" if dry_run else "changed"
    what = f"{len(plan.steps) - len(void)} of {plan.looked_at} memories"
    say(f"{what} {verb}, {len(found)} to look at again (`reverie review --stale`)")
    for step in void:
        say(f"left alone, edited meanwhile: {step.item.store}:{step.item.name}")
    if plan.next_leaves:
        say(f"the next to go would go on {plan.next_leaves}")
    after = ", ".join(f"{rate:.2f} after {days} d" for days, rate in rates.after)
    say(f"rates: half-life {rates.half_life_days:g} days ({after})")
    if rates.corrections:
        say(f"       {rates.corrections} corrections count {rates.mean:.2f} on average now")


def _show_archive(app: App, items: "list[Item]", as_json: bool) -> None:
    from reverie.forget.archive import archived, listing

    entries = archived(app.store, items, app.settings.forget)
    if as_json:
        out_json(
            [
                {
                    "day": one.day or None,
                    "store": one.item.store,
                    "name": one.item.name,
                    "source": one.source or None,
                    "reason": one.reason,
                    "purged_on": one.purged_on or None,
                }
                for one in entries
            ]
        )
    elif entries:
        out(listing(entries).rstrip())
    else:
        say("the archive is empty")
