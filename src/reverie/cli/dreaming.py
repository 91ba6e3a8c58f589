"""Dreams: `dream`, `proposals`; and `schedule`, which runs them regularly."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.opening import opened, opened_in_step, waiting
from reverie.cli.options import json_option, logs_option, start_of
from reverie.cli.printing import (
    agree,
    diff_line,
    hanging,
    one_line,
    out,
    out_json,
    out_jsonl,
    plain,
    progress_bar,
    say,
    several,
    styled,
    table,
)
from reverie.cli.speaker import only_a_person
from reverie.connect.schedule import KINDS, Kind, carry_out, default_kind, installing, removing
from reverie.errors import InvalidInput
from reverie.forms import dreams
from reverie.operations import learning

if TYPE_CHECKING:
    from reverie.connect.schedule import Plan
    from reverie.dream.model import Artefact, Change, Form, Night
    from reverie.dream.proposals.proposals import Offer, Proposal
    from reverie.dream.proposals.trying import Trial
    from reverie.dream.run import Run


SHOWN = 20
FORMS = ("rule", "command", "skill", "hook", "test", "observation")
LONGEST = 200  # characters of a candidate
FEW = 5  # candidates without enough evidence, unless asked for
SHORT_EVIDENCE = 4  # quotes, lines and characters of a line in the short view
SHORT_LINES = 12
WIDTH = 160

# --- dream --------------------------------------------------------------------------------------


@click.command()
@logs_option
@click.option("--since", help="Only sessions since this day (2026-11-01, 7d, last week).")
@click.option("--project", help="Only sessions of this project (name, slug or path).")
@click.option("--sessions", multiple=True, metavar="KEY", help="Only this session (repeatable).")
@click.option(
    "--last", type=click.IntRange(1), help="Only the sessions of the last so many diaries."
)
@click.option("--new", is_flag=True, help="Only sessions since the last dream about the same.")
@click.option("--store", help="Read and change only this store (name, or its beginning).")
@click.option("--instructions", default="", help="What to attend to, or `ignore …`, in words.")
@click.option("--min-sessions", type=click.IntRange(1), help="Sessions that make a pattern.")
@click.option("--min-days", type=click.IntRange(1), help="Days that make a pattern.")
@click.option("--most", type=click.IntRange(1), help="Patterns to offer at most (10).")
@click.option("--all", "all_of_them", is_flag=True, help="Offer every pattern.")
@click.option("--jobs", type=click.IntRange(1), default=None, help="Processes to read logs with.")
@click.option("--dry-run", is_flag=True, help="Say what would be proposed; write nothing.")
@click.option("--apply", "unattended", is_flag=True, help="Apply what needs no person at once.")
@click.option("--into", metavar="NEW_STORE", help="Leave the stores alone; write a new one.")
@click.option("--if-due", "if_due", is_flag=True, help="Only if one is due (`reverie due`).")
@click.option("--engine", metavar="NAME", help="Have this engine read along; `rules`: none.")
@click.option("--yes", is_flag=True, help="With --engine: do not ask; the caps hold all the same.")
@click.option("--explain", is_flag=True, help="What each step kept and dropped, and why.")
@json_option
def dream(
    folder: Path | None,
    since: str | None,
    most: int | None,
    last: int | None,
    all_of_them: bool,
    dry_run: bool,
    unattended: bool,
    if_due: bool,
    engine: str | None,
    yes: bool,
    explain: bool,
    as_json: bool,
    **wanted: Any,
) -> None:
    """Find what recurs over many sessions and propose better memory.

    Nothing is changed until you accept it: `reverie review` shows each change with its evidence.
    With --dry-run --logs DIR nothing is written anywhere.

    A model reads along if one is the default (`reverie engines use`) or is named. Its patterns take
    the place of the rules' own and are checked like them; `reverie costs` has what it cost.
    """
    chosen = {"--dry-run": dry_run, "--apply": unattended, "--into": wanted["into"] is not None}
    if len(named := [flag for flag, is_set in chosen.items() if is_set]) > 1:
        raise InvalidInput(f"{' and '.join(named)} exclude each other")
    if unattended:
        only_a_person("apply what nobody looked at", "dream --apply")
    # Over logs alone nothing of the home is read.
    memory = opened() if dry_run and folder and not if_due else opened_in_step()
    if if_due and not learning.remind(memory).due:
        say("no dream is due")
        return
    reads_along = None
    if engine not in {None, "rules"} or memory.settings.engines.default != "rules":
        from reverie.cli.engines import thinker

        reads_along = thinker(engine, yes=yes)
    with progress_bar("dreaming") as progress:
        run = memory.dream(
            folder,
            since=start_of(since, memory.clock()),
            most=0 if all_of_them else most,
            last=last or 0,
            dry_run=dry_run,
            apply=unattended,
            thinker=reads_along,
            waiting=waiting,
            progress=progress,
            **wanted,
        )
    if dry_run:
        _show_dry(run.night, everything=explain, as_json=as_json)
    else:
        _show_run(run, everything=explain, as_json=as_json)
    if explain:
        _explain(run.night)


def _show_dry(night: "Night", *, everything: bool, as_json: bool) -> None:
    if as_json:
        out_jsonl(dreams.patterns(night))
    else:
        _tell_night(night, everything=everything)
        say("Nothing was written.")


def _show_run(run: "Run", *, everything: bool, as_json: bool) -> None:
    if as_json:
        out_json(dreams.dream(run))
        return
    _tell_night(run.night, everything=everything)
    made = len(run.applied)
    if run.into:
        say(f"store {run.into}: a copy of all this was about, with {several(made, 'change')}")
    if proposal := run.proposal:
        where = f"in {run.into} alone" if run.into else "applied"
        say(f"proposal {proposal.id}: {several(len(proposal.changes), 'change')}, {made} {where}")
        if run.into or made < len(proposal.changes):
            say("hint: `reverie review` shows each with its evidence")


def _tell_night(night: "Night", *, everything: bool) -> None:
    if not night.sessions:
        say("no session to dream about: `reverie learn` reads the logs first")
    elif not night.changes:
        say("nothing to do: no new pattern in what sessions showed")
    for change in night.changes[:SHOWN]:
        out(hanging(f"{change.verb:12} ", f"[{change.store}] {change.title}"))
        out(hanging(f"{'':13}", change.support))
        if everything:
            _tell_basis(change)
    if len(night.changes) > SHOWN:
        say(f"… and {len(night.changes) - SHOWN} more")
    if night.left:
        left = several(len(night.left), "pattern")
        say(f"{left} of less worth left out: --all offers every one")
    unproven = [
        pattern
        for pattern in night.patterns
        if pattern.status == "candidate" and pattern.support > 1
    ]
    few = len(unproven) if everything else FEW
    for pattern in unproven[:few]:
        why = f"({pattern.sentence()}; {pattern.reason})"
        say(hanging("not yet: ", f"{one_line(pattern.text, LONGEST)} {why}", err=True))
    if len(unproven) > few:
        say(f"… and {len(unproven) - few} more that lack evidence: --explain lists them")


def _explain(night: "Night") -> None:
    for step, what in night.notes:
        say(f"{step}: {what}")
        for drop in night.drops:
            if drop.step == step:
                say(f"  dropped: {drop.text} ({drop.why})")


# --- proposals ----------------------------------------------------------------------------------


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def proposals(ctx: click.Context, as_json: bool) -> None:
    """List the proposals of dreams, newest first."""
    if ctx.invoked_subcommand is not None:
        return
    listed = opened_in_step().proposals.all()
    if as_json:
        out_json([dreams.proposal(proposal) for proposal in listed])
        return
    if not listed:
        say("no proposals yet")
        say("hint: `reverie dream` makes one when there is something to propose")
        return
    table(
        [
            [
                proposal.id,
                proposal.created_at[:10],
                proposal.status,
                str(len(proposal.offers)),
                _first(proposal),
            ]
            for proposal in listed
        ],
        ["proposal", "day", "status", "changes", ""],
    )


@proposals.command("show")
@click.argument("proposal")
@json_option
def show(proposal: str, as_json: bool) -> None:
    """Show PROPOSAL: each change with its diff, its evidence and what it replaces."""
    chosen = opened_in_step().proposals.find(proposal)
    if as_json:
        out_json(dreams.proposal(chosen))
        return
    for number, offer in enumerate(chosen.offers, 1):
        show_offer(offer, f"{number} of {len(chosen.offers)}")


@proposals.command("undo")
@click.argument("proposal")
@json_option
def undo(proposal: str, as_json: bool) -> None:
    """Take back what was applied of PROPOSAL; what was edited since stays as it is."""
    only_a_person("take back what you accepted", f"proposals undo {proposal}")
    memory = opened_in_step(speaking=True)
    identity = memory.proposals.find(proposal).id
    undone = memory.review().undo(identity)
    for reversal in undone:
        for line in (reversal.result.words, *reversal.result.placed):
            say(line)
    if as_json:
        out_json(
            {"proposal": identity, "results": [dreams.undone(reversal) for reversal in undone]}
        )


@proposals.command(
    "try", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option("--form", "forms", multiple=True, type=click.Choice(FORMS), help="Only this form.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where forms would be put; the working directory if not given.",
)
@json_option
@click.argument("reference", metavar="ID")
@click.argument("given", metavar="[COMMAND]...", nargs=-1, type=click.UNPROCESSED)
def try_forms(
    forms: "tuple[Form, ...]",
    root: Path | None,
    as_json: bool,
    reference: str,
    given: tuple[str, ...],
) -> None:
    """Show what the forms of ID, a change or a proposal, would be in their places.

    A rule as a diff of its file, a command or skill as the agent would see it, a test as it would
    be written. With COMMAND, whether a hook would fire on it and what it would say; for a command
    or a skill it is what the user adds. Nothing is written. Options stand before ID.
    """
    trials = opened_in_step().review(root=root, forms=forms).tried(reference, given)
    if as_json:
        out_json([dreams.trial(trial) for trial in trials])
        return
    for trial in trials:
        out(f"\n{trial.change}  {trial.form}: {trial.path or '(kept as a memory only)'}")
        if trial.fires is False:
            out("  would not fire on it")
            continue
        if trial.form == "hook":
            when = "would fire on it" if trial.fires else "when it fires"
            out(f"  {when} ({trial.decision}), and say:{_past(trial)}")
        for line in trial.shown.splitlines():
            click.echo(f"  {diff_line(line) if trial.form == 'rule' else plain(line)}")


def show_offer(offer: "Offer", place: str, *, short: bool = False) -> None:
    """A change as a person reads it; short, it fits on a screen."""
    from reverie.dream.model import sureness

    change = offer.change
    out(f"\n{place}  {change.id}  {change.verb} in {change.store}  ({offer.status})")
    click.echo(styled(hanging("  ", plain(change.title)), bold=True))
    out(f"  {change.support}: {sureness(change.confidence)}, trust {change.trust}")
    for name in change.replaces:
        out(f"  replaces: {name}")
    _tell_basis(change, short=short)
    if offer.note:
        out(f"  note: {offer.note}")
    for line in _short_diff(offer) if short else change.diff().splitlines():
        click.echo(f"  {diff_line(line)}")


def _tell_basis(change: "Change", *, short: bool = False) -> None:
    """The quotes that a change rests on, and its forms."""
    for quote in change.evidence[: SHORT_EVIDENCE if short else None]:
        session = _shortened(quote.session) if short else quote.session
        out(hanging(f"    {quote.at[:10]} {session}: ", f"“{quote.quote}”"))
    if short and len(change.evidence) > SHORT_EVIDENCE:
        out(f"    … and {len(change.evidence) - SHORT_EVIDENCE} more")
    for artefact in change.forms:
        out(f"  as {artefact.form}: {artefact.path or '(kept as a memory only)'}{_past(artefact)}")
        if artefact.form == "rule":
            out(hanging("    ", plain(artefact.content)))
        elif artefact.path and not short:
            for line in artefact.content.splitlines():
                out(f"    {plain(line)}".rstrip())


def _past(hook: "Artefact | Trial") -> str:
    """What a hook would have done in the sessions so far."""
    replay = hook.replay
    if replay is None:
        return ""
    fired = f"{replay.bad} bad and {replay.good} good of {replay.commands} calls"
    note = f"; {hook.note}" if hook.note else ""
    return f" (would have fired on {fired}{note})"


def _shortened(session: str) -> str:
    agent, _, identity = session.partition(":")
    return f"{agent}:{identity[:8]}"


def _short_diff(offer: "Offer") -> list[str]:
    """The lines that change; a new memory says nothing that its title and evidence do not."""
    change = offer.change
    if not change.before:
        return [f"+++ {change.store}{change.path}"]
    lines = [one_line(line, WIDTH) if len(line) > WIDTH else line for line in _changed(offer)]
    more = len(lines) - SHORT_LINES
    return [*lines[:SHORT_LINES], f"… {more} more lines"] if more > 1 else lines


def _changed(offer: "Offer") -> list[str]:
    """The diff without what stays, and without the ids of the evidence that is quoted above."""
    return [
        line
        for line in offer.change.diff().splitlines()
        if not line.startswith(("@@ ", " ")) and not line[1:].lstrip().startswith("evidence: ")
    ]


def _first(proposal: "Proposal") -> str:
    return proposal.changes[0].title[:60] if proposal.changes else ""


# --- schedule -----------------------------------------------------------------------------------


# What one run does, in this order; a step that fails does not keep the next from running.
STEPS: tuple[tuple[str, ...], ...] = (("learn",), ("decay",), ("dream", "--if-due"))


@click.group()
def schedule() -> None:
    """Learn, apply decay and dream when due, at regular times."""


_with_option = click.option(
    "--with", "kind", type=click.Choice(KINDS), help="What runs it; found out if absent."
)
_dry_option = click.option("--dry-run", is_flag=True, help="Show the text and write nothing.")
_yes_option = click.option("--yes", is_flag=True, help="Do not ask.")


@schedule.command()
@_with_option
@click.option(
    "--hours", type=int, default=4, show_default=True, help="How many hours between runs."
)
@_dry_option
@_yes_option
def install(kind: Kind | None, hours: int, dry_run: bool, yes: bool) -> None:
    """Install regular runs; shows the exact text and commands first."""
    chosen = kind or default_kind(sys.platform, os.environ)
    _agreed(installing(chosen, hours, os.environ), "already installed", dry_run=dry_run, yes=yes)


@schedule.command()
@_with_option
@_dry_option
@_yes_option
def remove(kind: Kind | None, dry_run: bool, yes: bool) -> None:
    """Take the regular runs away again."""
    if not dry_run:
        only_a_person("end the regular runs", "schedule remove")
    chosen = kind or default_kind(sys.platform, os.environ)
    _agreed(removing(chosen, os.environ), "nothing is installed", dry_run=dry_run, yes=yes)


@schedule.command("run")
def run_once() -> int:
    """What a scheduled run does: learn, decay, and a dream if one is due; nothing in a pause."""
    from reverie.cli.root import run
    from reverie.operations.pausing import paused

    if paused(opened()):
        say("nothing is done: `reverie pause` is in force")
        return 0
    return max(run(list(step)) for step in STEPS)


def _agreed(plan: "Plan", otherwise: str, *, dry_run: bool, yes: bool) -> None:
    if not plan.needed:
        say(f"{plan.kind}: {otherwise}")
        return
    out(plan.text())
    if dry_run:
        return
    agree("Do this?", yes=yes)
    carry_out(plan)
    say(f"{plan.kind}: done")
