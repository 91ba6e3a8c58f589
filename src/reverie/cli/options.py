"""Options that several commands share; how a day and a file are given on the command line."""

import re
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any, TypeVar

import click

from reverie.clock import iso, parse_iso
from reverie.errors import InvalidInput, NotFound

F = TypeVar("F", bound=Callable[..., Any])

_SPAN = re.compile(r"^(\d{1,5})([dwmy])$")
_MEANT = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?(?= |$)")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


def json_option(command: F) -> F:
    """`--json`: data for a machine instead of text for a person."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def logs_option(command: F) -> F:
    """`--logs DIR`: any folder instead of the agents' own places."""
    return click.option(
        "--logs",
        "folder",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help="Read the logs under this folder instead of the agents' own places.",
    )(command)


def filter_options(command: F) -> F:
    """`--agent`, `--project`, `--since`, `--until`: which sessions are meant."""
    for option in (
        click.option("--until", help="Up to and with this day (2026-11-30, 7d = a week ago)."),
        click.option("--since", help="From this day on (2026-11-01, 7d = for a week)."),
        click.option("--project", help="Only this project (name, slug or path)."),
        click.option("--agent", help="Only this agent (claude-code, codex, …)."),
    ):
        command = option(command)
    return command


def text_of(file: Path) -> str:
    """What a file says; `-` is the standard input."""
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NotFound(f"there is no file {file}") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not UTF-8 text") from None


def day_of(text: str, now: datetime) -> date:
    """A day: `2026-11-01`, an age such as `7d`, `2w`, or in words: `yesterday`, `last week`.

    Raises:
        InvalidInput: it is none of these.
    """
    word = text.strip().lower()
    today = now.astimezone(UTC).date()
    if word in {"today", "yesterday"}:
        return today - timedelta(days=word == "yesterday")
    if match := _SPAN.match(word):
        try:
            return today - timedelta(days=int(match[1]) * _DAYS[match[2]])
        except OverflowError:
            return date.min
    try:
        return parse_iso(text.strip()).date()
    except InvalidInput:
        if (day := _in_words(text, now)) is not None:
            return day
        raise InvalidInput(
            f"{text!r} is not a day",
            hint="write 2026-11-01, yesterday, last week or an age like 7d",
        ) from None


def _in_words(text: str, now: datetime) -> date | None:
    """The first day of what words such as `two weeks ago` or `last month` mean."""
    from reverie.documents.dates import absolute_dates

    meant = absolute_dates(text, now)
    match = _MEANT.search(meant) if meant != text else None
    return date(int(match[1]), int(match[2]), int(match[3] or 1)) if match else None


def start_of(text: str | None, now: datetime) -> str | None:
    """The first moment of a day, as the index writes it."""
    return None if text is None else _moment(day_of(text, now))


def end_of(text: str | None, now: datetime) -> str | None:
    """The first moment after a day."""
    if text is None:
        return None
    day = day_of(text, now)
    return _moment(day + timedelta(days=1)) if day < date.max else None


def dated(wanted: dict[str, Any], now: datetime) -> dict[str, Any]:
    """What `filter_options` gave, with moments in the place of days."""
    bounds = {"since": start_of(wanted["since"], now), "until": end_of(wanted["until"], now)}
    return wanted | bounds


def _moment(day: date) -> str:
    return iso(datetime.combine(day, time(), UTC))
