"""Working: pieces for the user's own agent to think about, and its answers."""

from typing import Literal

from reverie.dream.proposals.work import DreamTask, DreamWork, Taken
from reverie.errors import InvalidInput
from reverie.home import Home
from reverie.learn.work.day import DayTask, DayWork
from reverie.learn.work.desk import Work
from reverie.learn.work.pieces import Task
from reverie.learn.work.revision import MANY, RevisionTask, RevisionWork
from reverie.learn.work.triage import TriageTask, TriageWork
from reverie.operations import keeping

Kind = Literal["session", "day", "dream", "triage", "revise"]
AnyTask = Task | DayTask | DreamTask | TriageTask | RevisionTask


def next_piece(
    home: Home, kind: Kind = "session", *, project: str | None = None, everything: bool = False
) -> AnyTask | None:
    """Take the first piece of work that nobody has; None when all was looked at.

    Between sessions, and after the last, what they taught comes to be read side by side.

    Args:
        project: Only of this project, by name, slug or path; of the asker's if absent.
        everything: Of all projects.

    Raises:
        InvalidInput: the asker's folder belongs to no project, and none is named; or a day is
            asked for, which holds the words of all of them, without `everything`.
    """
    slug = slug_of(home, project, everything=everything)
    if kind == "day":
        if not everything:
            raise InvalidInput("a day holds the words of all projects", hint="choose --all")
        return day_desk(home).next()
    if kind == "dream":
        return dream_desk(home).next(slug)
    if kind == "triage":
        return triage_desk(home).next(slug)
    looks = revision_desk(home)
    if kind == "revise":
        return looks.next(slug)
    return looks.next(slug, MANY) or desk(home).next(slug, home.buried) or looks.next(slug)


def submit(home: Home, reference: str, text: str, *, chosen: bool = False) -> Taken:
    """Take the answer to a piece, or send it back; of an engine that the person has `chosen`, or of
    whoever asks: an agent that hands in by itself words nothing that sessions are told.

    Raises:
        NotFound, Ambiguous: no piece or several have that id.
        InvalidInput: it has not the form that was asked for.
        Refused: something in it may not be kept; the message has every reason.
        Conflict: what the piece showed has changed since.
    """
    by = "engine" if chosen else "person" if home.asker.trust == "user" else "agent"
    sessions = desk(home)
    assignment = sessions.assignments.find(reference)
    with keeping.in_step(home):
        match assignment.kind:
            case "dream":
                return dream_desk(home).submit(assignment, text)
            case "triage":
                return Taken(assignment, advised=triage_desk(home).submit(assignment, text))
            case "revise":
                revised = revision_desk(home).submit(assignment, text, by=by)
                return Taken(assignment, revised=revised)
            case "day":
                return Taken(assignment, day=day_desk(home).submit(assignment, text))
            case "session":
                return Taken(assignment, tuple(sessions.submit(assignment, text, by=by)))


def slug_of(home: Home, project: str | None, *, everything: bool) -> str | None:
    """The project whose sessions may be shown here; None for all, which must be asked for."""
    if project or everything:
        return home.projects.find(project).slug if project else None
    if home.project is None:
        raise InvalidInput("this folder belongs to no project", hint="choose --project or --all")
    return home.project


def desk(home: Home) -> Work:
    return Work(home.store, home.index, home.clock, home.redact)


def day_desk(home: Home) -> DayWork:
    return DayWork(home.store, home.index, home.clock, home.redact)


def dream_desk(home: Home) -> DreamWork:
    return DreamWork(home.store, home.index, home.clock, home.redact)


def triage_desk(home: Home) -> TriageWork:
    return TriageWork(home.store, home.clock, home.redact)


def revision_desk(home: Home) -> RevisionWork:
    return RevisionWork(home.store, home.index, home.clock, home.redact)
