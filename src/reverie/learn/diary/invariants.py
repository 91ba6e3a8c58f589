"""The four things every diary must hold, checked against the log and not against its maker.

1. every human turn is accounted for
2. every failed call is accounted for
3. every line rests on turns of its own task
4. made again, it has the same bytes
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, cast

from reverie.learn.diary.diary import Diary
from reverie.learn.diary.tasks import Task
from reverie.learn.diary.text import markdown
from reverie.sessions.model import Turn

Invariant = Literal["turns", "failures", "places", "bytes"]

_BULLET = re.compile(r"^\s*(?:-|\d+\.) ")
_PLACED = re.compile(r"\(#-?\d+(?:, (?:#-?\d+|\+\d+))*\)$")


def broken(turns: Sequence[Turn], task: Task, diary: Diary, again: Diary) -> list[Invariant]:
    """The invariants this diary breaks; `again` is the diary made a second time."""
    own = turns[task.start : task.end]
    spoken = {turn.line for turn in own if turn.role == "human"}
    failed = {t.line for t in own if t.kind == "tool_result" and t.tool and t.tool.ok is False}
    text = markdown(diary)
    found: list[Invariant] = []
    if not spoken <= diary.spoken:
        found.append("turns")
    if not failed <= diary.failed:
        found.append("failures")
    if not _placed(diary, text, {turn.line for turn in own}):
        found.append("places")
    if text != markdown(again) or diary != again:
        found.append("bytes")
    return found


def _placed(diary: Diary, text: str, lines: set[int]) -> bool:
    bullets = [line for line in text.splitlines() if _BULLET.match(line)]
    if not all(_PLACED.search(line) for line in bullets):
        return False
    # A premise may have been said in the task before.
    earlier = {line for mistake in diary.mistakes for line in mistake.lines}
    return all(cited and set(cited) <= lines | earlier for cited in _cited(diary.as_data()))


def _cited(data: Any) -> Iterator[list[int]]:
    if isinstance(data, dict):
        table = cast("dict[str, Any]", data)
        if "lines" in table:
            yield list(table["lines"])
        for value in table.values():
            yield from _cited(value)
    elif isinstance(data, list | tuple):
        for value in cast("Sequence[Any]", data):
            yield from _cited(value)


def dumped(diary: Diary) -> str:
    """A diary as the index keeps it."""
    return json.dumps(diary.as_data(), ensure_ascii=False, separators=(",", ":"))
