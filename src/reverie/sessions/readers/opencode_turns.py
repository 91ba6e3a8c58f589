"""Turns out of the messages of one OpenCode session, in the form of `opencode export`.

A message is `{info, parts}`. Text parts marked `synthetic` or `ignored` were not typed; in a
session with a parent a model wrote the prompts.
"""

import re
from typing import NamedTuple

from reverie.sessions.model import Head, Kind, Role, Tool, Turn
from reverie.sessions.readers.base import iso_of_ms, table_of, text_of
from reverie.sessions.readers.clip import clip
from reverie.sessions.readers.objects import Table, tables

AGENT = "opencode"

# The message that stands for a `!` line; the command is in the message that follows.
_SHELL = "The following tool was executed by the user"
_REFUSED = "The user rejected permission to use this specific tool call"
_FEEDBACK = re.compile(r"with the following feedback:\s*(.*)", re.DOTALL)
_OWN = "<reverie-"


class _Place(NamedTuple):
    line: int
    at: str
    event: str
    cwd: str


class OpenCodeSession:
    """Reads the messages of one session in order."""

    def __init__(self, session: str) -> None:
        self._head = Head(AGENT, session)
        self._fields: dict[str, str] = {}
        self._revert = ""
        self._shell = False
        self.undone: list[tuple[int, int]] = []

    def head(self) -> Head:
        return Head(
            agent=AGENT,
            session_id=self._fields.get("id") or self._head.session_id,
            cwd=self._fields.get("directory", ""),
            started=self._fields.get("started", ""),
            ended=self._fields.get("ended", ""),
            title=self._fields.get("title", ""),
            version=self._fields.get("version", ""),
            parent=self._fields.get("parentID", ""),
            subagent=bool(self._fields.get("parentID")),
        )

    def document(self, fields: Table) -> None:
        """The members of an export besides its messages."""
        self.describe(table_of(fields.get("info")) or fields)

    def describe(self, info: Table) -> None:
        """What the session's own record says."""
        for name in ("id", "directory", "title", "version", "parentID"):
            if text := text_of(info.get(name)):
                self._fields[name] = text
        time = table_of(info.get("time"))
        self._fields["started"] = iso_of_ms(time.get("created"))
        self._fields["ended"] = iso_of_ms(time.get("updated"))
        self._revert = text_of(table_of(info.get("revert")).get("messageID"))

    def whole(self, value: Table) -> bool:
        return isinstance(value.get("parts"), list) and isinstance(
            table_of(value.get("info")).get("role"), str
        )

    def feed(self, line: int, offset: int, record: Table, out: list[Turn]) -> None:
        info = table_of(record.get("info"))
        event = text_of(info.get("id"))
        at = iso_of_ms(table_of(info.get("time")).get("created"))
        cwd = text_of(table_of(info.get("path")).get("cwd"))
        place = _Place(line, at, event, cwd or self._fields.get("directory", ""))
        if at:
            self._fields["started"] = self._fields.get("started") or at
            self._fields["ended"] = max(self._fields.get("ended", ""), at)
        if self._revert and event == self._revert:
            self.undone.append((line, 2**31))
        parts = tables(record.get("parts"))
        if info.get("role") == "user":
            self._said(place, parts, out)
        else:
            self._answer(place, info, parts, out)

    def _turn(
        self, place: _Place, role: Role, kind: Kind, text: str, tool: Tool | None = None
    ) -> Turn:
        line, at, event, cwd = place
        return Turn(line, 0, role, kind, at, text, event, cwd, tool=tool)

    def _said(self, place: _Place, parts: list[Table], out: list[Turn]) -> None:
        typed: list[str] = []
        for part in parts:
            text = text_of(part.get("text"))
            match part.get("type"):
                case "text" if part.get("synthetic") or part.get("ignored"):
                    self._shell = self._shell or text.startswith(_SHELL)
                    out.append(self._turn(place, "harness", "injected", clip(text)))
                case "text":
                    typed.append(text)
                case "compaction":
                    out.append(self._turn(place, "harness", "boundary", "compacted"))
                case "shell":
                    out.append(self._turn(place, "human", "shell", text_of(part.get("command"))))
                case _:
                    pass
        words = "\n".join(filter(None, typed)).strip()
        if not words:
            return
        if self._fields.get("parentID") or words.startswith(_OWN):
            out.append(self._turn(place, "harness", "injected", clip(words)))
        else:
            out.append(self._turn(place, "human", "prompt", words))

    def _answer(self, place: _Place, info: Table, parts: list[Table], out: list[Turn]) -> None:
        role: Role = "harness" if info.get("summary") is True else "agent"
        kind: Kind = "summary" if info.get("summary") is True else "text"
        for part in parts:
            text = text_of(part.get("text"))
            match part.get("type"):
                case "text" if text and not part.get("synthetic"):
                    out.append(self._turn(place, role, kind, text))
                case "reasoning" if text:
                    out.append(self._turn(place, "agent", "thinking", clip(text)))
                case "tool":
                    self._tool(place, part, out)
                case _:
                    pass
        self._shell = False
        error = table_of(info.get("error"))
        if error.get("name") == "MessageAbortedError":
            out.append(self._turn(place, "human", "interrupt", ""))
        elif error:
            message = table_of(error.get("data")).get("message") or error.get("message")
            out.append(self._turn(place, "harness", "note", clip(text_of(message))))

    def _tool(self, place: _Place, part: Table, out: list[Turn]) -> None:
        name = text_of(part.get("tool")) or text_of(part.get("name"))
        call = text_of(part.get("callID")) or text_of(part.get("id"))
        state = table_of(part.get("state"))
        given = table_of(state.get("input"))
        command = text_of(given.get("command"))
        if self._shell and command and not self._fields.get("parentID"):
            self._shell = False
            out.append(self._turn(place, "human", "shell", command))
        else:
            out.append(self._turn(place, "agent", "tool_call", "", Tool(name, call, given)))
        status = state.get("status")
        if status not in ("completed", "error"):
            return
        error = state.get("error")
        message = text_of(error) or text_of(table_of(error).get("message"))
        if status == "error" and message.startswith(_REFUSED):
            found = _FEEDBACK.search(message)
            words = found.group(1).strip() if found else ""
            out.append(self._turn(place, "human", "reject_feedback" if words else "reject", words))
        code = table_of(state.get("metadata")).get("exit")
        code = code if isinstance(code, int) else None
        tool = Tool(name, call, {}, status == "completed" and code in {None, 0}, code)
        text = text_of(state.get("output")) or message
        out.append(self._turn(place, "tool", "tool_result", clip(text), tool))
