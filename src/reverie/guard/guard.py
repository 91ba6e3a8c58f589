"""What a run of the user's own model may do: read anything, write memory files, nothing else.

`can_use_tool` decides one tool call. As a PreToolUse hook (`python -E -P -m reverie.guard.guard
DIR || exit 2`) the same decision is made for a client: the call comes on stdin, the answer goes to
stdout, and whatever goes wrong on the way is a refusal.
"""

import os
import sys

if __name__ == "__main__":
    # The hook runs in the project: a json.py there must not become part of the guard. Without -P
    # a folder named reverie could still come before this one.
    sys.path[:] = [
        entry for entry in sys.path if os.path.realpath(entry) != os.path.realpath(os.curdir)
    ]

import json
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from reverie.errors import Refused, ReverieError
from reverie.files import is_obeyed

READ_TOOLS = frozenset({"Read", "Glob", "Grep", "LS", "NotebookRead", "StructuredOutput"})
WRITE_TOOLS = frozenset({"Write", "Edit", "MultiEdit"})
_PLAIN_PATH = re.compile(r"[^\x00-\x1f\x7f-\x9f*?\[\]{}$`\\|<>\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Allow:
    """The call may go on."""


@dataclass(frozen=True, slots=True)
class Deny:
    """The call is refused; the reason is one sentence for the model."""

    reason: str


def can_use_tool(
    tool_name: str,
    tool_input: Mapping[str, object],
    memory_dir: str | Path,
    cwd: str | Path,
    home: str | Path | None = None,
) -> Allow | Deny:
    """Decide one tool call of an extraction run.

    `home` is where the session began; git may obey the repository of that place and no other. A
    shell that was moved there by an earlier call stands in `cwd`.
    """
    try:
        _check(tool_name, tool_input, Path(memory_dir), Path(cwd), Path(home or cwd))
    except ReverieError as error:
        return Deny(error.message)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        return Deny(f"the call could not be checked: {type(error).__name__}")
    return Allow()


def _check(
    tool: str, tool_input: Mapping[str, object], memory_dir: Path, cwd: Path, home: Path
) -> None:
    if tool in READ_TOOLS:
        return
    if tool == "Bash":
        _check_shell(tool_input, memory_dir, cwd, home)
    elif tool in WRITE_TOOLS:
        check_write(_text(tool_input, "file_path"), memory_dir, cwd)
    else:
        raise Refused(f"{tool} is neither a reading tool nor a write into the memory directory")


def _check_shell(tool_input: Mapping[str, object], memory_dir: Path, cwd: Path, home: Path) -> None:
    from reverie.guard.commands import Places, check_commands
    from reverie.guard.shell import commands
    from reverie.guard.surroundings import Folder

    if tool_input.get("run_in_background") or tool_input.get("dangerouslyDisableSandbox"):
        raise Refused("a shell command may not run in the background or outside the sandbox")
    line, folder = _text(tool_input, "command"), Folder(cwd, home, memory_dir)
    started = commands(line, folder)
    if any(command.name == "cd" for command in started):
        started = commands(line, Folder(None, home, memory_dir))
    check_commands(started, Places(cwd, home, memory_dir, Path.home()))


def _text(tool_input: Mapping[str, object], key: str) -> str:
    value = tool_input.get(key)
    if not isinstance(value, str) or not value.strip():
        raise Refused(f"the call has no {key}")
    return value


def check_write(name: str, memory_dir: Path, cwd: Path) -> None:
    """Refuse a file unless it lies inside the memory directory, however it is spelled.

    Raises:
        Refused: the path is unusual, leaves the directory, is hidden, or is another file's name.
    """
    if not _PLAIN_PATH.fullmatch(name) or name.startswith("~") or name != name.strip():
        raise Refused("the path holds characters that a shell or a client could expand")
    if not memory_dir.is_absolute() or len(memory_dir.parts) < 3 or not cwd.is_absolute():
        raise Refused("the memory directory is not a directory of its own")
    root = Path(os.path.realpath(memory_dir))
    resolved = Path(os.path.realpath(cwd / name))
    # A client may tidy `..` away before or after it follows links: both readings must be inside.
    written = Path(os.path.realpath(os.path.normpath(cwd / name)))
    for place in (resolved, written):
        if place == root or not place.is_relative_to(root):
            raise Refused(f"{name} is outside the memory directory")
        if any(is_obeyed(part) for part in place.relative_to(root).parts):
            raise Refused("files of such names configure or instruct other programs")
        _check_existing(place)


def _check_existing(place: Path) -> None:
    try:
        state = place.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(state.st_mode):
        raise Refused(f"{place.name} is not a regular file")
    if state.st_nlink > 1:
        raise Refused(f"{place.name} is also known under another name (a hard link)")


def answer(call: str, memory_dir: str) -> str:
    """The PreToolUse answer, as JSON, for the call a client handed over as JSON."""
    try:
        parsed = json.loads(call)
        fields = cast("dict[str, object]", parsed) if isinstance(parsed, dict) else {}
        tool_input = fields.get("tool_input")
        decision = can_use_tool(
            str(fields.get("tool_name", "")),
            cast("dict[str, object]", tool_input) if isinstance(tool_input, dict) else {},
            memory_dir,
            str(fields.get("cwd") or os.getcwd()),
            os.environ.get("CLAUDE_PROJECT_DIR"),
        )
    except (ValueError, RecursionError):
        decision = Deny("the call is not JSON")
    output = {"hookEventName": "PreToolUse", "permissionDecision": "allow"}
    if isinstance(decision, Deny):
        output["permissionDecision"] = "deny"
        output["permissionDecisionReason"] = f"Reverie's guard: {decision.reason}."
    return json.dumps({"hookSpecificOutput": output})


def main() -> int:
    """`python -E -P -m reverie.guard.guard MEMORY_DIR` < call.json; exit 2 blocks, 1 would not."""
    try:
        print(answer(sys.stdin.read(), sys.argv[1]))
    except Exception as error:  # noqa: BLE001 - outermost: a guard that breaks must refuse, not let pass
        print(f"Reverie's guard could not decide: {type(error).__name__}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
