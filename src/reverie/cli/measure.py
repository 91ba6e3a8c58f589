"""`reverie measure …`: the numbers behind the promises, reproducible by anyone."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie import forms
from reverie.cli.printing import out, out_json, out_jsonl, say, table
from reverie.errors import InvalidInput, Unavailable

if TYPE_CHECKING:
    from reverie.measure.detection import Estimate
    from reverie.measure.pairs import PairsReport

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
              "written unasked P / R"]  # fmt: skip
    rows = [
        [
            result.detector,
            _estimate(result.correction_f1),
            f"{result.correction_precision.value:.2f} / {result.correction_recall.value:.2f}",
            _estimate(result.correction_auc),
            _estimate(result.durable_f1),
            f"{result.durable_precision.value:.2f} / {result.durable_recall.value:.2f}",
            _estimate(result.durable_auc),
            f"{_estimate(result.write_precision)} / {result.write_recall.value:.2f}"
            if result.write_precision and result.write_recall
            else "",
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
