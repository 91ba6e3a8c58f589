"""`reverie measure …`: the numbers behind the promises, reproducible by anyone."""

from dataclasses import asdict
from pathlib import Path

import click

from reverie.cli.printing import out_json, table


@click.group()
def measure() -> None:
    """Measure detection, retrieval and the rest on data of your own."""


@measure.command()
@click.option(
    "--data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="A LoCoMo file: dialogues, questions and the turns that answer them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def retrieval(data: Path, as_json: bool) -> None:
    """How much of what answers a question the search finds."""
    from reverie.measure.retrieval import read_dialogues, score_dialogues

    score = asdict(score_dialogues(read_dialogues(data)))
    if as_json:
        out_json(score)
        return
    table(
        [
            [name.replace("_", " "), f"{value:.3f}" if isinstance(value, float) else str(value)]
            for name, value in score.items()
        ]
    )
