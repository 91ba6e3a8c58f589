"""Whole Claude Code logs for tests of the index: one line per thing said."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from reverie.clock import iso
from reverie.privacy import Ignored
from reverie.sessions.index import Index, IndexReport, Visitor
from reverie.sessions.intake import Redact
from reverie.sessions.logs.discover import logs_under

START = datetime(2026, 9, 1, 10, tzinfo=UTC)


def lines(
    session: str, *said: tuple[str, str], cwd: str = "/w/app", begin: int = 0, day: int = 0
) -> list[dict[str, Any]]:
    """`("you" | "agent" | "error", text)` as records, one second apart."""
    records: list[dict[str, Any]] = []
    for number, (who, text) in enumerate(said, start=begin):
        record: dict[str, Any] = {
            "sessionId": session,
            "timestamp": iso(START + timedelta(days=day, seconds=number)),
            "cwd": cwd,
            "gitBranch": "main",
            "version": "2.1.240",
            "isSidechain": False,
            "uuid": f"{session}-{number}",
            "parentUuid": f"{session}-{number - 1}" if number else None,
        }
        if who == "agent":
            content: Any = [{"type": "text", "text": text}]
            record |= {"type": "assistant", "message": {"role": "assistant", "content": content}}
        elif who == "error":
            content = [
                {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": text}
            ]
            record |= {"type": "user", "message": {"role": "user", "content": content}}
        else:
            record |= {"type": "user", "message": {"role": "user", "content": text}}
        records.append(record)
    return records


def write(path: Path, records: list[dict[str, Any]], *, append: bool = False) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a" if append else "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    return path


def unchanged(text: str) -> str:
    return text


def update(
    index: Index, folder: Path, redact: Redact = unchanged, visit: Visitor | None = None,
    policy: Ignored | None = None,
) -> IndexReport:  # fmt: skip
    return index.update(logs_under(folder), redact=redact, visit=visit, policy=policy)


def snapshot(index: Index) -> list[Any]:
    """Everything the index says, without the paths and numbers of rows."""
    return [
        (row.key, row.project, row.started, row.ended, row.human_turns, index.turns(row.key))
        for row in index.sessions(subagents=True)
    ]
