"""Codex: `sessions/YYYY/MM/DD/rollout-*.jsonl`, plain or `.zst`, legacy and paginated history.

A person's words are `user_message` events or, in paginated history, completed user-message items.
Messages of role `user` in the model's input also hold instructions and environment, so they count
only in the oldest files, which have nothing else.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct

from reverie.sessions.model import Head, Kind, Role, Tool, Turn
from reverie.sessions.readers.base import Part, files_under, head_lines, home
from reverie.sessions.readers.clip import clip
from reverie.sessions.transcript import Resume, Transcript

AGENT = "codex"

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_EXIT_CODE = re.compile(r"(?:Process exited with code|Exit code:) (-?\d{1,9})")
# What the IDE extension puts above the person's words, and the headings right before them.
_IDE = re.compile(r"# (?:Context from my IDE setup|Files mentioned by the user):")
_REQUESTS = ("## My request for Codex:", "## My request:")
_IMAGE = re.compile(r"<image\b[^>]*>(?:.*?</image>)?", re.DOTALL)
_SHELL = re.compile(r"<user_shell_command>\s*<command>\s*(.*?)\s*</command>", re.DOTALL)
INJECTED = (
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<skill>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<system-reminder",
    "<reverie-",
)


class Line(Struct):
    """One line; the oldest files have no payload around the item."""

    type: str | None = None
    timestamp: str | None = None
    payload: dict[str, Any] | None = None


_decode = msgspec.json.Decoder(Line).decode


class Codex:
    """The reader of rollouts."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        given = env.get("CODEX_HOME")
        base = Path(given) if given else home(env) / ".codex"
        return [base / "sessions", base / "archived_sessions"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield from files_under(root, (".jsonl", ".jsonl.zst"))

    def recognises(self, path: Path, head: bytes) -> bool:
        for line in head_lines(head, 8):
            if b'"session_meta"' in line[:200] and b'"payload"' in line:
                return True
            if b'"payload"' in line and (b'"response_item"' in line or b'"event_msg"' in line):
                return True
            if path.name.startswith("rollout-") and b'"instructions"' in line:
                return True
        return False

    def parts(self, path: Path) -> list[Part] | None:
        return None

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        return Transcript(AGENT, path, CodexParser(path, resume), resume)


class CodexParser:
    """Turns out of the lines of one rollout."""

    undecided = False

    def __init__(self, path: Path, resume: Resume | None = None) -> None:
        state = resume.state if resume else {}
        named = _UUID.search(path.name)
        self._named = named.group() if named else ""
        self._head: dict[str, Any] = dict(state.get("head", {}))
        self._calls: dict[str, str] = dict(state.get("calls", {}))
        self._codes: dict[str, int] = dict(state.get("codes", {}))
        self._seen: set[str] = set(state.get("seen", ()))
        self._prompts: list[int] = list(state.get("prompts", ()))
        self._last: dict[str, str] = dict(state.get("last", {}))
        self._cwd: str = state.get("cwd", "")
        self.undone: list[tuple[int, int]] = [(a, b) for a, b in state.get("undone", ())]
        self.withdrawn: set[int] = set()

    def save(self) -> dict[str, Any]:
        return {
            "head": dict(self._head),
            "calls": dict(self._calls),
            "codes": dict(self._codes),
            "seen": sorted(self._seen),
            "prompts": list(self._prompts),
            "last": dict(self._last),
            "cwd": self._cwd,
            "undone": [list(pair) for pair in self.undone],
        }

    def decode(self, data: bytes) -> Line:
        try:
            line = _decode(data)
            if line.payload is not None or line.type is None:
                return line
        except msgspec.ValidationError:
            pass
        value = msgspec.json.decode(data)
        if not isinstance(value, dict):
            raise msgspec.DecodeError("not an object")
        return _lenient(cast("dict[str, Any]", value))

    def adopt(self, value: dict[str, Any]) -> Line | None:
        if not isinstance(value.get("payload"), dict) or not isinstance(value.get("type"), str):
            return None
        return _lenient(value)

    def head(self) -> Head:
        head = self._head
        git = _table(head.get("git"))
        return Head(
            agent=AGENT,
            session_id=_text(head.get("id")) or self._named,
            cwd=_text(head.get("cwd")),
            started=_text(head.get("started")),
            ended=_text(head.get("ended")),
            title=_text(head.get("title")),
            version=_text(head.get("version")),
            remote=_text(git.get("repository_url")),
            branch=_text(git.get("branch")),
            parent=_text(head.get("parent")),
            subagent=bool(head.get("subagent")),
        )

    def feed(self, line: int, offset: int, record: Line, out: list[Turn]) -> None:
        payload = record.payload
        if payload is None:
            return
        at = record.timestamp or ""
        if at:
            self._head.setdefault("started", at)
            self._head["ended"] = at
        place = _Place(line, offset, at)
        match record.type:
            case "event_msg":
                self._event(place, payload, out)
            case "response_item":
                self._item(place, payload, out, bare=False)
            case "bare_item":
                self._item(place, payload, out, bare=True)
            case "session_meta":
                self._meta(payload)
            case "turn_context":
                self._cwd = _text(payload.get("cwd")) or self._cwd
            case "compacted":
                out.append(self._turn(place, "harness", "boundary", "compacted"))
                if summary := _text(payload.get("message")):
                    out.append(self._turn(place, "harness", "summary", clip(summary)))
            case _:
                pass

    def _turn(
        self, place: "_Place", role: Role, kind: Kind, text: str, tool: Tool | None = None
    ) -> Turn:
        branch = _text(_table(self._head.get("git")).get("branch"))
        return Turn(
            place.line, place.offset, role, kind, place.at, text, "", self._cwd, branch, tool=tool
        )

    def _meta(self, payload: dict[str, Any]) -> None:
        """The first one names the session; a later one (resume, fork) repeats or copies it."""
        self._cwd = self._cwd or _text(payload.get("cwd"))
        if "id" in self._head:
            return
        source = payload.get("source")
        self._head |= {
            "id": _text(payload.get("id")) or _text(payload.get("session_id")),
            "cwd": _text(payload.get("cwd")),
            "version": _text(payload.get("cli_version")),
            "git": {
                key: _text(_table(payload.get("git")).get(key))
                for key in ("branch", "repository_url")
            },
            "parent": _text(payload.get("parent_thread_id"))
            or _text(payload.get("forked_from_id")),
            "subagent": isinstance(source, dict)
            or "subagent" in _text(source).lower()
            or "subagent" in _text(payload.get("thread_source")).lower(),
        }
        if started := _text(payload.get("timestamp")):
            self._head["started"] = started

    def _event(self, place: "_Place", payload: dict[str, Any], out: list[Turn]) -> None:
        match payload.get("type"):
            case "user_message":
                if payload.get("kind") in {None, "plain"}:
                    self._prompt(place, _text(payload.get("message")), out)
            case "item_completed":
                self._completed(place, _table(payload.get("item")), out)
            case "agent_message":
                self._agent_text(place, _text(payload.get("message")), out)
            case "exec_command_end" | "patch_apply_end":
                self._ended(payload)
            case "turn_aborted":
                if payload.get("reason") in {None, "interrupted"}:
                    out.append(self._turn(place, "human", "interrupt", ""))
            case "thread_rolled_back":
                self._rolled_back(place, payload.get("num_turns"))
            case "thread_name_updated":
                title = _text(payload.get("thread_name")) or _text(payload.get("name"))
                self._head["title"] = title or self._head.get("title", "")
            case "error":
                if message := _text(payload.get("message")):
                    out.append(self._turn(place, "harness", "note", clip(message)))
            case _:
                pass

    def _completed(self, place: "_Place", item: dict[str, Any], out: list[Turn]) -> None:
        kind = _text(item.get("type")).replace("_", "").lower()
        if kind == "usermessage":
            key = "item/" + _text(item.get("id"))
            if key != "item/":
                if key in self._seen:
                    return
                self._seen.add(key)
            self._prompt(place, _joined(item.get("content")), out)
        elif kind == "agentmessage":
            text = _joined(item.get("content")) or _text(item.get("text"))
            self._agent_text(place, text, out)

    def _prompt(self, place: "_Place", text: str, out: list[Turn]) -> None:
        words = typed_words(text)
        if not words or self._head.get("subagent") or words.startswith(INJECTED):
            if words:
                out.append(self._turn(place, "harness", "injected", clip(words)))
            return
        # Legacy and paginated history may both tell of one message; copies of a line tell it twice.
        key = f"{place.at}/{words}"
        if key in self._seen:
            return
        self._seen.add(key)
        self._prompts.append(place.line)
        self._last.pop("agent", None)
        out.append(self._turn(place, "human", "prompt", words))

    def _agent_text(self, place: "_Place", text: str, out: list[Turn]) -> None:
        """Agent text stands twice, as an event and as an item: told once."""
        if not text or self._last.get("agent") == text:
            return
        self._last["agent"] = text
        out.append(self._turn(place, "agent", "text", text))

    def _ended(self, payload: dict[str, Any]) -> None:
        code = payload.get("exit_code")
        if payload.get("type") == "patch_apply_end":
            code = None if payload.get("success") in {True, None} else 1
        call = _text(payload.get("call_id"))
        if isinstance(code, int) and call:
            self._codes[call] = code

    def _rolled_back(self, place: "_Place", turns: Any) -> None:
        if not isinstance(turns, int) or not 0 < turns <= len(self._prompts):
            return
        self.undone.append((self._prompts[-turns], place.line))
        del self._prompts[-turns:]

    def _item(
        self, place: "_Place", payload: dict[str, Any], out: list[Turn], *, bare: bool
    ) -> None:
        match payload.get("type"):
            case "message":
                self._message(place, payload, out, bare=bare)
            case "reasoning":
                if thought := _joined(payload.get("summary")):
                    out.append(self._turn(place, "agent", "thinking", clip(thought)))
            case "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call":
                self._call(place, payload, out)
            case "function_call_output" | "custom_tool_call_output":
                self._output(place, payload, out)
            case _:
                pass

    def _message(
        self, place: "_Place", payload: dict[str, Any], out: list[Turn], *, bare: bool
    ) -> None:
        text = _joined(payload.get("content"))
        role = payload.get("role")
        if role == "assistant":
            self._agent_text(place, text, out)
        elif role == "user" and (shell := _SHELL.match(text.lstrip())):
            if shell.group(1) and not self._head.get("subagent"):
                out.append(self._turn(place, "human", "shell", shell.group(1)))
        elif role == "user" and bare:
            self._prompt(place, text, out)
        elif role == "user" and text.lstrip().startswith(INJECTED):
            out.append(self._turn(place, "harness", "injected", clip(text)))

    def _call(self, place: "_Place", payload: dict[str, Any], out: list[Turn]) -> None:
        name = _text(payload.get("name")) or _text(payload.get("type")).removesuffix("_call")
        call = _text(payload.get("call_id"))
        given = payload.get("arguments") or payload.get("input") or payload.get("action")
        if call:
            self._calls[call] = name
        tool = Tool(name, call, _arguments(given))
        out.append(self._turn(place, "agent", "tool_call", "", tool))

    def _output(self, place: "_Place", payload: dict[str, Any], out: list[Turn]) -> None:
        call = _text(payload.get("call_id"))
        text, code = _output_of(payload.get("output"))
        code = self._codes.pop(call, code)
        if code is None and (match := _EXIT_CODE.search(text[:400])):
            code = int(match.group(1))
        tool = Tool(self._calls.pop(call, ""), call, {}, code in {None, 0}, code)
        out.append(self._turn(place, "tool", "tool_result", clip(text), tool))


class _Place(Struct):
    line: int
    offset: int
    at: str


def typed_words(text: str) -> str:
    """What the person typed in a message that an IDE may have put context around."""
    if _IDE.match(text.lstrip()):
        # The words come last, and a selection above them may contain the heading itself.
        at, heading = max((text.rfind(heading), heading) for heading in _REQUESTS)
        if at >= 0:
            text = text[at + len(heading) :]
    if "<image" in text:
        text = _IMAGE.sub("", text)
    return text.strip()


def _lenient(value: dict[str, Any]) -> Line:
    kind, payload = value.get("type"), value.get("payload")
    at = value.get("timestamp")
    if isinstance(payload, dict):
        payload = cast("dict[str, Any]", payload)
        return Line(_text(kind), _text(at), payload)
    if isinstance(kind, str):
        return Line("bare_item", _text(at), value)
    if isinstance(value.get("id"), str) and "timestamp" in value:
        return Line("session_meta", _text(at), value)
    return Line(_text(kind), _text(at), None)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _joined(content: Any) -> str:
    """The text parts of a message; images and the like have none."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [_text(_table(part).get("text")) for part in cast("list[Any]", content)]
    return "\n".join(text for text in texts if text)


def _arguments(given: Any) -> dict[str, Any]:
    if isinstance(given, dict):
        return cast("dict[str, Any]", given)
    if not isinstance(given, str):
        return {}
    if given.startswith("{"):
        try:
            return _table(msgspec.json.decode(given.encode("utf-8", "replace")))
        except (msgspec.DecodeError, RecursionError):
            pass
    return {"input": given}


def _output_of(output: Any) -> tuple[str, int | None]:
    """Text and exit code of a tool's output: plain, or JSON in a string in older versions."""
    if isinstance(output, str) and output.startswith('{"output":'):
        try:
            output = msgspec.json.decode(output.encode("utf-8", "replace"))
        except (msgspec.DecodeError, RecursionError):
            return output, None
    if isinstance(output, dict):
        table = cast("dict[str, Any]", output)
        code = _table(table.get("metadata")).get("exit_code")
        text = _joined(table.get("output")) or _joined(table.get("content"))
        return text, code if isinstance(code, int) else None
    return _joined(output), None
