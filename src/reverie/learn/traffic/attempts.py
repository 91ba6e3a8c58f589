"""Attempts: each tool call of a session with what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reverie.data import patterns
from reverie.learn.traffic.calls import (
    ASKS,
    BOOKS,
    DELEGATES,
    EDITS,
    LOOKS,
    added_by,
    files_of,
    shell_text,
)
from reverie.learn.traffic.commands import (
    Act,
    Command,
    command_of,
    form_of,
    forms_of,
    reads_files,
    shortened,
)
from reverie.learn.traffic.failures import Failure, failure_of, plain
from reverie.learn.traffic.homes import tilde
from reverie.sessions.model import Tool, Turn

Verb = Literal["look", "edit", "check", "ship", "undo", "run", "ask", "delegate", "other"]
# `empty`: a search that found nothing; `cancelled`: never ran, because a call beside it failed.
Result = Literal["worked", "failed", "refused", "cancelled", "empty", "unknown"]

FIRST_WORDS = 200  # characters of an answer in which a tool says what it did
SHOWN_OUTPUT = 20_000  # of the output of a commit

_RE = patterns("traffic.txt", "attempts")
_SHOWN_KEYS = (
    "command", "cmd", "pattern", "query", "url", "file_path", "path", "description", "skill",
    "prompt", "title",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call and its result."""

    index: int  # of the call in the session's turns
    line: int
    result_line: int  # -1 when the log has no result
    result_index: int
    tool: str
    verb: Verb
    shown: str  # what was tried, in one line
    result: Result
    command: Command | None = None
    files: tuple[str, ...] = ()
    created: tuple[str, ...] = ()  # of these, or by a commit: what was not there before
    failure: Failure | None = None
    user_modified: bool = False
    output: str = ""

    @property
    def form(self) -> str:
        """The form of the call; of a tool without a command, what it was called with."""
        if self.command is None:
            return self.shown
        forms = forms_of(self.command) or [form_of(part) for part in self.command.parts[:1]]
        return shortened(" && ".join(dict.fromkeys(forms)), 140)


def attempts(turns: Sequence[Turn], start: int = 0, end: int | None = None) -> list[Attempt]:
    """The attempts whose call lies in turns[start:end], in order.

    A result without a call (a cut log) is an attempt too, so that no failure is lost.
    """
    stop = len(turns) if end is None else end
    waiting: dict[str, int] = {}
    answered: dict[int, int] = {}
    for place in range(start, stop):
        turn = turns[place]
        tool = turn.tool
        if tool is None:
            continue
        if turn.kind == "tool_call":
            waiting[tool.call_id] = place
            answered[place] = -1
        elif turn.kind == "tool_result":
            called = waiting.pop(tool.call_id, -1)
            if called >= 0:
                answered[called] = place
            elif tool.ok is False:
                answered[place] = place
    return [_attempt(turns, place, answered[place]) for place in sorted(answered)]


def _attempt(turns: Sequence[Turn], called: int, answered: int) -> Attempt:
    call = turns[called]
    tool = call.tool
    assert tool is not None
    answer = turns[answered] if answered >= 0 else None
    name = tool.name or (answer.tool.name if answer and answer.tool else "")
    text = shell_text(name, tool.input)
    command = command_of(text) if text else None
    verb = _verb(name, command)
    cwd = call.cwd
    files = tuple(relative(file, cwd) for file in files_of(tool)) if verb == "edit" else ()
    result = _result(command, verb, answer)
    failure = None
    if result == "failed" and answer is not None:
        failure = failure_of(
            command.program if command else name,
            answer.text,
            checking=verb in {"check", "ship"},
            code=answer.tool.exit_code if answer.tool else None,
        )
    return Attempt(
        index=called,
        line=call.line,
        result_line=answer.line if answer else -1,
        result_index=answered,
        tool=name,
        verb=verb,
        shown=_shown(name, tool, command, files, cwd),
        result=result,
        command=command,
        files=files,
        created=_created(tool, verb, files, answer, cwd) if result == "worked" else (),
        failure=failure,
        user_modified=bool(answer and answer.tool and answer.tool.user_modified),
        output=answer.text if answer else "",
    )


def _result(command: Command | None, verb: Verb, answer: Turn | None) -> Result:
    if answer is None or answer.tool is None:
        return "unknown"
    if answer.tool.ok is False:
        if _RE.refused.search(answer.text[:200]):
            return "refused"
        if _RE.cancelled.search(answer.text[:200]):
            return "cancelled"
        return "empty" if _found_nothing(command, answer) else "failed"
    if command is not None and command.piped and verb in {"check", "run", "ship"}:
        return "failed" if _RE.behind_pipe.search(plain(answer.text)) else "worked"
    return "worked"


def _found_nothing(command: Command | None, answer: Turn) -> bool:
    """Exit code 1 of a search means that there was nothing to find; of a service it is an error."""
    if command is None or not command.parts or answer.tool is None:
        return False
    quiet = answer.tool.exit_code == 1 and len(plain(answer.text).strip()) < 400
    return quiet and all(map(reads_files, command.parts))


def _verb(name: str, command: Command | None) -> Verb:
    if command is not None:
        act: Act = command.act
        return "edit" if any("apply_patch" in part[0] for part in command.parts) else act
    lowered = name.lower()
    if lowered in EDITS:
        return "edit"
    if lowered in LOOKS:
        return "look"
    if lowered in ASKS:
        return "ask"
    if lowered in DELEGATES:
        return "delegate"
    return "other"


def is_bookkeeping(attempt: Attempt) -> bool:
    """Task lists and plans: how an agent keeps its own order, not a try at anything."""
    return attempt.tool.lower() in BOOKS


def _created(
    tool: Tool, verb: Verb, files: tuple[str, ...], answer: Turn | None, cwd: str
) -> tuple[str, ...]:
    """The files that a call which worked has made."""
    if answer is None:
        return ()
    if verb == "ship":
        return tuple(_RE.committed.findall(answer.text[:SHOWN_OUTPUT]))
    if verb != "edit":
        return ()
    if added := added_by(tool):
        return tuple(relative(file, cwd) for file in added)
    return files if _RE.made.search(answer.text[:FIRST_WORDS]) else ()


def relative(path: str, cwd: str) -> str:
    """A path as seen from the working directory; other homes are not named."""
    path = path.replace("\\", "/") if "\\" in path and ":" in path[:3] else path
    if cwd and path.startswith(cwd.rstrip("/") + "/"):
        return path[len(cwd.rstrip("/")) + 1 :]
    return tilde(path)


def _shown(name: str, tool: Tool, command: Command | None, files: Sequence[str], cwd: str) -> str:
    if command is not None and not files:
        return command.shown()
    if files:
        return ", ".join(files)
    for key in _SHOWN_KEYS:
        value = tool.input.get(key)
        if isinstance(value, str) and value:
            return shortened(f"{name} {relative(value, cwd)}", 140)
    return name or "a call the log does not hold"
