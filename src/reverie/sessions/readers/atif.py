"""ATIF 1.x trajectories: one JSON document with steps, as `sessions/atif.py` writes them too."""

import re
from pathlib import Path
from typing import Any, cast, get_args

from reverie.sessions.logs.atif import EXTRA
from reverie.sessions.logs.transcript import Resume, Transcript
from reverie.sessions.model import Kind, Role, Tool, Turn
from reverie.sessions.readers.base import SingleSession, table_of, text_of
from reverie.sessions.readers.clip import clip
from reverie.sessions.readers.objects import Objects, Table, document, tables, texts_of

AGENT = "atif"

_SCHEMA = re.compile(rb'"schema_version"\s*:\s*"ATIF-')
_KINDS = frozenset(get_args(Kind))


class Atif(SingleSession):
    """The reader of trajectories. They have no place of their own: they come with `--logs`."""

    agent = AGENT

    def recognises(self, path: Path, head: bytes) -> bool:
        return _SCHEMA.search(head) is not None

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        return document(path, AtifSession(path.name.partition(".")[0]), ("steps",))


class AtifSession(Objects):
    """Reads the steps of one trajectory in order."""

    agent = AGENT

    def whole(self, value: Table) -> bool:
        return isinstance(value.get("step_id"), int) and value.get("source") in (
            "user",
            "agent",
            "system",
        )

    def describe(self, fields: Table) -> None:
        """The members of a trajectory besides its steps."""
        agent = table_of(fields.get("agent"))
        ours = table_of(table_of(fields.get("extra")).get(EXTRA))
        given = {
            "id": fields.get("session_id") or fields.get("trajectory_id"),
            "version": f"{text_of(agent.get('name'))} {text_of(agent.get('version'))}".strip(),
            **{name: ours.get(name) for name in ("cwd", "branch", "remote", "title", "parent")},
        }
        self._fields |= {name: value for name, value in given.items() if isinstance(value, str)}

    def feed(self, line: int, offset: int, record: Table, out: list[Turn]) -> None:
        at = text_of(record.get("timestamp"))
        self.seen(at)
        ours = table_of(table_of(record.get("extra")).get(EXTRA))
        text = texts_of(record.get("message"))
        turn = Turn(
            line,
            0,
            "agent",
            "text",
            at,
            text,
            str(record["step_id"]),
            self._fields.get("cwd", ""),
            self._fields.get("branch", ""),
            undone=ours.get("undone") is True,
        )
        if record.get("source") == "agent":
            self._answer(turn, record, out)
            return
        role, kind = _meaning(record, ours.get("kind"))
        # A trajectory is anybody's file: whether a person gave the task it cannot prove.
        turn = turn._replace(role=role, kind=kind, typed="probable" if role == "human" else "typed")
        if role == "human" and (text.strip() or kind in ("reject", "interrupt")):
            out.append(turn._replace(text=text.strip()))
        elif role == "harness" and text:
            out.append(turn._replace(text=clip(text)))

    def _answer(self, turn: Turn, record: Table, out: list[Turn]) -> None:
        if thought := text_of(record.get("reasoning_content")):
            out.append(turn._replace(kind="thinking", text=clip(thought)))
        if turn.text:
            out.append(turn)
        names: dict[str, str] = {}
        for call in tables(record.get("tool_calls")):
            key, name = text_of(call.get("tool_call_id")), text_of(call.get("function_name"))
            names[key] = name
            tool = Tool(name, key, table_of(call.get("arguments")))
            out.append(turn._replace(kind="tool_call", text="", tool=tool))
        for result in tables(table_of(record.get("observation")).get("results")):
            key = text_of(result.get("source_call_id"))
            ours = table_of(table_of(result.get("extra")).get(EXTRA))
            code: Any = ours.get("exit_code")
            code = code if isinstance(code, int) else None
            tool = Tool(names.get(key, ""), key, {}, ours.get("ok") is not False, code)
            text = clip(texts_of(result.get("content")))
            out.append(turn._replace(role="tool", kind="tool_result", text=text, tool=tool))


def _meaning(record: Table, kind: Any) -> tuple[Role, Kind]:
    """Whose words a step that is not the agent's holds."""
    known = cast("Kind", kind) if text_of(kind) in _KINDS else None
    if record.get("source") == "system":
        return "harness", known or "injected"
    if record.get("is_copied_context") is True:
        return "harness", "injected"
    return "human", known or "prompt"
