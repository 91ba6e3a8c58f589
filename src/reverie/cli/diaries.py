"""`reverie diary`: what each task tried and what worked; `reverie daily`: what one day came to."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie import forms
from reverie.cli.opening import opened, opened_in_step
from reverie.cli.options import day_of, json_option, text_of
from reverie.cli.printing import out, out_json, say, several, table
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from reverie.sessions.diaries import DiaryRow

SHOWN = 20

# --- diary --------------------------------------------------------------------------------------


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
    from reverie.operations import diaries

    if session is not None and day is not None:
        raise InvalidInput("give a session or a day, not both")
    if session is None and day is None:
        _list(diaries.diary_rows(opened())[-SHOWN:], as_json=as_json)
        return
    memory = opened_in_step()
    wanted = day_of(day, memory.clock()).isoformat() if day is not None else None
    pages = diaries.diaries(memory, session=session, day=wanted)
    if as_json:
        out_json([forms.diary(page) for page in pages])
        return
    for page in pages:
        out(page.text)
    if session:
        titles = " · ".join(f"{page.row.number} {page.row.title}" for page in pages)
        say(f"{several(len(pages), 'task')}: {titles}")
    elif not pages:
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
    from reverie.operations import diaries

    memory = opened_in_step()
    task = diaries.diary_of_task(memory, session, number)
    kept = diaries.hand_in_diary(memory, task, text_of(file))
    if as_json:
        out_json(forms.diary_handed_in(kept))
        return
    say(f"kept as {kept.memory.path}")
    if kept.checked.redacted:
        say(f"{kept.checked.redacted} lines held a secret; it was taken out")
    for text, why in kept.checked.left_out:
        say(f"left out: {text}\n  {why}")


def _list(rows: "list[DiaryRow]", *, as_json: bool) -> None:
    if as_json:
        out_json([forms.diary_row(row) for row in rows])
    elif not rows:
        say("no diaries yet")
        say("hint: `reverie learn` writes diaries")
    else:
        table(
            [[r.day, r.session, str(r.number), r.outcome, r.title] for r in rows],
            header=["day", "session", "task", "outcome", "title"],
        )


# --- daily --------------------------------------------------------------------------------------


@click.command()
@click.argument("day", required=False, metavar="[DATE]")
@click.option("--list", "as_list", is_flag=True, help="List the days that have a daily.")
@json_option
def daily(day: str | None, as_list: bool, as_json: bool) -> None:
    """Show the daily of DATE (2026-11-15, yesterday, 3d); without one, the newest.

    It is written by `reverie learn`. Your own notes in it, outside of Reverie's marks, are kept
    whenever it is written again: `reverie edit global:/daily/2026-11-15.md`.
    """
    from reverie.operations import diaries

    memory = opened_in_step()
    if as_list:
        entries = diaries.dailies(memory)
        if as_json:
            out_json([forms.daily_entry(entry) for entry in entries])
        else:
            for entry in entries:
                out(f"{entry.day}  {entry.size:,} bytes")
        return
    page = diaries.daily(memory, None if day is None else day_of(day, memory.clock()).isoformat())
    if as_json:
        out_json(forms.daily(page, diaries.composed(memory, page.day)))
    else:
        out(page.text.rstrip())
