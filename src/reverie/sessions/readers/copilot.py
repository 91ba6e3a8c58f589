"""Copilot CLI: `session-state/<id>/events.jsonl`, before that `session-state/<id>.jsonl`.

A `user.message` is typed only if it has no `source`: others are sent by the harness, by skills and
by agents. `content` is what was typed, `transformedContent` what the model got. A refusal is a
decision by the user; what a tool's result says of one is told with doubt.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reverie.sessions.logs.transcript import Resume, Transcript
from reverie.sessions.model import Kind, Tool, Turn
from reverie.sessions.readers.base import (
    SingleSession,
    files_matching,
    head_lines,
    home,
    table_of,
    text_of,
)
from reverie.sessions.readers.blocks import is_template
from reverie.sessions.readers.clip import clip
from reverie.sessions.readers.objects import Objects, Place, Table, tables

AGENT = "copilot-cli"

_FEEDBACK = re.compile(r"\bUser feedback:\s*(.*)", re.DOTALL)
_REFUSED = frozenset({"rejected", "denied"})
_OWN = "<reverie-"
_FIRST = (b'"session.start"', b'"session.resume"', b'"user.message"', b'"assistant.message"')


class Copilot(SingleSession):
    """The reader of event logs."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        given = env.get("COPILOT_HOME")
        return [Path(given) if given else home(env) / ".copilot"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield from files_matching(root / "session-state", r"[^/]+/events\.jsonl", r"[^/]+\.jsonl")

    def recognises(self, path: Path, head: bytes) -> bool:
        return any(
            b'"data"' in line
            and b'"type"' in line
            and any(kind in line for kind in _FIRST)
            # An event of a managed agent has these names too, but its fields at the top.
            and b'"timestamp"' in line
            for line in head_lines(head)
        )

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        return Transcript(AGENT, path, CopilotParser(path, resume), resume)


class CopilotParser(Objects):
    """Reads the events of one file in order."""

    agent = AGENT
    fields = frozenset({"agentMode", "parentAgentTaskId", "parentId", "source"})

    def __init__(self, path: Path, resume: Resume | None = None) -> None:
        # The newer form has a folder per session, and in it one file of a fixed name.
        stem = path.name.partition(".")[0]
        super().__init__(path.parent.name if stem == "events" else stem, resume)
        state = resume.state if resume else {}
        self._lines: dict[str, int] = dict(state.get("lines", {}))
        self._spawned = bool(state.get("spawned"))  # another session began this one

    def save(self) -> Table:
        return super().save() | {"lines": dict(self._lines), "spawned": self._spawned}

    def whole(self, value: Table) -> bool:
        return (
            isinstance(value.get("type"), str)
            and isinstance(value.get("data"), dict)
            and isinstance(value.get("id"), str)
            and isinstance(value.get("timestamp"), str)
        )

    def feed(self, line: int, offset: int, record: Table, out: list[Turn]) -> None:
        data = table_of(record.get("data"))
        place = Place(line, offset, text_of(record.get("timestamp")), text_of(record.get("id")))
        self.seen(place.at)
        if record.get("agentId") and record.get("type") == "user.message":
            return  # a subagent's own log, in ours
        match record.get("type"):
            case "user.message":
                # A typed one has no source at all; an empty one is of nobody known.
                unnamed = data.get("source", "user") != "user"
                doubt = self._spawned or unnamed or self.from_elsewhere(record, data)
                self._said(place, data, out, doubt=doubt)
            case "assistant.message":
                self._answer(place, data, out)
            case "tool.execution_start":
                self._called(data)
            case "tool.execution_complete":
                self._result(place, data, out)
            case "permission.completed":
                self._decided(place, data, out)
            case "abort" if "user" in text_of(data.get("reason")):
                out.append(self.turn(place, "human", "interrupt", ""))
            case "session.snapshot_rewind":
                self._rewound(place, data)
            case _:
                self._session(place, text_of(record.get("type")), data, out)

    def _said(self, place: Place, data: Table, out: list[Turn], *, doubt: bool) -> None:
        text = text_of(data.get("content")).strip()
        self._lines[place.event] = place.line
        if not text or not self.once(place.event or f"{place.at}/{text}"):
            return
        sent = data.get("source") not in (None, "", "user") or data.get("isAutopilotContinuation")
        if sent or text.startswith(_OWN) or is_template(text):
            out.append(self.turn(place, "harness", "injected", clip(text)))
            return
        kind: Kind = "steer" if data.get("delivery") == "steering" else "prompt"
        out.append(self.turn(place, "human", kind, text, doubt=doubt))

    def _answer(self, place: Place, data: Table, out: list[Turn]) -> None:
        if data.get("parentToolCallId"):
            return  # what a subagent said on the way
        if thought := text_of(data.get("reasoningText")):
            out.append(self.turn(place, "agent", "thinking", clip(thought)))
        if text := text_of(data.get("content")):
            out.append(self.turn(place, "agent", "text", text))
        for request in tables(data.get("toolRequests")):
            call = text_of(request.get("toolCallId")) or text_of(request.get("id"))
            name = text_of(request.get("name")) or text_of(request.get("toolName"))
            self._calls[call] = name
            tool = Tool(name, call, table_of(request.get("arguments")))
            out.append(self.turn(place, "agent", "tool_call", "", tool))

    def _called(self, data: Table) -> None:
        call = text_of(data.get("toolCallId"))
        self._calls.setdefault(call, text_of(data.get("toolName")))

    def _result(self, place: Place, data: Table, out: list[Turn]) -> None:
        call = text_of(data.get("toolCallId"))
        error = data.get("error")
        table = table_of(error)
        message = text_of(table.get("message")) or text_of(error)
        if text_of(table.get("code")) in _REFUSED:
            feedback = _FEEDBACK.search(message)
            self._refused(place, feedback.group(1).strip() if feedback else "", out, doubt=True)
        result = table_of(data.get("result"))
        text = text_of(result.get("content")) or message
        ok = data.get("success") is not False
        tool = Tool(self._calls.pop(call, ""), call, {}, ok, _exit_code(text))
        out.append(self.turn(place, "tool", "tool_result", clip(text), tool))

    def _decided(self, place: Place, data: Table, out: list[Turn]) -> None:
        result = table_of(data.get("result"))
        # Others are denied by a rule, or because there was nobody to ask.
        kind = text_of(result.get("kind"))
        if kind.startswith("denied") and kind.endswith("by-user"):
            self._refused(place, text_of(result.get("feedback")).strip(), out)

    def _refused(self, place: Place, words: str, out: list[Turn], *, doubt: bool = False) -> None:
        """A refusal stands in the decision and again in the tool's result: told once."""
        last = self._fields.get("refusal")
        self._fields["refusal"] = words
        if last == words and self._fields.get("refused_at", "")[:16] == place.at[:16]:
            return
        self._fields["refused_at"] = place.at
        kind: Kind = "reject_feedback" if words else "reject"
        out.append(self.turn(place, "human", kind, words, doubt=doubt))

    def _rewound(self, place: Place, data: Table) -> None:
        first = self._lines.get(text_of(data.get("upToEventId")))
        if first is not None:
            self._undone.append((first, place.line))

    def _session(self, place: Place, kind: str, data: Table, out: list[Turn]) -> None:
        match kind:
            case "session.start" | "session.resume" | "session.context_changed":
                self._context(kind, data)
            case "session.title_changed":
                self._fields["title"] = text_of(data.get("title"))
            case "session.compaction_complete":
                out.append(self.turn(place, "harness", "boundary", "compacted"))
                if summary := text_of(data.get("summaryContent")):
                    out.append(self.turn(place, "harness", "summary", summary))
            case "session.error":
                out.append(self.turn(place, "harness", "note", clip(text_of(data.get("message")))))
            case _:
                pass

    def _context(self, kind: str, data: Table) -> None:
        self._spawned = self._spawned or bool(data.get("detachedFromSpawningParentSessionId"))
        context = table_of(data.get("context")) or data
        here = text_of(context.get("cwd"))
        self._fields["here"] = here or self._fields.get("here", "")
        fields: dict[str, Any] = {
            "cwd": here,
            "branch": context.get("branch"),
            "remote": context.get("repositoryUrl") or context.get("remoteUrl"),
            "version": data.get("copilotVersion"),
            "id": data.get("sessionId"),
        }
        for name, value in fields.items():
            if text := text_of(value):
                self._fields.setdefault(name, text)
        if kind == "session.start" and (started := text_of(data.get("startTime"))):
            self._fields["started"] = started


def _exit_code(text: str) -> int | None:
    match = re.search(r"<?exited with exit code (-?\d{1,9})", text[-200:])
    return int(match.group(1)) if match else None
