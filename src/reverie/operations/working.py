"""Working: pieces for the user's own agent to think about, its answers, and forks that answer."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from reverie.dream.proposals.work import DreamTask, DreamWork, Taken
from reverie.engines.claude_code import NAME, ClaudeCode
from reverie.engines.receipts import Receipts
from reverie.errors import InvalidInput, Unavailable
from reverie.home import Home
from reverie.learn.work.desk import Task, Work
from reverie.operations import keeping

Kind = Literal["session", "dream"]
OPENING = 120  # characters of each line by which the fork knows what an id stands for

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


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
    slug = _slug(home, project, everything=everything)
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


def run(
    home: Home, pieces: int = 1, *, project: str | None = None, everything: bool = False
) -> Iterator[Taken]:
    """Have Claude Code answer for up to `pieces`, each in a fork of its own past session.

    It costs money; the caps of the settings hold. Each is done when it is asked for.

    Raises:
        InvalidInput: the asker's folder belongs to no project, and none is named; or an answer
            has not the form that was asked for.
        Refused: the cap of the day allows no run, or an answer is not taken.
        Unavailable: the client or the folder of a session is gone.
    """
    slug = _slug(home, project, everything=everything)

    def runs() -> Iterator[Taken]:
        desk = _desk(home)
        for _ in range(pieces):
            task = desk.next(slug, home.buried, agent=NAME)
            if task is None:
                return
            yield think(home, task)

    return runs()


def run_session(home: Home, session: str) -> Iterator[Taken]:
    """As `run`, for all that is new in one session, by its key.

    Raises:
        As `run`.
    """
    desk = _desk(home)
    while task := desk.next(buried=home.buried, session=session):
        yield think(home, task)


def pass_over(home: Home, session: str) -> None:
    """Count what is new in one session, by its key, as thought about: its agent saved it itself."""
    desk = _desk(home)
    while task := desk.next(buried=home.buried, session=session):
        desk.assignments.done(task.assignment)


def think(home: Home, task: Task) -> Taken:
    """Have the session's own model answer for a piece.

    Raises:
        As `run`.
    """
    environ = home.config.environ
    program = shutil.which("claude", path=environ.get("PATH"))
    if program is None:
        raise Unavailable("Claude Code is not on the PATH")
    session = home.index.session(task.prompt.session)
    folder = Path(session.cwd)
    if not session.cwd or not folder.is_dir():
        raise Unavailable(f"the folder of {session.key} is gone, so it cannot be forked")
    scratch = home.make_home() / "engine"
    scratch.mkdir(mode=0o700, exist_ok=True)
    receipts = Receipts(home.config.home, home.clock)
    engine = ClaudeCode(program, scratch, home.settings.engines, receipts)
    answer = engine.ask(session.session_id, question(task), folder, environ)
    return submit(home, task.assignment.id, only_json(answer.text))


def question(task: Task) -> str:
    """What the fork is asked."""
    return f"The work of this conversation is over; use no tools.\n{task.prompt.text}"


def only_json(text: str) -> str:
    """The JSON of an answer, which models like to wrap in a fence."""
    found = _OBJECT.search(text)
    return found.group() if found else text


def _slug(home: Home, project: str | None, *, everything: bool) -> str | None:
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
