"""Data to stdout, words and questions to stderr, and nothing stored may speak to the terminal."""

import json
import os
import sys
import unicodedata
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, contextmanager
from typing import Any

import click

from reverie.errors import Refused
from reverie.plural import several as several

_LEAST = 30  # columns below which a long last cell is not cut but put on a line of its own


def plain(text: str) -> str:
    """`text` with control and format characters shown, not obeyed; newlines and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in "\n\t" or not _speaks(c) else _shown(c) for c in text)


def _speaks(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def _shown(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def one_line(text: str, limit: int) -> str:
    """`text` on one line of at most `limit` characters; what was cut is marked."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def say(text: str = "") -> None:
    """Words for the person: stderr."""
    click.echo(plain(text), err=True)


def say_clean(text: str) -> None:
    """As `say`, for words that come from outside, as names of files: without secrets."""
    from reverie.privacy import passing_redactor

    say(passing_redactor()(text))


def say_dim(text: str) -> None:
    """Words that stay in the background: what can be pressed."""
    click.echo(styled(plain(text), dim=True, err=True), err=True)


def out(text: str = "") -> None:
    """Data: stdout."""
    click.echo(plain(text))


def out_told(text: str) -> None:
    """What an agent is told, on stdout; on a terminal as a person reads it."""
    from reverie.inert import readable

    out(readable(text) if sys.stdout.isatty() else text)


def out_json(value: Any) -> None:
    """One JSON document on stdout, keys in the order given, safe for any terminal."""
    click.echo(json.dumps(value, ensure_ascii=_narrow(), indent=2).translate(_CONTROL))


def out_jsonl(values: Iterable[Any]) -> None:
    """One JSON object per line on stdout."""
    write = sys.stdout.write
    narrow = _narrow()
    for value in values:
        write(json.dumps(value, ensure_ascii=narrow).translate(_CONTROL) + "\n")


def _narrow() -> bool:
    """Can stdout not hold every character (a locale such as ISO 8859-1)?"""
    return (sys.stdout.encoding or "utf-8").lower().replace("-", "") != "utf8"


# json.dumps escapes C0 itself; C1 and bidirectional controls it lets through.
_CONTROL: dict[int, str] = {
    code: f"\\u{code:04x}"
    for code in (*range(0x7F, 0xA0), 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}


def styled(
    text: str,
    *,
    bold: bool = False,
    dim: bool = False,
    colour: str | None = None,
    err: bool = False,
) -> str:
    """`text` (already plain) with colours, when the stream is a terminal that wants them."""
    if _columns(err) is None or os.environ.get("NO_COLOR"):
        return text
    return click.style(text, bold=bold or None, dim=dim or None, fg=colour)


def hanging(before: str, text: str, *, err: bool = False) -> str:
    """`text` after `before`: on a terminal broken at words, with its lines below each other."""
    columns = _columns(err)
    if columns is None or len(before) + len(text) < columns:
        return before + text
    import textwrap

    return textwrap.fill(
        text,
        max(columns - 1, len(before) + 20),
        initial_indent=before,
        subsequent_indent=" " * len(before),
        break_on_hyphens=False,
    )


def diff_line(line: str) -> str:
    """A line of a unified diff (plain from here on), in the colours people know."""
    shown = plain(line)
    if line.startswith(("--- ", "+++ ", "@@ ")):
        return styled(shown, dim=True)
    return styled(shown, colour={"+": "green", "-": "red"}.get(line[:1]))


def _columns(err: bool = False) -> int | None:
    """How wide the terminal is; `None` when the output goes elsewhere and is never cut."""
    if not (sys.stderr if err else sys.stdout).isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


def cells(text: str) -> int:
    """How many columns `text` takes on a terminal: wide characters two, marks on others none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def _fitted(text: str, room: int) -> str:
    """`text` cut to `room` columns, and marked when it was."""
    if cells(text) <= room:
        return text
    used, end = 1, 0
    while used + cells(text[end]) <= room:
        used += cells(text[end])
        end += 1
    return text[:end] + "…"


def to_pager(parts: Iterable[str]) -> None:
    """Long data (already plain): a pager on a terminal, else stdout."""
    if sys.stdout.isatty():
        click.echo_via_pager(parts)
        return
    for part in parts:
        click.echo(part, nl=False)


def table(rows: Iterable[Iterable[str]], header: Iterable[str] | None = None) -> None:
    """Columns on stdout, as wide as their longest cell; readable without colour or rich.

    On a terminal the last column ends where the line does, or goes on a line of its own where too
    little room is left for it; a pipe gets all of it, one line each.
    """
    body = [[plain(cell).replace("\n", " ") for cell in row] for row in rows]
    head = [list(header)] if header else []
    if not body and not head:
        return
    *widths, last = [max(map(cells, column)) for column in zip(*head, *body, strict=True)]
    columns = _columns()
    if columns is not None and sum(widths) + 2 * len(widths) > columns and widths[1:]:
        _two_lines_each(head, body, columns)
        return
    room = last if columns is None else columns - sum(widths) - 2 * len(widths)
    below = room < min(last, _LEAST)
    for number, row in enumerate(head + body):
        padded = [
            cell + " " * (width - cells(cell)) for cell, width in zip(row, widths, strict=False)
        ]
        end = [] if below else [_fitted(row[-1], room)]
        line = "  ".join([*padded, *end]).rstrip()
        click.echo(styled(line, bold=True) if number < len(head) else line)
        if below and number >= len(head) and row[-1]:
            click.echo(hanging("    ", row[-1]))


def _two_lines_each(head: list[list[str]], body: list[list[str]], columns: int) -> None:
    """Rows too wide for the terminal: the first cell, and below it the others."""
    *widths, _ = [max(map(cells, column)) for column in zip(*head, *body, strict=True)][1:]
    room = columns - 4 - sum(widths) - 2 * len(widths)
    for number, (first, *others, last) in enumerate(head + body):
        padded = [
            cell + " " * (width - cells(cell)) for cell, width in zip(others, widths, strict=True)
        ]
        if room < _LEAST // 2:
            below = hanging("    ", "  ".join([*others, last]))
        else:
            below = "    " + "  ".join([*padded, _fitted(last, room)]).rstrip()
        for line in (first, below):
            click.echo(styled(line, bold=True) if number < len(head) else line)


@contextmanager
def progress_bar(title: str) -> Generator[Callable[[int, int], None]]:
    """A bar on stderr when a person watches, from the first step on; otherwise nothing."""
    with ExitStack() as shown:
        steps: list[Callable[[int, int], None]] = []

        def advance(done: int, total: int) -> None:
            if sys.stderr.isatty():
                if not steps:
                    steps.append(shown.enter_context(_bar(title)))
                steps[0](done, total)

        yield advance


@contextmanager
def _bar(title: str) -> Generator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(title), BarColumn(), TextColumn("{task.percentage:>3.0f}%"))
    with Progress(
        *columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task(title, total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=max(total, 1))

        yield advance


def key() -> str:
    """The next key a person presses; what came together with it is left out."""
    return click.getchar()[:1].lower()


def agree(question: str, *, yes: bool = False, otherwise: str = "nothing was changed") -> None:
    """Go on only with a person's yes, given now or beforehand with `--yes`.

    Raises:
        Refused: the answer is no, or nobody is there to give one.
    """
    if yes:
        return
    try:
        agreed = click.confirm(question, err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        click.echo(err=True)
        raise Refused(
            f"{otherwise}: nobody is here to answer", hint="--yes says yes beforehand"
        ) from None
    if not agreed:
        raise Refused(otherwise)
