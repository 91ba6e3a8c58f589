"""Working: pieces for the user's own agent to think about, and its answers."""

from typing import Literal

from reverie.dream.proposals.work import DreamTask, DreamWork, Taken
from reverie.errors import InvalidInput
from reverie.home import Home
from reverie.learn.work.desk import Task, Work
from reverie.operations import keeping

Kind = Literal["session", "dream"]


def next_piece(
    home: Home, kind: Kind = "session", *, project: str | None = None, everything: bool = False
) -> Task | DreamTask | None:
    """Take the oldest piece of work that nobody has; None when all was looked at.

    Args:
        project: Only of this project, by name, slug or path; of the asker's if absent.
        everything: Of all projects.

    Raises:
        InvalidInput: the asker's folder belongs to no project, and none is named.
    """
    slug = slug_of(home, project, everything=everything)
    if kind == "dream":
        return _dream_desk(home).next(slug)
    return _desk(home).next(slug, home.buried)


def submit(home: Home, reference: str, text: str) -> Taken:
    """Take the answer to a piece, or send it back.

    Raises:
        NotFound, Ambiguous: no piece or several have that id.
        InvalidInput: it has not the form that was asked for.
        Refused: something in it may not be kept; the message has every reason.
        Conflict: what the piece showed has changed since.
    """
    desk = _desk(home)
    assignment = desk.assignments.find(reference)
    with keeping.in_step(home):
        if assignment.kind == "dream":
            return _dream_desk(home).submit(assignment, text)
        return Taken(assignment, tuple(desk.submit(assignment, text)))


def slug_of(home: Home, project: str | None, *, everything: bool) -> str | None:
    """The project whose sessions may be shown here; None for all, which must be asked for."""
    if project or everything:
        return home.projects.find(project).slug if project else None
    if home.project is None:
        raise InvalidInput("this folder belongs to no project", hint="choose --project or --all")
    return home.project


def _desk(home: Home) -> Work:
    return Work(home.store, home.index, home.clock, home.redact)


def _dream_desk(home: Home) -> DreamWork:
    return DreamWork(home.store, home.clock, home.redact)
