"""`reverie work`: pieces for the user's own agent to think about, and its answers, checked."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.cli.app import App
from reverie.cli.asking import agree
from reverie.cli.options import json_option, text_of
from reverie.cli.printing import out, out_json, say, several
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from reverie.learn.memories.writing import Outcome
    from reverie.learn.work.answers import Lesson

KINDS = ("learn", "dream")


@click.group()
def work() -> None:
    """Let the agent you already use do the thinking; every answer is checked."""


@work.command("next")
@click.option("--kind", type=click.Choice(KINDS), default="learn", help="What sort of work.")
@click.option("--project", help="Only this project (name, slug or path); else the one here.")
@click.option("--all", "everything", is_flag=True, help="Pieces of all projects.")
@json_option
def next_(kind: str, project: str | None, everything: bool, as_json: bool) -> None:
    """Take the oldest piece of work that nobody has.

    A piece has instructions, the form of the answer and material quoted from past sessions. It is
    yours for half an hour; then it is given to the next who asks.
    """
    app = App.load()
    found = _taken(app, kind, _where(app, project, everything))
    if found is None:
        if as_json:
            out_json(None)
        say("no work: all there is was looked at")
    elif as_json:
        out_json(found)
    else:
        _show(found)


@work.command()
@click.argument("piece", metavar="ID")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@json_option
def submit(piece: str, file: Path, as_json: bool) -> None:
    """Hand in the answer to piece ID: FILE with JSON, `-` for standard input.

    Checked are form, size, evidence, secrets, and whether it is worth keeping. A refusal has every
    reason; what is taken waits for `reverie review`, unless a person said it outright.
    """
    app = App.load()
    taken = _handed_in(app, piece, text_of(file))
    if as_json:
        out_json(taken)
        return
    for one in taken.get("lessons", []):
        say(f"{one['action']}: {one['lesson']} ({one['why']})")
    for one in taken.get("changes", []):
        say(f"{one['verb']}: {one['title']}")
    if taken.get("proposal"):
        say(f"proposal {taken['proposal']}: `reverie review` shows each change")
    elif not taken.get("lessons"):
        say("taken: nothing to keep in this piece")


@work.command("run")
@click.option("--pieces", type=click.IntRange(1), default=1, help="At most so many.")
@click.option("--project", help="Only this project (name, slug or path); else the one here.")
@click.option("--all", "everything", is_flag=True, help="Pieces of all projects.")
@click.option("--yes", is_flag=True, help="Do not ask; the caps hold all the same.")
@json_option
def run_(pieces: int, project: str | None, everything: bool, yes: bool, as_json: bool) -> None:
    """Have Claude Code do pieces of work now, each in a fork of its own past session.

    It costs money: `reverie engines` shows the caps, `reverie costs` the receipts.
    """
    from reverie.cli.thinking import AGENT, think
    from reverie.learn.work.desk import Work

    app = App.load()
    where = _where(app, project, everything)
    most = app.settings.engines.max_usd_per_run * pieces
    agree(f"This may cost up to {most:.2f} USD. Go on?", yes=yes, otherwise="nothing was run")
    desk = Work(app.store, app.index, app.clock, app.redact)
    done: list[dict[str, Any]] = []
    while len(done) < pieces and (task := desk.next(where, app.buried, agent=AGENT)):
        taken = think(app, desk, task)
        done.append(_lessons(task.assignment.id, taken))
        for one in done[-1]["lessons"]:
            say(f"{one['action']}: {one['lesson']} ({one['why']})")
    if as_json:
        out_json(done)
    say(f"{several(len(done), 'piece')} done")


def _where(app: App, project: str | None, everything: bool) -> str | None:
    """The project whose sessions may be shown here; None for all, which must be asked for."""
    if project or everything:
        return app.projects.find(project).slug if project else None
    if app.project is None:
        raise InvalidInput("this folder belongs to no project", hint="choose --project or --all")
    return app.project


def _taken(app: App, kind: str, project: str | None) -> dict[str, Any] | None:
    if kind == "dream":
        from reverie.dream.proposals.work import DreamWork

        look = DreamWork(app.store, app.clock, app.redact).next(project)
        return look.data() if look else None
    from reverie.learn.work.desk import Work

    desk = Work(app.store, app.index, app.clock, app.redact)
    task = desk.next(project, app.buried)
    return task.data() if task else None


def _handed_in(app: App, reference: str, text: str) -> dict[str, Any]:
    from reverie.learn.work.desk import Work

    desk = Work(app.store, app.index, app.clock, app.redact)
    assignment = desk.assignments.find(reference)
    if assignment.kind == "dream":
        from reverie.dream.proposals.work import DreamWork

        proposal, changes = DreamWork(app.store, app.clock, app.redact).submit(assignment, text)
        return {"id": assignment.id, "proposal": proposal, "changes": changes}
    return _lessons(assignment.id, desk.submit(assignment, text))


def _lessons(piece: str, taken: "list[tuple[Lesson, Outcome]]") -> dict[str, Any]:
    lessons = [
        {"lesson": lesson.text, "action": outcome.action, "why": outcome.why}
        for lesson, outcome in taken
    ]
    return {"id": piece, "lessons": lessons}


def _show(found: dict[str, Any]) -> None:
    import json

    say(f"{found['id']}: {found['kind']}, until {found['answer_before']}")
    say(f"hand in with: reverie work submit {found['id']} FILE")
    out(f"{found['instructions']}\n")
    out(json.dumps(found["schema"], indent=2))
    for entry in found["material"]:
        out("\n" + "\n".join(f"{name}: {value}" for name, value in entry.items()))
