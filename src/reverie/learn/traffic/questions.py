"""Questions that were asked of the person, with the answers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from reverie.learn.traffic.commands import shortened
from reverie.sessions.model import Turn

MAX_QUESTION = 200
MAX_ANSWER = 120
LEAST_WORDS = 3
_ASKED = re.compile(r"(?:^|(?<=[.!?:\n]))\s*([^.!?\n]{8,400}\?)\s*\Z")
_MARKS = re.compile(r"[*`#>]+|(?<!\w)_+|_+(?!\w)")
_GIVEN = re.compile(r'"(?P<question>[^"\n]{5,600}?)"\s*=\s*"(?P<answer>[^"\n]{1,400})"')


class Question(NamedTuple):
    """One question and what the person said to it; "" when nothing was said."""

    text: str
    answer: str
    line: int  # of the question
    at: str
    place: int  # of the question among the turns


def questions(turns: Sequence[Turn]) -> Iterator[Question]:
    """What an agent asked, through a tool or as the last words before it stopped."""
    said: tuple[int, str] | None = None
    answers: dict[str, str] = {}
    for turn in turns:
        if turn.kind == "tool_result" and '"="' in turn.text:
            answers |= {m["question"]: m["answer"] for m in _GIVEN.finditer(turn.text)}
    for place, turn in enumerate(turns):
        if turn.kind == "tool_call":
            said = None
            yield from _through_tool(turn, place, answers)
        elif turn.kind == "text" and turn.role == "agent":
            asked = _ASKED.search(turn.text[-600:].rstrip())
            said = (place, _plain(asked[1])) if asked else None
        elif turn.role == "human":
            if said and turn.kind in {"prompt", "steer"} and _is_question(said[1]):
                asking = turns[said[0]]
                answer = shortened(turn.text, MAX_ANSWER)
                yield Question(said[1], answer, asking.line, asking.at, said[0])
            said = None


def _through_tool(turn: Turn, place: int, answers: Mapping[str, str]) -> Iterator[Question]:
    given: Any = turn.tool.input.get("questions") if turn.tool else None
    if not isinstance(given, list):
        return
    for one in cast("list[Any]", given):
        text = cast("Mapping[str, Any]", one).get("question") if isinstance(one, Mapping) else None
        if isinstance(text, str) and _is_question(_plain(text)):
            answer = shortened(answers.get(text, ""), MAX_ANSWER)
            yield Question(_plain(text), answer, turn.line, turn.at, place)


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split())


def _is_question(text: str) -> bool:
    return len(text) <= MAX_QUESTION and len(text.split()) >= LEAST_WORDS
