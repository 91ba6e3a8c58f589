"""`reverie schedule`: regular runs by cron, systemd or launchd; nothing of ours keeps running."""

import os
import sys

import click

from reverie.cli.asking import agree
from reverie.cli.printing import out, say
from reverie.connect.schedule import (
    KINDS,
    Kind,
    Plan,
    carry_out,
    default_kind,
    installing,
    removing,
)

# What one run does, in this order; a step that fails does not keep the next from running.
STEPS: tuple[tuple[str, ...], ...] = (("learn",), ("decay",), ("dream", "--if-due"))


@click.group()
def schedule() -> None:
    """Learn, apply decay and dream when due, at regular times."""


@schedule.command()
@click.option("--with", "kind", type=click.Choice(KINDS), help="What runs it; found out if absent.")
@click.option(
    "--hours", type=int, default=4, show_default=True, help="How many hours between runs."
)
@click.option("--dry-run", is_flag=True, help="Show the text and write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def install(kind: Kind | None, hours: int, dry_run: bool, yes: bool) -> None:
    """Install regular runs; shows the exact text and commands first."""
    chosen = kind or default_kind(sys.platform, os.environ)
    _agreed(installing(chosen, hours, os.environ), "already installed", dry_run=dry_run, yes=yes)


@schedule.command()
@click.option("--with", "kind", type=click.Choice(KINDS), help="What runs it; found out if absent.")
@click.option("--dry-run", is_flag=True, help="Show the text and write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove(kind: Kind | None, dry_run: bool, yes: bool) -> None:
    """Take the regular runs away again."""
    chosen = kind or default_kind(sys.platform, os.environ)
    _agreed(removing(chosen, os.environ), "nothing is installed", dry_run=dry_run, yes=yes)


@schedule.command("run")
def run_once() -> int:
    """What a scheduled run does: learn, decay, and a dream if one is due."""
    from reverie.cli.root import COMMANDS, run

    known = {name for group in COMMANDS.values() for name in group}
    codes = [run(list(step)) for step in STEPS if step[0] in known]
    return max(codes, default=0)


def _agreed(plan: Plan, otherwise: str, *, dry_run: bool, yes: bool) -> None:
    if not plan.needed:
        say(f"{plan.kind}: {otherwise}")
        return
    out(plan.text())
    if dry_run:
        return
    agree("Do this?", yes=yes)
    carry_out(plan)
    say(f"{plan.kind}: done")
