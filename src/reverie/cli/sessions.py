"""Sessions: `sessions …`, what was said in every log of every agent; `projects …` and `reindex`."""

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie import forms
from reverie.cli.opening import opened, opened_in_step, refreshed, tell_problems, waiting
from reverie.cli.options import dated, day_of, filter_options, json_option, logs_option
from reverie.cli.printing import (
    out,
    out_json,
    out_jsonl,
    plain,
    progress_bar,
    say,
    several,
    styled,
    table,
    to_pager,
)
from reverie.cli.speaker import only_a_person
from reverie.errors import InvalidInput, ReverieError, Unavailable
from reverie.operations import projects as project_operations
from reverie.operations import sessions as session_operations

if TYPE_CHECKING:
    from datetime import datetime

    from reverie.operations.sessions import KeptLogs, Stretch
    from reverie.sessions.query import SessionRow, TurnRow


_LISTED = 50
_HEADER = ["started", "agent", "project", "turns", "session", "about"]
_NAMES = {"human": "you", "agent": "agent", "tool": "tool", "harness": "note"}
_ERROR_LINES = 6
_SHOWN = 10


@click.group()
def sessions() -> None:
    """List, read and search the sessions your agents have logged."""


@sessions.command("list")
@filter_options
@logs_option
@click.option("--subagents", is_flag=True, help="Show sessions a model started, too.")
@click.option("--limit", type=click.IntRange(1), help="Show at most so many, the newest first.")
@json_option
def list_(folder: Path | None, limit: int | None, as_json: bool, **wanted: Any) -> None:
    """List sessions, the newest first."""
    memory = opened_in_step()
    refreshed(memory, folder)
    rows = session_operations.sessions(memory, **dated(wanted, memory.clock()))
    shown = rows[: limit or (len(rows) if as_json else _LISTED)]
    if as_json:
        out_json([forms.plain(row) for row in shown])
        return
    if not rows:
        say("no sessions found")
        if known := len(memory.index.sessions()):
            say(f"hint: none of the {known} known ones fits; give fewer of --agent, --project, …")
        else:
            say(
                "hint: `reverie doctor` says where logs are looked for; --logs DIR reads any folder"
            )
        return
    table((_cells(row) for row in shown), _HEADER)
    if len(shown) < len(rows):
        say(f"{len(rows) - len(shown)} older ones not shown: --limit {len(rows)}")


@sessions.command()
@click.argument("session")
@click.option("--human", is_flag=True, help="Only what you said.")
@click.option("--line", type=click.IntRange(0), help="Begin at this line of the log.")
@click.option("--limit", type=click.IntRange(1), help="Show at most so many turns.")
@click.option("--atif", is_flag=True, help="Print all of it as an ATIF 1.8 trajectory (JSON).")
@logs_option
@json_option
def show(
    session: str, human: bool, line: int | None, limit: int | None, atif: bool,
    folder: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Read one SESSION (its id or the beginning of it); your own words are marked with `>`.

    SESSION may also be a place in one, such as claude-code:1f2e3d4c#42, or the letters of a line of
    the digest: reading begins there.
    """
    from reverie.operations.references import session_and_line

    memory = opened_in_step()
    refreshed(memory, folder)
    session, place = session_and_line(memory, session)
    line = place if line is None else line
    if atif:
        out_json(session_operations.trajectory(memory, session, folder))
        return
    transcript = session_operations.transcript(memory, session, human=human, line=line, limit=limit)
    if as_json:
        out_json(forms.transcript(transcript))
        return
    to_pager(_readable(transcript.session, transcript.turns))


@sessions.command()
@click.argument("words", nargs=-1, required=True)
@filter_options
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Most hits.")
@logs_option
@json_option
def search(words: tuple[str, ...], folder: Path | None, as_json: bool, **wanted: Any) -> None:
    """Find turns that hold all WORDS: what you and agents said, and what tools failed with."""
    if not any(word.strip() for word in words):
        raise InvalidInput("there is nothing to search for")
    memory = opened_in_step()
    refreshed(memory, folder)
    hits = session_operations.search(memory, " ".join(words), **dated(wanted, memory.clock()))
    if as_json:
        out_json([forms.plain(hit) for hit in hits])
        return
    for hit in hits:
        out(f"{_minute(hit.at)}  {hit.project}  {hit.session}#{hit.line}")
        out(f"  {_NAMES[hit.role]}: {' '.join(hit.snippet.split())}")
    if not hits:
        say("nothing found")


@sessions.command()
@click.option(
    "--logs",
    "folder",
    required=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The folder whose logs are read.",
)
@json_option
def turns(folder: Path, as_json: bool) -> None:
    """Print every human turn of every log under a folder; writes nothing.

    With --json one object per line: transcript, agent, session, line, turn, at, cwd, text.
    """
    from reverie.privacy import passing_redactor, redact_value
    from reverie.sessions.turns import human_records

    redact = passing_redactor()
    read = human_records(folder, lambda item: say(f"skipped: {item.path}: {item.reason}"))
    records = (redact_value(record, redact) for record in read)
    if as_json:
        out_jsonl(records)
        return
    for record in records:
        out(f"{record['transcript']}#{record['line']}  {record['at']}  {record['turn']}")
        for line in record["text"].splitlines():
            out(f"  {line}")


@sessions.command()
@click.option("--project", help="Only this project (name, slug or path).")
@logs_option
@json_option
def pending(project: str | None, folder: Path | None, as_json: bool) -> None:
    """List the days with sessions that were not processed yet (UTC days)."""
    memory = opened_in_step()
    refreshed(memory, folder)
    days = session_operations.pending(memory, project)
    if as_json:
        out_json([forms.pending_day(day) for day in days])
        return
    if not days:
        say("nothing is pending")
        return
    table(
        (
            [
                day.day or "no date",
                str(len(day.stretches)),
                str(day.human_turns),
                ", ".join(day.projects),
            ]
            for day in days
        ),
        ["day", "sessions", "turns", "projects"],
    )


@sessions.command()
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
    memory = opened_in_step()
    refreshed(memory, folder)
    wanted = None if day is None else day_of(day, memory.clock())
    extracted = session_operations.extract(memory, wanted, everything=everything, project=project)
    if not extracted and not as_json:
        say("nothing to extract")
        return
    text = _as_json(extracted) if as_json else _as_text(extracted)
    if output is None:
        click.echo(text, nl=False)
    else:
        from reverie.files import replace_file

        replace_file(output, text)
        days = len({stretch.row.day for stretch in extracted})
        say(f"{len(extracted)} stretches of {days} days written to {output}")
    if mark:
        done = session_operations.mark_extracted(memory, extracted)
        say(f"{done} marked as processed")


def _as_json(extracted: "Sequence[Stretch]") -> str:
    import json

    return json.dumps([forms.stretch(stretch) for stretch in extracted], indent=2) + "\n"


def _as_text(extracted: "Sequence[Stretch]") -> str:
    parts: list[str] = []
    days: dict[str, list[Stretch]] = {}
    for stretch in extracted:
        days.setdefault(stretch.row.day, []).append(stretch)
    for day, stretches in days.items():
        parts.append(f"# {day or 'no date'}\n\n")
        for stretch in stretches:
            title = f" · {stretch.session.title}" if stretch.session.title else ""
            parts.append(f"## {stretch.row.project} · {stretch.row.session}{title}\n\n")
            for turn in stretch.turns:
                who = {"human": "You", "agent": "Agent", "tool": f"{turn.tool} failed"}[turn.role]
                parts.append(f"{who} {turn.at[11:16]} #{turn.line}:\n{turn.text}\n\n")
    return plain("".join(parts))


@sessions.command()
@click.option("--all", "everything", is_flag=True, help="Keep every log, whatever its age.")
@click.option("--older-than", type=click.IntRange(0), metavar="DAYS", help="Keep older ones only.")
@click.option("--dry-run", is_flag=True, help="Say what would be kept; copy nothing.")
@logs_option
@json_option
def keep(dry_run: bool, folder: Path | None, as_json: bool, **wanted: Any) -> None:
    """Copy logs, redacted and compressed, before the agent deletes them."""
    memory = opened()
    now = memory.clock()
    with progress_bar("keeping logs") as progress:
        done = session_operations.keep_logs(
            memory, folder, dry_run=dry_run, progress=progress, **wanted
        )
    if as_json:
        out_json(forms.kept_logs(done, now))
    else:
        soon = 30 - memory.settings.sessions.keep_before_days
        _show_kept(done, now, soon, "to be kept" if dry_run else "kept")
    for path, reason in done.failed:
        say(f"not kept: {path}: {reason}")
    if done.failed:
        raise Unavailable(f"{len(done.failed)} of {len(done.due)} logs could not be kept")


def _show_kept(done: "KeptLogs", now: "datetime", soon: int, verb: str) -> None:
    going = [r for r in done.due if (left := r.days_left(now)) is not None and left <= soon]
    for rescue in going[:_SHOWN]:
        out(f"{rescue.log.path}  (the agent deletes it in {rescue.days_left(now)} days)")
    if len(going) > _SHOWN:
        out(f"… and {len(going) - _SHOWN} more")
    kept = f"{len(done.due)} of {len(done.found)} logs {verb}"
    say(f"{kept}, {len(going)} about to be deleted by the agent")


@sessions.command()
@click.argument("targets", nargs=-1, metavar="DAY|SESSION...")
@click.option("--processed", is_flag=True, help="All sessions that were processed.")
@json_option
def drop(targets: tuple[str, ...], processed: bool, as_json: bool) -> None:
    """Mark a day or a session as processed and delete its kept copy; never the log itself."""
    if not targets and not processed:
        raise InvalidInput("name a day, a session or --processed")
    only_a_person("drop kept copies", f"sessions drop {' '.join(targets) or '--processed'}")
    memory = opened_in_step()
    refreshed(memory)
    now = memory.clock()
    done = session_operations.drop(
        memory, [_target(target, now) for target in targets], processed=processed
    )
    if as_json:
        out_json(forms.dropped(done))
        return
    say(f"{done.marked} marked as processed, {done.copies} kept copies deleted")


def _target(text: str, now: "datetime") -> date | str:
    """A day, or else the name of a session."""
    try:
        return day_of(text, now)
    except ReverieError:
        return text


def _cells(row: "SessionRow") -> list[str]:
    turns = str(row.human_turns)
    return [_minute(row.started), row.agent, row.project, turns, row.session_id[:13], row.about]


def _minute(at: str) -> str:
    return at[:16].replace("T", " ") or "no date"


def _readable(row: "SessionRow", turns: "list[TurnRow]") -> Iterator[str]:
    yield styled(plain(row.key), bold=True) + "\n"
    place = f"{row.project} · {row.cwd}" + (f" · {row.branch}" if row.branch else "")
    yield plain(f"{place}\n{_minute(row.started)} to {_minute(row.ended)} UTC · {row.agent}\n")
    if row.title:
        yield plain(row.title) + "\n"
    yield "\n"
    for turn in turns:
        yield from _turn(turn)


def _turn(turn: "TurnRow") -> Iterator[str]:
    marks = " (undone)" * turn.undone + " (told before)" * turn.copied
    label = plain(f"#{turn.line} {_NAMES[turn.role]} {turn.at[11:16]}{marks}".strip())
    if turn.kind == "tool_call":
        yield styled(f"{label}: {plain(turn.tool)} {plain(turn.text)}\n", dim=True)
        return
    if turn.role == "human":
        # Marked on every line, so that it is seen without colours and found by grep.
        lines = plain(turn.text or f"[{turn.kind}]").splitlines()
        yield styled(f"{label} ({turn.kind})\n", bold=True, colour="green")
        yield "".join(styled(f"> {line}\n", colour="green") for line in lines)
    elif turn.role == "tool":
        lines = plain(turn.text).splitlines()
        yield styled(f"{label}: {plain(turn.tool)} failed\n", colour="red")
        yield "".join(f"  {line}\n" for line in lines[:_ERROR_LINES])
        if len(lines) > _ERROR_LINES:
            yield f"  … {len(lines) - _ERROR_LINES} more lines\n"
    else:
        yield f"{label}{'' if turn.kind == 'text' else f' ({turn.kind})'}\n{plain(turn.text)}\n"
    yield "\n"


# --- projects and the index ---------------------------------------------------------------------


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def projects(ctx: click.Context, as_json: bool) -> None:
    """List the projects known, and name or join them."""
    if ctx.invoked_subcommand is not None:
        return
    memory = opened_in_step()
    refreshed(memory)
    listed = project_operations.worked(memory)
    if as_json:
        out_json([forms.worked(work) for work in listed])
        return
    if not listed:
        say("no projects yet: none of your agents has logged a session")
        return
    listed.sort(key=lambda work: (work.days[-1:] or [""], work.project.slug), reverse=True)
    table(
        (
            [
                project.slug,
                project.name if project.name != project.slug else "",
                str(len(logged)),
                str(len(worked)),
                worked[-1] if worked else "",
                ", ".join(sorted({row.agent for row in logged})),
                project.remotes[0] if project.remotes else (project.roots or ("",))[0],
            ]
            for project, logged, worked in listed
        ),
        ["project", "name", "sessions", "days", "last", "agents", "where"],
    )
    for first, second in memory.projects.lookalikes():
        say(
            f"did you mean one project? {first.slug} and {second.slug}:"
            f" `reverie projects merge {second.slug} {first.slug}`"
        )


@projects.command("show")
@click.argument("project")
@click.option("--days", type=click.IntRange(1), help="How many worked days back.")
@json_option
def show_project(project: str, days: int | None, as_json: bool) -> None:
    """Show one PROJECT (path, name or slug): what is remembered, and its last worked days.

    Each day comes with what its daily holds of the project; `projects.worked_days` says how many.
    """
    memory = opened_in_step()
    refreshed(memory)
    view = project_operations.show_project(memory, project, days)
    if as_json:
        out_json(forms.project_view(view))
        return
    worked, known = view.worked, view.worked.project
    name = f" ({known.name})" if known.name != known.slug else ""
    sessions, dates = several(len(worked.sessions), "session"), several(len(worked.days), "day")
    out(f"{known.slug}{name}: {sessions} on {dates}")
    for label, values in (("root", known.roots), ("remote", known.remotes)):
        for value in values:
            out(f"  {label}  {value}")
    for item in view.memories:
        out(f"  memory  {item.name}: {item.document.description}")
    for day in view.recent[::-1]:
        if day.daily:
            out(f"\n{day.daily.rstrip()}")
        else:
            out(f"\n# {day.day}\n\n{several(len(day.sessions), 'session')}, not learned from yet")
    if any(not day.daily for day in view.recent):
        say("hint: `reverie learn` writes what is missing")


@projects.command()
@click.argument("project")
@click.argument("name")
@json_option
def rename(project: str, name: str, as_json: bool) -> None:
    """Show PROJECT under another NAME; its slug and its memories stay."""
    only_a_person("rename a project", f"projects rename {project} NAME")
    renamed = project_operations.rename_project(opened(), project, name)
    if as_json:
        out_json(forms.some(renamed, "slug name"))
        return
    say(f"{renamed.slug} is shown as {renamed.name}")


@projects.command()
@click.argument("path", required=False, type=click.Path(exists=True, file_okay=False))
def agree(path: str | None) -> None:
    """Say that the folder at PATH (here, if absent) is the project its remote names.

    A second clone, or a checkout that was moved, is kept apart until then: anybody can write any
    remote into a folder. What was learned in it meanwhile moves along.
    """
    memory = opened_in_step(speaking=True)
    folder = memory.folder if path is None else str(Path(path).resolve())
    project = project_operations.agree_to_project(memory, folder, waiting)
    say(f"{path or 'this folder'} is {project.slug} from now on")


@projects.command()
@click.argument("project")
@click.argument("into")
@json_option
def merge(project: str, into: str, as_json: bool) -> None:
    """Make PROJECT part of INTO, with its sessions, roots and remotes and all it was taught.

    Its memories move into INTO's store, each with a version that says so; diaries and dailies
    follow. The store it leaves is archived, and keeps the history.
    """
    memory = opened_in_step(speaking=True)
    # What a person taught one project is told in the other from then on.
    only_a_person("say that two projects are one", f"projects merge {project} {into}")
    done = project_operations.merge_projects(memory, project, into, waiting)
    if as_json:
        out_json(forms.merged_projects(done))
        return
    gone, kept, joined = done
    with_it = f"{several(joined.memories, 'memory')} and {several(joined.diaries, 'diary')}"
    moved = f"{several(joined.sessions, 'session')}, {with_it} moved"
    say(f"{gone.slug} is part of {kept.slug}: {moved}")
    for folder in joined.folders:
        say(f"hint: {folder} still shows the store {gone.slug}, which is empty now")


@click.command()
@logs_option
@json_option
def reindex(folder: Path | None, as_json: bool) -> None:
    """Read every log and kept copy again and rebuild the index from them.

    Sessions whose log is gone and was not kept stay as they are in the index. Renames, merges and
    what was marked as processed are not part of it and are not lost. Corrections are found again;
    memories are not touched.
    """
    memory = opened_in_step()
    with progress_bar("reading logs") as progress:
        done = project_operations.reindex(
            memory, folder, waiting=waiting, progress=progress, set_aside=_tell_set_aside
        )
    if as_json:
        out_json(forms.reindexed(done))
        return
    tell_problems(done.report)
    projects = {row.project for row in done.sessions}
    counts = f"{several(len(done.sessions), 'session')} of {several(len(projects), 'project')}"
    say(f"{counts} from {several(done.report.files, 'log')}")
    if gone := len(done.without_log):
        say(f"{gone} of them have neither a log nor a kept copy any more, and were left alone")


def _tell_set_aside(where: str) -> None:
    say(f"the old index could not be read; it is now {where}")
