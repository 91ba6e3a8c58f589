"""Events of hosted sessions: what a client may send, and turns of a transcript as events and back.

An imported turn becomes the event of the wire that says the same. What the wire has no word for
(which kind of words it was, the folder, whether it was taken back) is kept in a field of our own,
which clients pass over, so that a dream reads the session as it would have read the log.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from reverie.errors import InvalidInput
from reverie.hosting.sessions import Event, HostedSession
from reverie.sessions.logs.transcript import Resume, Transcript
from reverie.sessions.model import Head, Kind, Role, Tool, Turn
from reverie.sessions.readers.managed import AGENT, ManagedParser

SENDABLE = frozenset(
    {
        "user.message",
        "user.interrupt",
        "user.tool_confirmation",
        "user.custom_tool_result",
        "user.define_outcome",
        "user.tool_result",
        "system.message",
    }
)
INITIAL = frozenset({"user.message", "user.define_outcome"})
MAX_INITIAL = 50
KEPT = "reverie"  # the field, of events and agents, with what the wire has no word for
_IDS = {"user.tool_confirmation", "user.tool_result", "user.custom_tool_result"}


def checked(event: object, allowed: frozenset[str] = SENDABLE) -> dict[str, Any]:
    """An event that a client sends.

    Raises:
        InvalidInput: its type may not be sent, or a part of it is missing.
    """
    if not isinstance(event, Mapping):
        raise InvalidInput("an event is an object")
    body = dict(cast("Mapping[str, Any]", event))
    kind = body.get("type")
    if not isinstance(kind, str) or kind not in allowed:
        raise InvalidInput(f"an event of type {kind!r} cannot be sent here")
    if kind in {"user.message", "system.message"}:
        _check_blocks(body.get("content"), kind)
    elif body.get("content") is not None:
        _check_blocks(body["content"], kind)
    if kind in _IDS:
        name = "custom_tool_use_id" if kind == "user.custom_tool_result" else "tool_use_id"
        if not isinstance(body.get(name), str):
            raise InvalidInput(f"{kind} needs `{name}`")
    if kind == "user.tool_confirmation" and body.get("result") not in {"allow", "deny"}:
        raise InvalidInput("`result` is allow or deny")
    if kind == "user.define_outcome" and not isinstance(body.get("description"), str):
        raise InvalidInput("user.define_outcome needs a `description`")
    # What says how a turn of a log is to be read is nobody's to send.
    body.pop(KEPT, None)
    return body


def _check_blocks(content: object, kind: str) -> None:
    blocks = cast("list[Any]", content) if isinstance(content, list) else None
    if blocks is None or not all(
        isinstance(block, Mapping) and isinstance(block.get("type"), str)  # pyright: ignore[reportUnknownMemberType]
        for block in blocks
    ):
        raise InvalidInput(f"`content` of {kind} is a list of blocks with a type")
    texts = [block.get("text") for block in blocks if block["type"] == "text"]
    if not all(isinstance(text, str) for text in texts):
        raise InvalidInput("a text block has a `text`")


def events_of(turns: Iterable[Turn], names: Iterator[str], now: str) -> Iterator[dict[str, Any]]:
    """The turns of a transcript as events; `names` are their ids."""
    calls: dict[str, str] = {}  # id of a call in the log: id of its event
    for turn in turns:
        identity = next(names)
        tool = turn.tool
        if tool is not None and turn.kind == "tool_call":
            calls[tool.call_id] = identity
        body = {"id": identity, "processed_at": turn.at or now, **_said(turn, calls)}
        kept: dict[str, Any] = {"role": turn.role, "kind": turn.kind, "at": turn.at}
        more = {
            "cwd": turn.cwd,
            "branch": turn.branch,
            "event": turn.event_id,
            "undone": turn.undone,
            "tokens": turn.tokens,
            "tool": list(tool._replace(input={})) if tool is not None else None,
        }
        yield body | {KEPT: kept | {name: value for name, value in more.items() if value}}


def _said(turn: Turn, calls: Mapping[str, str]) -> dict[str, Any]:
    content = [{"type": "text", "text": turn.text}] if turn.text else []
    call = calls.get(turn.tool.call_id, "") if turn.tool else ""
    match turn.role, turn.kind:
        case "human", "interrupt":
            return {"type": "user.interrupt"}
        case "human", "reject" | "reject_feedback":
            refused = {"type": "user.tool_confirmation", "tool_use_id": call, "result": "deny"}
            return refused | ({"deny_message": turn.text} if turn.text else {})
        case "human", _:
            return {"type": "user.message", "content": content}
        case "agent", "thinking":
            return {"type": "agent.thinking"}
        case "agent", "tool_call":
            tool = turn.tool or Tool("", "")
            return {"type": "agent.tool_use", "name": tool.name, "input": tool.input}
        case "agent", _:
            return {"type": "agent.message", "content": content}
        case "tool", _:
            failed = turn.tool is not None and turn.tool.ok is False
            result = {"type": "agent.tool_result", "tool_use_id": call, "is_error": failed}
            return result | {"content": content}
        case _:
            return {"type": "system.message", "content": content}


def turn_of(event: Event, kept: Mapping[str, Any]) -> Turn:
    """The turn that `events_of` made an event of; its line is the event's number."""
    body = event.body
    tool = Tool(*kept["tool"]) if kept.get("tool") else None
    if tool is not None and event.type == "agent.tool_use":
        tool = tool._replace(input=body.get("input") or {})
    blocks = cast("list[dict[str, Any]]", body.get("content") or [])
    text = str(body.get("deny_message") or "") or "".join(block.get("text", "") for block in blocks)
    return Turn(
        event.seq,
        event.seq,
        cast("Role", kept["role"]),
        cast("Kind", kept["kind"]),
        kept.get("at", ""),
        text,
        kept.get("event", ""),
        kept.get("cwd", ""),
        kept.get("branch", ""),
        "probable",
        tool,
        bool(kept.get("undone")),
        int(kept.get("tokens", 0)),
    )


class HostedTranscript(Transcript):
    """The events of one session, read like a log."""

    def __init__(self, session: HostedSession, events: Iterable[Event]) -> None:
        self._events = events
        self._hosted = session
        self._managed = ManagedParser(session.id)
        self._managed.describe({"session": {"id": session.id, "title": session.title}})
        super().__init__(AGENT, Path(session.id), self._managed)

    @property
    def head(self) -> Head:
        log: dict[str, Any] = self._hosted.agent.get(KEPT) or {}
        return replace(self._managed.head(), **log)

    def __iter__(self) -> Iterator[Turn]:
        for event in self._events:
            if kept := event.body.get(KEPT):
                turn = turn_of(event, kept)
                self._managed.seen(turn.at)
                yield turn
                continue
            turns: list[Turn] = []
            self._managed.feed(event.seq, event.seq, dict(event.body), turns)
            yield from turns
        count = self._hosted.events
        self.resume, self.end_offset = Resume(count, count), count
