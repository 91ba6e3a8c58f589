"""`reverie sessions`: what was said, in every log of every agent."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from reverie.cli.app import App
from reverie.cli.options import (
    end_of,
    filter_options,
    json_option,
    logs_option,
    must_be_known,
    start_of,
)
from reverie.cli.printing import out, out_json, out_jsonl, plain, say, styled, table, to_pager
from reverie.cli.processing import drop, extract, keep, pending
from reverie.errors import InvalidInput
from reverie.sessions.query import SessionRow, TurnRow

_LISTED = 50
_HEADER = ["started", "agent", "project", "turns", "session", "about"]
_NAMES = {"human": "you", "agent": "agent", "tool": "tool", "harness": "note"}
_ERROR_LINES = 6


@click.group()
def sessions() -> None:
    """List, read and search the sessions your agents have logged."""


@sessions.command("list")
@filter_options
@logs_option
@click.option("--subagents", is_flag=True, help="Show sessions a model started, too.")
@click.option("--limit", type=click.IntRange(1), help="Show at most so many, the newest first.")
@json_option
def list_(
    agent: str | None,
    project: str | None,
    since: str | None,
    until: str | None,
    folder: Path | None,
    subagents: bool,
    limit: int | None,
    as_json: bool,
) -> None:
    """List sessions, the newest first."""
    from reverie.cli.refresh import refreshed

    app = App.load()
    index = refreshed(app, folder)
    now = app.clock()
    rows = index.sessions(
        agent,
        app.projects.find(project).slug if project else None,
        start_of(since, now),
        end_of(until, now),
        subagents=subagents,
    )[::-1]
    if agent and not rows:
        must_be_known(agent)
    shown = rows[: limit or (len(rows) if as_json else _LISTED)]
    if as_json:
        out_json([session_data(row) for row in shown])
        return
    if not rows:
        say("no sessions found")
        if known := len(index.sessions()):
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
    """Read one SESSION (its id or the beginning of it); your own words are marked with `>`."""
    from reverie.cli.refresh import refreshed

    app = App.load()
    index = refreshed(app, folder)
    row = index.session(session)
    if atif:
        out_json(_trajectory(app, row, folder))
        return
    turns = [
        turn
        for turn in index.turns(row.key)
        if (not human or turn.role == "human") and turn.line >= (line or 0)
    ]
    turns = turns[: limit or len(turns)]
    if as_json:
        out_json(session_data(row) | {"turns": [asdict(turn) for turn in turns]})
        return
    to_pager(_readable(row, turns))


@sessions.command()
@click.argument("words", nargs=-1, required=True)
@filter_options
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Most hits.")
@logs_option
@json_option
def search(
    words: tuple[str, ...],
    agent: str | None,
    project: str | None,
    since: str | None,
    until: str | None,
    limit: int,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Find turns that hold all WORDS: what you and agents said, and what tools failed with."""
    from reverie.cli.refresh import refreshed

    app = App.load()
    if not any(word.strip() for word in words):
        raise InvalidInput("there is nothing to search for")
    index = refreshed(app, folder)
    now = app.clock()
    hits = index.search(
        " ".join(words),
        agent=agent,
        project=app.projects.find(project).slug if project else None,
        since=start_of(since, now),
        until=end_of(until, now),
        limit=limit,
    )
    if agent and not hits:
        must_be_known(agent)
    if as_json:
        out_json([asdict(hit) for hit in hits])
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
    from reverie.sessions.turns import human_records

    records = human_records(folder, lambda item: say(f"skipped: {item.path}: {item.reason}"))
    if as_json:
        out_jsonl(records)
        return
    for record in records:
        out(f"{record['transcript']}#{record['line']}  {record['at']}  {record['turn']}")
        for line in record["text"].splitlines():
            out(f"  {line}")


for command in (pending, extract, keep, drop):
    sessions.add_command(command)


def _trajectory(app: App, row: SessionRow, folder: Path | None) -> dict[str, Any]:
    """A session out of its log, whole but redacted; the index holds only a part of it."""
    from reverie.errors import NotFound
    from reverie.sessions.ahead import read_log
    from reverie.sessions.atif import trajectory
    from reverie.sessions.logfiles import name_of

    for log in app.log_files(folder):
        here = row.path in (str(log.path), name_of(log))
        if here and log.part in ("", row.session_id):
            reading = read_log(log, None, app.redact, None)
            if reading.head.session_id == row.session_id:
                return trajectory(reading.head, reading.turns)
    raise NotFound(f"the log of {row.key} is not there any more: {row.path}")


def _cells(row: SessionRow) -> list[str]:
    turns = str(row.human_turns)
    return [_minute(row.started), row.agent, row.project, turns, short(row), about(row)]


def session_data(row: SessionRow) -> dict[str, Any]:
    """A session as JSON."""
    return asdict(row)


def short(row: SessionRow) -> str:
    """Enough of the id to name a session on the command line."""
    return row.session_id[:13]


def about(row: SessionRow, width: int = 60) -> str:
    """One line on what a session was about."""
    text = " ".join((row.title or row.opening or "").split())
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _minute(at: str) -> str:
    return at[:16].replace("T", " ") or "no date"


def _readable(row: SessionRow, turns: list[TurnRow]) -> Iterator[str]:
    yield styled(plain(row.key), bold=True) + "\n"
    place = f"{row.project} · {row.cwd}" + (f" · {row.branch}" if row.branch else "")
    yield plain(f"{place}\n{_minute(row.started)} to {_minute(row.ended)} UTC · {row.agent}\n")
    if row.title:
        yield plain(row.title) + "\n"
    yield "\n"
    for turn in turns:
        yield from _turn(turn)


def _turn(turn: TurnRow) -> Iterator[str]:
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
