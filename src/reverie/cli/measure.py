"""`measure …`: the numbers behind the promises, reproducible by anyone.

Each command gives a `Measurement`; `framed` prints it as tables, as JSON or as a page.
"""

import shlex
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from reverie import forms
from reverie.cli.printing import out, out_json, say, table
from reverie.errors import InvalidInput, Unavailable

if TYPE_CHECKING:
    from reverie.measure.result import Measurement, Run

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
OUTPUT = click.Path(dir_okay=False, writable=True, path_type=Path)

Command = Callable[..., Any]

corpus_option = click.option("--corpus", type=FOLDER, required=True, help="A folder of agent logs.")
labels_option = click.option(
    "--labels",
    type=FILE,
    required=True,
    help="A labels.jsonl: what people said of the human turns in those logs.",
)


@click.group()
def measure() -> None:
    """Measure detection, retrieval and the rest on data of your own.

    Every figure has its 95 % interval. Data, seed, versions and command are stated with the
    figures; the same call gives the same bytes.
    """


def framed(command: "Callable[..., Measurement]") -> Command:
    """A command that gives a measurement: `--seed` goes to it, the other options are its frame."""

    @click.option("--html", type=OUTPUT, help="Write a page with plots into this file.")
    @click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
    @click.option("--seed", type=click.IntRange(0), default=7, help="Of all that is drawn (7).")
    @wraps(command)
    def shown(as_json: bool, html: Path | None, **arguments: Any) -> None:
        from reverie.measure.result import Run, versions

        measurement = command(**arguments)
        run = Run(_as_typed(click.get_current_context()), versions())
        if html is not None:
            from reverie.measure.page import page

            html.write_text(page(measurement, run), encoding="utf-8")
            say(f"wrote {html}")
        if as_json:
            out_json(forms.measurement(measurement, run))
        else:
            _print(measurement, run)

    return shown


def _as_typed(context: click.Context) -> str:
    """The call, with files by their names, without what only says where figures go."""
    words = context.command_path.split()
    for option in context.command.params:
        value = context.params.get(option.name or "")
        if value is None or value is False or option.type is OUTPUT or option.name == "as_json":
            continue
        several = cast("tuple[Any, ...]", value if isinstance(value, tuple) else (value,))
        for argument in several:
            words.append(option.opts[-1])
            if argument is not True:
                words.append(
                    argument.resolve().name if isinstance(argument, Path) else str(argument)
                )
    return shlex.join(words)


def _print(measurement: "Measurement", run: "Run") -> None:
    from reverie.measure.result import shown

    for figures in measurement.tables:
        table(
            [[row.name, *map(shown, row.cells)] for row in figures.rows],
            [figures.title, *figures.columns],
        )
        if figures.note:
            out(figures.note)
        out()
    for note in measurement.notes:
        out(note)
    stated = {**measurement.data, "seed": measurement.seed, **run.versions, "command": run.command}
    table([[name, str(value)] for name, value in stated.items()])


def _write(file: Path | None, measurement: "Measurement") -> "Measurement":
    """With what an outside scorer needs in a file, if one was asked for."""
    if file is not None:
        from reverie.measure.result import write_records

        write_records(file, measurement.records)
        say(f"wrote {len(measurement.records)} records into {file}")
    return measurement


@measure.command()
@corpus_option
@labels_option
@framed
def detection(corpus: Path, labels: Path, seed: int) -> "Measurement":
    """How well corrections and lasting statements are found, beside simple baselines.

    Ours is trained again without the projects it is scored on. Intervals are over sessions.
    """
    return _training("detection").measure_detection(corpus, labels, seed=seed)


def _training(what: str) -> Any:
    """The module that trains detectors.

    Raises:
        Unavailable: what it needs for that is not there.
    """
    try:
        from reverie.measure import detection
    except ImportError as error:
        raise Unavailable(
            f"measuring {what} trains models, which needs {error.name}", hint="pip install numpy"
        ) from None
    return detection


@measure.command()
@corpus_option
@click.option(
    "--memories",
    type=FILE,
    required=True,
    help="A memories.jsonl: what a careful reader wrote down from those logs.",
)
@click.option(
    "--labels",
    type=FILE,
    help="A labels.jsonl of the same logs: each project is learned by a model that never saw it.",
)
@click.option("--export", type=OUTPUT, help="Write what was learned for a reader to judge (JSONL).")
@click.option("--verdicts", type=FILE, help="What a reader said of it: keep, reword or drop.")
@click.option("--engine", help="ENGINE[:MODEL] that judges whether a lesson says the same.")
@framed
def lessons(
    corpus: Path,
    memories: Path,
    labels: Path | None,
    export: Path | None,
    verdicts: Path | None,
    engine: str | None,
    seed: int,
) -> "Measurement":
    """How much of what a careful reader would write down is learned, and how much else.

    Without --labels the shipped model is measured as it is. A reader fills in `verdict` in each
    line of the file of --export, and --verdicts reads it again.
    """
    from reverie.measure.lessons import measure_lessons

    heads = None
    if labels is not None:
        heads = _training("lessons").held_out_of(corpus, labels)
    measured = partial(measure_lessons, corpus, memories, heads=heads, verdicts=verdicts, seed=seed)
    if engine is None:
        return _write(export, measured())
    from reverie.cli.opening import opened
    from reverie.measure.fidelity.measurement import thinkers

    with thinkers(opened(), [engine]) as (judge,):
        return _write(export, measured(judge=judge))


@measure.command()
@click.option(
    "--data",
    type=FILE,
    required=True,
    help="A file of LoCoMo or LongMemEval: dialogues, questions, and what answers them.",
)
@click.option("--rankings", type=OUTPUT, help="Write what was found for each question (JSONL).")
@framed
def retrieval(data: Path, rankings: Path | None, seed: int) -> "Measurement":
    """How much of what answers a question is found in dialogues."""
    from reverie.measure.retrieval import measure_retrieval

    return _write(rankings, measure_retrieval(data, seed=seed))


@measure.command()
@corpus_option
@labels_option
@click.option(
    "--budget",
    "budgets",
    type=click.IntRange(1),
    multiple=True,
    default=(1_024, 2_048, 4_096, 8_192),
    help="Characters (1024, 2048, 4096 and 8192); may be repeated.",
)
@click.option(
    "--pool",
    "sizes",
    type=click.IntRange(0),
    multiple=True,
    default=(30, 100, 400, 0),
    help="Sessions of a history (30, 100, 400 and 0 for all); may be repeated.",
)
@click.option(
    "--contexts", type=OUTPUT, help="Write what was packed for each question (JSONL, or .gz)."
)
@click.option("--answerer", help="ENGINE[:MODEL] that answers from each context alone.")
@click.option(
    "--judge", "judges", multiple=True, help="ENGINE[:MODEL] that judges; two give Cohen's κ."
)
@click.option("--questions", type=click.IntRange(1), help="Ask engines only so many.")
@click.option("--same-family", is_flag=True, help="Let a judge be of the answerer's family.")
@framed
def fidelity(
    corpus: Path,
    labels: Path,
    budgets: tuple[int, ...],
    sizes: tuple[int, ...],
    contexts: Path | None,
    answerer: str | None,
    judges: tuple[str, ...],
    questions: int | None,
    same_family: bool,
    seed: int,
) -> "Measurement":
    """What is left of each correction when a long history may take few characters.

    Every strategy rebuilds the history under the same budget, with the question or without it.
    Contexts are judged by words, and by engines if some are named. Intervals are over sessions.
    """
    from reverie.measure.fidelity.measurement import Engines, measure_fidelity, thinkers
    from reverie.measure.fidelity.run import Plan

    plan = Plan(budgets, tuple(size or None for size in sizes), seed)
    if answerer is None:
        if judges:
            raise InvalidInput("a judge needs an --answerer")
        return measure_fidelity(corpus, labels, plan, contexts=contexts)
    from reverie.cli.opening import opened

    with thinkers(opened(), [answerer, *judges]) as (first, *others):
        engines = Engines(first, tuple(others), same_family, questions)
        return measure_fidelity(corpus, labels, plan, contexts=contexts, engines=engines)


@measure.command()
@click.option(
    "--data",
    type=FOLDER,
    required=True,
    help="A folder of MemoryCode dialogues (dialogue_*.json).",
)
@click.option("--memories", type=OUTPUT, help="Write rules and memories of each dialogue (JSONL).")
@framed
def memorycode(data: Path, memories: Path | None, seed: int) -> "Measurement":
    """Which of the rules that a mentor stated and updated does memory hold at the end?"""
    from reverie.measure.memorycode import measure_memorycode

    return _write(memories, measure_memorycode(data, seed=seed))


@measure.command("effect")
@click.option("--project", metavar="NAME", help="Only this project (name, slug or path).")
@click.option("--since", metavar="DATE", help="When memory was connected, if the ledger is wrong.")
@click.option("--corpus", type=FOLDER, help="Time travel in these logs, a folder per repository.")
@click.option("--pairs", type=FILE, help="With --corpus: lessons and later prompts (JSONL).")
@click.option("--cases", type=OUTPUT, help="With --corpus: write what became of each case (JSONL).")
@framed
def effect_(
    project: str | None,
    since: str | None,
    corpus: Path | None,
    pairs: Path | None,
    cases: Path | None,
    seed: int,
) -> "Measurement":
    """Whether what you corrected has to be said again less often, from your own logs.

    Sessions before and since memory is connected, and lessons that sessions were told or not. With
    --corpus (such as ~/.claude/projects) time travel: only what was logged before a prompt is
    learned; is what that prompt needed handed over, and how much where nothing was needed?
    """
    if corpus is not None and project is None and since is None:
        from reverie.measure.timetravel import measure_timetravel

        return _write(cases, measure_timetravel(corpus, pairs, seed=seed))
    if corpus is not None or pairs is not None or cases is not None:
        raise InvalidInput("--pairs and --cases need --corpus, which has no --project or --since")
    from reverie.cli.opening import opened
    from reverie.cli.options import start_of
    from reverie.measure.effect import effect

    memory = opened()
    start = start_of(since, memory.clock()) or ""
    return effect(memory, project=project, since=start, seed=seed)


@measure.command("dream")
@click.option(
    "--data", type=FOLDER, required=True, help="A folder of logs, one below for each project."
)
@click.option(
    "--themes",
    type=FILE,
    required=True,
    help="A themes.jsonl: what recurs in those projects, by somebody who read them.",
)
@click.option(
    "--most", type=click.IntRange(1), default=10, help="Patterns of a project that count (10)."
)
@click.option("--patterns", type=OUTPUT, help="Write every pattern and its themes (JSONL).")
@framed
def dreams(data: Path, themes: Path, most: int, patterns: Path | None, seed: int) -> "Measurement":
    """Of what recurs in a project, how much does a dream propose, and how much else?"""
    from reverie.measure.dreams import measure_dreams

    return _write(patterns, measure_dreams(data, themes, most=most, seed=seed))


@measure.command()
@click.option("--runs", type=click.IntRange(1), default=1, help="How often each bench is run (1).")
@framed
def speed(runs: int, seed: int) -> "Measurement":
    """How long things take, as ratios of one run; needs the source tree."""
    from reverie.measure.speed import measure_speed

    return measure_speed(runs=runs, seed=seed)
