"""Speed: the timing benches of the source tree, as ratios of things timed in the same run.

A second says as much about the machine as about the program; a ratio to `python -c pass` or to the
bare SQLite statement says something about the program alone.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import reverie
from reverie.errors import Unavailable
from reverie.measure.result import SEED, Cell, Measurement, Row, Table, bootstrap

# The bench, what it compares with, and where its ratios stand in what it prints with --json.
BENCHES = {
    "start": ("starting, to `python -c pass`", "ratios"),
    "hooks": ("hooks, to `python -c pass`", "ratio"),
    "store": ("the store, to the bare SQLite statements", "ratios"),
}


def measure_speed(
    *, names: tuple[str, ...] = tuple(BENCHES), runs: int = 1, seed: int = SEED
) -> Measurement:
    """Run the benches of the source tree, each in a process of its own.

    Raises:
        Unavailable: there is no source tree here, or a bench fails.
    """
    root = Path(reverie.__file__).parents[2]
    if not (root / "bench").is_dir():
        raise Unavailable(
            "speed is measured by the benches of the source tree, and this is an installed package",
            hint="clone the repository, `make set-up`, then `make bench`",
        )
    tables = [_table(name, [_ratios(root, name) for _ in range(runs)], seed) for name in names]
    return Measurement(
        "speed",
        tuple(tables),
        seed=seed,
        data={"runs": str(runs)},
        notes=(
            "timings: another run gives other digits, another machine about the same ratios",
            "intervals over runs, where there was more than one",
        ),
    )


def _table(name: str, runs: list[dict[str, float]], seed: int) -> Table:
    rows: list[Row] = []
    for figure in runs[0]:
        values = [run[figure] for run in runs]
        ratio: Cell = values[0]
        if len(values) > 1:
            ratio = bootstrap(values, range(len(values)), seed=seed)
        rows.append(Row(figure, (ratio,)))
    return Table(f"Speed of {BENCHES[name][0]}", ("ratio",), tuple(rows))


def _ratios(root: Path, name: str) -> dict[str, float]:
    command = [sys.executable, "-m", f"bench.{name}", "--json"]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True)
    try:
        figures: Mapping[str, Any] = json.loads(ran.stdout)
    except ValueError:
        why = ran.stderr.strip().splitlines()[-1:] or ["no figures"]
        raise Unavailable(f"the bench {name} ended with {ran.returncode}: {why[0]}") from None
    return dict(_flat(figures[BENCHES[name][1]]))


def _flat(figures: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, float]]:
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from _flat(cast("dict[str, Any]", value), f"{before}{name} ")
        else:
            yield f"{before}{name}", float(value)
