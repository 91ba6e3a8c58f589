"""Whether the agent saved memory by itself in a stretch of its log (D8).

Seen in the log: a file tool that wrote below an agent's memory folder or one of our stores, a
patch that names such a file, or a call of our own `remember` and `memory` tools.
"""

import re
from pathlib import Path
from typing import Any

from reverie.sessions.model import Turn
from reverie.sessions.readers.agents import reader_for

_WRITERS = frozenset({"Write", "Edit", "MultiEdit", "apply_patch"})
_MEMORY_FILE = re.compile(
    r"/\.claude/(?:projects/[^/\s]+/memory|agent-memory[^/\s]*)/\S+"
    r"|/\.codex/memories/\S+"
    r"|/\.reverie/stores/\S+"
)
_OWN_TOOL = re.compile(r"mcp__[a-z_]*reverie[a-z_]*__(remember|memory)")
_READING = frozenset({"view"})


def saved_between(transcript: Path, start: int, end: int) -> bool:
    """True when a tool call between the two bytes wrote memory."""
    reader = reader_for(transcript)
    if reader is None:
        return False
    return any(start <= turn.offset < end and _saves(turn) for turn in reader.open(transcript))


def _saves(turn: Turn) -> bool:
    tool = turn.tool
    if turn.kind != "tool_call" or tool is None:
        return False
    if own := _OWN_TOOL.fullmatch(tool.name):
        return own[1] == "remember" or tool.input.get("command") not in _READING
    return tool.name in _WRITERS and any(map(_names_memory, tool.input.values()))


def _names_memory(value: Any) -> bool:
    # A patch is one long text: the path in it is found by the same pattern.
    return isinstance(value, str) and bool(_MEMORY_FILE.search(value[:20_000]))
