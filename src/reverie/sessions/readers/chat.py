"""Plain chats: `{"role", "content"}` lines, and message lists as OpenAI and Anthropic take them."""

import re
from pathlib import Path
from typing import Any, cast

import msgspec

from reverie.data import pairs
from reverie.sessions.logs.transcript import Resume, Transcript
from reverie.sessions.model import Role, Tool, Turn
from reverie.sessions.readers.base import (
    SingleSession,
    head_lines,
    iso_of_ms,
    possible_ms,
    table_of,
    text_of,
)
from reverie.sessions.readers.blocks import is_template
from reverie.sessions.readers.clip import clip
from reverie.sessions.readers.objects import Objects, Place, Table, opened, tables, texts_of

AGENT = "chat"

_LISTS = ("messages", "conversation", "conversations")
_ROLE = re.compile(rb'"role"\s*:\s*"(?:user|assistant|system|human|developer)"')
_LISTED = re.compile(rb'\s*(?:\[\s*\{|\{.*?"(?:messages|conversations?)"\s*:\s*\[)', re.DOTALL)
_SPEAKERS = cast("dict[str, Role]", dict(pairs("clients.txt", "chat.speakers")))
_TEXTS = ("text", "input_text", "output_text")
_INJECTED = ("<system-reminder>", "<reverie-")
_AT = ("timestamp", "created_at", "createdAt", "ts", "time", "date")


class Chat(SingleSession):
    """The reader of chats without an agent. They have no place of their own."""

    agent = AGENT

    def recognises(self, path: Path, head: bytes) -> bool:
        if not _ROLE.search(head) or b'"content"' not in head:
            return False
        if ".jsonl" in path.name:
            return any(map(_is_message_line, head_lines(head, 5)))
        return path.suffix == ".json" and _LISTED.match(head) is not None

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        return opened(path, ChatParser(path.name.partition(".")[0], resume), _LISTS, resume)


def _is_message_line(line: bytes) -> bool:
    try:
        value: Any = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return isinstance(value, dict) and ChatParser("").whole(table_of(value))


class ChatParser(Objects):
    """Reads the messages of one chat in order. Nothing is known but the roles."""

    agent = AGENT
    fields = frozenset({"from"})

    def whole(self, value: Table) -> bool:
        return self.is_message(value) or any(
            self.is_message(message) for name in _LISTS for message in tables(value.get(name))[:1]
        )

    def is_message(self, value: Table) -> bool:
        return _speaker(value) is not None and any(
            key in value for key in ("content", "value", "tool_calls")
        )

    def describe(self, fields: Table) -> None:
        """The members of a document besides its messages."""
        names = {"id": ("session_id", "conversation_id", "id"), "title": ("title", "name")}
        for name, keys in names.items():
            texts = (text_of(fields.get(key)) for key in keys)
            if text := next(filter(None, texts), ""):
                self._fields[name] = text
        for key in ("cwd", "model"):
            if text := text_of(fields.get(key)):
                self._fields[{"cwd": "cwd", "model": "version"}[key]] = text
        if isinstance(system := fields.get("system"), str):
            self._fields["system"] = system[:200]

    def feed(self, line: int, offset: int, record: Table, out: list[Turn]) -> None:
        if self.is_message(record):
            self._message(line, offset, record, out)
            return
        self.describe({name: value for name, value in record.items() if name not in _LISTS})
        for name in _LISTS:
            for message in filter(self.is_message, tables(record.get(name))):
                self._message(line, offset, message, out)

    def _message(self, line: int, offset: int, message: Table, out: list[Turn]) -> None:
        at = _time(message)
        self.seen(at)
        event = text_of(message.get("id"))
        if event and not self.once(event):
            return
        content = message.get("content") if "content" in message else message.get("value")
        place = Place(line, offset, at, event)
        match _speaker(message):
            case "human":
                self._said(place, content, out, doubt=self._contradicted(message))
            case "agent":
                self._answer(place, message, content, out)
            case "tool":
                call = text_of(message.get("tool_call_id")) or text_of(message.get("name"))
                self._result(place, call, texts_of(content, _TEXTS), True, out)
            case _:
                text = clip(texts_of(content, _TEXTS))
                out.append(self.turn(place, "harness", "injected", text))

    def _contradicted(self, message: Table) -> bool:
        return self.from_elsewhere(message, {"role": message.get("from")})

    def _said(self, place: Place, content: Any, out: list[Turn], *, doubt: bool) -> None:
        results = [block for block in tables(content) if block.get("type") == "tool_result"]
        for block in results:
            call, failed = text_of(block.get("tool_use_id")), block.get("is_error") is True
            self._result(place, call, texts_of(block.get("content"), _TEXTS), not failed, out)
        text = texts_of(content, _TEXTS).strip()
        if text.startswith(_INJECTED) or is_template(text):
            out.append(self.turn(place, "harness", "injected", clip(text)))
        elif text:
            # Beside a tool's result it may be the program's own.
            out.append(self.turn(place, "human", "prompt", text, doubt=doubt or bool(results)))

    def _answer(self, place: Place, message: Table, content: Any, out: list[Turn]) -> None:
        thoughts = (text_of(block.get("thinking")) for block in tables(content))
        out.extend(self.turn(place, "agent", "thinking", clip(text)) for text in thoughts if text)
        if text := texts_of(content, _TEXTS):
            out.append(self.turn(place, "agent", "text", text))
        for block in tables(content):
            if block.get("type") == "tool_use":
                name, call = text_of(block.get("name")), text_of(block.get("id"))
                self._call(place, name, call, table_of(block.get("input")), out)
        for given in tables(message.get("tool_calls")):
            function = table_of(given.get("function")) or given
            name, call = text_of(function.get("name")), text_of(given.get("id"))
            self._call(place, name, call, _arguments(function.get("arguments")), out)

    def _call(self, place: Place, name: str, call: str, given: Table, out: list[Turn]) -> None:
        self._calls[call] = name
        tool = Tool(name, call, given)
        out.append(self.turn(place, "agent", "tool_call", "", tool))

    def _result(self, place: Place, call: str, text: str, ok: bool, out: list[Turn]) -> None:
        tool = Tool(self._calls.pop(call, ""), call, {}, ok)
        out.append(self.turn(place, "tool", "tool_result", clip(text), tool))


def _speaker(value: Table) -> Role | None:
    role = value.get("role") or value.get("from")
    return _SPEAKERS.get(role) if isinstance(role, str) else None


def _arguments(given: Any) -> Table:
    if isinstance(given, str) and given.startswith("{"):
        try:
            return table_of(msgspec.json.decode(given))
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            pass
    return table_of(given) or ({"input": given} if isinstance(given, str) and given else {})


def _time(message: Table) -> str:
    """The time of a message: text as it is, numbers as seconds or milliseconds since 1970."""
    value: Any = next((message[key] for key in _AT if message.get(key)), "")
    if possible_ms(value):
        return iso_of_ms(value if value > 10**11 else value * 1000)
    return text_of(value)
