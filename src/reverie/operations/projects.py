"""Projects: what was worked on and when; two that are one become one; the index built anew."""

import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reverie.errors import InvalidInput, NotFound, Refused, StoreDamaged
from reverie.home import Home
from reverie.operations.keeping import unheard
from reverie.operations.learning import Waiting, alone, learner

if TYPE_CHECKING:
    from reverie.learn.memories.joining import Joined
    from reverie.sessions.index import IndexReport, Progress
    from reverie.sessions.query import DayRow, SessionRow
    from reverie.sessions.registry import Project
    from reverie.store.library import Item


class Worked(NamedTuple):
    """A project with its sessions and the days somebody worked in it, oldest first."""

    project: "Project"
    sessions: "list[SessionRow]"
    days: list[str]


class WorkedOn(NamedTuple):
    """One session on one day."""

    session: str
    human_turns: int
    about: str


class WorkedDay(NamedTuple):
    """A day, the sessions of it, and what its daily holds of the project."""

    day: str
    sessions: list[WorkedOn]
    daily: str = ""  # Markdown; "" when nothing was learned of that day yet


class ProjectView(NamedTuple):
    """One project: its last worked days, and what is remembered of it."""

    worked: Worked
    recent: list[WorkedDay]
    memories: "list[Item]"


class Merged(NamedTuple):
    """What became of a project that is part of another now."""

    gone: "Project"
    kept: "Project"
    joined: "Joined"


class Reindexed(NamedTuple):
    """An index that was built anew."""

    report: "IndexReport"
    sessions: "list[SessionRow]"
    without_log: list[str]  # keys of the sessions whose log is gone and was not kept


def worked(home: Home) -> list[Worked]:
    """Every project with a session, by slug."""
    rows = home.index.sessions()
    days = home.index.days()
    slugs = {row.project for row in rows}
    return [
        Worked(
            project, [row for row in rows if row.project == project.slug], _worked(project, days)
        )
        for project in home.projects.all()
        if project.slug in slugs
    ]


def show_project(home: Home, reference: str, days: int | None = None) -> ProjectView:
    """One project by path, name or slug, and its last worked days: `projects.worked_days` of them.

    Raises:
        NotFound, Ambiguous: none or several fit.
    """
    project = home.projects.find(reference)
    stretches = home.index.days(project.slug)
    dates = _worked(project, stretches)
    recent = [
        WorkedDay(
            day,
            [_worked_on(home, row) for row in stretches if row.day == day],
            _daily(home, project.slug, day),
        )
        for day in dates[-(days or home.settings.projects.worked_days) :]
    ]
    work = Worked(project, home.index.sessions(project=project.slug), dates)
    return ProjectView(work, recent, _memories(home, project.slug))


def rename_project(home: Home, reference: str, name: str) -> "Project":
    """Show a project under another name; its slug and its memories stay.

    Raises:
        NotFound, Ambiguous: none or several fit.
        InvalidInput: the name is empty, unprintable, another project's, or holds a secret.
    """
    if home.redact(name) != name:
        raise InvalidInput("the name holds a secret")
    with home.index.atomic():
        return home.projects.rename(reference, name)


def merge_projects(
    home: Home, reference: str, into: str, waiting: Waiting | None = unheard
) -> Merged:
    """Make a project part of another, with its sessions, roots and remotes and all it was taught.

    Raises:
        NotFound, Ambiguous: none or several fit.
        InvalidInput: both are the same project.
        LeaseHeld: another process learns, and nobody is `waiting`.
    """
    from reverie.dream.proposals import proposals
    from reverie.learn.memories.joining import join, join_rows
    from reverie.recall import ledger
    from reverie.sessions import forgotten

    # Stores are opened only if there are any.
    stored = home.exists
    with alone(home, waiting) if stored else nullcontext(), home.index.atomic() as index:
        gone, kept = home.projects.merge(reference, into)
        slugs = gone.slug, kept.slug
        also = (ledger.join_projects, proposals.join_projects, forgotten.join_projects)
        done = join(index, home.store, *slugs, also) if stored else join_rows(index, *slugs)
    return Merged(gone, kept, done)


def agree_to_project(home: Home, folder: str, waiting: Waiting | None = unheard) -> "Project":
    """Let a folder be the project its remote names; what it was taught meanwhile moves along.

    Raises:
        Refused: it is not a person who asks.
        InvalidInput: the folder says nothing, or has a project with other roots as well.
        LeaseHeld: another process learns, and nobody is `waiting`.
    """
    if home.asker.trust != "user":
        raise Refused(
            "only a person can say that a folder is a project",
            hint="in a terminal of your own: `reverie projects agree`",
        )
    here, other = home.projects.at(folder), home.projects.claimed(folder)
    if here is not None and other is not None and len(home.projects.find(here.slug).roots) == 1:
        return merge_projects(home, here.slug, other.slug, waiting).kept
    with home.index.atomic():
        return home.projects.agree(folder)


def reindex(
    home: Home,
    folder: Path | None = None,
    *,
    waiting: Waiting | None = unheard,
    progress: "Progress" = unheard,
    set_aside: Callable[[str], None] = unheard,
) -> Reindexed:
    """Read every log and kept copy again and rebuild the index from them.

    Sessions whose log is gone and was not kept stay as they are. An index that cannot be read is
    moved away, never deleted; `set_aside` is told where.

    Raises:
        LeaseHeld: another process learns, and nobody is `waiting`.
    """
    if moved := set_index_aside_if_damaged(home):
        set_aside(moved)
    with alone(home, waiting) as keep:
        home.index.forget_files()
        report = learner(home, keep).read(home.logs(folder).logs, progress).index
    sessions = home.index.sessions(subagents=True)
    gone = [row.key for row in sessions if not os.path.exists(row.path)]
    return Reindexed(report, sessions, gone)


def _worked(project: "Project", days: "list[DayRow]") -> list[str]:
    return sorted({row.day for row in days if row.project == project.slug and row.day})


def _worked_on(home: Home, row: "DayRow") -> WorkedOn:
    return WorkedOn(row.session, row.human_turns, home.index.session(row.session).about)


def _daily(home: Home, slug: str, day: str) -> str:
    if not home.exists:
        return ""
    from reverie.operations.diaries import daily_of_project

    try:
        return daily_of_project(home, slug, day).text
    except NotFound:
        return ""


def _memories(home: Home, slug: str) -> "list[Item]":
    """What is remembered of a project; the stores are opened only if there are any."""
    if not home.exists:
        return []
    from reverie.store.library import Library

    try:
        return Library(home.store, slug).documents(slug)
    except NotFound:
        return []


def set_index_aside_if_damaged(home: Home) -> str:
    """Where an index that cannot be read was moved to; "" when it is sound."""
    if _sound(home):
        return ""
    stamp = home.clock().strftime("%Y%m%dT%H%M%S")
    for suffix in ("", "-wal", "-shm"):
        file = Path(f"{home.config.index_db}{suffix}")
        if file.exists():
            file.rename(f"{file}.damaged-{stamp}")
    return f"{home.config.index_db}.damaged-{stamp}"


def _sound(home: Home) -> bool:
    """Whether the index can be opened, holds together, and its sessions can be read."""
    try:
        index = home.index
    except StoreDamaged:
        return False
    try:
        damage = index.database.damage()
        index.sessions(subagents=True)
    except StoreDamaged as error:
        damage = [error.message]
    if damage:
        home.close_index()
    return not damage
