"""Calls: what sort of act a tool call is, by the names agents give their tools; what it names."""

import re
from typing import Any, cast

from reverie.sessions.model import Tool

EDITS = frozenset(
    "edit write multiedit notebookedit apply_patch write_file replace create str_replace"
    " str_replace_editor str_replace_based_edit_tool patch edit_file create_file".split()
)
LOOKS = frozenset(
    "read grep glob ls read_file view search list_directory webfetch websearch web_search fetch"
    " search_file_content find list toolsearch lsp taskoutput tasklist taskget bashoutput".split()
)
ASKS = frozenset(
    "askuserquestion ask_user request_user_input question exitplanmode enterplanmode".split()
)
BOOKS = frozenset("todowrite taskcreate taskupdate update_plan todoread write_todos".split())
DELEGATES = frozenset("task agent delegate spawn_agent workflow".split())
PLANS = frozenset({"exitplanmode", "enterplanmode", "update_plan", "todowrite"})
_SHELLS = ("bash", "shell", "exec", "command", "terminal")
_PATCHED = re.compile(r"\*\*\* (?:Update|Add|Delete) File: (.+)")
_ADDED = re.compile(r"\*\*\* Add File: (.+)")
_FILE_KEYS = ("file_path", "path", "filePath", "notebook_path", "filename")
_PATCH_KEYS = ("input", "patch", "command", "cmd")


def shell_text(name: str, given: dict[str, Any]) -> str:
    """The command line of a call, "" when it runs none."""
    value = given.get("command", given.get("cmd"))
    if isinstance(value, list):
        words = [str(word) for word in cast("list[Any]", value)]
        return words[-1] if len(words) == 3 and words[1] in {"-lc", "-c"} else " ".join(words)
    lowered = name.lower()
    if isinstance(value, str) and any(word in lowered for word in _SHELLS):
        return value
    return ""


def files_of(tool: Tool) -> list[str]:
    """The files an edit names."""
    for key in _FILE_KEYS:
        value = tool.input.get(key)
        if isinstance(value, str) and value:
            return [value]
    for key in _PATCH_KEYS:
        value = tool.input.get(key)
        if isinstance(value, str) and "*** " in value:
            return [found.strip() for found in _PATCHED.findall(value)]
    return []


def added_by(tool: Tool) -> list[str]:
    """The files a patch says it makes."""
    patches = [tool.input.get(key) for key in _PATCH_KEYS]
    texts = [one for one in patches if isinstance(one, str)]
    return [found.strip() for text in texts for found in _ADDED.findall(text)]
