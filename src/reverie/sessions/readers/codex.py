"""Codex: `sessions/YYYY/MM/DD/rollout-*.jsonl`, plain or compressed, legacy and paginated.

A person's words are `user_message` events or, in paginated history, completed user-message items.
Messages of role `user` in the model's input also hold instructions and environment, so they count
only in the oldest files, which have nothing else.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reverie.sessions.logs.transcript import Resume, Transcript
from reverie.sessions.model import Tool, Turn
from reverie.sessions.readers import codex_records as records
from reverie.sessions.readers.base import (
    SingleSession,
    files_matching,
    head_lines,
    home,
    named_by,
    table_of,
    text_of,
    trace_of,
)
from reverie.sessions.readers.blocks import is_template
from reverie.sessions.readers.clip import clip
from reverie.sessions.readers.codex_records import AGENT, Line, Payload, joined
from reverie.sessions.readers.objects import Memo, Place

_EXIT_CODE = re.compile(r"(?:Process exited with code|Exit code:) (-?\d{1,9})")
_NAME = r"rollout-[^/]+\.jsonl(?:\.zst)?"


class Codex(SingleSession):
    """The reader of rollouts."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        given = env.get("CODEX_HOME")
        return [Path(given) if given else home(env) / ".codex"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield from files_matching(root / "sessions", rf"\d{{4}}/\d\d/\d\d/{_NAME}")
        yield from files_matching(root / "archived_sessions", _NAME)

    def recognises(self, path: Path, head: bytes) -> bool:
        for line in head_lines(head):
            if b'"payload"' in line and any(
                kind in line for kind in (b'"session_meta"', b'"response_item"', b'"event_msg"')
            ):
                return True
            # The oldest files have no envelope; their first line holds the instructions.
            if path.name.startswith("rollout-") and b'"instructions"' in line:
                return True
        return False

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        return Transcript(AGENT, path, CodexParser(path, resume), resume)


class CodexParser(Memo):
    """Reads the records of one file in order."""

    agent = AGENT

    def __init__(self, path: Path, resume: Resume | None = None) -> None:
        super().__init__(named_by(path), resume)
        state = resume.state if resume else {}
        self._codes: dict[str, int] = dict(state.get("codes", {}))
        self._prompts: list[int] = list(state.get("prompts", ()))
        self._last_text: str = state.get("last_text", "")
        self._last_prompt: str = state.get("last_prompt", "")
        self._doubt()

    def save(self) -> dict[str, Any]:
        return super().save() | {
            "codes": dict(self._codes),
            "prompts": list(self._prompts),
            "last_text": self._last_text,
            "last_prompt": self._last_prompt,
        }

    def decode(self, data: bytes) -> Line:
        return records.decode(data)

    def adopt(self, value: dict[str, Any]) -> Line | None:
        return records.adopt(value)

    def feed(self, line: int, offset: int, record: Line, out: list[Turn]) -> None:
        payload = record.payload
        if payload is None:
            return
        place = Place(line, offset, record.timestamp or "")
        self.seen(place.at)
        self.stamped = record.type != "bare_item"  # the oldest files have no time on a line
        match record.type:
            case "event_msg":
                self._event(place, record, payload, out)
            case "response_item":
                self._item(place, payload, out)
            case "bare_item":
                self._bare_item(place, record, payload, out)
            case "session_meta":
                self._meta(payload, records.fields_of(record))
            case "turn_context":
                self._fields["here"] = text_of(payload.cwd) or self._fields.get("here", "")
            case "compacted":
                out.append(self.turn(place, "harness", "boundary", "compacted"))
                if summary := text_of(payload.message):
                    out.append(self.turn(place, "harness", "summary", summary))
            case _:
                pass

    def _meta(self, payload: Payload, meta: dict[str, Any]) -> None:
        """The first one names the session; a later one (resume, fork) repeats or copies it."""
        if records.by_a_script(meta) or records.by_a_model(meta):
            self._fields["scripted"] = "yes"
            self._doubt()
        if "id" in self._fields:
            return
        git = table_of(payload.git)
        self._fields |= {
            "id": text_of(payload.id) or text_of(payload.session_id),
            "cwd": text_of(payload.cwd),
            "version": text_of(payload.cli_version),
            "branch": text_of(git.get("branch")),
            "remote": text_of(git.get("repository_url")),
            "parent": text_of(payload.parent_thread_id) or text_of(payload.forked_from_id),
            "subagent": "yes" if records.by_a_model(meta) else "",
        }
        if started := text_of(payload.timestamp):
            self._fields["started"] = started

    def _doubt(self) -> None:
        if self._fields.get("scripted"):
            self.typed = "probable"

    def _event(self, place: Place, record: Line, payload: Payload, out: list[Turn]) -> None:
        match payload.type:
            case "user_message" if payload.kind in (None, "plain"):
                message = records.fields_of(record)
                self._prompt(place, "event", text_of(payload.message), message, out)
            case "item_completed":
                self._completed(place, table_of(payload.item), out)
            case "agent_message":
                self._agent_text(place, text_of(payload.message), out)
            case "exec_command_end" | "patch_apply_end":
                self._ended(payload)
            case "turn_aborted" if payload.reason in (None, "interrupted"):
                out.append(self.turn(place, "human", "interrupt", ""))
            case "thread_rolled_back":
                self._rolled_back(place, payload.num_turns)
            case "thread_name_updated":
                self._fields["title"] = text_of(payload.thread_name) or text_of(payload.name)
            case "token_count":
                self._spent += records.spent(payload.info)
            case "error":
                message = clip(text_of(payload.message))
                out.append(self.turn(place, "harness", "note", message))
            case _:
                pass

    def _completed(self, place: Place, item: dict[str, Any], out: list[Turn]) -> None:
        kind = text_of(item.get("type")).replace("_", "").lower()
        if kind == "usermessage":
            self._prompt(place, "item", joined(item.get("content")), item, out)
        elif kind == "agentmessage":
            text = joined(item.get("content")) or text_of(item.get("text"))
            self._agent_text(place, text, out)

    def _prompt(
        self, place: Place, told_by: str, text: str, message: dict[str, Any], out: list[Turn]
    ) -> None:
        words = records.typed_words(text)
        if not words:
            return
        added = words.startswith(records.INJECTED) or is_template(words)
        if self._fields.get("subagent") or added:
            out.append(self.turn(place, "harness", "injected", clip(words)))
            return
        # Without a time the same words again may well be said again.
        if place.at and not self.once(trace_of(place.at, words)):
            return
        # Legacy and paginated history may both tell of one message, a moment apart.
        last, self._last_prompt = self._last_prompt, f"{told_by} {trace_of('', words)}"
        if last.partition(" ")[2] == trace_of("", words) and last != self._last_prompt:
            return
        self._prompts.append(place.line)
        self._last_text = ""
        doubt = self.from_elsewhere(message) or records.is_automation(words)
        out.append(self.turn(place, "human", "prompt", words, doubt=doubt))

    def _agent_text(self, place: Place, text: str, out: list[Turn]) -> None:
        """Agent text stands twice, as an event and as an item: told once."""
        self._last_prompt = ""
        if text and text != self._last_text:
            self._last_text = text
            out.append(self.turn(place, "agent", "text", text))

    def _ended(self, payload: Payload) -> None:
        """Older files say in an event how a command ended, before its output."""
        code = payload.exit_code
        if payload.type == "patch_apply_end":
            code = 1 if payload.success is False else None
        call = text_of(payload.call_id)
        if isinstance(code, int) and call:
            self._codes[call] = code

    def _rolled_back(self, place: Place, turns: Any) -> None:
        if not isinstance(turns, int) or not 0 < turns <= len(self._prompts):
            return
        self._undone.append((self._prompts[-turns], place.line))
        del self._prompts[-turns:]

    def _item(self, place: Place, payload: Payload, out: list[Turn]) -> None:
        match payload.type:
            case "message":
                self._message(place, payload, out)
            case "reasoning":
                if thought := joined(payload.summary):
                    out.append(self.turn(place, "agent", "thinking", clip(thought)))
            case "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call":
                self._call(place, payload, out)
            case "function_call_output" | "custom_tool_call_output":
                self._output(place, payload, out)
            case _:
                pass

    def _bare_item(self, place: Place, record: Line, payload: Payload, out: list[Turn]) -> None:
        text = joined(payload.content)
        if payload.type == "message" and payload.role == "user" and not records.shell_command(text):
            self._prompt(place, "bare", text, records.fields_of(record), out)
        else:
            self._item(place, payload, out)

    def _message(self, place: Place, payload: Payload, out: list[Turn]) -> None:
        text = joined(payload.content)
        if payload.role == "assistant":
            self._agent_text(place, text, out)
        elif payload.role == "user":
            command = records.shell_command(text)
            if command and not self._fields.get("subagent"):
                out.append(self.turn(place, "human", "shell", command))
            elif text.lstrip().startswith(records.INJECTED):
                out.append(self.turn(place, "harness", "injected", clip(text)))

    def _call(self, place: Place, payload: Payload, out: list[Turn]) -> None:
        self._last_prompt = ""
        name = text_of(payload.name) or text_of(payload.type).removesuffix("_call")
        call = text_of(payload.call_id)
        if call:
            self._calls[call] = name
        given = payload.arguments or payload.input or payload.action
        tool = Tool(name, call, records.arguments_of(given))
        out.append(self.turn(place, "agent", "tool_call", "", tool))

    def _output(self, place: Place, payload: Payload, out: list[Turn]) -> None:
        call = text_of(payload.call_id)
        text, code = records.output_of(payload.output)
        code = self._codes.pop(call, code)
        if code is None and (match := _EXIT_CODE.search(text[:400])):
            code = int(match.group(1))
        tool = Tool(self._calls.pop(call, ""), call, {}, code in {None, 0}, code)
        out.append(self.turn(place, "tool", "tool_result", clip(text), tool))
