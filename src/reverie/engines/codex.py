"""Engine `codex`: the user's own Codex answers, on the piece alone.

It runs without tools, servers, hooks, skills or project instructions, leaves no session, and has to
answer in the form asked for. Who the user is logged in as, and the model they chose, stay theirs.
Codex tells tokens and no price.
"""

import json
import re
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from reverie.engines.api import counted, fields
from reverie.engines.prices import Usage, price_of, receipt_of
from reverie.engines.process import NOTHING, Ran, find_program, run_client
from reverie.engines.protocol import Answer, Limits, Prompt, only_json
from reverie.errors import CallFailed
from reverie.settings import Engines

WHO = "Codex"
_FEATURES = (
    *("shell_tool", "unified_exec", "hooks", "apps", "plugins", "multi_agent", "image_generation"),
    *("view_image", "goals", "tool_suggest", "skill_search", "memories"),
)
_SETTINGS = (
    *("notify=[]", 'developer_instructions=""', "project_doc_max_bytes=0", 'web_search="disabled"'),
    *("skills.include_instructions=false", "include_permissions_instructions=false"),
    *("include_environment_context=false", "include_collaboration_mode_instructions=false"),
    "include_apps_instructions=false",
)
_LOGGED_OUT = re.compile(r"(?i)\b401\b|unauthorized|not logged in|missing environment variable")
_SERVER_NAME = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Codex:
    """The client, and a folder of its own."""

    program: str
    folder: Path
    environ: Mapping[str, str]
    model: str = "default"  # the client's own choice

    @property
    def name(self) -> str:
        return "codex"

    def answer(self, prompt: Prompt, limits: Limits) -> Answer:
        """Think about one assignment.

        Raises:
            CallFailed: the client is missing or logged out, too slow, refuses, or answers with
                something else.
        """
        began = time.monotonic()
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            schema, instructions = Path(scratch, "schema.json"), Path(scratch, "instructions.md")
            schema.write_text(json.dumps(strict(prompt.schema)), encoding="utf-8")
            instructions.write_text(prompt.instructions, encoding="utf-8")
            ran = run_client(
                WHO,
                self.command(schema, instructions),
                prompt.material,
                folder=Path(scratch),
                env=self.environ,
                seconds=limits.seconds,
            )
        events = list(_events(ran))
        message, used = _said(events), _usage(events)
        if text := only_json(message):
            seconds, price = time.monotonic() - began, price_of(self.model, local=False)
            receipt = receipt_of(self.name, self.model, prompt, used, seconds, price)
            return Answer(_without_nothing(text), receipt)
        raise _failure(events, message, used, ran)

    def command(self, schema: Path, instructions: Path) -> list[str]:
        """The exact command line of a run."""
        settings = [*_SETTINGS, f"model_instructions_file={json.dumps(str(instructions))}"]
        settings += [f"mcp_servers.{name}.enabled=false" for name in self._servers()]
        return [
            *(self.program, "exec", "--json", "--ephemeral", "--skip-git-repo-check"),
            *("--ignore-rules", "--sandbox", "read-only", "--output-schema", str(schema)),
            *([] if self.model == "default" else ["--model", self.model]),
            *(part for name in _FEATURES for part in ("--disable", name)),
            *(part for setting in settings for part in ("-c", setting)),
            "-",
        ]

    def _servers(self) -> list[str]:
        """The user's MCP servers, which can only be turned off by name."""
        home = self.environ.get("CODEX_HOME") or Path(self.environ.get("HOME", ""), ".codex")
        try:
            with Path(home, "config.toml").open("rb") as file:
                servers = tomllib.load(file).get("mcp_servers", {})
        except (OSError, ValueError):
            return []
        return [name for name in fields(servers) if _SERVER_NAME.fullmatch(name)]


def made(settings: Engines, environ: Mapping[str, str], folder: Path) -> Codex:
    """The engine as the settings describe it, with a folder of its own.

    Raises:
        CallFailed: the client is not on the path.
    """
    return Codex(find_program("codex", WHO, environ), folder, environ, settings.codex_model)


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema as OpenAI takes it: closed, every field named, and what may be left out is null."""
    changed = dict(schema)
    if "enum" in schema:
        changed.setdefault("type", "string")
    if isinstance(items := schema.get("items"), dict):
        changed["items"] = strict(cast("dict[str, Any]", items))
    if isinstance(parts := schema.get("anyOf"), list):
        changed["anyOf"] = [strict(part) for part in cast("list[dict[str, Any]]", parts)]
    if isinstance(fields := schema.get("properties"), dict):
        named = {name: strict(field) for name, field in cast("dict[str, Any]", fields).items()}
        needed = schema.get("required", ())
        changed["properties"] = {
            name: field if name in needed else {"anyOf": [field, {"type": "null"}]}
            for name, field in named.items()
        }
        changed |= {"required": list(named), "additionalProperties": False}
    return changed


def _without_nothing(text: str) -> str:
    """JSON without the fields that are null, which stand for those left out."""
    try:
        return json.dumps(_present(json.loads(text)))
    except (ValueError, RecursionError):
        return text


def _present(value: Any) -> Any:
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        return {name: _present(part) for name, part in table.items() if part is not None}
    return (
        [_present(part) for part in cast("list[Any]", value)] if isinstance(value, list) else value
    )


def _events(ran: Ran) -> Iterator[dict[str, Any]]:
    for line in ran.out.splitlines():
        try:
            event: object = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            yield cast("dict[str, Any]", event)


def _said(events: list[dict[str, Any]]) -> str:
    """The last message of the agent."""
    items = [fields(event.get("item")) for event in events]
    messages = [str(item.get("text", "")) for item in items if item.get("type") == "agent_message"]
    return messages[-1] if messages else ""


def _usage(events: list[dict[str, Any]]) -> Usage | None:
    usage = next((counts for event in events if (counts := fields(event.get("usage")))), None)
    if usage is None:
        return None
    cached = counted(usage, "cached_input_tokens")
    asked = counted(usage, "input_tokens")
    return Usage(max(0, asked - cached), counted(usage, "output_tokens"), cached)


def _failure(
    events: list[dict[str, Any]], message: str, used: tuple[int, int, int, int] | None, ran: Ran
) -> CallFailed:
    failed = [fields(event.get("error")) for event in events if event.get("type") == "turn.failed"]
    if failed:
        words = " ".join(str(failed[-1].get("message", "")).split())[:300]
        logged_out = _LOGGED_OUT.search(words) is not None
        hint = "run `codex login` once" if logged_out else None
        used = NOTHING if logged_out else used
        return CallFailed(f"{WHO} failed: {words}", hint=hint, whole=logged_out, used=used)
    if message:
        words = " ".join(message.split())[:300]
        return CallFailed(f"{WHO} answers with something else: {words}", used=used)
    if used is not None:
        return CallFailed(f"{WHO} refuses to answer", used=used)
    old = "unexpected argument" in ran.err
    why = f"{WHO} ended with {ran.code} and no answer: {ran.last_words()}"
    return CallFailed(why, hint="update Codex" if old else None, whole=old)
