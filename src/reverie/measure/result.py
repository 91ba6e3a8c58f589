"""What every measurement gives back: tables of figures with intervals, and how they were made."""

import random
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

ROUNDS = 2_000
SEED = 7


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


def bootstrap(
    values: Sequence[float], groups: Sequence[Hashable], *, rounds: int = ROUNDS, seed: int = SEED
) -> Estimate:
    """The mean of `values`, its interval over whole `groups` drawn anew.

    Values of one session or question hang together, so that they are drawn together. The mean of
    paired differences with this interval is the paired test.

    Raises:
        ValueError: there are no values, or not one group for each.
    """
    sums: dict[Hashable, tuple[float, int]] = {}
    for value, group in zip(values, groups, strict=True):
        total, count = sums.get(group, (0.0, 0))
        sums[group] = total + value, count + 1
    if not sums:
        raise ValueError("no values to take a mean of")
    parts = list(sums.values())
    chance = random.Random(seed)  # noqa: S311  (a fixed sample, not a secret)
    means = sorted(_mean(chance.choices(parts, k=len(parts))) for _ in range(rounds))
    low, high = (means[int(share * (rounds - 1))] for share in (0.025, 0.975))
    return Estimate(_mean(parts), low, high)


def _mean(parts: Iterable[tuple[float, int]]) -> float:
    total, count = map(sum, zip(*parts, strict=True))
    return total / count
