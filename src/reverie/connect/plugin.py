"""The Claude Code plugin (hooks, skills, MCP server), put in and taken out by the client itself."""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import reverie
from reverie.errors import NotFound, Unavailable

PLUGIN = "reverie@reverie"
TIMEOUT = 120


def marketplace() -> Path:
    """The folder the plugin lies in: part of the package, or of the checkout it runs from.

    Raises:
        NotFound: this installation came without it.
    """
    package = Path(reverie.__file__).parent
    for folder in (package / "data" / "marketplace", package.parent.parent):
        if (folder / ".claude-plugin" / "marketplace.json").is_file():
            return folder
    raise NotFound("this installation has no plugin", hint="use plain settings: --plain")


def commands(undo: bool = False) -> list[list[str]]:
    """What is run, in order."""
    if undo:
        return [
            ["claude", "plugin", "uninstall", PLUGIN],
            ["claude", "plugin", "marketplace", "remove", "reverie"],
        ]
    return [
        ["claude", "plugin", "marketplace", "add", str(marketplace())],
        ["claude", "plugin", "install", PLUGIN],
    ]


def installed(env: Mapping[str, str] = os.environ) -> bool:
    """Whether Claude Code has the plugin, by the list the client keeps."""
    folder = Path(env.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    try:
        listed: Any = json.loads((folder / "plugins" / "installed_plugins.json").read_bytes())
        return PLUGIN in listed["plugins"]
    except (OSError, ValueError, LookupError, TypeError):
        return False


def run(planned: list[list[str]], env: Mapping[str, str]) -> None:
    """Run them one after the other.

    Raises:
        Unavailable: the client is not there, or did not do it.
    """
    program = shutil.which("claude", path=env.get("PATH"))
    if program is None:
        lines = "; ".join(shlex.join(line) for line in planned)
        raise Unavailable("Claude Code is not on the PATH", hint=f"where it is, run: {lines}")
    for command in planned:
        try:
            done = subprocess.run(
                [program, *command[1:]],
                env=dict(env),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Unavailable(f"{shlex.join(command)} took too long") from None
        if done.returncode:
            message = (done.stderr or done.stdout).strip()[:300]
            raise Unavailable(f"{shlex.join(command)} ended with {done.returncode}: {message}")
