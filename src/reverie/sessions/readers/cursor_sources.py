"""Where Cursor keeps chats, brought into one form.

- `state.vscdb` of the editor: `composerData:<id>` names the bubbles of a chat in order (or, older,
  holds them), `bubbleId:<chat>:<bubble>` is one message.
- `store.db` of the CLI: blobs by hash; a root blob lists the messages, most of which are JSON.
- text transcripts: `user:` and `assistant:` on lines of their own.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from reverie.errors import Unavailable
from reverie.sessions.logs.lines import DamageCount, text_lines
from reverie.sessions.readers.base import Part, iso_of_ms, possible_ms, table_of, text_of
from reverie.sessions.readers.databases import reading
from reverie.sessions.readers.objects import Table, strings, tables

Describe = Callable[[Table], None]

_CHAT, _BUBBLE = "composerData:", "bubbleId:"
# How the id of a chat begins that a tool call made, which fields such a chat has, and in which ones
# a chat names the chats that it made.
_TASK = "task-"
_SPAWNED = ("subagentInfo", "parentComposerId", "isSubagent")
_CHILDREN = ("subagentComposerIds", "subComposerIds")
# How the fields begin of a bubble of the person that the editor wrote.
_MADE_UP = ("isSimulated", "simulated", "isSystemMessage", "isPlanExecution")
_ROLES = {1: "user", 2: "assistant"}
_SPEAKER = re.compile(r"(user|assistant):\s*\Z")
# What follows such a line in an answer is a call or what came of it, until the next speaker.
_TOOL = ("[Tool call]", "[Tool result]", "[Thinking]")


def composers(path: Path) -> list[Part]:
    """The chats of an editor's database that have messages."""
    parts: list[Part] = []
    with reading(path) as connection:
        rows = connection.execute(
            "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key",
            (_CHAT, _CHAT[:-1] + ";"),
        )
        for key, value in rows:
            chat = _decoded(value)
            count = len(tables(_headers(chat)))
            if count:
                changed: Any = chat.get("lastUpdatedAt") or chat.get("createdAt")
                at = int(changed) * 1_000_000 if possible_ms(changed) else 0
                parts.append(Part(key.removeprefix(_CHAT), count, at))
    return parts


def bubbles(
    path: Path, chat: str, describe: Describe, damage: DamageCount
) -> Iterator[tuple[int, Table]]:
    """The messages of one chat of the editor, in order.

    Raises:
        Unavailable: the database cannot be read now.
    """
    with reading(path) as connection:
        about = _decoded(_value(connection, _CHAT + chat))
        started = iso_of_ms(about.get("createdAt"))
        title = text_of(about.get("name"))
        folder = _workspaces(path.parents[1] / "workspaceStorage").get(chat, "")
        subagent = "yes" if _of_a_subagent(path, chat, about) else ""
        describe({"title": title, "started": started, "cwd": folder, "subagent": subagent})
        messages: list[Table] = []
        for header in tables(_headers(about)):
            bubble = header
            if "text" not in header:
                key = f"{_BUBBLE}{chat}:{text_of(header.get('bubbleId'))}"
                bubble = _decoded(_value(connection, key))
                if not bubble:
                    damage.add("a message is missing", 0)
            messages.append(_message(header | bubble))
    yield from enumerate(messages)


def _of_a_subagent(path: Path, chat: str, about: Table) -> bool:
    """Whether a model wrote the prompts of a chat: by what it says of itself, by the name that
    tasks have, or because another chat counts it among its own."""
    return (
        chat.startswith(_TASK)
        or any(map(about.get, _SPAWNED))
        or chat in _spawned(path, path.stat().st_mtime_ns)
    )


@lru_cache(maxsize=4)
def _spawned(path: Path, changed: int) -> frozenset[str]:
    """The chats that others of the same database name as theirs."""
    with reading(path) as connection:
        rows = connection.execute(
            "SELECT value FROM cursorDiskKV WHERE key >= ? AND key < ? AND "
            + " OR ".join("instr(value, ?) > 0" for _ in _CHILDREN).join("()"),
            (_CHAT, _CHAT[:-1] + ";", *_CHILDREN),
        )
        chats = [_decoded(value) for (value,) in rows]
    return frozenset(
        child for chat in chats for name in _CHILDREN for child in strings(chat.get(name))
    )


def _headers(chat: Table) -> Any:
    return chat.get("fullConversationHeadersOnly") or chat.get("conversation")


def _message(bubble: Table) -> Table:
    content: list[Table] = []
    thinking = text_of(table_of(bubble.get("thinking")).get("text"))
    if thinking:
        content.append({"type": "thinking", "text": thinking})
    if text := text_of(bubble.get("text")):
        content.append({"type": "text", "text": text})
    used = table_of(bubble.get("toolFormerData"))
    if used:
        name = text_of(used.get("name"))
        call = text_of(used.get("toolCallId"))
        given = _decoded(used.get("rawArgs") or used.get("params"))
        content.append({"type": "tool-call", "toolCallId": call, "toolName": name, "args": given})
        status = text_of(used.get("status"))
        refused = used.get("userDecision") == "rejected"
        if status in ("completed", "error", "cancelled") or refused:
            result = used.get("result") or table_of(used.get("error")).get(
                "clientVisibleErrorMessage"
            )
            content.append(
                {
                    "type": "tool-result",
                    "toolCallId": call,
                    "toolName": name,
                    "result": result,
                    "status": "rejected" if refused else status,
                }
            )
    speaker = bubble.get("type")
    role = _ROLES.get(speaker, "") if isinstance(speaker, int) else ""
    said_of_itself = {k: value for k, value in bubble.items() if isinstance(value, str | bool)}
    return {
        **said_of_itself,
        "role": "system" if role == "user" and _is_made_up(bubble) else role,
        "id": bubble.get("bubbleId"),
        "at": bubble.get("createdAt"),
        "content": content,
    }


def _is_made_up(bubble: Table) -> bool:
    fields = [*bubble.items(), *table_of(bubble.get("grouping")).items()]
    return any(value and name.startswith(_MADE_UP) for name, value in fields)


@lru_cache(maxsize=4)
def _workspaces(storage: Path) -> dict[str, str]:
    """Chat → folder, as far as the workspaces' own databases list their chats."""
    from urllib.parse import unquote, urlparse

    folders: dict[str, str] = {}
    for workspace in sorted(storage.glob("*/workspace.json")):
        try:
            about = _decoded(workspace.read_bytes())
            with reading(workspace.parent / "state.vscdb") as connection:
                listed = _decoded(_value(connection, "composer.composerData", "ItemTable"))
        except (OSError, Unavailable):
            continue
        folder = unquote(urlparse(text_of(about.get("folder"))).path)
        for chat in tables(listed.get("allComposers")):
            folders[text_of(chat.get("composerId"))] = folder
    return folders


def cli_part(path: Path) -> Part:
    """The one chat of a CLI's database; it is named by its folder."""
    with reading(path) as connection:
        ((count,),) = connection.execute("SELECT count(*) FROM blobs").fetchall()
    wal = Path(f"{path}-wal")
    changed = max(file.stat().st_mtime_ns for file in (path, wal) if file.exists())
    return Part(path.parent.name, count, changed)


def cli_messages(
    path: Path, describe: Describe, damage: DamageCount
) -> Iterator[tuple[int, Table]]:
    """The messages of a CLI's chat, in the order its root names them.

    Raises:
        Unavailable: the database cannot be read now.
    """
    with reading(path) as connection:
        about = _about(connection)
        describe(
            {"title": text_of(about.get("name")), "started": iso_of_ms(about.get("createdAt"))}
        )
        root = _blob(connection, text_of(about.get("latestRootBlobId")))
        messages: list[Table] = []
        for key in _children(root):
            data = _blob(connection, key)
            if data[:1] == b"{":
                message = _decoded(data)
                if not message:
                    damage.add("not JSON", len(data))
                messages.append(message)
    for index, message in enumerate(messages):
        if message:
            yield index, message


def _about(connection: sqlite3.Connection) -> Table:
    for (value,) in connection.execute("SELECT value FROM meta ORDER BY key"):
        try:
            about = _decoded(bytes.fromhex(value) if isinstance(value, str) else value)
        except ValueError:
            about = _decoded(value)
        if about:
            return about
    return {}


def _blob(connection: sqlite3.Connection, key: str) -> bytes:
    row = connection.execute("SELECT data FROM blobs WHERE id = ?", (key,)).fetchone()
    return bytes(row[0]) if row and isinstance(row[0], bytes) else b""


def _children(root: bytes) -> Iterator[str]:
    """The hashes that a root lists: field 1 of a protobuf message, 32 bytes each."""
    at = 0
    while at + 34 <= len(root):
        if root[at] == 0x0A and root[at + 1] == 32:
            yield root[at + 2 : at + 34].hex()
            at += 34
        else:
            return


def is_text_transcript(head: bytes) -> bool:
    """Whether a text file begins as such transcripts do."""
    return head.lstrip(b"\xef\xbb\xbf \r\n").startswith((b"user:\n", b"user:\r\n"))


def text_messages(path: Path, damage: DamageCount) -> Iterator[tuple[int, Table]]:
    """The messages of a text transcript; the line is the one that names the speaker."""
    first, role, held, skipping = 0, "", list[str](), False
    for number, _, text in text_lines(path, damage):
        if speaker := _SPEAKER.match(text):
            yield from _text_message(first, role, held)
            first, role, held, skipping = number, speaker.group(1), [], False
            continue
        skipping = role == "assistant" and (skipping or text.startswith(_TOOL))
        if not skipping:
            held.append(text)
    yield from _text_message(first, role, held)


def _text_message(line: int, role: str, held: list[str]) -> Iterator[tuple[int, Table]]:
    text = "\n".join(held).strip()
    if role and text:
        yield line, {"role": role, "content": text}


def _value(connection: sqlite3.Connection, key: str, table: str = "cursorDiskKV") -> Any:
    row = connection.execute(f"SELECT value FROM {table} WHERE key = ?", (key,)).fetchone()
    return row[0] if row else None


def _decoded(value: Any) -> Table:
    if isinstance(value, dict):
        return table_of(value)
    if not isinstance(value, str | bytes) or not value:
        return {}
    try:
        return table_of(msgspec.json.decode(value))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}
