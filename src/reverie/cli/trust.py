"""Trust: `doctor`, `stats`, `completion`, and `measure …`, the numbers behind the promises,
reproducible by anyone.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie import forms
from reverie.cli.opening import opened, opened_in_step, tell
from reverie.cli.options import json_option, start_of
from reverie.cli.printing import hanging, one_line, out, out_json, out_jsonl, say, table
from reverie.errors import InvalidInput, Unavailable
from reverie.operations import figures

if TYPE_CHECKING:
    from reverie.home import Home
    from reverie.measure.detection import Estimate
    from reverie.measure.pairs import PairsReport
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
    from reverie.operations import instructing
    from reverie.operations.checking import Finding
    from reverie.operations.starting import consent

    if off := why_off(home.config.environ, str(home.config.home)):
        yield Finding("hooks", "note", f"hooks would do nothing here: {off}")
    found = troubles(home.config.home)
    for trouble in found:
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
    if not off and not found:
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
    found = figures.helped(memory, project=project, agent=agent, since=start)
    if as_json:
        out_json(forms.helped(found))
    else:
        _show_stats(found)


def _show_stats(found: "Helped") -> None:
    from reverie.recall.stats import CONFOUNDERS

    counted = found.stats
    if not found.periods and not found.recalls:
        say("no sessions were read yet, or none fits")
        say("hint: `reverie learn` reads your agents' logs")
        return
    table(
        [
            [
                *(p.project, p.agent, p.month, str(p.sessions), str(p.turns), str(p.corrections)),
                f"{p.per_100_turns:.1f}",
            ]
            for p in found.periods
        ],
        ["project", "agent", "month", "sessions", "your turns", "corrections", "per 100"],
    )
    out()
    handed = f"{found.characters} characters, about {found.tokens} tokens"
    out(f"recalls: {len(found.recalls)}, {handed}")
    out(
        f"said before: {len(counted.repeats)} of {counted.corrections} corrections"
        f" ({counted.repeat_share:.0%})"
    )
    rate = counted.repeat_rate
    if rate is None:
        out("said again although recalled: nothing was recalled yet")
    else:
        out(f"said again although recalled: {rate:.0%} of {counted.recalled} recalled corrections")
    out(f"misstep probability: {_fitted(found)}")
    for one in counted.repeats[-_REPEATS:]:
        recalls = one.recalls[-_RECALLS:]
        asked = ", ".join(f"{r.at[:10]} {r.query or 'no question'}" for r in recalls)
        out(hanging(f"- {one.again.at[:10]}: ", f"“{_said(one.again)}”"))
        out(hanging(f"  {one.first.at[:10]}: ", f"“{_said(one.first)}” had said it"))
        out(f"  recalled in between: {asked or 'never'}")
    say("what this does not show:")
    for line in CONFOUNDERS:
        say(f"- {line}")


def _fitted(found: "Helped") -> str:
    from reverie.sessions.labels import ENOUGH_LABELS

    if found.fitted:
        return f"fitted to {found.labels} labels of yours"
    return f"as shipped; fitted to you from {ENOUGH_LABELS} labels on ({found.labels} so far)"


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


# --- measure ------------------------------------------------------------------------------------


FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group()
def measure() -> None:
    """Measure detection, retrieval and the rest on data of your own."""


@measure.command()
@click.option(
    "--data",
    type=FILE,
    help="A LoCoMo file: dialogues, questions and the turns that answer them.",
)
@click.option("--corpus", type=FOLDER, help="A folder of agent logs; needs --labels.")
@click.option(
    "--labels",
    type=FILE,
    help="A labels.jsonl with questions that corrections in those logs answer.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def retrieval(data: Path | None, corpus: Path | None, labels: Path | None, as_json: bool) -> None:
    """How much of what answers a question is found: in dialogues, or in corrections."""
    if (data is None) == (corpus is None) or (corpus is None) != (labels is None):
        raise InvalidInput("give either --data, or --corpus with --labels")
    if data is not None:
        from reverie.measure.retrieval import read_dialogues, score_dialogues

        score = forms.plain(score_dialogues(read_dialogues(data)))
        if as_json:
            out_json(score)
            return
        table(
            [
                [name.replace("_", " "), f"{value:.3f}" if isinstance(value, float) else str(value)]
                for name, value in score.items()
            ]
        )
    elif corpus is not None and labels is not None:
        from reverie.measure.pairs import measure_pairs

        _show_pairs(measure_pairs(corpus, labels), as_json)


def _show_pairs(report: "PairsReport", as_json: bool) -> None:
    if as_json:
        out_json(forms.plain(report))
        return
    say(
        f"{report.pairs} questions, {report.learned} answered by one of {report.corrections}"
        f" learned corrections; {report.budget} characters"
    )
    for title, scores in (
        ("without the question", report.unasked),
        ("with the question", report.asked),
    ):
        rows = [
            [
                one.strategy,
                f"{one.share:.3f}",
                ""
                if one.strategy == "ours"
                else f"{one.ours_better:+.3f} ({one.low:+.3f}…{one.high:+.3f})",
            ]
            for one in scores
        ]
        table(rows, [title, "share", "ours better by (95 %)"])


@measure.command()
@click.option("--corpus", type=FOLDER, required=True, help="A folder of agent logs.")
@click.option(
    "--labels",
    type=FILE,
    required=True,
    help="A labels.jsonl: what people said of the human turns in those logs.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def detection(corpus: Path, labels: Path, as_json: bool) -> None:
    """How well corrections and lasting statements are found, beside simple baselines.

    Ours is trained again without the sessions, or the projects, it is scored on. Intervals are
    95 % over resampled sessions.
    """
    try:
        from reverie.measure.detection import detection as measured
    except ImportError as error:
        raise Unavailable(
            f"measuring detection trains models, which needs {error.name}", hint="pip install numpy"
        ) from None
    report = measured(corpus, labels)
    if as_json:
        out_json(forms.plain(report))
        return
    say(
        f"{report.found} of {report.labelled} labelled turns read: "
        f"{report.corrections} corrections, {report.durable} worth remembering"
    )
    header = ["detector", "correction F1", "P / R", "AUC", "lasting F1", "P / R", "AUC",
              "written unasked: right (strictly) / R", "right sentence"]  # fmt: skip
    rows = [
        [
            result.detector,
            _estimate(result.correction_f1),
            f"{result.correction_precision.value:.2f} / {result.correction_recall.value:.2f}",
            _estimate(result.correction_auc),
            _estimate(result.durable_f1),
            f"{result.durable_precision.value:.2f} / {result.durable_recall.value:.2f}",
            _estimate(result.durable_auc),
            f"{_estimate(result.write_precision)} ({result.write_strict.value:.2f})"
            f" / {result.write_recall.value:.2f}"
            if result.write_precision and result.write_strict and result.write_recall
            else "",
            _estimate(result.sentence) if result.sentence else "",
        ]
        for result in report.results
    ]
    table(rows, header)


def _estimate(found: "Estimate") -> str:
    return f"{found.value:.2f} ({found.low:.2f}–{found.high:.2f})"


@measure.command()
@click.option(
    "--corpus",
    type=FOLDER,
    required=True,
    help="A folder of agent logs with summaries beside them (<log>.meta.json).",
)
@click.option("--misses", type=click.IntRange(0), default=0, help="Show the worst statements.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def diaries(corpus: Path, misses: int, as_json: bool) -> None:
    """How much of what a model wrote about sessions our diaries of them hold."""
    from reverie.measure.diaries import measure_diaries

    report = measure_diaries(corpus)
    worst = [forms.miss(share, one) for share, one in report.misses[:misses]]
    if as_json:
        out_json(forms.plain(report) | {"misses": worst})
        return
    say(
        f"{report.diaries} diaries of {report.sessions} sessions,"
        f" {report.characters // max(1, report.diaries)} characters each,"
        f" {report.broken} break an invariant; {report.summarised} sessions have summaries"
    )
    table(
        [
            [name, str(part.statements), f"{part.ours:.2f}", f"{part.other:.2f}",
             f"{part.log:.2f}", f"{part.covered / part.statements:.0%}"]
            for name, part in report.parts.items()
        ],
        header=["part", "statements", "diary", "another's", "whole log", "half covered"],
    )  # fmt: skip
    for miss in worst:
        out(f"{miss['share']:.2f} {miss['part']}: {miss['text']}")


@measure.command()
@click.option(
    "--data",
    type=FOLDER,
    required=True,
    help="A folder of MemoryCode dialogues (dialogue_*.json).",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON object per dialogue, then the figures."
)
def memorycode(data: Path, as_json: bool) -> None:
    """Which of the rules that a mentor stated and updated does memory hold at the end?"""
    from reverie.measure.memorycode import measure_memorycode

    report = measure_memorycode(data)
    if as_json:
        figures = forms.plain(report)
        out_jsonl([*figures.pop("dialogues"), figures])
        return
    say(f"{len(report.dialogues)} dialogues")
    table(
        [
            ["rules in force that a memory holds", f"{report.held:.3f}"],
            ["active memories that are rules in force", f"{report.in_force:.3f}"],
            ["superseded rules still active", f"{report.still_active:.3f}"],
        ]
    )
