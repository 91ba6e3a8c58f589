"""Managed agents: the event list of a session, as the API returns it, as JSON or as lines."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from reverie.sessions.document import messages_of
from reverie.sessions.lines import DamageCount
from reverie.sessions.model import Kind, Role, Tool, Turn
from reverie.sessions.readers.base import Part, table_of, text_of
from reverie.sessions.readers.clip import clip
from reverie.sessions.readers.objects import Objects, Table, texts_of
from reverie.sessions.transcript import Resume, Transcript, WholeTranscript

AGENT = "managed-agent"

_EVENTS = tuple(
    f'"{kind}"'.encode()
    for kind in (
        "user.message",
        "user.define_outcome",
        "agent.message",
        "agent.tool_use",
        "session.status_running",
        "session.status_idle",
    )
)
_FAMILIES = ("user.", "agent.", "system.", "session.", "span.", "workflow_run.")
_OWN = "<reverie-"


class Managed:
    """The reader of event lists. They have no place of their own: they come with `--logs`."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        return []

    def candidates(self, root: Path) -> Iterator[Path]:
        return iter(())

    def recognises(self, path: Path, head: bytes) -> bool:
        return b'"processed_at"' in head and any(event in head for event in _EVENTS)

    def parts(self, path: Path) -> list[Part] | None:
        return None

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        parser = ManagedParser(path.name.partition(".")[0], resume)
        if ".jsonl" in path.name:
            return Transcript(AGENT, path, parser, resume)

        def records(damage: DamageCount) -> Iterator[tuple[int, object]]:
            return messages_of(path, ("data", "events"), parser.whole, parser.describe, damage)

        return WholeTranscript(AGENT, path, parser, records)


class ManagedParser(Objects):
    """Reads the events of one session in order.

    An application sends what a person typed, or what it made up itself; the events do not say. So
    human turns are `probable`.
    """

    agent = AGENT

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
        turn = Turn(line, offset, "human", "prompt", at, "", event, typed="probable")
        family, _, kind = text_of(record.get("type")).partition(".")
        if family == "user":
            self._user(kind, turn, record, out)
        elif family == "agent":
            self._agent(kind, turn, record, out)
        elif family == "session":
            self._session(kind, turn, record, out)
        elif family == "system" and (text := texts_of(record.get("content"))):
            out.append(_as(turn, "harness", "injected", clip(text)))

    def _user(self, kind: str, turn: Turn, record: Table, out: list[Turn]) -> None:
        match kind:
            case "message":
                text = texts_of(record.get("content")).strip()
                if text.startswith(_OWN):
                    out.append(_as(turn, "harness", "injected", clip(text)))
                elif text:
                    said: Kind = "steer" if self._running else "prompt"
                    out.append(turn._replace(kind=said, text=text))
            case "define_outcome":
                if text := text_of(record.get("description")).strip():
                    out.append(turn._replace(text=text))
            case "interrupt":
                out.append(turn._replace(kind="interrupt"))
            case "tool_confirmation" if record.get("result") == "deny":
                words = text_of(record.get("deny_message")).strip()
                said = "reject_feedback" if words else "reject"
                out.append(turn._replace(kind=said, text=words))
            case "tool_result" | "custom_tool_result":
                self._result(turn, record, out)
            case _:
                pass

    def _agent(self, kind: str, turn: Turn, record: Table, out: list[Turn]) -> None:
        match kind:
            case "message":
                if text := texts_of(record.get("content")):
                    out.append(_as(turn, "agent", "text", text))
            case "tool_use" | "mcp_tool_use" | "custom_tool_use":
                name = text_of(record.get("name"))
                self._calls[turn.event_id] = name
                tool = Tool(name, turn.event_id, table_of(record.get("input")))
                out.append(_as(turn, "agent", "tool_call", "")._replace(tool=tool))
            case "tool_result" | "mcp_tool_result":
                self._result(turn, record, out)
            case "thread_context_compacted":
                out.append(_as(turn, "harness", "boundary", "compacted"))
            case "thread_message_received":
                text = clip(texts_of(record.get("content")))
                out.append(_as(turn, "harness", "injected", text))
            case _:
                pass

    def _result(self, turn: Turn, record: Table, out: list[Turn]) -> None:
        keys = ("tool_use_id", "mcp_tool_use_id", "custom_tool_use_id")
        call = next((key for name in keys if (key := text_of(record.get(name)))), "")
        tool = Tool(self._calls.pop(call, ""), call, {}, record.get("is_error") is not True)
        text = clip(texts_of(record.get("content")))
        out.append(_as(turn, "tool", "tool_result", text)._replace(tool=tool))

    def _session(self, kind: str, turn: Turn, record: Table, out: list[Turn]) -> None:
        if kind == "status_running":
            self._running = True
        elif kind in ("status_idle", "status_terminated", "status_rescheduled"):
            self._running = False
        elif kind == "error":
            text = clip(text_of(table_of(record.get("error")).get("message")))
            out.append(_as(turn, "harness", "note", text))
        elif kind == "updated" and (title := text_of(record.get("title"))):
            self._fields["title"] = title


def _as(turn: Turn, role: Role, kind: Kind, text: str) -> Turn:
    return turn._replace(role=role, kind=kind, text=text, typed="typed")
