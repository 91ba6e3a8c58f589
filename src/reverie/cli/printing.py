"""Data to stdout, words to stderr, and nothing stored may speak to the terminal."""

import json
import os
import sys
import unicodedata
from collections.abc import Iterable
from typing import Any

import click


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


def out(text: str = "") -> None:
    """Data: stdout."""
    click.echo(plain(text))


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


def styled(text: str, *, bold: bool = False, dim: bool = False, colour: str | None = None) -> str:
    """`text` (already plain) with colours, when stdout is a terminal that wants them."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return click.style(text, bold=bold or None, dim=dim or None, fg=colour)


def to_pager(parts: Iterable[str]) -> None:
    """Long data (already plain): a pager on a terminal, else stdout."""
    if sys.stdout.isatty():
        click.echo_via_pager(parts)
        return
    for part in parts:
        click.echo(part, nl=False)


def table(rows: Iterable[Iterable[str]], header: Iterable[str] | None = None) -> None:
    """Columns on stdout, as wide as their longest cell; readable without colour or rich."""
    cells = [[plain(cell).replace("\n", " ") for cell in row] for row in rows]
    head = [list(header)] if header else []
    if not cells and not head:
        return
    widths = [max(len(row[i]) for row in head + cells) for i in range(len((head + cells)[0]))]
    for row in head + cells:
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        click.echo("  ".join(padded).rstrip())
