"""Engine `claude-code` at work: a fork of the session answers for a piece of it, and is checked."""

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.cli.app import App
from reverie.errors import Unavailable

if TYPE_CHECKING:
    from reverie.learn.memories.writing import Outcome
    from reverie.learn.work.answers import Lesson
    from reverie.learn.work.desk import Task, Work

AGENT = "claude-code"
OPENING = 120  # characters of each line by which the fork knows what an id stands for

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def think(app: App, desk: "Work", task: "Task") -> "list[tuple[Lesson, Outcome]]":
    """Have the session's own model answer for a piece.

    Raises:
        Refused: the cap of the day allows no run, or the answer is not taken.
        InvalidInput: the answer has not the form that was asked for.
        Unavailable: the client or the session's folder is gone.
    """
    from reverie.engines.claude_code import ClaudeCode
    from reverie.engines.receipts import Receipts

    program = shutil.which("claude")
    if program is None:
        raise Unavailable("Claude Code is not on the PATH")
    session = app.index.session(task.piece.session)
    folder = Path(session.cwd)
    if not session.cwd or not folder.is_dir():
        raise Unavailable(f"the folder of {session.key} is gone, so it cannot be forked")
    scratch = app.home / "engine"
    scratch.mkdir(mode=0o700, exist_ok=True)
    receipts = Receipts(app.home, app.clock)
    engine = ClaudeCode(program, scratch, app.settings.engines, receipts)
    answer = engine.ask(session.session_id, question(task), folder, os.environ)
    return desk.submit(desk.assignments.find(task.assignment.id), only_json(answer.text))


def question(task: "Task") -> str:
    """What the fork is asked; it has the conversation, and needs only the ids of its lines."""
    import json

    data = task.data()
    lines = [
        f"[{line.id}] {line.who}: {' '.join(line.text.split())[:OPENING]}"
        for line in task.piece.lines
    ]
    return "\n".join(
        [
            "The work of this conversation is over; use no tools.",
            str(data["instructions"]),
            f"Schema: {json.dumps(data['schema'])}",
            "The lines and their evidence ids; you have the full text above:",
            *lines,
        ]
    )


def only_json(text: str) -> str:
    """The JSON of an answer, which models like to wrap in a fence."""
    found = _OBJECT.search(text)
    return found.group() if found else text
