"""Bringing the index up to date before a question is answered, and saying what was met."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from reverie.cli.app import App
from reverie.cli.printing import say
from reverie.errors import Busy, ReadOnly
from reverie.sessions.index import Index, IndexReport

_SHOWN = 5


def refreshed(app: App, folder: Path | None = None) -> Index:
    """The index, after a look at all logs; what is unchanged is not opened.

    While another process writes it, or on a read-only disk, it answers as it is.
    """
    try:
        tell_problems(update(app, folder))
    except (Busy, ReadOnly) as error:
        say(f"what is new in the logs is left out: {error.message}")
    return app.index


def update(app: App, folder: Path | None = None) -> IndexReport:
    """Read what is new, with a bar on a terminal."""
    from reverie.privacy import Ignored

    found = app.logs(folder)
    with progress_bar("reading logs") as progress:
        return app.index.update(
            found.logs,
            # The rules load only when there is something to redact.
            redact=lambda text: app.redact(text),
            policy=Ignored.load(app.settings.privacy),
            progress=progress,
            buried=app.buried,
        )


def no_logs() -> None:
    """Say that there is nothing to read, and where it was looked for."""
    say("no logs found")
    say("hint: `reverie doctor` says where logs are looked for; --logs DIR reads any folder")


def tell_problems(report: IndexReport) -> None:
    """Damage is said, never passed over in silence."""
    if report.bad_lines:
        say(f"{report.bad_lines} damaged lines were passed over; `reverie doctor` lists them")
    for path, reason in report.unreadable[:_SHOWN]:
        say(f"not read: {path}: {reason}")
    if len(report.unreadable) > _SHOWN:
        say(f"… and {len(report.unreadable) - _SHOWN} more could not be read")


@contextmanager
def progress_bar(title: str) -> Generator[Callable[[int, int], None]]:
    """A bar on stderr when a person watches; otherwise nothing, not even an import."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
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
