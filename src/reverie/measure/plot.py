"""Dots with interval bars, as SVG: a panel for each column of estimates, a line for each row."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from reverie.measure.result import DIGITS, Estimate, Row, Table

WIDTH = 960.0
LINE = 26.0  # height of a row
HEAD = 30.0  # of a panel: its name
FOOT = 26.0  # of a panel: the numbers of its axis
LETTER = 6.9  # width of a letter, on average
LEAST = 160.0  # width of a panel
LABEL = 56.0  # room for the value at the right end of a panel
NAMES = 250.0  # most that the names of the rows take
APART = 50.0  # between two numbers of an axis, at least


@dataclass(frozen=True, slots=True)
class Axis:
    """From which value to which, and where numbers stand."""

    low: float
    high: float
    ticks: tuple[float, ...]
    digits: int

    def place(self, value: float, width: float) -> float:
        """Where a value is drawn."""
        return (value - self.low) / (self.high - self.low) * width


def is_ours(row: Row) -> bool:
    """What a page shows in colour."""
    return row.name.startswith("ours")


def plot(table: Table) -> str:
    """The plot of a table; nothing where it holds no estimates."""
    columns = [
        place
        for place in range(len(table.columns))
        if any(isinstance(row.cells[place], Estimate) for row in table.rows)
    ]
    if not columns:
        return ""
    names = min(NAMES, LETTER * max(len(row.name) for row in table.rows) + 18)
    lines = math.ceil(len(columns) / max(1, int((WIDTH - names) / LEAST)))
    beside = math.ceil(len(columns) / lines)
    width = (WIDTH - names) / beside
    height = HEAD + LINE * len(table.rows) + FOOT
    axes = _axes(table, columns, max(2, int((width - LABEL - 22) / APART)))
    parts: list[str] = []
    for number, column in enumerate(columns):
        left, top = names + number % beside * width, number // beside * (height + 12)
        if number % beside == 0:
            parts += _names(table.rows, names, top)
        parts += _panel(table, column, axes[column], (left, top, width))
    whole = lines * height + (lines - 1) * 12
    return (
        f'<svg viewBox="0 0 {WIDTH:.0f} {whole:.0f}" role="img"'
        f' aria-label="{escape(table.title)}">{"".join(parts)}</svg>'
    )


def _axes(table: Table, columns: Sequence[int], steps: int) -> dict[int, Axis]:
    """Shares have one axis together, so that panels can be compared; anything else its own."""
    by_column = {
        column: [cell for row in table.rows if isinstance(cell := row.cells[column], Estimate)]
        for column in columns
    }
    shares = [
        column
        for column, cells in by_column.items()
        if all(c.low >= 0 and c.high <= 1 for c in cells)
    ]
    together = [cell for column in shares for cell in by_column[column]]
    return {
        column: _axis(together if column in shares else cells, steps)
        for column, cells in by_column.items()
    }


def _axis(cells: Sequence[Estimate], steps: int) -> Axis:
    """From round number to round number, in so many steps that they can be read."""
    low, high = min(cell.low for cell in cells), max(cell.high for cell in cells)
    if low < 0:
        high = max(high, 0.0)
    rough = max(high - low, 0.1) / steps
    power = 10.0 ** math.floor(math.log10(rough))
    nice = [power * times for times in (1, 2, 2.5, 5, 10, 20, 25, 50)]
    first, last, step = next(
        (begin, end, step)
        for step in nice
        for begin, end in [(math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9))]
        if end - begin <= steps or step == nice[-1]
    )
    last = max(last, first + 1)
    ticks = tuple(step * number for number in range(first, last + 1))
    digits = next((d for d in range(6) if abs(round(step, d) - step) < step * 1e-6), 6)
    return Axis(ticks[0], ticks[-1], ticks, digits)


def _names(rows: Sequence[Row], width: float, top: float) -> Iterator[str]:
    most = int((width - 14) / LETTER)
    for number in range(len(rows) + 1):
        yield f'<path class="grid" d="M0 {top + HEAD + LINE * number:.1f}H{WIDTH:.0f}"/>'
    for number, row in enumerate(rows):
        name = row.name if len(row.name) <= most else row.name[: most - 1] + "…"
        line = top + HEAD + LINE * (number + 0.5)
        yield f"<g{_mark(row)}><title>{escape(row.name)}</title>"
        yield f'<text x="0" y="{line + 4.5:.1f}">{escape(name)}</text></g>'


def _panel(
    table: Table, column: int, axis: Axis, corner: tuple[float, float, float]
) -> Iterator[str]:
    left, top, whole = corner
    width = whole - LABEL - 22
    bottom = top + HEAD + LINE * len(table.rows)
    yield f'<g transform="translate({left + 8:.1f} 0)">'
    yield f'<text class="head" x="0" y="{top + 15:.1f}">{escape(table.columns[column])}</text>'
    for tick in axis.ticks:
        x = axis.place(tick, width)
        line = "zero" if abs(tick) < 1e-9 and axis.low < 0 else "grid"
        yield f'<path class="{line}" d="M{x:.1f} {top + HEAD:.1f}V{bottom:.1f}"/>'
        text = f"{tick:.{axis.digits}f}".replace("-", "−")
        yield f'<text class="tick" x="{x:.1f}" y="{bottom + 15:.1f}">{text}</text>'
    for number, row in enumerate(table.rows):
        cell = row.cells[column]
        if isinstance(cell, Estimate):
            what = f"{row.name}, {table.columns[column]}"
            yield f"<g{_mark(row)}>"
            yield from _dot(what, cell, axis, width, top + HEAD + LINE * (number + 0.5))
            yield "</g>"
    yield "</g>"


def _dot(what: str, cell: Estimate, axis: Axis, width: float, y: float) -> Iterator[str]:
    low, value, high = (axis.place(x, width) for x in (cell.low, cell.value, cell.high))
    digits = DIGITS if abs(cell.value) < 10 else 1
    sign = "+" if axis.low < 0 else ""
    shown = f"{cell.value:{sign}.{digits}f}".replace("-", "−")
    between = f"{cell.low:.{digits}f} to {cell.high:.{digits}f}".replace("-", "−")
    yield f"<title>{escape(f'{what}: {shown} ({between})')}</title>"
    ends = f"M{low:.1f} {y - 3:.1f}v6M{high:.1f} {y - 3:.1f}v6"
    yield f'<path class="bar" d="M{low:.1f} {y:.1f}H{high:.1f}{ends}"/>'
    yield f'<circle class="dot" cx="{value:.1f}" cy="{y:.1f}" r="4"/>'
    yield f'<text class="value" x="{width + 14:.1f}" y="{y + 4.5:.1f}">{shown}</text>'


def _mark(row: Row) -> str:
    return ' class="ours"' if is_ours(row) else ""
