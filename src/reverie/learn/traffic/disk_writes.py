"""The files a session wrote, as its log tells it."""

import os
import re
from typing import Any

from reverie.mounts.attribution import DiskWrite
from reverie.sessions.index import SessionRead
from reverie.sessions.model import TOOLS, evidence_id

_PATHS = ("file_path", "path", "absolute_path")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update) File: (.+)$", re.M)


def disk_writes(read: SessionRead) -> list[DiskWrite]:
    """Every call of a writing tool with the file it names; relative ones lie in the session's."""
    head = read.head
    found: list[DiskWrite] = []
    for turn in read.turns:
        if (
            turn.kind != "tool_call"
            or turn.tool is None
            or turn.tool.name.lower() not in TOOLS.edits
        ):
            continue
        for name in _files(turn.tool.input):
            file = os.path.join(turn.cwd or head.cwd or "/", name)
            evidence = evidence_id(head.agent, head.session_id, turn.line)
            found.append(DiskWrite(file, read.key, evidence, turn.at))
    return found


def _files(given: dict[str, Any]) -> list[str]:
    named = [given[key] for key in _PATHS if isinstance(given.get(key), str)]
    texts = [value for value in given.values() if isinstance(value, str)]
    return named or [file for text in texts for file in _PATCHED.findall(text)]
