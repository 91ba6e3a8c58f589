"""Trust: `doctor`, `stats` and `completion`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from reverie import forms
from reverie.cli.opening import opened, opened_in_step, tell
from reverie.cli.options import json_option, start_of
from reverie.cli.printing import hanging, one_line, out, out_json, say, table
from reverie.operations import figures

if TYPE_CHECKING:
    from reverie.home import Home
    from reverie.memory import Memory
    from reverie.operations.checking import Finding
    from reverie.operations.figures import Helped
    from reverie.sessions.corrections import CorrectionRow


_REPEATS = 10
_RECALLS = 3
_HOW = {
    "bash": "add to ~/.bashrc:  eval \"$(reverie completion bash)\"",
    "zsh": "add to ~/.zshrc:  eval \"$(reverie completion zsh)\"",
    "fish": "run:  reverie completion fish > ~/.config/fish/completions/reverie.fish",
}  # fmt: skip


@click.command()
@json_option
def doctor(as_json: bool) -> int:
    """Check databases, files and logs; exits with 1 when something is wrong."""
    findings = opened().check([hooks], tell)
    if as_json:
        out_json([forms.plain(finding) for finding in findings])
    else:
        for finding in findings:
            out(f"{finding.level:<7}  {finding.check}: {finding.message}")
            if finding.hint:
                out(f"         hint: {finding.hint}")
    return int(any(finding.level == "error" for finding in findings))


def hooks(home: "Home") -> "Iterator[Finding]":
    """What failed while nobody was looking: hooks and the worker they start never talk."""
    from reverie.connect.stretches import troubles
    from reverie.connect.switches import why_off
    from reverie.operations.checking import Finding
    from reverie.operations.starts import instructing
    from reverie.operations.starts.starting import consent

    if off := why_off(home.config.environ, str(home.config.home)):
        yield Finding("hooks", "note", f"hooks would do nothing here: {off}")
    failures = troubles(home.config.home)
    for trouble in failures:
        yield Finding("hooks", "warning", trouble, "`reverie learn` reads what hooks could not")
    if consent(home) == "earlier":
        yield Finding(
            "digest",
            "note",
            "your yes to standing rules is none to the digest that took their place:"
            " sessions are told nothing",
            "ask: `reverie connect AGENT`",
        )
    for trouble in instructing.troubles(home) if home.settings.hooks.digest else ():
        yield Finding("digest", "warning", trouble, "`reverie sync` brings it up to date")
    if not off and not failures:
        yield Finding("hooks", "ok", "no failures")


@click.command()
@click.option("--project", metavar="NAME", help="Only this project (name, slug or path).")
@click.option("--agent", metavar="NAME", help="Only sessions of this agent.")
@click.option("--since", metavar="DATE", help="Only since this day (2026-11-01, 7d).")
@json_option
def stats(project: str | None, agent: str | None, since: str | None, as_json: bool) -> None:
    """Corrections per 100 turns, repeated corrections, and what was recalled before them."""
    memory = opened_in_step()
    start = start_of(since, memory.clock()) or ""
    helped = figures.helped(memory, project=project, agent=agent, since=start)
    if as_json:
        out_json(forms.helped(helped))
    else:
        _show_stats(helped)
        if helped.periods:
            _show_effect(memory, project)


def _show_effect(memory: "Memory", project: str | None) -> None:
    """The short form of `reverie measure effect`."""
    from reverie.measure.effect import compared, counted

    counts = counted(memory, project=project)
    if not counts.since:
        out("before and after memory: no agent was told anything yet")
        return
    both = compared(counts.by_time, rounds=400)
    before, after = (f"{estimate.value:.1f}" if estimate else "-" for estimate in both[:2])
    out(f"said again per 100 of your turns: {before} before memory, {after} since: {both.verdict}")
    say("`reverie measure effect` has it at length")


def _show_stats(helped: "Helped") -> None:
    from reverie.recall.stats import CONFOUNDERS

    counted = helped.stats
    if not helped.periods and not helped.calls:
        say("no sessions were read yet, or none fits")
        say("hint: `reverie learn` reads your agents' logs")
        return
    table(
        [
            [
                *(p.project, p.agent, p.month, str(p.sessions), str(p.turns), str(p.corrections)),
                f"{p.per_100_turns:.1f}",
            ]
            for p in helped.periods
        ],
        ["project", "agent", "month", "sessions", "your turns", "corrections", "per 100"],
    )
    out()
    handed = f"{helped.characters} characters, about {helped.tokens} tokens"
    out(f"recalls: {len(helped.recalls)}, {handed}")
    if helped.callers:
        table(
            [[caller.who, *map(str, caller[1:])] for caller in helped.callers],
            ["handed to", "sessions", "calls", "refused", "characters"],
        )
    out(
        f"said before: {len(counted.repeats)} of {counted.corrections} corrections"
        f" ({counted.repeat_share:.0%})"
    )
    rate = counted.repeat_rate
    if rate is None:
        out("said again although recalled: nothing was recalled yet")
    else:
        out(f"said again although recalled: {rate:.0%} of {counted.recalled} recalled corrections")
    out(f"misstep probability: {_fitted(helped)}")
    for repeat in counted.repeats[-_REPEATS:]:
        recalls = repeat.recalls[-_RECALLS:]
        asked = ", ".join(f"{r.at[:10]} {r.query or 'no question'}" for r in recalls)
        out(hanging(f"- {repeat.again.at[:10]}: ", f"“{_said(repeat.again)}”"))
        out(hanging(f"  {repeat.first.at[:10]}: ", f"“{_said(repeat.first)}” had said it"))
        out(f"  recalled in between: {asked or 'never'}")
    say("what this does not show:")
    for line in CONFOUNDERS:
        say(f"- {line}")


def _fitted(helped: "Helped") -> str:
    from reverie.sessions.labels import ENOUGH_LABELS

    if helped.fitted:
        return f"fitted to {helped.labels} labels of yours"
    return f"as shipped; fitted to you from {ENOUGH_LABELS} labels on ({helped.labels} so far)"


def _said(row: "CorrectionRow") -> str:
    return one_line(row.lesson or row.span or row.text, 200)


@click.command()
@click.argument("shell", type=click.Choice(sorted(_HOW)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL: bash, zsh or fish."""
    from click.shell_completion import get_completion_class

    from reverie.errors import Unavailable

    kind = get_completion_class(shell)
    if kind is None:
        raise Unavailable(f"no completion for {shell}")
    source = kind(ctx.find_root().command, {}, "reverie", "_REVERIE_COMPLETE").source_vars()
    # The template is formatted here: click's own `source` runs bash to ask for its version.
    click.echo(kind.source_template % source)
    say(_HOW[shell])
