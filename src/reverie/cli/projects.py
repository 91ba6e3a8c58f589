"""`reverie projects`: what was worked on, where, with whom, when."""

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.app import App
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say, several, table

if TYPE_CHECKING:
    from reverie.sessions.index import Index
    from reverie.sessions.query import DayRow, SessionRow
    from reverie.sessions.registry import Project


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def projects(ctx: click.Context, as_json: bool) -> None:
    """List the projects known, and name or join them."""
    if ctx.invoked_subcommand is not None:
        return
    from reverie.cli.refresh import refreshed

    app = App.load()
    index = refreshed(app)
    rows = index.sessions()
    days = index.days()
    listed = [(project, _of(project, rows), _worked(project, days)) for project in _used(app, rows)]
    if as_json:
        out_json([_data(project, found, worked) for project, found, worked in listed])
        return
    if not listed:
        say("no projects yet: none of your agents has logged a session")
        return
    listed.sort(key=lambda entry: (entry[2][-1:] or [""], entry[0].slug), reverse=True)
    table(
        (
            [
                project.slug,
                project.name if project.name != project.slug else "",
                str(len(found)),
                str(len(worked)),
                worked[-1] if worked else "",
                ", ".join(sorted({row.agent for row in found})),
                project.remotes[0] if project.remotes else (project.roots or ("",))[0],
            ]
            for project, found, worked in listed
        ),
        ["project", "name", "sessions", "days", "last", "agents", "where"],
    )
    for first, second in app.projects.lookalikes():
        say(
            f"did you mean one project? {first.slug} and {second.slug}:"
            f" `reverie projects merge {second.slug} {first.slug}`"
        )


@projects.command()
@click.argument("project")
@click.option("--days", type=click.IntRange(1), default=7, show_default=True,
              help="How many worked days back.")  # fmt: skip
@json_option
def show(project: str, days: int, as_json: bool) -> None:
    """Show one PROJECT (path, name or slug) and its last worked days."""
    from reverie.cli.refresh import refreshed

    app = App.load()
    index = refreshed(app)
    found = app.projects.find(project)
    rows = index.sessions(project=found.slug)
    stretches = index.days(found.slug)
    worked = _worked(found, stretches)
    recent = worked[-days:]
    if as_json:
        out_json(
            _data(found, rows, worked)
            | {"recent": _recent(index, stretches, recent), "memories": _memories(app, found)}
        )
        return
    name = f" ({found.name})" if found.name != found.slug else ""
    out(f"{found.slug}{name}: {several(len(rows), 'session')} on {several(len(worked), 'day')}")
    for label, values in (("root", found.roots), ("remote", found.remotes)):
        for value in values:
            out(f"  {label}  {value}")
    for memory in _memories(app, found):
        out(f"  memory  {memory['name']}: {memory['description']}")
    for entry in _recent(index, stretches, recent)[::-1]:
        out(f"{entry['day'] or 'no date'}")
        for session in entry["sessions"]:
            turns = several(session["human_turns"], "turn")
            out(f"  {session['session']}  {turns}  {session['about']}")


@projects.command()
@click.argument("project")
@click.argument("name")
@json_option
def rename(project: str, name: str, as_json: bool) -> None:
    """Show PROJECT under another NAME; its slug and its memories stay."""
    app = App.load()
    with app.index.atomic():
        renamed = app.projects.rename(project, name)
    if as_json:
        out_json({"slug": renamed.slug, "name": renamed.name})
        return
    say(f"{renamed.slug} is shown as {renamed.name}")


@projects.command()
@click.argument("project")
@click.argument("into")
@json_option
def merge(project: str, into: str, as_json: bool) -> None:
    """Make PROJECT part of INTO, with its sessions, roots and remotes and all it was taught.

    Its memories move into INTO's store, each with a version that says so; diaries and dailies
    follow. The store it leaves is archived, and keeps the history.
    """
    from reverie.cli.alone import learning
    from reverie.dream.proposals import proposals
    from reverie.learn.memories.joining import join, join_rows
    from reverie.recall import ledger

    app = App.load()
    # Stores are opened only if there are any.
    stored = app.config.database_url is not None or app.config.memory_db.exists()
    with learning(app) if stored else nullcontext(), app.index.atomic() as index:
        gone, kept = app.projects.merge(project, into)
        slugs = gone.slug, kept.slug
        also = (ledger.join_projects, proposals.join_projects)
        done = join(index, app.store, *slugs, also) if stored else join_rows(index, *slugs)
    if as_json:
        out_json({
            "merged": gone.slug, "into": kept.slug, "sessions": done.sessions,
            "memories": done.memories, "diaries": done.diaries,
        })  # fmt: skip
        return
    with_it = f"{several(done.memories, 'memory')} and {several(done.diaries, 'diary')}"
    moved = f"{several(done.sessions, 'session')}, {with_it} moved"
    say(f"{gone.slug} is part of {kept.slug}: {moved}")
    for folder in done.folders:
        say(f"hint: {folder} still shows the store {gone.slug}, which is empty now")


def _used(app: App, rows: "list[SessionRow]") -> "list[Project]":
    slugs = {row.project for row in rows}
    return [project for project in app.projects.all() if project.slug in slugs]


def _of(project: "Project", rows: "list[SessionRow]") -> "list[SessionRow]":
    return [row for row in rows if row.project == project.slug]


def _worked(project: "Project", days: "list[DayRow]") -> list[str]:
    return sorted({row.day for row in days if row.project == project.slug and row.day})


def _data(project: "Project", rows: "list[SessionRow]", worked: list[str]) -> dict[str, Any]:
    return {
        "slug": project.slug,
        "name": project.name,
        "roots": list(project.roots),
        "remotes": list(project.remotes),
        "agents": sorted({row.agent for row in rows}),
        "sessions": len(rows),
        "days": worked,
    }


def _memories(app: App, project: "Project") -> list[dict[str, str]]:
    """What is remembered of the project; the stores are opened only if there are any."""
    if app.config.database_url is None and not app.config.memory_db.exists():
        return []
    from reverie.errors import NotFound
    from reverie.store.library import Library

    try:
        items = Library(app.store, project.slug).documents(project.slug)
    except NotFound:
        return []
    return [
        {"name": item.name, "description": item.document.description, "type": item.document.type}
        for item in items
    ]


def _recent(index: "Index", stretches: "list[DayRow]", days: list[str]) -> list[dict[str, Any]]:
    from reverie.cli.sessions import about

    return [
        {
            "day": day,
            "sessions": [
                {
                    "session": row.session,
                    "human_turns": row.human_turns,
                    "about": about(index.session(row.session)),
                }
                for row in stretches
                if row.day == day
            ],
        }
        for day in days
    ]
