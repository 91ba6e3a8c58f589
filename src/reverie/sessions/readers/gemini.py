"""Gemini CLI: `tmp/<project>/chats/session-*.json`, newer `.jsonl`; subagents in folders below.

The older form is a document with `messages`; the newer one lines: a description of the session,
messages (one that changed is written again, under its id), `$set` with new values of the
description or a new list of messages, and `$rewindTo` with the message that was gone back to.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import msgspec

from reverie.data import lines
from reverie.sessions.logs.transcript import Resume, Transcript
from reverie.sessions.model import Tool, Turn
from reverie.sessions.readers.base import SingleSession, files_matching, home, table_of, text_of
from reverie.sessions.readers.blocks import is_template
from reverie.sessions.readers.clip import clip
from reverie.sessions.readers.objects import Objects, Place, Table, opened, strings, tables

AGENT = "gemini-cli"

_TYPES = frozenset({"user", "gemini", "model", "info", "warning", "error"})
_INJECTED = lines("clients.txt", "gemini-cli.injected")
# A `!` line: the command, and then what it printed.
_SHELL = re.compile(r"I ran the following shell command:\n```sh\n(.*?)\n```\n", re.DOTALL)
# Versions without `displayContent` keep what `@file` brought in right behind the words.
_FILES = "\n--- Content from referenced files ---"
_HOOK = "<hook_context>"
_CANCELLED = "Request cancelled."
_REFUSALS = ("did not allow tool call", "User denied", "User rejected")
# Chats, and those of subagents in a folder named after the session.
_LAYOUTS = (r"[^/]+/chats/session-[^/]+\.jsonl?", r"[^/]+/chats/[^/]+/[^/]+\.jsonl?")
_MARKS = (b'"sessionId"', b'"projectHash"')


class Gemini(SingleSession):
    """The reader of recorded chats."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        given = env.get("GEMINI_CLI_HOME")
        return [(Path(given) if given else home(env)) / ".gemini"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield from files_matching(root / "tmp", *_LAYOUTS)

    def recognises(self, path: Path, head: bytes) -> bool:
        return all(mark in head for mark in _MARKS) and b'"uuid"' not in head[:2_000]

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        return opened(path, GeminiParser(path, resume), ("messages",), resume)


class GeminiParser(Objects):
    """Reads the records of one chat in order, of either form."""

    agent = AGENT

    def __init__(self, path: Path, resume: Resume | None = None) -> None:
        super().__init__(path.name.partition(".")[0].removeprefix("session-"), resume)
        state = resume.state if resume else {}
        # id of each message that stands, with its line; in order
        self._standing: dict[str, int] = dict(state.get("standing", {}))
        self._path = path
        if path.parent.parent.name == "chats":
            self._fields["subagent"] = "yes"

    def save(self) -> Table:
        return super().save() | {"standing": dict(self._standing)}

    def whole(self, value: Table) -> bool:
        return (
            self.is_message(value)
            or "$set" in value
            or isinstance(value.get("$rewindTo"), str)
            or (isinstance(value.get("sessionId"), str) and "projectHash" in value)
        )

    def is_message(self, value: Table) -> bool:
        return (
            text_of(value.get("type")) in _TYPES
            and isinstance(value.get("timestamp"), str)
            and ("content" in value or "toolCalls" in value)
        )

    def describe(self, fields: Table) -> None:
        """What a description of the session says; later ones replace its values."""
        names = {"id": "sessionId", "started": "startTime", "title": "summary"}
        for name, key in names.items():
            if text := text_of(fields.get(key)):
                self._fields[name] = text
        if text := text_of(fields.get("lastUpdated")):
            self._fields["ended"] = max(text, self._fields.get("ended", ""))
        if fields.get("kind") == "subagent":
            self._fields["subagent"] = "yes"
        hashed = text_of(fields.get("projectHash"))
        if cwd := _folder_of(self._path, hashed) or next(
            iter(strings(fields.get("directories"))), ""
        ):
            self._fields.setdefault("cwd", cwd)

    def feed(self, line: int, offset: int, record: Table, out: list[Turn]) -> None:
        if isinstance(record.get("$rewindTo"), str):
            self._rewound(line, record["$rewindTo"])
        elif isinstance(record.get("$set"), dict):
            self.describe(record["$set"])
            self._replaced(line, record["$set"])
        elif self.is_message(record):
            self._message(line, offset, record, out)
        elif isinstance(record.get("sessionId"), str):
            self.describe(record)
            for message in filter(self.is_message, tables(record.get("messages"))):
                self._message(line, offset, message, out)

    def _rewound(self, line: int, back_to: str) -> None:
        """The message named and all after it are taken back; all, when it is not there."""
        ids = list(self._standing)
        start = ids.index(back_to) if back_to in self._standing else 0
        gone = ids[start:]
        if gone:
            self._undone.append((self._standing[gone[0]], line))
        for event in gone:
            del self._standing[event]

    def _replaced(self, line: int, fields: Table) -> None:
        """A new list of messages is the model's history, cut or summed up: nothing was typed."""
        if isinstance(fields.get("messages"), list):
            events = (text_of(message.get("id")) for message in tables(fields["messages"]))
            self._standing = {event: self._standing.get(event, line) for event in events if event}

    def _message(self, line: int, offset: int, message: Table, out: list[Turn]) -> None:
        event = text_of(message.get("id"))
        place = Place(line, offset, text_of(message.get("timestamp")), event)
        self.seen(place.at)
        if event:
            self._standing.setdefault(event, line)
        match message.get("type"):
            case "user":
                self._said(place, message, out)
            case "gemini" | "model":
                self._answer(place, message, out)
            case "info" if text_of(message.get("content")).strip() == _CANCELLED:
                if self.once(f"!{event}" if event else f"!{place.at}"):
                    out.append(self.turn(place, "human", "interrupt", ""))
            case _:
                note = clip(_joined(message.get("content")))
                if note and self.once(f"!{event}" if event else f"!{place.at}"):
                    out.append(self.turn(place, "harness", "note", note))

    def _said(self, place: Place, message: Table, out: list[Turn]) -> None:
        shown = _joined(message.get("displayContent"))
        text = _typed(shown or _joined(message.get("content")))
        if not text or not self.once(place.event or f"{place.at}/{text}"):
            return
        added = text.startswith(_INJECTED) or is_template(text) or _has_response(message)
        if self._fields.get("subagent") or added:
            out.append(self.turn(place, "harness", "injected", clip(text)))
        elif shell := _SHELL.match(text):
            out.append(self.turn(place, "human", "shell", shell.group(1).strip()))
        else:
            doubt = self.from_elsewhere(message)
            out.append(self.turn(place, "human", "prompt", text, doubt=doubt))

    def _answer(self, place: Place, message: Table, out: list[Turn]) -> None:
        event = place.event or place.at
        for number, thought in enumerate(tables(message.get("thoughts"))):
            text = ": ".join(
                filter(None, map(text_of, map(thought.get, ("subject", "description"))))
            )
            if text and self.once(f"{event}.{number}"):
                out.append(self.turn(place, "agent", "thinking", clip(text)))
        text = _joined(message.get("content"))
        if text.strip() and self.once(f"{event}/text"):
            out.append(self.turn(place, "agent", "text", text))
        for call in tables(message.get("toolCalls")):
            self._call(place, call, out)

    def _call(self, place: Place, call: Table, out: list[Turn]) -> None:
        name, key = text_of(call.get("name")), text_of(call.get("id"))
        if self.once(f"{key or name}/call"):
            tool = Tool(name, key, _resolved(call))
            out.append(self.turn(place, "agent", "tool_call", "", tool))
        status = call.get("status")
        if status not in ("success", "error", "cancelled") or not self.once(f"{key or name}/end"):
            return
        text, code = _result(call)
        if status == "cancelled" and any(words in text for words in _REFUSALS):
            out.append(self.turn(place, "human", "reject", ""))
        tool = Tool(name, key, {}, status == "success" and code in {None, 0}, code)
        out.append(self.turn(place, "tool", "tool_result", clip(text), tool))


def _resolved(call: Table) -> Table:
    """What a tool was called with; the client tells where a file that is named in short lies."""
    given = table_of(call.get("args"))
    where = text_of(table_of(call.get("resultDisplay")).get("filePath"))
    short = text_of(given.get("file_path"))
    named = bool(short) and where != short and where.endswith(f"/{short.removeprefix('./')}")
    return {**given, "file_path": where} if named else given


def _joined(content: Any) -> str:
    """The text of parts as the agent joins it; a tool's response among them has none."""
    if not isinstance(content, list):
        return text_of(content) or text_of(table_of(content).get("text"))
    texts: list[str] = []
    for part in cast("list[Any]", content):
        text = text_of(part) or text_of(table_of(part).get("text"))
        if text.lstrip().startswith(_HOOK) and texts:
            break  # a hook's text comes last, and can hold what closes it
        if text.lstrip("\n").startswith(_FILES.lstrip("\n")):
            break
        texts.append(text)
    return "".join(texts)


def _has_response(message: Table) -> bool:
    """Whether a message gives a tool's answer to the model; texts beside it are the tool's too."""
    return any("functionResponse" in part for part in tables(message.get("content")))


def _typed(text: str) -> str:
    words = text.partition(_FILES)[0].strip()
    return words if words.startswith(_HOOK) else words.partition(_HOOK)[0].strip()


def _result(call: Table) -> tuple[str, int | None]:
    """What a tool gave back: parts of the model's format, or what was shown to the person."""
    texts: list[str] = []
    for part in tables(call.get("result")):
        response = table_of(table_of(part.get("functionResponse")).get("response"))
        texts.append(text_of(response.get("output")) or text_of(response.get("error")))
    text = "\n".join(filter(None, texts)) or text_of(call.get("resultDisplay"))
    code = None
    for line in text.splitlines():
        if line.startswith("Exit Code: "):
            number = line.removeprefix("Exit Code: ").strip()
            code = int(number) if number.lstrip("-").isdigit() and len(number) < 10 else None
    return text, code


@lru_cache(maxsize=256)
def _folder_of(path: Path, hashed: str) -> str:
    """The project's folder. Newer versions write it beside the chats, or list all by hash."""
    chats = next((folder for folder in path.parents if folder.name == "chats"), None)
    if chats is None:
        return ""
    try:
        return (chats.parent / ".project_root").read_text(encoding="utf-8").strip()[:4096]
    except (OSError, UnicodeDecodeError):
        pass
    try:
        listed = msgspec.json.decode((chats.parents[2] / "projects.json").read_bytes())
    except (OSError, IndexError, msgspec.DecodeError):
        return ""
    folders = table_of(table_of(listed).get("projects"))
    return next((f for f in folders if hashlib.sha256(f.encode()).hexdigest() == hashed), "")
