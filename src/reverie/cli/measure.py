"""`measure …`: the numbers behind the promises, reproducible by anyone.

Each command gives a `Measurement`; `framed` prints it as tables, as JSON or as a page.
"""

import shlex
from collections.abc import Callable
from functools import wraps
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

        found = command(**arguments)
        run = Run(_as_typed(click.get_current_context()), versions())
        if html is not None:
            from reverie.measure.page import page

            html.write_text(page(found, run), encoding="utf-8")
            say(f"wrote {html}")
        if as_json:
            out_json(forms.measurement(found, run))
        else:
            _print(found, run)

    return shown


def _as_typed(context: click.Context) -> str:
    """The call, with files by their names, without what only says where figures go."""
    words = context.command_path.split()
    for option in context.command.params:
        value = context.params.get(option.name or "")
        if value is None or value is False or option.type is OUTPUT or option.name == "as_json":
            continue
        several = cast("tuple[Any, ...]", value if isinstance(value, tuple) else (value,))
        for given in several:
            words.append(option.opts[-1])
            if given is not True:
                words.append(given.resolve().name if isinstance(given, Path) else str(given))
    return shlex.join(words)


def _print(found: "Measurement", run: "Run") -> None:
    from reverie.measure.result import shown

    for one in found.tables:
        table(
            [[row.name, *map(shown, row.cells)] for row in one.rows],
            [one.title, *one.columns],
        )
        if one.note:
            out(one.note)
        out()
    for note in found.notes:
        out(note)
    stated = {**found.data, "seed": found.seed, **run.versions, "command": run.command}
    table([[name, str(value)] for name, value in stated.items()])


def _write(file: Path | None, found: "Measurement") -> "Measurement":
    """With what an outside scorer needs in a file, if one was asked for."""
    if file is not None:
        from reverie.measure.result import write_records

        write_records(file, found.records)
        say(f"wrote {len(found.records)} records into {file}")
    return found


@measure.command()
@corpus_option
@labels_option
@framed
def detection(corpus: Path, labels: Path, seed: int) -> "Measurement":
    """How well corrections and lasting statements are found, beside simple baselines.

    Ours is trained again without the projects it is scored on. Intervals are over sessions.
    """
    try:
        from reverie.measure.detection import measure_detection
    except ImportError as error:
        raise Unavailable(
            f"measuring detection trains models, which needs {error.name}", hint="pip install numpy"
        ) from None
    return measure_detection(corpus, labels, seed=seed)


@measure.command()
@click.option(
    "--data",
    type=FILE,
    help="A file of LoCoMo or LongMemEval: dialogues, questions, and what answers them.",
)
@click.option("--corpus", type=FOLDER, help="A folder of agent logs; needs --labels.")
@click.option(
    "--labels",
    type=FILE,
    help="A labels.jsonl with questions that corrections in those logs answer.",
)
@click.option(
    "--contexts", type=OUTPUT, help="Write what was handed over for each question (JSONL)."
)
@click.option("--rankings", type=OUTPUT, help="Write what was found for each question (JSONL).")
@framed
def retrieval(
    data: Path | None,
    corpus: Path | None,
    labels: Path | None,
    contexts: Path | None,
    rankings: Path | None,
    seed: int,
) -> "Measurement":
    """How much of what answers a question is found: in dialogues, or in corrections."""
    if data is not None and corpus is None and labels is None and contexts is None:
        from reverie.measure.retrieval import measure_retrieval

        return _write(rankings, measure_retrieval(data, seed=seed))
    if data is None and corpus is not None and labels is not None and rankings is None:
        from reverie.measure.pairs import measure_pairs

        return _write(contexts, measure_pairs(corpus, labels, seed=seed))
    raise InvalidInput(
        "give either --data (with --rankings), or --corpus and --labels (with --contexts)"
    )


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


@measure.command()
@click.option(
    "--corpus",
    type=FOLDER,
    required=True,
    help="A folder of agent logs with summaries beside them (<log>.meta.json).",
)
@click.option("--misses", type=OUTPUT, help="Write the statements that no diary holds (JSONL).")
@framed
def diaries(corpus: Path, misses: Path | None, seed: int) -> "Measurement":
    """How much of what a model wrote about sessions our diaries of them hold."""
    from reverie.measure.diaries import measure_diaries

    return _write(misses, measure_diaries(corpus, seed=seed))
