"""Whether an agent saved memory by itself: with a tool of ours, an edit, or through its shell."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from reverie.data import patterns
from reverie.sessions.model import TOOLS, Turn

_RE = patterns("traffic.txt", "own_memory")
_SHELL_KEYS = ("command", "cmd", "script", "code")
_OWN_TOOL = re.compile(r"mcp__[a-z_]*reverie[a-z_]*__(remember|memory)")
_READING = frozenset({"view"})
_READ = 20_000  # characters
_USUAL = "/.codex/memories"  # stands for a folder that lies elsewhere


def saving(turns: Iterable[Turn], saves: Callable[[Turn], bool]) -> list[int]:
    """The byte offsets of the calls that saved memory; one that failed or was refused did not."""
    all_turns = list(turns)
    failed = {turn.tool.call_id for turn in all_turns if turn.tool and turn.tool.ok is False}
    return [
        turn.offset
        for turn in all_turns
        if turn.tool and turn.tool.call_id not in failed and saves(turn)
    ]


def saves_here(turn: Turn) -> bool:
    """Whether a call wrote into this memory: through our tools, or into a file of a store."""
    tool = turn.tool
    if turn.kind != "tool_call" or tool is None:
        return False
    if our_tool := _OWN_TOOL.fullmatch(tool.name):
        return our_tool[1] == "remember" or tool.input.get("command") not in _READING
    return _edits(turn) and any(_RE.store.search(text) for text in _named(turn))


def saves_for_itself(turn: Turn, folders: Sequence[str] = ()) -> bool:
    """Whether a call wrote into the memory folder of an agent; reading one is not it.

    Args:
        folders: Such folders that lie where no agent puts them unless it is told to.
    """
    tool = turn.tool
    if turn.kind != "tool_call" or tool is None:
        return False
    if _edits(turn):
        # A patch is one long text: the path in it is found by the same pattern.
        return any(_RE.file.search(_usual(text, folders)) for text in _named(turn))
    commands = [text for key in _SHELL_KEYS for text in _texts(tool.input.get(key))]
    return any(_writes(_usual(text[:_READ], folders)) for text in commands)


def _edits(turn: Turn) -> bool:
    return turn.tool is not None and turn.tool.name.lower() in TOOLS.edits


def _named(turn: Turn) -> list[str]:
    given = turn.tool.input.values() if turn.tool else ()
    return [value[:_READ] for value in given if isinstance(value, str)]


def _usual(text: str, folders: Sequence[str]) -> str:
    for folder in folders:
        text = text.replace(folder, _USUAL)
    return text


def _writes(command: str) -> bool:
    return bool(_RE.place.search(command) and _RE.writes.search(command))


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):  # Codex: `["bash", "-lc", "…"]`
        return [word for word in cast("list[Any]", value) if isinstance(word, str)]
    return [value] if isinstance(value, str) else []
