"""Putting accepted forms where they belong in a project, and taking them out again.

    rule      the managed block of CLAUDE.md or AGENTS.md
    command   .claude/commands/NAME.md
    skill     .claude/skills/NAME/SKILL.md
    hook      .claude/hooks/NAME.py, and an entry in .claude/settings.json
    test      tests/…, in the framework of the project

The bytes from before are kept in the home: a file nobody touched since gets them back, any other
only loses our part.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from reverie.dream.model import Artefact, Change
from reverie.dream.proposals import hook_program
from reverie.errors import InvalidInput
from reverie.files import change as files
from reverie.files.json_text import with_member
from reverie.files.managed_block import with_line, without_line
from reverie.inert import inert


def script_of(given: dict[str, Any], why: str) -> str:
    """The program behind a proposed hook: what reads commands, then what it guards and says."""
    source = Path(hook_program.__file__).read_text(encoding="utf-8")
    guard = {key: value for key, value in given.items() if key not in {"event", "matcher"}}
    # A JSON text is a Python text too, whatever stands in it.
    literal = json.dumps(json.dumps(guard, ensure_ascii=True))
    return (
        f"# {why}\n# Put here by `reverie review`; `reverie proposals undo` takes it out again.\n"
        f'{source}\n\nif __name__ == "__main__":\n    main(json.loads({literal}))\n'
    )


class Placing:
    """Writes forms below a project's root; what was there before is kept in `home`."""

    def __init__(self, home: Path) -> None:
        self._connections = files.Connections(home)

    def put(self, root: Path, change: Change, artefact: Artefact) -> dict[str, Any]:
        """Put one form in place; returns what taking it back needs.

        Raises:
            InvalidInput: a file of that name is there, or is not what it should be.
            ReadOnly: it cannot be written.
        """
        top = Path(os.path.realpath(root))
        match artefact.form:
            case "rule":
                return self._rule(top, change, artefact)
            case "hook":
                return self._hook(top, change, artefact)
            case _:
                return self._file(top, artefact.path, artefact.content, change, artefact)

    def take_back(self, placed: dict[str, Any]) -> str:
        """Take out what `put` wrote; says what was done."""
        words: list[str] = []
        for name, place in reversed(list(placed["files"].items())):
            path = Path(place)
            current = files.read(path)
            untouched, before = self._connections.original(name, current)
            after = before if untouched else _without(placed, path, current)
            if current is not None or after is not None:
                self._connections.undo(name, files.Change(path, current, after))
            words.append(
                f"{path.name} is as it was" if untouched else f"{path.name}: our part is out"
            )
        return ", ".join(reversed(words))

    def _rule(self, root: Path, change: Change, artefact: Artefact) -> dict[str, Any]:
        path = _inside(root, instructions_file(root, artefact.path))
        self._edit(
            f"{change.id}-rule", path, lambda text: with_line(text, change.id, artefact.content)
        )
        return _placed(change, "rule", path, {f"{change.id}-rule": str(path)})

    def _hook(self, root: Path, change: Change, artefact: Artefact) -> dict[str, Any]:
        given: dict[str, Any] = json.loads(artefact.content)
        script = _inside(root, f".claude/hooks/{change.id}.py")
        settings = _inside(root, ".claude/settings.json")
        command = f'python3 "$CLAUDE_PROJECT_DIR/.claude/hooks/{change.id}.py"'
        entry = {"matcher": given["matcher"], "hooks": [{"type": "command", "command": command}]}
        event = str(given["event"])
        self._edit(f"{change.id}-settings", settings, lambda text: _with_hook(text, event, entry))
        given |= {"reason": f"{given['reason']} (.claude/hooks/{change.id}.py)"}
        self._new(f"{change.id}-script", script, script_of(given, _evidence(change)))
        names = {f"{change.id}-settings": str(settings), f"{change.id}-script": str(script)}
        return _placed(change, "hook", settings, names) | {"event": event, "command": command}

    def _file(
        self, root: Path, relative: str, content: str, change: Change, artefact: Artefact
    ) -> dict[str, Any]:
        path = _inside(root, relative)
        name = f"{change.id}-{artefact.form}"
        self._new(name, path, content)
        return _placed(change, artefact.form, path, {name: str(path)})

    def _new(self, name: str, path: Path, content: str) -> None:
        before = files.read(path)
        data = content.encode("utf-8")
        if before is not None and before != data:
            raise InvalidInput(f"{path} is there already", hint="rename it, or leave this form out")
        if before is None:
            self._connections.apply(name, files.Change(path, None, data))

    def _edit(self, name: str, path: Path, edit: Callable[[str], str]) -> None:
        before = files.read(path)
        text = "" if before is None else files.decoded(path, before)
        after = edit(text).encode("utf-8")
        if after != before:
            self._connections.apply(name, files.Change(path, before, after))


def _evidence(change: Change) -> str:
    """On one line, what a form rests on: the change, which has the quotes, and how often it was
    seen."""
    return inert(" ".join(f"{change.id}, {change.support}".split())).rstrip(", ")


def _placed(change: Change, form: str, path: Path, names: dict[str, str]) -> dict[str, Any]:
    return {"form": form, "path": str(path), "id": change.id, "files": names}


def _without(placed: dict[str, Any], path: Path, current: bytes | None) -> bytes | None:
    """What is left of a file that was changed since: everything but our part."""
    if current is None:
        return None
    if placed["form"] == "rule":
        return without_line(files.decoded(path, current), placed["id"]).encode("utf-8")
    if placed["form"] == "hook" and path.suffix == ".json":
        text = files.decoded(path, current)
        return _without_hook(text, placed["event"], placed["command"]).encode("utf-8")
    return current


def instructions_file(root: Path, wanted: str) -> str:
    """The file a project's agents read: the one that is there, else the one wanted."""
    there = [name for name in ("AGENTS.md", "CLAUDE.md") if (root / name).exists()]
    return there[0] if len(there) == 1 else wanted


def _inside(root: Path, relative: str) -> Path:
    path = Path(os.path.realpath(root / relative))
    if not path.is_relative_to(root):
        raise InvalidInput(f"{relative} leads out of {root}")
    return path


def _with_hook(text: str, event: str, entry: dict[str, Any]) -> str:
    entries = _entries(text, event)
    if entry in entries:
        return text
    return with_member(text or "{}\n", ["hooks", event], [*entries, entry])


def _without_hook(text: str, event: str, command: str) -> str:
    entries = _entries(text, event)
    kept = [
        entry
        for entry in entries
        if command not in json.dumps(entry, ensure_ascii=False).replace('\\"', '"')
    ]
    return text if len(kept) == len(entries) else with_member(text, ["hooks", event], kept)


def _entries(text: str, event: str) -> list[Any]:
    try:
        settings: Any = json.loads(text) if text.strip() else {}
    except ValueError:
        raise InvalidInput("settings.json is not JSON, so it is left alone") from None
    value: Any = settings
    for key in ("hooks", event):
        value = cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None
    return cast("list[Any]", value) if isinstance(value, list) else []
