"""The turns of a session, one after the other, to what they tell about each other."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, cast

from reverie.privacy import Told
from reverie.sessions.model import Turn

_SHELL = "shell"  # what a person runs in the agent's prompt
_PRINTED = "<bash-std"


def hear(context: Told, turn: Turn) -> None:
    """One turn: what it names, asks for or fills in is known of those behind it, and of itself."""
    context.carried.at = turn.offset
    if turn.kind == "tool_call" and turn.tool is not None:
        context.call(turn.tool.call_id, turn.tool.name, turn.tool.input)
    elif turn.kind == "tool_result":
        context.result(turn.tool.call_id if turn.tool is not None else _SHELL, turn.text)
    elif turn.kind == "shell":
        context.call(_SHELL, _SHELL, {"command": turn.text})
    elif turn.kind == "injected" and turn.text.startswith(_PRINTED):
        context.result(_SHELL, turn.text)
    elif turn.role == "agent" and turn.kind == "text":
        context.said(turn.text)
    elif turn.role == "human":
        context.answered(turn.text)


def settle(context: Told, turns: Callable[[], Iterable[Turn]]) -> bool:
    """All turns were heard: whether some of them name what must go in all.

    `turns` gives them again; it is not called for a session that names nothing.
    """
    if context.carried.is_empty:
        return False
    heard = turns()

    def texts() -> Iterator[str]:
        return (text for turn in turns() for text in texts_of(turn))

    return context.carried.settle({name for turn in heard for name in _ids(turn)}, texts)


def texts_of(turn: Turn) -> Iterator[str]:
    """All that a turn says."""
    yield turn.text
    if turn.tool is not None:
        yield from _strings(turn.tool.input)


def _ids(turn: Turn) -> tuple[str, ...]:
    call_id = turn.tool.call_id if turn.tool is not None else ""
    return turn.event_id, call_id, turn.cwd, turn.branch


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in cast("Mapping[str, Any]", value).values():
            yield from _strings(item)
    elif isinstance(value, (list, tuple)):
        for item in cast("list[Any]", value):
            yield from _strings(item)
