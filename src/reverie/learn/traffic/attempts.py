"""Attempts: each tool call of a session, what sort of act it is, and what became of it."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from reverie.data import patterns
from reverie.learn.traffic.commands import (
    Command,
    command_of,
    form_of,
    forms_of,
    name_of,
    reads_files,
    shortened,
)
from reverie.learn.traffic.failures import Failure, failure_of, plain
from reverie.learn.traffic.homes import tilde
from reverie.learn.traffic.sieve import may_hold
from reverie.mounts.attribution import DiskWrite
from reverie.sessions.index import SessionRead
from reverie.sessions.model import TOOLS, Tool, Turn, evidence_id

_RE = patterns("traffic.txt", "attempts")
SHELLS = ("bash", "shell", "exec", "command", "terminal")
_FILE_KEYS = ("file_path", "path", "filePath", "absolute_path", "notebook_path", "filename")


def shell_text(name: str, given: dict[str, Any]) -> str:
    """The command line of a call, "" when it runs none."""
    value = given.get("command", given.get("cmd"))
    if isinstance(value, list):
        words = [str(word) for word in cast("list[Any]", value)]
        return words[-1] if len(words) == 3 and words[1] in {"-lc", "-c"} else " ".join(words)
    lowered = name.lower()
    if isinstance(value, str) and any(word in lowered for word in SHELLS):
        return value
    return ""


def files_of(tool: Tool) -> list[str]:
    """The files an edit names."""
    for key in _FILE_KEYS:
        value = tool.input.get(key)
        if isinstance(value, str) and value:
            return [value]
    return _in_patches(tool, _RE.patched)


def _in_patches(tool: Tool, files: re.Pattern[str]) -> list[str]:
    """The files that patches among the arguments of a call name."""
    texts = [text for text in tool.input.values() if isinstance(text, str) and "*** " in text]
    return [name.strip() for text in texts for name in files.findall(text)]


def disk_writes(read: SessionRead) -> list[DiskWrite]:
    """Every call of a writing tool with the file it names; relative ones lie in the session's."""
    head = read.head
    return [
        DiskWrite(
            os.path.join(turn.cwd or head.cwd or "/", name),
            read.key,
            evidence_id(head.agent, head.session_id, turn.line),
            turn.at,
        )
        for turn in read.turns
        if turn.kind == "tool_call" and turn.tool and turn.tool.name.lower() in TOOLS.edits
        for name in files_of(turn.tool)
    ]


Verb = Literal["look", "edit", "check", "ship", "undo", "run", "ask", "delegate", "other"]
# `empty`: a search that found nothing; `cancelled`: never ran, because a call beside it failed.
Result = Literal["worked", "failed", "refused", "cancelled", "empty", "unknown"]

FIRST_WORDS = 200  # characters of an answer in which a tool says what it did
SHOWN_OUTPUT = 20_000  # of the output of a commit

_SHOWN_KEYS = (
    "command", "cmd", "pattern", "query", "url", "file_path", "path", "description", "skill",
    "prompt", "title",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call and its result."""

    index: int  # of the call in the session's turns
    line: int
    at: str
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
    answer: Turn | None = None
    cwd: str = ""  # as the log tells it

    @property
    def output(self) -> str:
        """What it printed."""
        return self.answer.whole if self.answer is not None else ""

    @property
    def name(self) -> str:
        """The program and its subcommand, or the tool; "" where that may hold a sentence."""
        if self.command is None:
            return self.tool if _RE.plain_name.fullmatch(self.tool) else ""
        return name_of(self.command)

    @property
    def form(self) -> str:
        """The form of the call; of a tool without a command, what it was called with."""
        if self.command is None:
            return self.shown
        forms = self.forms or [form_of(part) for part in self.command.parts[:1]]
        return shortened(" && ".join(dict.fromkeys(forms)), 140)

    @property
    def forms(self) -> list[str]:
        """The forms of what it runs; none where it only looks."""
        return forms_of(self.command) if self.command is not None else []

    @property
    def edited(self) -> bool:
        """Whether it changed files: what follows is another try."""
        return self.verb == "edit" and self.result == "worked"


# Attempts by the places of their call and its result: a session is looked at whole and by tasks.
Made = dict[tuple[int, int], Attempt]


def attempts(
    turns: Sequence[Turn], start: int = 0, end: int | None = None, made: Made | None = None
) -> list[Attempt]:
    """The attempts whose call lies in turns[start:end], in order.

    A result without a call (a cut log) is an attempt too, so that no failure is lost. What is in
    `made` is not made again.
    """
    made = {} if made is None else made
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
    for place, result in answered.items():
        if (place, result) not in made:
            made[place, result] = _attempt(turns, place, result)
    return [made[place, answered[place]] for place in sorted(answered)]


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
            answer.whole,
            checking=verb in {"check", "ship"},
            code=answer.tool.exit_code if answer.tool else None,
        )
    return Attempt(
        index=called,
        line=call.line,
        at=call.at,
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
        answer=answer,
        cwd=cwd,
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
        text = plain(answer.whole)
        failed = may_hold(_RE.behind_pipe, text) and _RE.behind_pipe.search(text)
        return "failed" if failed else "worked"
    return "worked"


def _found_nothing(command: Command | None, answer: Turn) -> bool:
    """Exit code 1 of a search means that there was nothing to find; of a service it is an error."""
    if command is None or not command.parts or answer.tool is None:
        return False
    quiet = answer.tool.exit_code == 1 and len(plain(answer.text).strip()) < 400
    return quiet and all(map(reads_files, command.parts))


def _verb(name: str, command: Command | None) -> Verb:
    if command is not None:
        patches = any("apply_patch" in part[0] for part in command.parts)
        return "edit" if patches else command.act
    sorts: tuple[tuple[Verb, frozenset[str]], ...] = (
        ("edit", TOOLS.edits),
        ("look", TOOLS.looks),
        ("ask", TOOLS.asks),
        ("delegate", TOOLS.delegates),
    )
    for verb, names in sorts:
        if name.lower() in names:
            return verb
    return "other"


def is_bookkeeping(attempt: Attempt) -> bool:
    """Task lists and plans: how an agent keeps its own order, not a try at anything."""
    return attempt.tool.lower() in TOOLS.books


def _created(
    tool: Tool, verb: Verb, files: tuple[str, ...], answer: Turn | None, cwd: str
) -> tuple[str, ...]:
    """The files that a call which worked has made."""
    if answer is None or verb not in {"ship", "edit"}:
        return ()
    if verb == "ship":
        return tuple(_RE.committed.findall(answer.whole[:SHOWN_OUTPUT]))
    if added := _in_patches(tool, _RE.added):
        return tuple(relative(file, cwd) for file in added)
    return files if _RE.made.search(answer.whole[:FIRST_WORDS]) else ()


def relative(path: str, cwd: str) -> str:
    """A path as seen from the working directory; other homes are not named."""
    path = path.replace("\\", "/") if "\\" in path and ":" in path[:3] else path
    if cwd and path.startswith(cwd.rstrip("/") + "/"):
        return path[len(cwd.rstrip("/")) + 1 :]
    return tilde(path)


def inside(file: str, root: str) -> str:
    """A file as it lies in the project; what lies elsewhere as `relative` writes it."""
    home = relative(root, "") if root else ""
    return relative(relative(file, root), home).removeprefix("./")


def _shown(name: str, tool: Tool, command: Command | None, files: Sequence[str], cwd: str) -> str:
    if files:
        return ", ".join(files)
    if command is not None:
        return command.shown()
    for key in _SHOWN_KEYS:
        value = tool.input.get(key)
        if isinstance(value, str) and value:
            return shortened(f"{name} {relative(value, cwd)}", 140)
    return name or "a call the log does not hold"
