"""What a session names when its log does not say where it ran: files, and the folder of the log."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from reverie.sessions.model import Turn

# What tools of all agents call the file or the folder they were used on.
_KEYS = (
    "file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file", "dir_path",
    "directory", "cwd", "workdir", "working_directory",
)  # fmt: skip
_ABSOLUTE = re.compile(r"^(?:/|[A-Za-z]:[\\/])")
_MAX_PATHS = 500
_OTHERS = re.compile(r"[^A-Za-z0-9]+")


def paths_in(turns: Iterable[Turn]) -> Counter[str]:
    """The absolute paths that tools were called with, and how often each."""
    paths: Counter[str] = Counter()
    for turn in turns:
        if turn.kind != "tool_call" or turn.tool is None:
            continue
        for key in _KEYS:
            value = turn.tool.input.get(key)
            if isinstance(value, str) and _ABSOLUTE.match(value) and len(paths) < _MAX_PATHS:
                paths[value] += 1
    return paths


def key_of(log: Path) -> str:
    """What an agent named the folder of a project's logs, "" where it has none for each."""
    parts = log.parts
    for place, part in enumerate(parts[:-2]):
        key = parts[place + 1]
        if (
            part == "projects"  # Claude Code, Cursor
            or (part == "sessions" and key.startswith("--"))  # Pi
            or (part == "tmp" and parts[place + 2] == "chats")  # Gemini CLI
            or (part == "chats" and parts[-1] == "store.db")  # Cursor's CLI
        ):
            return key
    return ""


def is_key_of(key: str, root: str) -> bool:
    """Whether an agent would name the logs of `root` so. A key is compared, never decoded."""
    spelled = _OTHERS.sub("-", root).strip("-")
    if spelled and _OTHERS.sub("-", key).strip("-") == spelled:
        return True
    data = root.encode("utf-8", "surrogatepass")
    return key in (
        hashlib.sha256(data).hexdigest(),
        hashlib.md5(data, usedforsecurity=False).hexdigest(),
    )
