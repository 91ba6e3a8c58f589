"""Small databases for the tests, with the tables that the agents make."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.sessions.logs import time_of

OPENCODE = """
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text,
  slug text NOT NULL, directory text NOT NULL, title text NOT NULL, version text NOT NULL,
  revert text, time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL,
  seq integer NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL,
  data text NOT NULL);
"""
T0 = 1_780_000_000_000


def opencode(path: Path, sessions: dict[str, list[tuple[str, list[dict[str, Any]]]]]) -> Path:
    """A database with sessions: id → (role, parts) of each message."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(OPENCODE)
        for session, messages in sessions.items():
            parent = "ses_parent" if session.startswith("ses_sub") else None
            connection.execute(
                "INSERT INTO session VALUES (?, 'p', ?, 'x', '/w/app', 'Title', '1.18.0', NULL,"
                " ?, ?)",
                (session, parent, T0, T0),
            )
            for number, (role, parts) in enumerate(messages):
                say(connection, session, number, role, parts)
    return path


def say(
    connection: sqlite3.Connection,
    session: str,
    number: int,
    role: str,
    parts: list[dict[str, Any]],
) -> None:
    """One message more."""
    at = T0 + number * 1000
    key = f"msg_{session}_{number:03}"
    info = {"role": role, "time": {"created": at}}
    connection.execute(
        "INSERT INTO message VALUES (?, ?, ?, ?, ?)", (key, session, at, at, json.dumps(info))
    )
    for place, part in enumerate(parts):
        connection.execute(
            "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)",
            (f"prt_{session}_{number:03}_{place}", key, session, at, at, json.dumps(part)),
        )
    connection.execute("UPDATE session SET time_updated = ? WHERE id = ?", (at, session))


def text(words: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": words}]


def cursor(
    path: Path,
    chats: dict[str, list[dict[str, Any]]],
    *,
    embedded: bool = False,
    fields: dict[str, dict[str, Any]] | None = None,
) -> Path:
    """An editor's database with chats: id → bubbles; `fields` are more of what a chat says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)")
        connection.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
        for chat, bubbles in chats.items():
            about: dict[str, Any] = {"composerId": chat, "name": "Title", "createdAt": T0}
            rows = [
                {"bubbleId": f"b{n}", "createdAt": time_of(n), **bubble}
                for n, bubble in enumerate(bubbles)
            ]
            about |= (fields or {}).get(chat, {})
            if embedded:
                about["conversation"] = rows
            else:
                about["fullConversationHeadersOnly"] = [
                    {"bubbleId": row["bubbleId"], "type": row["type"]} for row in rows
                ]
                for row in rows:
                    connection.execute(
                        "INSERT INTO cursorDiskKV VALUES (?, ?)",
                        (f"bubbleId:{chat}:{row['bubbleId']}", json.dumps(row).encode()),
                    )
            connection.execute(
                "INSERT INTO cursorDiskKV VALUES (?, ?)",
                (f"composerData:{chat}", json.dumps(about)),
            )
    return path
