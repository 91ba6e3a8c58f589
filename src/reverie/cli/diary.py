"""`reverie diary`: what each task tried, what worked, what went wrong; and handing one in."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.app import App
from reverie.cli.options import day_of, json_option, text_of
from reverie.cli.printing import out, out_json, say, several, table
from reverie.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from reverie.sessions.diaries import DiaryRow

SHOWN = 20
_UNLEARNED = "`reverie learn` writes diaries"


class Diary(click.Group):
    """A group whose first word may also be a session: then it is the command `show`."""

    default = "show"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in {*self.commands, *ctx.help_option_names}:
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return self.commands[self.default].collect_usage_pieces(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.commands[self.default].format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


@click.group(cls=Diary)
def diary() -> None:
    """Read the diaries of your sessions.

    A session is split into tasks where your aim changes; each task has a diary with the same
    parts. Without a session or a day, the latest ones are listed. `diary add` takes an agent's own.
    """


@diary.command(hidden=True)
@click.argument("session", required=False)
@click.option("--day", help="All diaries of a day (2026-11-01, today, yesterday).")
@json_option
def show(session: str | None, day: str | None, as_json: bool) -> None:
    """Show the diaries of SESSION or of a day; list the latest without either."""
    app = App.load()
    if session is not None and day is not None:
        raise InvalidInput("give a session or a day, not both")
    if session is None and day is None:
        latest = _rows(app)[-SHOWN:]
        _list(latest, as_json)
        return
    rows = _of_session(app, session) if session else _rows(app, day=_day(app, day or ""))
    if as_json:
        out_json([_data(app, row) for row in rows])
        return
    for row in rows:
        from reverie.learn.diary.diaries import preferred

        text, _ = preferred(app.store, row)
        out(text)
    if session:
        say(
            f"{several(len(rows), 'task')}: "
            + " · ".join(f"{row.number} {row.title}" for row in rows)
        )
    elif not rows:
        say(f"no diary of {day}")


@diary.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option("--session", required=True, help="The session it is about (id, key or beginning).")
@click.option("--task", "number", type=click.IntRange(1), help="Which of its tasks, from 1.")
@json_option
def add(file: Path, session: str, number: int | None, as_json: bool) -> None:
    """Keep an agent's own diary of a task: FILE with JSON or Markdown, `-` for stdin.

    Its parts: task, approaches (what → worked: why), worked, mistakes, errors, edge cases,
    patterns. Secrets are taken out, so is what code or git already say; it has the trust of an
    agent, and is shown instead of the derived diary.
    """
    from reverie.learn.diary.diaries import hand_in
    from reverie.learn.diary.handed_in import check, read_own

    app = App.load()
    row = _task(_of_session(app, session), number)
    checked = check(read_own(text_of(file)), app.redact)
    memory = hand_in(app.store, row, checked.diary)
    if as_json:
        left_out = [{"pattern": text, "why": why} for text, why in checked.left_out]
        out_json({
            "path": memory.path, "version": memory.version_id, "trust": memory.trust,
            "redacted": checked.redacted, "left_out": left_out,
        })  # fmt: skip
        return
    say(f"kept as {memory.path}")
    if checked.redacted:
        say(f"{checked.redacted} lines held a secret; it was taken out")
    for text, why in checked.left_out:
        say(f"left out: {text}\n  {why}")


def _task(rows: "list[DiaryRow]", number: int | None) -> "DiaryRow":
    if number is None and len(rows) > 1:
        numbers = ", ".join(f"{row.number} ({row.title})" for row in rows)
        raise InvalidInput(
            f"the session has {len(rows)} tasks: {numbers}", hint="choose with --task"
        )
    for row in rows:
        if number in (None, row.number):
            return row
    raise NotFound(f"the session has no task {number}")


def _day(app: App, day: str) -> str:
    return day_of(day, app.clock()).isoformat()


def _rows(app: App, **wanted: str) -> "list[DiaryRow]":
    from reverie.sessions.diaries import diaries

    return diaries(app.index.database, **wanted)


def _of_session(app: App, reference: str) -> "list[DiaryRow]":
    key = app.index.session(reference).key
    rows = _rows(app, session=key)
    if not rows:
        raise NotFound(f"{key} has no diary", hint=_UNLEARNED)
    return rows


def _data(app: App, row: "DiaryRow") -> dict[str, Any]:
    from reverie.learn.diary.diaries import preferred

    text, derived = preferred(app.store, row)
    return {
        "path": row.path,
        "derived": derived,
        "diary": json.loads(row.data),
        "markdown": text,
    }


def _list(rows: "list[DiaryRow]", as_json: bool) -> None:
    if as_json:
        out_json([
            {"session": row.session, "task": row.number, "project": row.project, "day": row.day,
             "title": row.title, "outcome": row.outcome, "path": row.path}
            for row in rows
        ])  # fmt: skip
    elif not rows:
        say("no diaries yet")
        say(f"hint: {_UNLEARNED}")
    else:
        table(
            [[r.day, r.session, str(r.number), r.outcome, r.title] for r in rows],
            header=["day", "session", "task", "outcome", "title"],
        )
