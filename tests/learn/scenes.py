"""Short sessions for the detector's tests, written as a script."""

from typing import Any

from reverie.sessions.model import Kind, Role, Tool, Turn

ROLES: dict[str, Role] = {
    "text": "agent",
    "thinking": "agent",
    "tool_call": "agent",
    "tool_result": "tool",
}


def session(*events: tuple[str, Any]) -> list[Turn]:
    """`("prompt", words)`, `("text", words)`, `("tool_call", Tool)`, … as turns, one per line."""
    turns: list[Turn] = []
    for line, (kind, what) in enumerate(events):
        tool = what if isinstance(what, Tool) else None
        text = what if isinstance(what, str) else ""
        turns.append(
            Turn(line, line * 100, ROLES.get(kind, "human"), _kind(kind), "", text, tool=tool)
        )
    return turns


def _kind(kind: str) -> Kind:
    return kind  # pyright: ignore[reportReturnType]
