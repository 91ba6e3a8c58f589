"""Questions: what an agent asked the person, and what the person asked again and again.

A person's question counts if it is short and asks for a fact (which, what, where, who, how to turn
something on), not how the work goes. Kept with it are the values that the answer names: numbers,
paths, addresses, variables, options, names. Whether they are always the same shows in a dream.
"""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from reverie.data import patterns
from reverie.language.clauses import is_order
from reverie.language.words import content, said, words
from reverie.learn.traffic.commands import shortened
from reverie.learn.traffic.work import Work
from reverie.sessions.model import Tool, Turn
from reverie.sessions.traces import Trace

MAX_QUESTION = 200
MAX_ANSWER = 120
LEAST_WORDS = 3

# Questions of the person.
LONGEST_INQUIRY = 160  # characters
LONGEST_ANSWER = 700  # a longer one tells more than a fact
MOST_TOLD = 300  # characters of an answer that are kept
MOST_VALUES = 12
MOST_HEARD = 600  # characters of a turn of which the words are kept
MOST_WORDS, MOST_TURNS = 12, 40
FEW_WORDS = 7  # of a question without a verb: "asset server port?"

_TRACES = patterns("traffic.txt", "traces")
_RE = patterns("traffic.txt", "inquiries")


def questions(work: Work) -> Iterator[Trace]:
    """What an agent asked, through a tool or as the last words before it stopped."""
    for call in work.tried:
        for text in _asked_through(work.turns[call.index].tool):
            answers = dict(_TRACES.given.findall(call.output))
            yield from _question(call.line, call.at, text, answers.get(text, ""))
    last: tuple[Turn, str] | None = None
    for place, turn in enumerate(work.turns):
        if turn.kind == "text" and turn.role == "agent":
            ending = turn.text[-600:].rstrip()
            asked = _TRACES.asked.search(ending) if ending.endswith("?") else None
            last = (turn, asked[1]) if asked and place not in work.copied else None
        elif turn.kind == "tool_call" or turn.role == "human":
            if last and turn.kind in {"prompt", "steer"}:
                asking, text = last
                yield from _question(asking.line, asking.at, text, turn.text)
            last = None


def _asked_through(tool: Tool | None) -> list[str]:
    """The questions that a call puts to the person."""
    given: Any = tool.input.get("questions") if tool else None
    listed = cast("list[Any]", given) if isinstance(given, list) else []
    texts = (
        cast("Mapping[str, Any]", part).get("question")
        for part in listed
        if isinstance(part, Mapping)
    )
    return [text for text in texts if isinstance(text, str)]


def _question(line: int, at: str, text: str, answer: str) -> Iterator[Trace]:
    plain = " ".join(_TRACES.marks.sub("", text).split())
    if len(plain) <= MAX_QUESTION and len(plain.split()) >= LEAST_WORDS:
        yield Trace(line, at, "question", plain, data=shortened(answer, MAX_ANSWER))


def inquiries(work: Work) -> Iterator[Trace]:
    """Short questions of the person for a fact, with the values that the answer names."""
    asked: Turn | None = None
    answer = ""
    for place, turn in enumerate(work.turns):
        if turn.role == "human" and turn.kind in {"prompt", "steer"}:
            yield from _inquiry(asked, answer)
            mine = turn.typed == "typed" and not turn.undone and place not in work.copied
            asked, answer = (turn if mine and asks_for_fact(turn.text) else None), ""
        elif turn.role == "agent" and turn.kind == "text":
            answer = turn.text
    yield from _inquiry(asked, answer)


def asks_for_fact(text: str) -> bool:
    """Whether a turn is nothing but a short question for something that one could look up."""
    whole = " ".join(text.split())
    # What is asked politely is asked all the same.
    plain = _RE.lead.sub("", _RE.tail.sub("?", whole))
    if len(plain) > LONGEST_INQUIRY or _RE.of_task.search(plain):
        return False
    few = len(plain.split()) <= FEW_WORDS
    if _RE.asks.search(plain) or (few and _RE.reminding.match(whole)):
        return True
    # "Prefer the large one, ok?" orders.
    orders = is_order(words(plain))
    return plain.endswith("?") and few and not (orders or _RE.doing.match(plain))


def _inquiry(asked: Turn | None, answer: str) -> Iterator[Trace]:
    if asked is None or not answer or len(answer) > LONGEST_ANSWER:
        return
    question = " ".join(asked.text.split())
    data = {"values": values_of(answer), "answer": shortened(answer, MOST_TOLD)}
    yield Trace(asked.line, asked.at, "inquiry", question, data=data)


def asked(work: Work) -> Iterator[Trace]:
    """The telling words of what the person asked for, turn by turn."""
    rows: list[list[Any]] = []
    for place, turn in enumerate(work.turns):
        mine = turn.role == "human" and turn.kind in {"prompt", "steer"} and turn.typed == "typed"
        if mine and not turn.undone and place not in work.copied:
            tokens = dict.fromkeys(words(said(turn.text[:MOST_HEARD]).prose))
            telling = [word for word in tokens if content((word,))][:MOST_WORDS]
            rows.append([turn.line, " ".join(telling)])
    if rows:
        yield Trace(rows[0][0], work.turns[0].at, "asked", "", len(rows), data=rows[:MOST_TURNS])


def values_of(text: str) -> list[str]:
    """What an answer names that could be looked up, in order, each once."""
    values: dict[str, None] = {}
    for match in _RE.value.finditer(text):
        value = next(group for group in match.groups() if group).strip().rstrip(".,;:)")
        values.setdefault(value)
    return [value for value in values if value][:MOST_VALUES]
