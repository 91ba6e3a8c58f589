"""Pi: `sessions/--<path>--/<time>_<id>.jsonl`, a tree of entries in the order of writing.

Entries form a tree by `parentId`. What is not on the way from the last entry to the root was left
by the person, who went back and on from there.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reverie.config import expanded
from reverie.sessions.logs.transcript import Resume, Transcript
from reverie.sessions.model import Kind, Tool, Turn
from reverie.sessions.readers.base import (
    SingleSession,
    files_matching,
    head_lines,
    home,
    named_by,
    table_of,
    text_of,
)
from reverie.sessions.readers.blocks import is_template
from reverie.sessions.readers.clip import clip
from reverie.sessions.readers.objects import Objects, Place, Table, tables, texts_of

AGENT = "pi"

# A skill is called as a command; its body is put before the words that were typed after it. Body
# and files may hold the closing tag: only the last one is the agent's.
_SKILL = re.compile(r'<skill name="([^"]+)"[^>]*>\n.*\n</skill>(?:\n\n(.*))?\Z', re.DOTALL)
# What `pi @file` puts before the words.
_FILE, _FILE_END = '<file name="', "</file>"
_EXIT = re.compile(r"Command exited with code (-?\d{1,9})")
_OWN = "<reverie-"


class Pi(SingleSession):
    """The reader of session files."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        given = env.get("PI_CODING_AGENT_DIR")
        return [expanded(given, env) if given else home(env) / ".pi" / "agent"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield from files_matching(root / "sessions", r"--[^/]*--/[^/]+_[^/]+\.jsonl")

    def recognises(self, path: Path, head: bytes) -> bool:
        for line in head_lines(head):
            if b'"type":"session_start"' in line:
                return False  # another agent's, whose messages look the same
            if b'"type":"session"' in line.replace(b" ", b"") and b'"cwd"' in line:
                return True
            if b'"type":"message"' in line and b'"message":{"role":' in line and b'"id"' in line:
                return True
        return False

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        return Transcript(AGENT, path, PiParser(path, resume), resume)


class PiParser(Objects):
    """Reads the entries of one file in order."""

    agent = AGENT
    fields = frozenset({"parentId"})

    def __init__(self, path: Path, resume: Resume | None = None) -> None:
        super().__init__(named_by(path) or path.name.partition(".")[0], resume)
        state = resume.state if resume else {}
        self._entries: dict[str, tuple[int, str]] = {
            key: (line, parent) for key, line, parent in state.get("entries", ())
        }
        self._last: str = state.get("last", "")
        self._busy: bool = state.get("busy", False)

    def save(self) -> Table:
        entries = [[key, line, parent] for key, (line, parent) in self._entries.items()]
        return super().save() | {"entries": entries, "last": self._last, "busy": self._busy}

    @property
    def undone(self) -> list[tuple[int, int]]:
        """Lines off the way from the last entry to the root."""
        kept: set[str] = set()
        at = self._last
        while at in self._entries and at not in kept:
            kept.add(at)
            at = self._entries[at][1]
        return [(n, n + 1) for key, (n, _) in self._entries.items() if key not in kept]

    def whole(self, value: Table) -> bool:
        kind = value.get("type")
        if kind == "session":
            return isinstance(value.get("cwd"), str)
        return isinstance(kind, str) and isinstance(value.get("timestamp"), str)

    def feed(self, line: int, offset: int, record: Table, out: list[Turn]) -> None:
        place = Place(line, offset, text_of(record.get("timestamp")), text_of(record.get("id")))
        self.seen(place.at)
        kind = record.get("type")
        if kind == "session":
            self._header(record)
            return
        if place.event:
            # The first version had no tree: each entry follows the one before.
            parent = text_of(record.get("parentId")) if "parentId" in record else self._last
            self._entries.setdefault(place.event, (line, parent))
            self._last = place.event
        match kind:
            case "message":
                self._message(place, record, table_of(record.get("message")), out)
            case "compaction":
                out.append(self.turn(place, "harness", "boundary", "compacted"))
                out.append(self.turn(place, "harness", "summary", text_of(record.get("summary"))))
            case "branch_summary":
                out.append(self.turn(place, "harness", "summary", text_of(record.get("summary"))))
            case "custom_message":
                text = clip(texts_of(record.get("content")))
                out.append(self.turn(place, "harness", "injected", text))
            case "session_info":
                self._fields["title"] = text_of(record.get("name"))
            case _:
                pass

    def _header(self, record: Table) -> None:
        for name, key in (("id", "id"), ("cwd", "cwd"), ("parent", "parentSession")):
            if text := text_of(record.get(key)):
                self._fields.setdefault(name, text)

    def _message(self, place: Place, record: Table, message: Table, out: list[Turn]) -> None:
        match message.get("role"):
            case "user":
                text = texts_of(message.get("content")).strip()
                self._said(place, text, out, doubt=self.from_elsewhere(record, message))
            case "assistant":
                self._answer(place, message, out)
            case "toolResult":
                self._result(place, message, out)
                self._busy = True
            case "bashExecution":
                self._shell(place, message, out)
            case "custom" | "hookMessage":
                text = clip(texts_of(message.get("content")))
                out.append(self.turn(place, "harness", "injected", text))
            case _:
                pass

    def _said(self, place: Place, text: str, out: list[Turn], *, doubt: bool) -> None:
        if not text or not self.once(place.event or f"{place.at}/{text}"):
            return
        if text.startswith(_FILE):
            _, closed, words = text.rpartition(_FILE_END)
            text = words.strip()
            if not closed or not text:
                return
        # Words that follow a tool's result were typed while the agent worked.
        kind: Kind = "steer" if self._busy else "prompt"
        skill = _SKILL.match(text)
        added = text.startswith((_OWN, "<skill name=")) and skill is None
        if added or is_template(text):
            out.append(self.turn(place, "harness", "injected", clip(text)))
            return
        if skill:
            name, words = f"/skill:{skill.group(1)}", (skill.group(2) or "").strip()
            if not words:
                return
            kind, text = "command", f"{name} {words}"
        self._busy = False
        out.append(self.turn(place, "human", kind, text, doubt=doubt))

    def _answer(self, place: Place, message: Table, out: list[Turn]) -> None:
        self._busy = False
        for block in tables(message.get("content")):
            match block.get("type"):
                case "text" if text := text_of(block.get("text")):
                    out.append(self.turn(place, "agent", "text", text))
                case "thinking" if thought := text_of(block.get("thinking")):
                    out.append(self.turn(place, "agent", "thinking", clip(thought)))
                case "toolCall":
                    name, call = text_of(block.get("name")), text_of(block.get("id"))
                    tool = Tool(name, call, table_of(block.get("arguments")))
                    out.append(self.turn(place, "agent", "tool_call", "", tool))
                case _:
                    pass
        if message.get("stopReason") == "aborted":
            out.append(self.turn(place, "human", "interrupt", ""))
        elif message.get("stopReason") == "error":
            error = clip(text_of(message.get("errorMessage")))
            out.append(self.turn(place, "harness", "note", error))

    def _result(self, place: Place, message: Table, out: list[Turn]) -> None:
        text = texts_of(message.get("content"))
        match = _EXIT.search(text[-200:])
        failed = message.get("isError") is True
        tool = Tool(
            text_of(message.get("toolName")),
            text_of(message.get("toolCallId")),
            {},
            not failed,
            int(match.group(1)) if match else None,
        )
        out.append(self.turn(place, "tool", "tool_result", clip(text), tool))

    def _shell(self, place: Place, message: Table, out: list[Turn]) -> None:
        command = text_of(message.get("command")).strip()
        if not command or not self.once(place.event or f"{place.at}/{command}"):
            return
        out.append(self.turn(place, "human", "shell", command))
        code: Any = message.get("exitCode")
        code = code if isinstance(code, int) else None
        tool = Tool("bash", "", {}, code in {None, 0}, code)
        output = clip(text_of(message.get("output")))
        out.append(self.turn(place, "tool", "tool_result", output, tool))
