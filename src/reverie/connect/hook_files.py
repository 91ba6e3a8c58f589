"""Our hooks in an agent's own settings, for those who do not use the plugin.

    claude-code   `hooks` in `~/.claude/settings.json`
    codex         `hooks` in `~/.codex/hooks.json` (to be trusted once in `/hooks`)

Other people's hooks for the same event stay where they are.
"""

import json
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from reverie.config import home_from
from reverie.connect.clients import Client, adding, in_folder
from reverie.connect.hook import EVENTS
from reverie.errors import InvalidInput, NotFound
from reverie.files.change import Change
from reverie.files.json_text import with_member, without_member

_OURS = re.compile(r"\breverie-hook['\"]? [A-Z]")


def hook_command(event: str, interpreter: str = sys.executable, *, home: str) -> str:
    """The shell line of an event; it does nothing where Reverie was removed.

    The home stands in it, so that no variable a repository sets can name another.
    """
    script = shlex.quote(str(Path(interpreter).parent / "reverie-hook"))
    return f"[ ! -x {script} ] || {script} {event} {shlex.quote(home)}"


def hook_file(agent: str) -> Client:
    """Where an agent's hooks are written, and how ours get in and out.

    Raises:
        NotFound: no such agent has hooks.
    """
    if agent not in HOOK_FILES:
        raise NotFound(f"{agent!r} has no hooks", hint="one of " + ", ".join(HOOK_FILES))
    return HOOK_FILES[agent]


def hooking(which: Client, env: Mapping[str, str]) -> Change:
    """The change that adds the hooks; none needed when they are already there."""
    return adding(which, env, {"home": str(home_from(env))})


def _added(text: str, options: Mapping[str, Any]) -> str:
    for event in EVENTS:
        groups = _groups(text, event)
        ours = {
            "hooks": [{"type": "command", "command": hook_command(event, home=options["home"])}]
        }
        if ours not in groups:
            kept = [group for group in groups if not _is_ours(group)]
            text = with_member(text, ["hooks", event], [*kept, ours])
    return text


def _removed(text: str) -> str:
    for event in EVENTS:
        groups = _groups(text, event)
        kept = [group for group in groups if not _is_ours(group)]
        if kept and kept != groups:
            text = with_member(text, ["hooks", event], kept)
        elif groups and not kept:
            text = without_member(text, ["hooks", event])
    if _hooks(text) == {}:
        text = without_member(text, ["hooks"])
    return text


def _hooks(text: str) -> dict[str, Any] | None:
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the settings are not JSON: {error}") from None
    hooks: Any = (
        cast("dict[str, Any]", document).get("hooks") if isinstance(document, dict) else None
    )
    if not isinstance(document, dict) or not isinstance(hooks, dict | None):
        raise InvalidInput("the settings have no room for hooks: `hooks` must be an object")
    return cast("dict[str, Any] | None", hooks)


def _groups(text: str, event: str) -> list[Any]:
    groups = (_hooks(text) or {}).get(event, [])
    if not isinstance(groups, list):
        raise InvalidInput(f"the settings have no room for hooks: `{event}` must be a list")
    return cast("list[Any]", groups)


def _is_ours(group: Any) -> bool:
    return bool(_OURS.search(json.dumps(group)))


_CLAUDE = in_folder("settings.json", "CLAUDE_CONFIG_DIR", ".claude")
_CODEX = in_folder("hooks.json", "CODEX_HOME", ".codex")
HOOK_FILES: dict[str, Client] = {
    "claude-code": Client("claude-code-hooks", _CLAUDE, _added, _removed, "{}\n"),
    "codex": Client("codex-hooks", _CODEX, _added, _removed, "{}\n"),
}
