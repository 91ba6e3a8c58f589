"""What surrounds a human turn: the agent's words and acts just before it, and its answer.

One pass over a session gives a `Scene` per human turn. Texts are clipped: the sentence a person
answers is nearly always in the last lines of the agent's last text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reverie.data import patterns
from reverie.learn.traffic.attempts import files_of
from reverie.sessions.model import SPOKEN, TOOLS, Tool, Turn

BEFORE = 2400  # characters kept of the end of the agent's last text
REPLY = 700  # characters kept of the start of its answer

_UNDO = re.compile(r"\bgit (?:revert|reset|checkout --|restore|stash)|\brm -|--amend\b")
_INSTRUCTIONS = patterns("detector.txt", "speaker").instructions


@dataclass(slots=True)
class Scene:
    """One human turn with what it answers and what followed."""

    index: int  # in the session's turns
    turn: Turn
    position: int  # among the spoken human turns, 0-based
    before: str = ""  # end of the agent's last text
    call: Tool | None = None  # the last tool call before the turn
    call_line: int = -1
    since_text: int = 0  # events between the agent's last text and the turn
    calls: int = 0  # tool calls since the previous human turn
    edits: int = 0
    asked: bool = False  # a tool asked the person, or showed a plan
    last_failed: bool = False
    interrupted: bool = False
    refused: bool = False
    reply: str = ""  # start of the agent's answer
    thought: str = ""  # start of its reasoning on this turn
    re_edited: bool = False  # the answer edits a file that was edited just before
    undoes: bool = False  # the answer takes something back
    noted: bool = False  # the answer writes into an instructions or memory file
    texts: int = 0  # of the agent until the human speaks again
    looks: int = 0  # files and pages it read for its answer
    cut_short: bool = False  # an interrupt or refusal, or the next human turn, came first


def scenes(turns: Sequence[Turn]) -> list[Scene]:
    """A scene for each spoken human turn, in order."""
    places = [i for i, t in enumerate(turns) if t.role == "human" and t.kind in SPOKEN]
    scene_list: list[Scene] = []
    for position, index in enumerate(places):
        start = places[position - 1] + 1 if position else 0
        end = places[position + 1] if position + 1 < len(places) else len(turns)
        scene = Scene(index, turns[index], position)
        edited = _before(scene, turns[start:index])
        scene.refused = scene.refused or scene.turn.kind == "reject_feedback"
        scene.before, scene.since_text = _last_text(turns, index, places[0] if position else 0)
        _after(scene, turns[index + 1 : end], edited)
        scene_list.append(scene)
    return scene_list


def _before(scene: Scene, turns: Sequence[Turn]) -> set[str]:
    """What happened since the previous human turn; the files that were edited."""
    edited: set[str] = set()
    for turn in turns:
        if turn.kind == "tool_call" and turn.tool is not None:
            scene.call, scene.call_line = turn.tool, turn.line
            scene.calls += 1
            name = turn.tool.name.lower()
            if name in TOOLS.edits:
                scene.edits += 1
                edited.add(_file_of(turn.tool))
            elif name in TOOLS.asks:
                scene.asked = True
        elif turn.kind == "tool_result" and turn.tool is not None:
            scene.last_failed = turn.tool.ok is False
        elif turn.kind == "interrupt":
            scene.interrupted = True
        elif turn.kind == "reject":
            scene.refused = True
    return edited


def _after(scene: Scene, turns: Sequence[Turn], edited: set[str]) -> None:
    """What the agent did until the next human turn."""
    called = False
    for turn in turns:
        if turn.kind == "text":
            scene.texts += 1
            scene.reply = scene.reply or turn.text.lstrip()[:REPLY]
        elif turn.kind == "thinking":
            scene.thought = scene.thought or turn.text.lstrip()[:REPLY]
        elif turn.kind == "tool_call" and turn.tool is not None:
            called = True
            _answered_by(scene, turn.tool, edited)
    scene.cut_short = not scene.reply and not called


def _answered_by(scene: Scene, tool: Tool, edited: set[str]) -> None:
    name = tool.name.lower()
    scene.looks += name in TOOLS.looks
    if name in TOOLS.edits:
        file = _file_of(tool)
        scene.re_edited = scene.re_edited or file in edited
        scene.noted = scene.noted or bool(_INSTRUCTIONS.search(file))
    elif not scene.undoes:
        command = tool.input.get("command") or tool.input.get("cmd")
        scene.undoes = isinstance(command, str) and bool(_UNDO.search(command[:400]))


def call_kind(tool: Tool | None) -> str:
    """edit, plan, none or other: what sort of act the last call was."""
    if tool is None:
        return "none"
    name = tool.name.lower()
    if name in TOOLS.edits:
        return "edit"
    if name in TOOLS.plans:
        return "plan"
    return "other"


def _file_of(tool: Tool) -> str:
    return next(iter(files_of(tool)), "")


def _last_text(turns: Sequence[Turn], index: int, floor: int) -> tuple[str, int]:
    """The agent's last text before `index`; it may lie before an earlier, unanswered human turn."""
    for place in range(index - 1, max(floor, index - 400) - 1, -1):
        turn = turns[place]
        if turn.kind == "text" and turn.role == "agent" and turn.text.strip():
            return turn.text[-BEFORE:], index - place - 1
    return "", 0
