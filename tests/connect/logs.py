"""Small Claude Code logs for tests of hooks and the worker."""

import json
from pathlib import Path
from typing import Any

LOGS = ".claude/projects/app"  # where the agent puts them, below the user's home


def record(session: str, cwd: Path, number: int, kind: str, content: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": f"{session}-{number}",
        "parentUuid": f"{session}-{number - 1}" if number else None,
        "sessionId": session,
        "timestamp": f"2026-11-10T09:{number:02d}:00.000Z",
        "cwd": str(cwd),
        "version": "2.1.197",
        "userType": "external",
        "isSidechain": False,
    }


def write_log(folder: Path, session: str, cwd: Path, *turns: tuple[str, Any]) -> Path:
    """A log of `("user", text)`, `("assistant", text)` and `("tool", (name, input))` turns."""
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    for number, (who, said) in enumerate(turns):
        kind, content = who, said
        if who == "tool":
            kind = "assistant"
            block = {"type": "tool_use", "id": f"toolu_{number}", "name": said[0], "input": said[1]}
            content = [block]
        elif who == "assistant":
            content = [{"type": "text", "text": said}]
        lines.append(json.dumps(record(session, cwd, number, kind, content)))
    path = folder / f"{session}.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
