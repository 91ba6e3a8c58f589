"""Where OpenCode keeps sessions: a database, or folders of small JSON files. Both give the messages
in the form of its export, so that one place makes turns of them."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from reverie.errors import Unavailable
from reverie.sessions.logs.lines import DamageCount, open_log
from reverie.sessions.readers.base import Part, possible_ms, table_of, text_of
from reverie.sessions.readers.databases import reading
from reverie.sessions.readers.objects import Table, tables

_MAX_FILE = 64 * 1024 * 1024
_SESSION_COLUMNS = ("id", "parent_id", "directory", "title", "version", "revert", "permission")

Describe = Callable[[Table], None]


def database_parts(path: Path) -> list[Part]:
    """The sessions of a database. Its size is how many rows it has: rows change, and are added."""
    with reading(path) as connection:
        rows = dict[str, tuple[int, int]]()
        for table in ("message", "part", "session_message"):
            if table == "session_message" and not _columns(connection, table):
                continue
            for session, count, changed in connection.execute(
                f"SELECT session_id, count(*), max(time_updated) FROM {table} GROUP BY session_id"
            ):
                before, last = rows.get(session, (0, 0))
                rows[session] = (before + count, max(last, changed or 0))
        sessions = connection.execute("SELECT id, time_updated FROM session ORDER BY id").fetchall()
    parts: list[Part] = []
    for session, updated in sessions:
        count, changed = rows.get(session, (0, 0))
        latest = max(changed, updated if possible_ms(updated) else 0)
        parts.append(Part(session, count, latest * 1_000_000))
    return parts


def database_messages(
    path: Path, session: str, describe: Describe, damage: DamageCount
) -> Iterator[tuple[int, Table]]:
    """The messages of one session of a database, in order.

    Raises:
        Unavailable: the database cannot be read now.
    """
    with reading(path) as connection:
        describe(_session_row(connection, session))
        messages = connection.execute(
            "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id",
            (session,),
        ).fetchall()
        parts: dict[str, list[Table]] = {}
        for message, key, data in connection.execute(
            "SELECT message_id, id, data FROM part WHERE session_id = ? ORDER BY id", (session,)
        ):
            if (value := _decoded(data, damage)) is not None:
                parts.setdefault(message, []).append({"id": key, **value})
        newer = [] if messages else _newer(connection, session, damage)
    for index, (key, data) in enumerate(messages):
        if (info := _decoded(data, damage)) is not None:
            yield index, {"info": {"id": key, **info}, "parts": parts.get(key, [])}
    yield from enumerate(newer)


def _session_row(connection: sqlite3.Connection, session: str) -> Table:
    there = _columns(connection, "session")
    names = [name for name in (*_SESSION_COLUMNS, "time_created", "time_updated") if name in there]
    row = connection.execute(
        f"SELECT {', '.join(names)} FROM session WHERE id = ?", (session,)
    ).fetchone()
    values: Table = dict(zip(names, row, strict=True)) if row else {}
    return {
        **values,
        "parentID": values.get("parent_id"),
        "time": {"created": values.get("time_created"), "updated": values.get("time_updated")},
        "revert": _decoded(values.get("revert") or "{}", DamageCount()),
        "permission": _rules(values.get("permission")),
    }


def _rules(value: Any) -> Any:
    """The permissions of a session: a list, in a column as text."""
    try:
        return msgspec.json.decode(value) if isinstance(value, str | bytes) else None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _newer(connection: sqlite3.Connection, session: str, damage: DamageCount) -> list[Table]:
    """Messages of the newer table, which holds each as one row without parts."""
    if not _columns(connection, "session_message"):
        return []
    rows = connection.execute(
        "SELECT id, type, time_created, data FROM session_message WHERE session_id = ?"
        " ORDER BY seq, id",
        (session,),
    )
    messages: list[Table] = []
    for key, kind, created, data in rows:
        if (value := _decoded(data, damage)) is not None:
            info: Table = {"id": key, "time": {"created": created}, "error": value.get("error")}
            role, parts = _in_parts(kind, value)
            messages.append({"info": {**info, "role": role}, "parts": parts})
    return messages


def _in_parts(kind: str, value: Table) -> tuple[str, list[Table]]:
    """A message of the newer table in the form of the older ones."""
    text = text_of(value.get("text"))
    match kind:
        case "user":
            return "user", [{"type": "text", "text": text}]
        case "synthetic" | "system":
            return "user", [{"type": "text", "text": text, "synthetic": True}]
        case "shell":
            return "user", [{"type": "shell", "command": text_of(value.get("command"))}]
        case "compaction":
            summary = {"type": "text", "text": text_of(value.get("summary")), "synthetic": True}
            return "user", [{"type": "compaction"}, summary]
        case "assistant":
            return "assistant", tables(value.get("content"))
        case _:
            return "other", []


def is_stored_session(path: Path, head: bytes) -> bool:
    """Whether a file is the record of one session in the older folders."""
    return (
        path.suffix == ".json"
        and path.name.startswith("ses_")
        and b'"time"' in head
        and b'"info"' not in head[:200]
        and "session" in path.parts
    )


def stored_session(path: Path) -> Path | None:
    """The folder of a stored session's messages, None when the file is no such session."""
    if not path.name.startswith("ses_") or "session" not in path.parts:
        return None
    key = path.stem
    storage = next(folder for folder in path.parents if folder.name == "session").parent
    # storage/session/<project>/<id>.json with storage/message/<id>, or, before that,
    # storage/session/info/<id>.json with storage/session/message/<id>.
    folders = (storage / "message" / key, storage / "session" / "message" / key)
    return next((folder for folder in folders if folder.is_dir()), None)


def stored_part(path: Path, messages: Path) -> Part:
    """A stored session as it is now: how many files it has, and when one last changed."""
    status = path.stat()
    size, latest = status.st_size, status.st_mtime_ns
    for message in messages.glob("*.json"):
        size += 1
        latest = max(latest, message.stat().st_mtime_ns)
        parts = _parts_folder(messages, message.stem)
        if parts.is_dir():
            latest = max(latest, parts.stat().st_mtime_ns)
    return Part(path.stem, size, latest)


def stored_messages(
    path: Path, describe: Describe, damage: DamageCount
) -> Iterator[tuple[int, Table]]:
    """The messages of a stored session, in order."""
    describe(_loaded(path, damage) or {})
    messages = stored_session(path)
    if messages is None:
        return
    # Ids grow with time, so that names sort as messages were made.
    for index, file in enumerate(sorted(messages.glob("*.json"))):
        info = _loaded(file, damage)
        if info is not None:
            parts = sorted(_parts_folder(messages, file.stem).glob("*.json"))
            loaded = [part for name in parts if (part := _loaded(name, damage)) is not None]
            # The first versions had the parts in the message itself.
            yield index, {"info": {"id": file.stem, **info}, "parts": loaded or info.get("parts")}


def _parts_folder(messages: Path, message: str) -> Path:
    if messages.parent.parent.name == "session":
        return messages.parents[1] / "part" / messages.name / message
    return messages.parents[1] / "part" / message


def _loaded(path: Path, damage: DamageCount) -> Table | None:
    try:
        with open_log(path) as stream:
            return _decoded(stream.read(_MAX_FILE), damage)
    except Unavailable:
        damage.add("cannot be read", 0)
        return None


def _decoded(data: str | bytes, damage: DamageCount) -> Table | None:
    try:
        return table_of(msgspec.json.decode(data))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        damage.add("not JSON", len(data))
        return None


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    rows: list[tuple[Any, ...]] = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return {row[1] for row in rows}
