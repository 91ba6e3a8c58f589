"""The turns of a session, one after the other, to what they tell about each other."""

from reverie.privacy import Told
from reverie.sessions.model import Turn

_SHELL = "shell"  # what a person runs in the agent's prompt
_PRINTED = "<bash-std"


def hear(context: Told, turn: Turn) -> None:
    """One turn: what it names, asks for or fills in is known of those behind it, and of itself."""
    if turn.kind == "tool_call" and turn.tool is not None:
        context.call(turn.tool.call_id, turn.tool.name, turn.tool.input)
    elif turn.kind == "tool_result" and turn.tool is not None:
        context.result(turn.tool.call_id, turn.text)
    elif turn.kind == "shell":
        context.call(_SHELL, _SHELL, {"command": turn.text})
    elif turn.kind == "injected" and turn.text.startswith(_PRINTED):
        context.result(_SHELL, turn.text)
    elif turn.role == "agent" and turn.kind == "text":
        context.said(turn.text)
    elif turn.role == "human":
        context.answered(turn.text)
