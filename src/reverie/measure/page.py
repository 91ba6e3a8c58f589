"""A measurement as one page of HTML: plots that need no script, tables, and how to repeat it."""

from collections.abc import Iterator
from html import escape
from string import Template

from reverie.data import FOLDER
from reverie.measure.plot import is_ours, plot
from reverie.measure.result import Cell, Estimate, Measurement, Row, Run, Table, shown


def page(measurement: Measurement, run: Run) -> str:
    """The whole document; the same figures give the same bytes."""
    title = f"{measurement.name[:1].upper()}{measurement.name[1:]}, measured"
    body = "\n".join(
        [
            *_head(title, measurement, run),
            *map(_section, measurement.tables),
            *_again(measurement, run),
        ]
    )
    template = (FOLDER / "measurement.html").read_text(encoding="utf-8")
    return Template(template).substitute(title=escape(title), body=body)


def _head(title: str, measurement: Measurement, run: Run) -> Iterator[str]:
    yield f"<header><h1>{escape(title)}</h1>"
    yield f"<p>By Reverie {escape(run.versions['reverie'])}."
    yield "A dot is the value, the bar around it its 95&nbsp;% interval.</p>"
    if measurement.notes:
        yield "<ul>"
        yield from (f"<li>{escape(note)}</li>" for note in measurement.notes)
        yield "</ul>"
    yield "</header>"


def _section(table: Table) -> str:
    parts = [f"<section><h2>{escape(table.title)}</h2>"]
    if table.note:
        parts.append(f'<p class="soft">{escape(table.note)}</p>')
    drawn = plot(table)
    figures = f'<div class="wide">{_figures(table)}</div>'
    if drawn:
        parts.append(f'<div class="wide">{drawn}</div>')
        figures = f"<details><summary>all figures</summary>{figures}</details>"
    return "\n".join([*parts, figures, "</section>"])


def _figures(table: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in ("", *table.columns))
    rows = "\n".join(map(_line, table.rows))
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>"


def _line(row: Row) -> str:
    mark = ' class="ours"' if is_ours(row) else ""
    cells = "".join(f"<td>{_cell(cell)}</td>" for cell in row.cells)
    return f"<tr{mark}><th>{escape(row.name)}</th>{cells}</tr>"


def _cell(cell: Cell) -> str:
    value, _, between = shown(cell).partition(" (") if isinstance(cell, Estimate) else (
        shown(cell), "", "")  # fmt: skip
    if not between:
        return escape(value)
    return f'<b>{escape(value)}</b> <span class="soft">({escape(between)}</span>'


def _again(measurement: Measurement, run: Run) -> Iterator[str]:
    yield "<section><h2>How to make these figures again</h2>"
    yield f"<pre>{escape(run.command)}</pre>"
    stated = {**measurement.data, "seed": str(measurement.seed), **run.versions}
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td><code>{escape(value)}</code></td></tr>"
        for name, value in stated.items()
    )
    yield f'<div class="wide"><table><tbody>{rows}</tbody></table></div>'
    yield "</section>"
