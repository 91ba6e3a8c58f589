"""A session as an ATIF 1.8 trajectory, the exchange format of agent runs.

ATIF knows system, user and agent steps. What it has no word for (a refusal, an interrupt, words
typed while the agent worked, what a hook added) is in `extra.reverie`, and `readers/atif.py` reads
it back.
"""

from collections.abc import Iterable
from typing import Any

from reverie.sessions.model import Head, Turn

SCHEMA = "ATIF-v1.8"
EXTRA = "reverie"


def trajectory(head: Head, turns: Iterable[Turn]) -> dict[str, Any]:
    """The trajectory of a session: one step per human or harness turn, and one per answer of the
    agent with its tool calls and their results."""
    steps: list[dict[str, Any]] = []
    answer: dict[str, Any] | None = None
    for turn in turns:
        if turn.role in ("human", "harness"):
            answer = None
            source = "user" if turn.role == "human" else "system"
            steps.append(_step(len(steps) + 1, source, turn) | {"message": turn.text})
            continue
        # An answer begins anew with what the agent says after a tool's result.
        speaks = turn.role == "agent"
        if answer is None or (speaks and "observation" in answer):
            answer = _step(len(steps) + 1, "agent", turn)
            steps.append(answer)
        _add(answer, turn)
    return {
        "schema_version": SCHEMA,
        "session_id": head.session_id,
        "agent": {"name": head.agent, "version": head.version or "unknown"},
        "steps": steps,
        "extra": {
            EXTRA: {
                key: value
                for key in ("cwd", "branch", "remote", "title", "parent", "started", "ended")
                if (value := getattr(head, key))
            }
        },
    }


def _step(number: int, source: str, turn: Turn) -> dict[str, Any]:
    extra: dict[str, Any] = {"line": turn.line}
    if source != "agent":
        extra["kind"] = turn.kind
    if turn.typed != "typed":
        extra["typed"] = turn.typed
    if turn.undone:
        extra["undone"] = True
    step: dict[str, Any] = {"step_id": number, "source": source, "message": ""}
    if turn.at:
        step["timestamp"] = turn.at
    return step | {"extra": {EXTRA: extra}}


def _add(answer: dict[str, Any], turn: Turn) -> None:
    tool = turn.tool
    if turn.kind == "thinking":
        answer["reasoning_content"] = _joined(answer.get("reasoning_content", ""), turn.text)
    elif turn.kind == "tool_call" and tool is not None:
        calls = answer.setdefault("tool_calls", [])
        call = tool.call_id or f"call-{answer['step_id']}-{len(calls) + 1}"
        calls.append({"tool_call_id": call, "function_name": tool.name, "arguments": tool.input})
    elif turn.kind == "tool_result" and tool is not None:
        result: dict[str, Any] = {"content": turn.text}
        known = {call["tool_call_id"] for call in answer.get("tool_calls", ())}
        if tool.call_id in known:
            result["source_call_id"] = tool.call_id
        if tool.ok is False or tool.exit_code is not None:
            result["extra"] = {EXTRA: {"ok": tool.ok is not False, "exit_code": tool.exit_code}}
        answer.setdefault("observation", {"results": []})["results"].append(result)
    else:
        answer["message"] = _joined(answer["message"], turn.text)


def _joined(before: str, text: str) -> str:
    return f"{before}\n\n{text}" if before else text
