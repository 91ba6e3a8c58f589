"""Which agents can be connected, and what is written where.

    claude-code   `mcpServers.reverie` in `~/.claude.json` (user scope: every project)
    codex         `[mcp_servers.reverie]` in `~/.codex/config.toml`
    gemini        `mcpServers.reverie` in `~/.gemini/settings.json`
    opencode      `mcp.reverie` in `~/.config/opencode/opencode.json`
    copilot       `mcpServers.reverie` in `~/.copilot/mcp-config.json`
    cursor        `mcpServers.reverie` in `~/.cursor/mcp.json`

The entry names this interpreter by its absolute path, so that it works outside any environment.
`-P` keeps the working directory off the import path: a repository must not be able to put a module
of its own in front of ours. `--home` names the home: a variable it sets must not name another.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from reverie.config import home_from
from reverie.connect.toml_text import parsed, with_value, without_value
from reverie.errors import InvalidInput, NotFound
from reverie.files.change import Change, Connections, decoded, read
from reverie.files.json_text import with_member, without_member

NAME = "reverie"

# Started through the shell so that a removed installation says so in one line, instead of leaving
# the agent with "command not found".
_START = (
    '[ -x "$0" ] || { echo "reverie: $0 is gone;'
    ' reinstall Reverie and run: reverie connect $AGENT" >&2; exit 127; }; exec "$0" "$@"'
)


@dataclass(frozen=True, slots=True)
class Client:
    """One agent: where its settings are and how our entry gets in and out."""

    name: str
    path: Callable[[Mapping[str, str]], Path]
    added: Callable[[str, Mapping[str, Any]], str]
    removed: Callable[[str], str]
    empty: str
    agent: str = ""  # how its logs and its writes are named, if not as it is connected


def entry(
    agent: str, interpreter: str = sys.executable, name: str = "", *, home: str
) -> dict[str, Any]:
    """How an agent starts the server; `name` is what it is connected by, if not its own."""
    arguments = ["-P", "-m", "reverie", "mcp", "--agent", agent, "--home", home]
    if os.name == "nt":
        return {"command": interpreter, "args": arguments}
    start = _START.replace("$AGENT", name or agent)
    return {"command": "/bin/sh", "args": ["-c", start, interpreter, *arguments]}


def client(name: str) -> Client:
    """A client by its name.

    Raises:
        NotFound: none of that name.
    """
    if name not in CLIENTS:
        raise NotFound(f"no agent {name!r}", hint="one of " + ", ".join(CLIENTS))
    return CLIENTS[name]


def connecting(which: Client, env: Mapping[str, str]) -> Change:
    """The change that connects; none needed when the entry is already there."""
    ours = entry(which.agent or which.name, name=which.name, home=str(home_from(env)))
    return adding(which, env, ours)


def adding(which: Client, env: Mapping[str, str], ours: Mapping[str, Any]) -> Change:
    """The change that adds what is ours; none needed when it is already there."""
    path = which.path(env)
    before = read(path)
    text = which.empty if before is None or not before.strip() else decoded(path, before)
    after = which.added(text, ours).encode()
    return Change(path, before, before if before == after else after)


def disconnecting(which: Client, env: Mapping[str, str], connections: Connections) -> Change:
    """The change that undoes: to the bytes from before if nobody else wrote meanwhile."""
    path = which.path(env)
    current = read(path)
    untouched, original = connections.original(which.name, current)
    if untouched:
        return Change(path, current, original)
    # Without our name there is nothing of ours in it, whatever else it is.
    if current is None or NAME.encode() not in current:
        return Change(path, current, current)
    return Change(path, current, which.removed(decoded(path, current)).encode())


def _claude_entry(ours: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "stdio", **ours, "env": {}}


def _loaded(text: str) -> dict[str, Any]:
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the settings are not JSON: {error}") from None
    if not isinstance(document, dict):
        raise InvalidInput("the settings are not a JSON object")
    return cast("dict[str, Any]", document)


def in_folder(
    file: str, variable: str = "", otherwise: str = "", below: str = ""
) -> Callable[[Mapping[str, str]], Path]:
    """Where a file lies: in the folder that a variable names, else in one of the user's home, and
    there `below`."""

    def path(env: Mapping[str, str]) -> Path:
        home = Path(env.get("HOME") or Path.home())
        return Path(env.get(variable) or home / otherwise) / below / file

    return path


def _codex_added(text: str, ours: Mapping[str, Any]) -> str:
    servers: Any = parsed(text).get("mcp_servers")
    if isinstance(servers, dict) and cast("dict[str, Any]", servers).get(NAME) == dict(ours):
        return text
    return with_value(text, ["mcp_servers", NAME], dict(ours))


def _codex_removed(text: str) -> str:
    return without_value(text, ["mcp_servers", NAME])


def _opencode_entry(ours: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "local", "command": [ours["command"], *ours["args"]], "enabled": True}


def _copilot_entry(ours: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "local", **ours, "tools": ["*"]}


_PLACES = {
    "claude-code": in_folder(".claude.json", "CLAUDE_CONFIG_DIR"),
    "codex": in_folder("config.toml", "CODEX_HOME", ".codex"),
    "gemini": in_folder("settings.json", "GEMINI_CLI_HOME", below=".gemini"),
    # `opencode.jsonc` beside it may hold comments; both are read, and this one is ours to write.
    "opencode": in_folder("opencode.json", "XDG_CONFIG_HOME", ".config", "opencode"),
    "copilot": in_folder("mcp-config.json", "COPILOT_HOME", ".copilot"),
    "cursor": in_folder("mcp.json", otherwise=".cursor"),
}


def _in_json(
    name: str, agent: str, member: str, shape: Callable[[Mapping[str, Any]], dict[str, Any]] = dict
) -> Client:
    """A client whose settings are JSON, with an object of servers by name."""

    def added(text: str, ours: Mapping[str, Any]) -> str:
        server = shape(ours)
        present: Any = _loaded(text).get(member)
        if isinstance(present, dict) and cast("dict[str, Any]", present).get(NAME) == server:
            return text
        return with_member(text, [member, NAME], server)

    def removed(text: str) -> str:
        return without_member(text, [member, NAME])

    return Client(name, _PLACES[name], added, removed, "{}\n", agent)


CLIENTS: dict[str, Client] = {
    "claude-code": _in_json("claude-code", "claude-code", "mcpServers", _claude_entry),
    "codex": Client("codex", _PLACES["codex"], _codex_added, _codex_removed, ""),
    "gemini": _in_json("gemini", "gemini-cli", "mcpServers"),
    "opencode": _in_json("opencode", "opencode", "mcp", _opencode_entry),
    "copilot": _in_json("copilot", "copilot-cli", "mcpServers", _copilot_entry),
    "cursor": _in_json("cursor", "cursor", "mcpServers"),
}
