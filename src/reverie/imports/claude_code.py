"""Claude Code's own memory folder, in all three forms its files have had.

    now        frontmatter with `metadata:`; the session that wrote it is in `originSessionId`
    earlier    the same keys side by side
    at first   one free-form MEMORY.md with headings

Files keep their text. The project is read from the logs beside the folder, never guessed from its
name. `MEMORY.md` is an index once there are other files, and is made anew here.
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from reverie.config import user_home
from reverie.documents.document import Document, load
from reverie.errors import InvalidInput
from reverie.imports.base import (
    INDEX_LINE,
    Found,
    Piece,
    Target,
    beside_index,
    by_heading,
    markdown_files,
    noted,
    notes_in_index,
    read_or_skip,
    start_of,
    text_of,
)
from reverie.trust import TRUSTS, Trust, lowest

_HEADING = re.compile(r"^#{1,3} +(.+?)\s*#*$", re.M)
_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{7,63}")
_HEAD_BYTES = 65_536


class ClaudeCode:
    """`~/.claude/projects/KEY/memory`, or wherever the user's settings put it."""

    kind = "claude-code"
    about = "a Claude Code memory folder"

    def recognises(self, place: Path) -> bool:
        if not place.is_dir():
            return False
        if place.name == "memory" and place.parent.parent.name == "projects":
            return True
        return any(b"originSessionId" in start_of(file) for file, _ in markdown_files(place))

    def read(self, place: Path, target: Target) -> Found:
        contents = Found()
        project = target.project if target.fixed else project_of(place, target)
        files = list(markdown_files(place))
        for file, name in files:
            text = read_or_skip(file, name, contents, target)
            if text is None:
                continue
            if name != "MEMORY.md":
                contents.pieces.append(_piece(text, name, project, target))
            elif _is_index(text):
                contents.skip(name, "the index, which is made anew from the memories")
                taken: set[str] = set()
                for note in notes_in_index(text):
                    document = noted(note, taken)
                    contents.pieces.append(
                        Piece(project, f"/{document.name}.md", document.text(), f"{name}, {note}")
                    )
            else:
                contents.pieces += _sections(beside_index(text), name, project)
        return contents


def _piece(text: str, name: str, project: str, target: Target) -> Piece:
    document = load(text, path=f"/{name}")
    origin = document.origin if _SESSION.fullmatch(document.origin) else ""
    return Piece(
        target.store_for(document, project),
        f"/{name}",
        text,
        name,
        trust=stated(document),
        session=f"claude-code:{origin}" if origin else "",
    )


def stated(document: Document) -> Trust:
    """The trust a file states, at most `agent`: only a person here can say `user`."""
    claimed = document.trust if document.trust in TRUSTS else "agent"
    return lowest(claimed, "agent")


def _sections(text: str, name: str, project: str) -> list[Piece]:
    """The earliest form: one memory per heading, with the words below it."""
    return [
        Piece(project, f"/{document.name}.md", document.text(), f"{name}, {title}")
        for title, document in by_heading(text, [*_HEADING.finditer(text)], "notes", set())
    ]


def _is_index(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return not lines or 2 * sum(bool(INDEX_LINE.match(line)) for line in lines) >= len(lines)


def project_of(folder: Path, target: Target) -> str:
    """The project whose logs lie beside a memory folder; that of the target when none do."""
    beside = logged_folder(folder)
    return target.slug_at(beside) if beside else target.project


def logged_folder(folder: Path) -> str:
    """Where the first session whose log lies beside a memory folder ran; "" when none does."""
    for log in sorted(folder.parent.glob("*.jsonl")):
        if named := _CWD.search(start_of(log, _HEAD_BYTES)):
            return str(json.loads(named[1]))
    return ""


def memory_folders(env: Mapping[str, str]) -> list[Path]:
    """Where Claude Code keeps memory: the user's own setting, else one folder per project.

    Raises:
        InvalidInput: the setting names no usable folder.
    """
    home = Path(env.get("CLAUDE_CONFIG_DIR") or user_home(env) / ".claude")
    if chosen := _setting(home / "settings.json", "autoMemoryDirectory"):
        return [checked_folder(chosen, env)]
    return sorted(p for p in (home / "projects").glob("*/memory") if p.is_dir())


def agents_folders(env: Mapping[str, str]) -> list[Path]:
    """Where Claude Code's subagents keep what they note for all projects, a folder for each.

    Those inside of a repository are not among them: they come with every clone.
    """
    home = Path(env.get("CLAUDE_CONFIG_DIR") or user_home(env) / ".claude")
    return sorted(p for p in (home / "agent-memory").glob("*") if p.is_dir())


def switched_off(env: Mapping[str, str]) -> str:
    """Why the user wants no automatic memory; empty when they do. The repository has no say."""
    if env.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "").lower() in ("1", "true", "yes", "on"):
        return "CLAUDE_CODE_DISABLE_AUTO_MEMORY is set"
    if env.get("CLAUDE_CODE_SIMPLE", "").lower() in ("1", "true", "yes", "on"):
        return "bare mode"
    if env.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY") == "0":
        return ""
    home = Path(env.get("CLAUDE_CONFIG_DIR") or user_home(env) / ".claude")
    enabled = _setting(home / "settings.json", "autoMemoryEnabled")
    return "autoMemoryEnabled is false" if enabled is False else ""


def checked_folder(text: object, env: Mapping[str, str]) -> Path:
    """A folder from the settings: absolute, or below `~`; never a root, a share or a NUL."""
    if not isinstance(text, str) or "\0" in text or text.startswith("\\\\"):
        raise InvalidInput("autoMemoryDirectory is not a usable path")
    path = env.get("HOME", "~") + text[1:] if text.startswith("~/") else text
    parts = path.replace("\\", "/").split("/")
    if not os.path.isabs(path) or ".." in parts or len(Path(path).parts) < 3:
        raise InvalidInput(f"autoMemoryDirectory {text!r} is relative, a root, or leads upwards")
    return Path(path)


def _setting(file: Path, key: str) -> Any:
    try:
        data: Any = json.loads(text_of(file))
    except (InvalidInput, ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", data).get(key) if isinstance(data, dict) else None
