"""Projects and the index: `reverie projects …` and `reverie reindex`."""

from pathlib import Path

import click

from reverie import forms
from reverie.cli.opening import opened, opened_in_step, refreshed, tell_problems, waiting
from reverie.cli.options import json_option, logs_option
from reverie.cli.printing import out, out_json, progress_bar, say, several, table
from reverie.cli.speaker import only_a_person
from reverie.operations import projects as project_operations


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
        out_json([forms.worked(one) for one in listed])
        return
    if not listed:
        say("no projects yet: none of your agents has logged a session")
        return
    listed.sort(key=lambda one: (one.days[-1:] or [""], one.project.slug), reverse=True)
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
    for first, second in memory.projects.lookalikes():
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
    memory = opened_in_step()
    refreshed(memory)
    found = project_operations.show_project(memory, project, days)
    if as_json:
        out_json(forms.project_view(found))
        return
    worked, known = found.worked, found.worked.project
    name = f" ({known.name})" if known.name != known.slug else ""
    sessions, dates = several(len(worked.sessions), "session"), several(len(worked.days), "day")
    out(f"{known.slug}{name}: {sessions} on {dates}")
    for label, values in (("root", known.roots), ("remote", known.remotes)):
        for value in values:
            out(f"  {label}  {value}")
    for item in found.memories:
        out(f"  memory  {item.name}: {item.document.description}")
    for day in found.recent[::-1]:
        out(f"{day.day or 'no date'}")
        for session in day.sessions:
            turns = several(session.human_turns, "turn")
            out(f"  {session.session}  {turns}  {session.about}")


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
    only_a_person("say that two projects are one", f"projects merge {project} {into}")
    done = project_operations.merge_projects(opened_in_step(), project, into, waiting)
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
    found = f"{several(len(done.sessions), 'session')} of {several(len(projects), 'project')}"
    say(f"{found} from {several(done.report.files, 'log')}")
    if gone := len(done.without_log):
        say(f"{gone} of them have neither a log nor a kept copy any more, and were left alone")


def _tell_set_aside(where: str) -> None:
    say(f"the old index could not be read; it is now {where}")
