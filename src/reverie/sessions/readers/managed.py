"""Managed agents: the event list of a session, as the API returns it, as JSON or as lines."""

import re
from pathlib import Path

from reverie.sessions.logs.transcript import Resume, Transcript
from reverie.sessions.model import Kind, Tool, Turn
from reverie.sessions.readers.base import SingleSession, table_of, text_of
from reverie.sessions.readers.clip import clip
from reverie.sessions.readers.objects import Objects, Place, Table, opened, texts_of

AGENT = "managed-agent"

_EVENT = re.compile(
    rb'"type"\s*:\s*"(?:user\.(?:message|define_outcome)|agent\.(?:message|tool_use)'
    rb'|session\.status_(?:running|idle))"'
)
_ANSWERED = re.compile(rb'"type"\s*:\s*"(?:agent\.|session\.status_)')
_FAMILIES = ("user.", "agent.", "system.", "session.", "span.", "workflow_run.")
_OWN = "<reverie-"


class Managed(SingleSession):
    """The reader of event lists. They have no place of their own: they come with `--logs`."""

    agent = AGENT

    def recognises(self, path: Path, head: bytes) -> bool:
        # An event that waits has no time yet; events of other agents have other names.
        ours = b'"processed_at"' in head or _ANSWERED.search(head) is not None
        return ours and _EVENT.search(head) is not None

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        parser = ManagedParser(path.name.partition(".")[0], resume)
        return opened(path, parser, ("data", "events"), resume)


class ManagedParser(Objects):
    """Reads the events of one session in order.

    An application sends what a person typed, or what it made up itself; the events do not say. So
    human turns are `probable`.
    """

    agent = AGENT
    typed = "probable"

    def __init__(self, session: str, resume: Resume | None = None) -> None:
        super().__init__(session, resume)
        self._running: bool = bool(resume and resume.state.get("running"))

    def save(self) -> Table:
        return super().save() | {"running": self._running}

    def whole(self, value: Table) -> bool:
        kind = value.get("type")
        return (
            isinstance(kind, str)
            and kind.startswith(_FAMILIES)
            and (isinstance(value.get("id"), str) or "processed_at" in value)
        )

    def describe(self, fields: Table) -> None:
        """The session object, where a file has it beside the events."""
        session = table_of(fields.get("session")) or fields
        names = {"id": "id", "title": "title", "started": "created_at"}
        for name, key in names.items():
            if text := text_of(session.get(key)):
                self._fields[name] = text

    def feed(self, line: int, offset: int, record: Table, out: list[Turn]) -> None:
        at = text_of(record.get("processed_at")) or text_of(record.get("created_at"))
        self.seen(at)
        event = text_of(record.get("id"))
        if event and not self.once(event):
            return
        place = Place(line, offset, at, event)
        family, _, kind = text_of(record.get("type")).partition(".")
        if family == "user":
            self._user(kind, place, record, out)
        elif family == "agent":
            self._agent(kind, place, record, out)
        elif family == "session":
            self._session(kind, place, record, out)
        elif family == "system" and (text := texts_of(record.get("content"))):
            out.append(self.turn(place, "harness", "injected", clip(text)))

    def _user(self, kind: str, place: Place, record: Table, out: list[Turn]) -> None:
        match kind:
            case "message":
                text = texts_of(record.get("content")).strip()
                if text.startswith(_OWN):
                    out.append(self.turn(place, "harness", "injected", clip(text)))
                elif text:
                    said: Kind = "steer" if self._running else "prompt"
                    out.append(self.turn(place, "human", said, text))
            case "define_outcome":
                if text := text_of(record.get("description")).strip():
                    out.append(self.turn(place, "human", "prompt", text))
            case "interrupt":
                out.append(self.turn(place, "human", "interrupt", ""))
            case "tool_confirmation" if record.get("result") == "deny":
                words = text_of(record.get("deny_message")).strip()
                said = "reject_feedback" if words else "reject"
                out.append(self.turn(place, "human", said, words))
            case "tool_result" | "custom_tool_result":
                self._result(place, record, out)
            case _:
                pass

    def _agent(self, kind: str, place: Place, record: Table, out: list[Turn]) -> None:
        match kind:
            case "message":
                if text := texts_of(record.get("content")):
                    out.append(self.turn(place, "agent", "text", text))
            case "tool_use" | "mcp_tool_use" | "custom_tool_use":
                name = text_of(record.get("name"))
                self._calls[place.event] = name
                tool = Tool(name, place.event, table_of(record.get("input")))
                out.append(self.turn(place, "agent", "tool_call", "", tool))
            case "tool_result" | "mcp_tool_result":
                self._result(place, record, out)
            case "thread_context_compacted":
                out.append(self.turn(place, "harness", "boundary", "compacted"))
            case "thread_message_received":
                text = clip(texts_of(record.get("content")))
                out.append(self.turn(place, "harness", "injected", text))
            case _:
                pass

    def _result(self, place: Place, record: Table, out: list[Turn]) -> None:
        keys = ("tool_use_id", "mcp_tool_use_id", "custom_tool_use_id")
        call = next((key for name in keys if (key := text_of(record.get(name)))), "")
        tool = Tool(self._calls.pop(call, ""), call, {}, record.get("is_error") is not True)
        text = clip(texts_of(record.get("content")))
        out.append(self.turn(place, "tool", "tool_result", text, tool))

    def _session(self, kind: str, place: Place, record: Table, out: list[Turn]) -> None:
        if kind == "status_running":
            self._running = True
        elif kind in ("status_idle", "status_terminated", "status_rescheduled"):
            self._running = False
        elif kind == "error":
            text = clip(text_of(table_of(record.get("error")).get("message")))
            out.append(self.turn(place, "harness", "note", text))
        elif kind == "updated" and (title := text_of(record.get("title"))):
            self._fields["title"] = title
