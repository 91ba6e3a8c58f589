"""The part of `reverie sessions` that keeps book: pending days, extracts, kept copies."""

import os
from collections.abc import Iterable
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.app import App
from reverie.cli.options import day_of, json_option, logs_option
from reverie.cli.printing import out, out_json, plain, say, table
from reverie.clock import iso
from reverie.errors import InvalidInput, ReverieError, Unavailable

if TYPE_CHECKING:
    from reverie.sessions.index import Index
    from reverie.sessions.query import DayRow, TurnRow

_SHOWN = 10


@click.command()
@click.option("--project", help="Only this project (name, slug or path).")
@logs_option
@json_option
def pending(project: str | None, folder: Path | None, as_json: bool) -> None:
    """List the days with sessions that were not processed yet (UTC days)."""
    from reverie.cli.refresh import refreshed

    app = App.load()
    index = refreshed(app, folder)
    rows = app.marks.pending(index.days(app.projects.find(project).slug if project else None))
    days = _by_day(rows)
    if as_json:
        out_json([
            {
                "day": day,
                "sessions": [row.session for row in found],
                "projects": sorted({row.project for row in found}),
                "human_turns": sum(row.human_turns for row in found),
            }
            for day, found in days.items()
        ])  # fmt: skip
        return
    if not days:
        say("nothing is pending")
        return
    table(
        (
            [
                day or "no date",
                str(len(found)),
                str(sum(row.human_turns for row in found)),
                ", ".join(sorted({row.project for row in found})),
            ]
            for day, found in days.items()
        ),
        ["day", "sessions", "turns", "projects"],
    )


@click.command()
@click.argument("day", required=False)
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to a file.")
@click.option("--all", "everything", is_flag=True, help="Processed sessions, too.")
@click.option("--mark", is_flag=True, help="Mark what was extracted as processed.")
@click.option("--project", help="Only this project (name, slug or path).")
@logs_option
@json_option
def extract(
    day: str | None,
    output: Path | None,
    everything: bool,
    mark: bool,
    project: str | None,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Print what was said on DAY, or on all pending days, as text or JSON."""
    from reverie.cli.refresh import refreshed

    app = App.load()
    index = refreshed(app, folder)
    rows = index.days(app.projects.find(project).slug if project else None)
    if day is not None:
        wanted = day_of(day, app.clock()).isoformat()
        rows = [row for row in rows if row.day == wanted]
    # A day that is asked for by name is given whole; all days means those not processed.
    if day is None and not everything:
        rows = app.marks.pending(rows)
    if not rows and not as_json:
        say("nothing to extract")
        return
    write = _as_json if as_json else _as_text
    text = write(index, rows)
    if output is None:
        click.echo(text, nl=False)
    else:
        from reverie.files import replace_file

        replace_file(output, text)
        say(f"{len(rows)} stretches of {len(_by_day(rows))} days written to {output}")
    if mark:
        done = app.marks.mark(rows, "extract", iso(app.clock()))
        say(f"{done} marked as processed")


@click.command()
@click.option("--all", "everything", is_flag=True, help="Keep every log, whatever its age.")
@click.option("--older-than", type=click.IntRange(0), metavar="DAYS", help="Keep older ones only.")
@click.option("--dry-run", is_flag=True, help="Say what would be kept; copy nothing.")
@logs_option
@json_option
def keep(
    everything: bool, older_than: int | None, dry_run: bool, folder: Path | None, as_json: bool
) -> None:
    """Copy logs, redacted and compressed, before the agent deletes them."""
    from reverie.cli.refresh import progress_bar
    from reverie.sessions.kept import keep as copy_log
    from reverie.sessions.kept import rescues

    app = App.load()
    now = app.clock()
    age = timedelta(app.settings.sessions.keep_before_days if older_than is None else older_than)
    found = rescues(app.logs(folder).logs, app.config.kept, os.environ)
    oldest = (now - age).timestamp() * 1e9
    due = [r for r in found if not r.current and (everything or r.log.mtime_ns < oldest)]
    failed: list[tuple[str, str]] = []
    if not dry_run:
        with progress_bar("keeping logs") as progress:
            for number, rescue in enumerate(due, start=1):
                try:
                    copy_log(rescue.log, rescue.copy, app.redact)
                except Unavailable as error:
                    failed.append((str(rescue.log.path), error.message))
                progress(number, len(due))
    if as_json:
        out_json([
            {
                "path": str(r.log.path),
                "agent": r.log.agent,
                "copy": str(r.copy),
                "deleted_in_days": r.days_left(now),
                "error": dict(failed).get(str(r.log.path)),
            }
            for r in due
        ])  # fmt: skip
    else:
        verb = "to be kept" if dry_run else "kept"
        soon = 30 - app.settings.sessions.keep_before_days
        going = [r for r in due if (left := r.days_left(now)) is not None and left <= soon]
        for rescue in going[:_SHOWN]:
            out(f"{rescue.log.path}  (the agent deletes it in {rescue.days_left(now)} days)")
        if len(going) > _SHOWN:
            out(f"… and {len(going) - _SHOWN} more")
        say(
            f"{len(due)} of {len(found)} logs {verb}, {len(going)} about to be deleted by the agent"
        )
    for path, reason in failed:
        say(f"not kept: {path}: {reason}")
    if failed:
        raise Unavailable(f"{len(failed)} of {len(due)} logs could not be kept")


@click.command()
@click.argument("targets", nargs=-1, metavar="DAY|SESSION...")
@click.option("--processed", is_flag=True, help="All sessions that were processed.")
@json_option
def drop(targets: tuple[str, ...], processed: bool, as_json: bool) -> None:
    """Mark a day or a session as processed and delete its kept copy; never the log itself."""
    if not targets and not processed:
        raise InvalidInput("name a day, a session or --processed")
    from reverie.cli.refresh import refreshed

    app = App.load()
    index = refreshed(app)
    rows = index.days()
    chosen = [row for target in targets for row in _stretches(app, index, rows, target)]
    marked = app.marks.mark(chosen, "drop", iso(app.clock()))
    waiting = {row.session for row in app.marks.pending(rows)}
    keys = {row.session for row in (rows if processed else chosen)} - waiting
    copies = sum(app.drop_kept(key) for key in sorted(keys))
    if as_json:
        out_json({"marked": marked, "sessions": sorted(keys), "copies_deleted": copies})
        return
    say(f"{marked} marked as processed, {copies} kept copies deleted")


def _stretches(app: App, index: "Index", rows: "list[DayRow]", target: str) -> "list[DayRow]":
    """The stretches a day or a session stands for."""
    try:
        day = day_of(target, app.clock()).isoformat()
    except ReverieError:
        key = index.session(target).key
        return [row for row in rows if row.session == key]
    return [row for row in rows if row.day == day]


def _by_day(rows: "Iterable[DayRow]") -> "dict[str, list[DayRow]]":
    days: dict[str, list[DayRow]] = {}
    for row in rows:
        days.setdefault(row.day, []).append(row)
    return days


def _said(index: "Index", row: "DayRow") -> "list[TurnRow]":
    """What human and agent said in one stretch, and what failed."""
    return [
        turn
        for turn in index.turns(row.session)
        if turn.at[:10] == row.day
        and not turn.copied
        and (turn.role in {"human", "tool"} or turn.kind == "text")
    ]


def _as_json(index: "Index", rows: "list[DayRow]") -> str:
    import json

    stretches: list[dict[str, Any]] = []
    for row in rows:
        session = index.session(row.session)
        stretches.append({
            "day": row.day, "session": row.session, "agent": row.agent, "project": row.project,
            "cwd": session.cwd, "title": session.title,
            "turns": [asdict(turn) for turn in _said(index, row)],
        })  # fmt: skip
    return json.dumps(stretches, indent=2) + "\n"


def _as_text(index: "Index", rows: "list[DayRow]") -> str:
    parts: list[str] = []
    for day, found in _by_day(rows).items():
        parts.append(f"# {day or 'no date'}\n\n")
        for row in found:
            title = index.session(row.session).title
            parts.append(f"## {row.project} · {row.session}{f' · {title}' if title else ''}\n\n")
            for turn in _said(index, row):
                who = {"human": "You", "agent": "Agent", "tool": f"{turn.tool} failed"}[turn.role]
                parts.append(f"{who} {turn.at[11:16]} #{turn.line}:\n{turn.text}\n\n")
    return plain("".join(parts))
