"""Cursor, as far as it can be read: the editor's `state.vscdb`, the CLI's `store.db`, and the
transcripts it writes for agents (`.jsonl`, before that `.txt`).

All its stores are brought into one form first: `role` (`user`, `assistant`, `tool`, `system`) and
`content` blocks as the CLI has them. The editor keeps the words alone; elsewhere they stand between
tags, behind what was attached.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reverie.sessions.logs.lines import DamageCount
from reverie.sessions.logs.transcript import Resume, Transcript, WholeTranscript
from reverie.sessions.model import Tool, Turn, Typed
from reverie.sessions.readers import cursor_sources as sources
from reverie.sessions.readers import neutral
from reverie.sessions.readers.base import (
    Part,
    files_matching,
    head_lines,
    home,
    iso_of_ms,
    table_of,
    text_of,
)
from reverie.sessions.readers.blocks import is_template
from reverie.sessions.readers.clip import clip
from reverie.sessions.readers.databases import MAGIC, has_tables
from reverie.sessions.readers.objects import Objects, Place, Table, tables, texts_of

AGENT = "cursor"

# A user message without the person's words between these tags is context the editor added.
_ADDED = re.compile(
    r"\s*<(user_info|project_layout|git_status|rules|additional_data|attached_files|system_reminder"
    r"|open_and_recently_viewed_files|agent_transcripts|cursor_commands|reverie-\w+)\b"
)
# Before a query that the program made up itself, when a subagent is done.
_NOTICE = "<system_notification>"
_QUERY, _QUERY_END = "<user_query>", "</user_query>"
# A chat, alone or in a folder with its subagents.
_LAYOUTS = (
    r"[^/]+\.(?:txt|jsonl?)",
    r"([^/]+)/\1\.(?:txt|jsonl?)",
    r"[^/]+/subagents/[^/]+\.(?:txt|jsonl?)",
)
_EDITOR, _CLI = ".vscdb", "store.db"


class Cursor:
    """The reader of the editor's and the CLI's chats."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        base = home(env)
        config = Path(env.get("XDG_CONFIG_HOME") or base / ".config")
        editor = [config / "Cursor", base / "Library" / "Application Support" / "Cursor"]
        if roaming := env.get("APPDATA"):
            editor.append(Path(roaming) / "Cursor")
        return [*(place / "User" for place in editor), base / ".cursor"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield root / "globalStorage" / "state.vscdb"
        yield from sorted((root / "chats").glob(f"*/*/{_CLI}"))
        for folder in sorted((root / "projects").glob("*/agent-transcripts")):
            yield from files_matching(folder, *_LAYOUTS)

    def recognises(self, path: Path, head: bytes) -> bool:
        if head.startswith(MAGIC):
            if path.name == _CLI:
                return has_tables(path, "blobs", "meta")
            return path.suffix == _EDITOR and has_tables(path, "cursorDiskKV")
        if path.suffix == ".txt":
            return sources.is_text_transcript(head)
        return neutral.written_for(AGENT, head) or any(
            b'"role"' in line and b'"message"' in line and b'"content"' in line
            for line in head_lines(head, 3)
            if b'"sessionId"' not in line and b'"timestamp"' not in line
        )

    def parts(self, path: Path) -> list[Part] | None:
        if path.suffix == _EDITOR:
            return sources.composers(path)
        return [sources.cli_part(path)] if path.name == _CLI else None

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        if part:
            parser = CursorParser(part, tagged=path.suffix != _EDITOR)

            def rows(damage: DamageCount) -> Iterator[tuple[int, object]]:
                if path.suffix == _EDITOR:
                    return sources.bubbles(path, part, parser.describe, damage)
                return sources.cli_messages(path, parser.describe, damage)

            return WholeTranscript(AGENT, path, parser, rows)
        if path.suffix == ".txt":
            # Nothing but a line `user:` says who speaks, and a tool can print one.
            parser = CursorParser(path.stem, subagent=_of_a_subagent(path), typed="probable")

            def blocks(damage: DamageCount) -> Iterator[tuple[int, object]]:
                return sources.text_messages(path, damage)

            return WholeTranscript(AGENT, path, parser, blocks)
        if neutral.is_neutral(path):
            return neutral.opened(AGENT, path, resume)
        parser = CursorParser(path.name.partition(".")[0], resume, subagent=_of_a_subagent(path))
        return Transcript(AGENT, path, parser, resume)


def _of_a_subagent(path: Path) -> bool:
    """`agent-transcripts/<chat>/subagents/<id>.jsonl`: a model wrote the prompts."""
    names = [folder.name for folder in path.parents]
    return "subagents" in names and "agent-transcripts" in names[names.index("subagents") :]


class CursorParser(Objects):
    """Reads the messages of one chat in order."""

    agent = AGENT
    stamped = False  # a transcript has tags around the words, and neither times nor ids

    def __init__(
        self,
        session: str,
        resume: Resume | None = None,
        *,
        subagent: bool = False,
        tagged: bool = True,
        typed: Typed = "typed",
    ) -> None:
        super().__init__(session, resume)
        self._tagged = tagged
        self.typed = typed
        if subagent:
            self._fields["subagent"] = "yes"

    def whole(self, value: Table) -> bool:
        return isinstance(value.get("role"), str) and (
            isinstance(value.get("message"), dict) or "content" in value
        )

    def describe(self, fields: Table) -> None:
        """What is known of the chat besides its messages."""
        self._fields |= {name: value for name, value in fields.items() if isinstance(value, str)}

    def feed(self, line: int, offset: int, record: Table, out: list[Turn]) -> None:
        message = table_of(record.get("message")) or record
        content: Any = message.get("content")
        at = text_of(record.get("at")) or iso_of_ms(record.get("at"))
        self.seen(at)
        event = text_of(record.get("id"))
        if event and not self.once(event):
            return
        place = Place(line, offset, at, event)
        match record.get("role"):
            case "user":
                parts = [texts_of([block]) for block in tables(content)]
                doubt = self.from_elsewhere(record, message)
                self._said(place, parts or [texts_of(content)], out, doubt=doubt)
            case "assistant":
                self._answer(place, content, out)
            case "tool":
                for block in tables(content):
                    self._result(place, block, out)
            case "system":
                out.append(self.turn(place, "harness", "injected", clip(texts_of(content))))
            case _:
                pass

    def _said(self, place: Place, parts: list[str], out: list[Turn], *, doubt: bool) -> None:
        text = "\n".join(filter(None, parts)).strip()
        query = next((words for part in reversed(parts) if (words := _query(part))), "")
        added = _NOTICE in text or (not query and _ADDED.match(text)) or is_template(query or text)
        if self._fields.get("subagent") or added or (not query and _QUERY_END in text):
            if text:
                out.append(self.turn(place, "harness", "injected", clip(text)))
        elif text:
            doubt = doubt or (self._tagged and not query)
            out.append(self.turn(place, "human", "prompt", query or text, doubt=doubt))

    def _answer(self, place: Place, content: Any, out: list[Turn]) -> None:
        if isinstance(content, str) and content:
            out.append(self.turn(place, "agent", "text", content))
        for block in tables(content):
            text = text_of(block.get("text"))
            match block.get("type"):
                case "text" if text:
                    out.append(self.turn(place, "agent", "text", text))
                case "reasoning" | "thinking" if text:
                    out.append(self.turn(place, "agent", "thinking", clip(text)))
                case "tool-call" | "tool_use":
                    call = text_of(block.get("toolCallId")) or text_of(block.get("id"))
                    name = text_of(block.get("toolName")) or text_of(block.get("name"))
                    self._calls[call] = name
                    tool = Tool(name, call, table_of(block.get("args") or block.get("input")))
                    out.append(self.turn(place, "agent", "tool_call", "", tool))
                case "tool-result":
                    self._result(place, block, out)
                case _:
                    pass

    def _result(self, place: Place, block: Table, out: list[Turn]) -> None:
        call = text_of(block.get("toolCallId"))
        name = text_of(block.get("toolName")) or self._calls.get(call, "")
        result = block.get("result")
        text = text_of(result) or texts_of(
            block.get("content") or block.get("experimental_content")
        )
        if block.get("status") == "rejected":
            out.append(self.turn(place, "human", "reject", ""))
        tool = Tool(name, call, {}, block.get("status") not in ("error", "rejected"))
        out.append(self.turn(place, "tool", "tool_result", clip(text), tool))


def _query(part: str) -> str:
    """The words at the end of a text part: what is attached before them may hold the tags too."""
    part = part.rstrip()
    if not part.endswith(_QUERY_END):
        return ""
    start = part.rfind(_QUERY)
    return part[start:].removeprefix(_QUERY).removesuffix(_QUERY_END).strip() if start >= 0 else ""
