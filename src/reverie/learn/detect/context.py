"""What surrounds a human turn: the agent's words and acts just before it, and its answer.

One pass over a session gives a `Scene` per human turn. Texts are clipped: the sentence a person
answers is nearly always in the last lines of the agent's last text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reverie.learn.traffic.calls import ASKS, EDITS, PLANS, files_of
from reverie.sessions.model import SPOKEN, Tool, Turn

BEFORE = 2400  # characters kept of the end of the agent's last text
REPLY = 700  # characters kept of the start of its answer

_UNDO = re.compile(r"\bgit (?:revert|reset|checkout --|restore|stash)|\brm -|--amend\b")
_RULES_FILE = re.compile(r"(?:CLAUDE|AGENTS|GEMINI|MEMORY)\.md$|/memory/|/memories/|\.cursorrules$")


@dataclass(frozen=True, slots=True)
class Scene:
    """One human turn with what it answers and what followed."""

    index: int  # in the session's turns
    turn: Turn
    position: int  # among the spoken human turns, 0-based
    before: str  # end of the agent's last text
    call: Tool | None  # the last tool call before the turn
    call_line: int
    since_text: int  # events between the agent's last text and the turn
    calls: int  # tool calls since the previous human turn
    edits: int
    asked: bool  # a tool asked the person, or showed a plan
    last_failed: bool
    interrupted: bool
    refused: bool
    reply: str  # start of the agent's answer
    thought: str  # start of its reasoning on this turn
    re_edited: bool  # the answer edits a file that was edited just before
    undoes: bool  # the answer takes something back
    noted: bool  # the answer writes into an instructions or memory file
    cut_short: bool  # an interrupt or refusal, or the next human turn, came before any answer


def scenes(turns: Sequence[Turn]) -> list[Scene]:
    """A scene for each spoken human turn, in order."""
    places = [i for i, t in enumerate(turns) if t.role == "human" and t.kind in SPOKEN]
    found: list[Scene] = []
    for position, index in enumerate(places):
        start = places[position - 1] + 1 if position else 0
        end = places[position + 1] if position + 1 < len(places) else len(turns)
        before = _Before(turns, start, index, places[0] if position else 0)
        after = _After(turns, index + 1, end, before.files)
        turn = turns[index]
        found.append(
            Scene(
                index=index,
                turn=turn,
                position=position,
                before=before.text,
                call=before.call,
                call_line=before.call_line,
                since_text=before.since_text,
                calls=before.calls,
                edits=before.edits,
                asked=before.asked,
                last_failed=before.last_failed,
                interrupted=before.interrupted,
                refused=before.refused or turn.kind == "reject_feedback",
                reply=after.reply,
                thought=after.thought,
                re_edited=after.re_edited,
                undoes=after.undoes,
                noted=after.noted,
                cut_short=not after.reply and not after.calls,
            )
        )
    return found


class _Before:
    """The stretch between the previous human turn and this one, read backwards for texts."""

    def __init__(self, turns: Sequence[Turn], start: int, index: int, floor: int) -> None:
        self.call: Tool | None = None
        self.call_line = -1
        self.calls = self.edits = 0
        self.asked = self.last_failed = self.interrupted = self.refused = False
        self.files: set[str] = set()
        for place in range(start, index):
            turn = turns[place]
            if turn.kind == "tool_call" and turn.tool is not None:
                self._called(turn, turn.tool)
            elif turn.kind == "tool_result" and turn.tool is not None:
                self.last_failed = turn.tool.ok is False
            elif turn.kind == "interrupt":
                self.interrupted = True
            elif turn.kind == "reject":
                self.refused = True
        self.text, self.since_text = _last_text(turns, index, floor)

    def _called(self, turn: Turn, tool: Tool) -> None:
        self.call, self.call_line = tool, turn.line
        self.calls += 1
        name = tool.name.lower()
        if name in EDITS:
            self.edits += 1
            self.files.add(_file_of(tool))
        elif name in ASKS:
            self.asked = True


class _After:
    """What the agent did until the next human turn."""

    def __init__(self, turns: Sequence[Turn], start: int, end: int, files: set[str]) -> None:
        self.reply = self.thought = ""
        self.calls = 0
        self.re_edited = self.undoes = self.noted = False
        for place in range(start, end):
            turn = turns[place]
            if turn.kind == "text":
                self.reply = self.reply or turn.text.lstrip()[:REPLY]
            elif turn.kind == "thinking":
                self.thought = self.thought or turn.text.lstrip()[:REPLY]
            elif turn.kind == "tool_call" and turn.tool is not None:
                self._called(turn.tool, files)

    def _called(self, tool: Tool, files: set[str]) -> None:
        self.calls += 1
        if tool.name.lower() in EDITS:
            file = _file_of(tool)
            self.re_edited = self.re_edited or file in files
            self.noted = self.noted or bool(_RULES_FILE.search(file))
        elif not self.undoes:
            command = tool.input.get("command") or tool.input.get("cmd")
            self.undoes = isinstance(command, str) and bool(_UNDO.search(command[:400]))


def call_kind(tool: Tool | None) -> str:
    """edit, plan, none or other: what sort of act the last call was."""
    if tool is None:
        return "none"
    name = tool.name.lower()
    if name in EDITS:
        return "edit"
    if name in PLANS:
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
