"""What sessions left: `corrections`, `diary` and `daily`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie import forms
from reverie.cli import printing
from reverie.cli.opening import opened, opened_in_step
from reverie.cli.options import day_of, json_option, start_of, text_of
from reverie.cli.printing import hanging, one_line, out, out_json, say, several, table
from reverie.cli.speaker import only_the_person
from reverie.errors import InvalidInput
from reverie.forms import diaries as diary_forms
from reverie.operations import correcting
from reverie.recall.rank import STRATEGIES

if TYPE_CHECKING:
    from reverie.memory import Memory
    from reverie.sessions.corrections import CorrectionRow
    from reverie.sessions.diaries import DiaryRow


# --- corrections --------------------------------------------------------------------------------


WIDTH = 200  # of a quoted line
KEYS = (
    "n none · e explicit · i implicit · q quit; then what lasts: n nothing · p project · g global"
)
_CORRECTION = {"n": "none", "e": "explicit", "i": "implicit"}
_DURABLE = {"n": "none", "p": "project", "g": "global"}


@click.group(invoke_without_command=True)
@click.option("--project", help="Only this project (name, slug or path).")
@click.option("--since", help="Only since this day (2026-11-01, 7d).")
@click.option("--strategy", type=click.Choice(STRATEGIES), default="mixture", help="The order.")
@click.option("--budget", type=click.IntRange(1), default=4096, help="Characters shown at most.")
@click.option("--all", "everything", is_flag=True, help="All of them, whatever the budget.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def corrections(
    ctx: click.Context, project: str | None, since: str | None, strategy: str, budget: int,
    everything: bool, as_json: bool,
) -> None:  # fmt: skip
    """List the corrections found in your sessions, most telling first.

    Each shows the premise (what the agent held) and what you said. How telling one is follows from
    its signals, and is half of it after every seven days. `corrections label` lets you judge them
    one by one; from 50 labels on the misstep probability is fitted to you.
    """
    if ctx.invoked_subcommand is not None:
        return
    from reverie.recall.pack import pack

    memory = opened()
    first = start_of(since, memory.clock())
    ranked = correcting.corrections(memory, project=project, since=first, strategy=strategy)
    shown = ranked
    if not everything:
        by_id = {correction.row.id: correction for correction in ranked}
        order = [correction.ranked for correction in ranked]
        packed = pack(order, budget, lambda item: _shown(by_id[item.entry.id].row))
        shown = [by_id[item.ranked.entry.id] for item in packed]
    shown = sorted(shown, key=lambda correction: -correction.ranked.score)
    if as_json:
        out_json([forms.correction(correction) for correction in shown])
        return
    for correction in shown:
        for before, text in _lines(correction.row):
            out(hanging(before, text))
    if not ranked:
        say("no corrections yet")
        say("hint: `reverie learn` finds them in your agents' logs")
        return
    rest = "; --all shows every one" if len(shown) < len(ranked) else ""
    say(f"{len(shown)} of {len(ranked)} corrections, most telling first{rest}")


@corrections.command()
@click.option("--project", help="Only this project (name, slug or path).")
@click.option("--since", help="Only since this day (2026-11-01, 7d).")
@click.option(
    "--set",
    "given",
    nargs=3,
    metavar="EVIDENCE CORRECTION DURABLE",
    help="Label one turn without asking: none|explicit|implicit, none|project|global.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the labels given so far as JSON.")
def label(
    project: str | None, since: str | None, given: tuple[str, str, str] | None, as_json: bool
) -> None:
    """Judge turns one by one: is it a correction, is it worth remembering?

    One key each; stop at any time and go on later. Your labels come before the detector, and from
    50 on the misstep probability is fitted to them.
    """
    memory = opened_in_step(speaking=not as_json)
    if not as_json:
        only_the_person(memory, "label what you said", "corrections label")
    if given is not None:
        correcting.label(memory, *given)
        correcting.fit(memory)
        say(f"labelled {given[0]}")
        return
    if as_json:
        out_json([forms.label(labelled) for labelled in memory.labels.all().values()])
        return
    unlabelled = correcting.unlabelled(
        memory, project=project, since=start_of(since, memory.clock())
    )
    if not unlabelled:
        say("everything found so far is labelled")
    elif sys.stdin.isatty():
        _ask(memory, unlabelled)
        correcting.fit(memory)
    else:
        say(f"{len(unlabelled)} turns wait for a label; run this in a terminal, or use --set")


def _ask(memory: "Memory", rows: "list[CorrectionRow]") -> None:
    say(KEYS)
    before = len(memory.labels.all())
    for done, row in enumerate(rows, before):
        say(f"\n{done} labelled, {len(rows)} found   score {row.score:.2f} ({row.label})")
        for start, text in _lines(row):
            say(hanging(start, text, err=True))
        correction = _key("correction? ", _CORRECTION)
        if correction is None:
            return
        durable = _key("lasting? ", _DURABLE)
        if durable is None:
            return
        correcting.label(memory, row.id, correction, durable)


def _key(question: str, meanings: dict[str, str]) -> str | None:
    while True:
        click.echo(question, nl=False, err=True)
        key = printing.key()
        say(meanings.get(key, "" if key == "q" else KEYS))
        if key == "q":
            return None
        if key in meanings:
            return meanings[key]


def _shown(row: "CorrectionRow") -> str:
    """A correction in two or three lines."""
    return "\n".join(before + text for before, text in _lines(row))


def _lines(row: "CorrectionRow") -> list[tuple[str, str]]:
    head = f"{row.at[:10]} [{row.project}] {row.label} {row.score:.2f} {row.tier}  {row.id}"
    held = [("  the agent:  ", one_line(row.premise, WIDTH))] if row.premise else []
    return [("", head), *held, ("  the person: ", one_line(row.span or row.text, WIDTH))]


SHOWN = 20  # entries listed

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
        out_json([diary_forms.diary(page) for page in pages])
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
        out_json(diary_forms.diary_handed_in(kept))
        return
    say(f"kept as {kept.memory.path}")
    if kept.checked.redacted:
        say(f"{kept.checked.redacted} lines held a secret; it was taken out")
    for text, why in kept.checked.left_out:
        say(f"left out: {text}\n  {why}")


def _list(rows: "list[DiaryRow]", *, as_json: bool) -> None:
    if as_json:
        out_json([diary_forms.diary_row(row) for row in rows])
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
@click.option("--project", help="Only what it holds of this project (name, slug or path).")
@click.option("--list", "as_list", is_flag=True, help="List the days that have a daily.")
@json_option
def daily(day: str | None, project: str | None, as_list: bool, as_json: bool) -> None:
    """Show the daily of DATE (2026-11-15, yesterday, 3d); without one, the newest.

    It is written by `reverie learn`. Your own notes in it, outside of Reverie's marks, are kept
    whenever it is written again: `reverie edit global:/daily/2026-11-15.md`.
    """
    from reverie.operations import diaries

    memory = opened_in_step()
    if as_list:
        entries = diaries.dailies(memory, project)
        if as_json:
            out_json([diary_forms.daily_entry(entry) for entry in entries])
        else:
            for entry in entries:
                out(f"{entry.day}  {entry.size:,} bytes")
        return
    wanted = None if day is None else day_of(day, memory.clock()).isoformat()
    if project is not None:
        part = diaries.daily_of_project(memory, project, wanted)
        if as_json:
            out_json(diary_forms.daily_of_project(part))
        else:
            out(part.text.rstrip())
        return
    page = diaries.daily(memory, wanted)
    if as_json:
        out_json(diary_forms.daily(page, diaries.composed(memory, page.day)))
    else:
        out(page.text.rstrip())
