"""What every measurement gives back: tables of figures with intervals, and how they were made."""

import hashlib
import json
import platform
import random
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, cast

from reverie import __version__
from reverie.db.opening import open_database
from reverie.errors import InvalidInput
from reverie.sessions.logs.discover import logs_in

ROUNDS = 2_000
SEED = 7
DIGITS = 3  # of a figure as it is shown

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float


Cell = Estimate | float | int | str | None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: what was measured, and its figures in the order of the columns."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Figures side by side."""

    title: str
    columns: tuple[str, ...]  # of the cells; the name of a row has none
    rows: tuple[Row, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Measurement:
    """All figures of one run, with what is needed to make them again."""

    name: str
    tables: tuple[Table, ...]
    seed: int = SEED
    data: dict[str, str] = field(default_factory=dict[str, str])  # name: SHA-256 or a count
    notes: tuple[str, ...] = ()
    # What was packed or ranked, one for each question: an outside scorer needs no more.
    records: tuple[Record, ...] = ()


class Run(NamedTuple):
    """What was called, and by which versions it was answered."""

    command: str
    versions: Mapping[str, str]


def versions() -> dict[str, str]:
    """Of all that a figure may depend on."""
    database = open_database("sqlite:///:memory:")
    ((sqlite,),) = database.query("SELECT sqlite_version()")
    database.close()
    return {"reverie": __version__, "Python": platform.python_version(), "SQLite": sqlite}


def shown(cell: Cell) -> str:
    """A figure as people read it; a difference has its sign."""
    if isinstance(cell, Estimate):
        if cell.low < 0:
            value, low, high = (_signed(x) for x in (cell.value, cell.low, cell.high))
            return f"{value} ({low} to {high})"
        return f"{cell.value:.{DIGITS}f} ({cell.low:.{DIGITS}f}–{cell.high:.{DIGITS}f})"
    if isinstance(cell, float):
        return f"{cell:.{DIGITS}f}"
    return "" if cell is None else str(cell)


def _signed(value: float) -> str:
    return f"{value:+.{DIGITS}f}".replace("-", "−")


# --- intervals ----------------------------------------------------------------------------------


def bootstrap(
    values: Sequence[float], groups: Sequence[Hashable], *, rounds: int = ROUNDS, seed: int = SEED
) -> Estimate:
    """The mean of `values`, its interval over whole `groups` drawn anew.

    Values of one session or question hang together, so that they are drawn together. The mean of
    paired differences with this interval is the paired test.

    Raises:
        ValueError: there are no values, or not one group for each.
    """
    sums: dict[Hashable, list[float]] = {}
    for value, group in zip(values, groups, strict=True):
        part = sums.setdefault(group, [0.0, 0])
        part[0] += value
        part[1] += 1
    if not sums:
        raise ValueError("no values to take a mean of")
    totals, counts = zip(*sums.values(), strict=True)
    mean = sum(totals) / sum(counts)
    if len(sums) == 1:
        return Estimate(mean, mean, mean)
    picks = _picks(len(sums), rounds, seed)
    return interval([mean, *(sum(pick(totals)) / sum(pick(counts)) for pick in picks)])


@lru_cache(maxsize=4)
def _picks(size: int, rounds: int, seed: int) -> "tuple[itemgetter[Any], ...]":
    """Samples of `size` places with replacement; every column of a table is drawn alike."""
    chance = random.Random(seed)  # noqa: S311  (a fixed sample, not a secret)
    places = range(size)
    return tuple(itemgetter(*chance.choices(places, k=size)) for _ in range(rounds))


def draws(
    groups: Sequence[Hashable], *, rounds: int = ROUNDS, seed: int = SEED
) -> Iterator[list[int]]:
    """All places, then those of `rounds` samples of whole groups: for what is not a mean."""
    places: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        places.setdefault(group, []).append(place)
    yield list(range(len(groups)))
    together = list(places.values())
    chance = random.Random(seed)  # noqa: S311  (a fixed sample, not a secret)
    for _ in range(rounds):
        yield [place for part in chance.choices(together, k=len(together)) for place in part]


def interval(values: Sequence[float]) -> Estimate:
    """The first value, with the interval in which 95 % of the others lie."""
    drawn = sorted(values[1:]) or list(values)
    low, high = (drawn[int(share * (len(drawn) - 1))] for share in (0.025, 0.975))
    return Estimate(values[0], low, high)


# --- data ---------------------------------------------------------------------------------------


def fingerprint(*files: Path) -> str:
    """The SHA-256 of a file; of several, how many and that of their own in order of the paths."""
    sums = [hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(files)]
    if len(sums) == 1:
        return f"SHA-256 {sums[0]}"
    whole = hashlib.sha256("\n".join(sums).encode()).hexdigest()
    return f"{len(sums)} files, SHA-256 {whole}"


def labelled(corpus: Path, labels: Path, *beside: str) -> dict[str, str]:
    """What a labelled corpus is: its logs, and the labels with what lies beside them."""
    logs = {log.path for log in logs_in(corpus).logs}
    files = [labels, *(file for name in beside if (file := labels.with_name(name)).is_file())]
    return {corpus.resolve().name: fingerprint(*logs)} | {
        file.name: fingerprint(file) for file in files
    }


def read_records(file: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file, one in each line.

    Raises:
        InvalidInput: a line is not a JSON object.
    """
    records: list[dict[str, Any]] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            value: Any = json.loads(line)
        except ValueError as error:
            raise InvalidInput(f"{file}:{number} is not JSON: {error}") from None
        if not isinstance(value, dict):
            raise InvalidInput(f"{file}:{number} is not a JSON object")
        records.append(cast("dict[str, Any]", value))
    return records


def write_records(file: Path, records: Iterable[Record]) -> None:
    """The same records give the same bytes."""
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    file.write_text("".join(lines), encoding="utf-8")
