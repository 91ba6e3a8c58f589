"""Questions: what a person asked for, turn by turn, and the facts among it with their answers.

A question counts if it is short and asks for a fact (which, what, where, who, how to turn
something on), not how the work goes. Kept with it are the values that the answer names: numbers,
paths, addresses, variables, options, names. Whether they are always the same shows in a dream.
"""

from collections.abc import Iterator
from typing import Any

from reverie.data import patterns
from reverie.language.clauses import is_order
from reverie.language.words import content, said, words
from reverie.learn.traffic.commands import shortened
from reverie.learn.traffic.work import Work
from reverie.sessions.model import Turn
from reverie.sessions.traces import Trace

LONGEST_INQUIRY = 160  # characters
LONGEST_ANSWER = 700  # a longer one tells more than a fact
MOST_TOLD = 300  # characters of an answer that are kept
MOST_VALUES = 12
MOST_HEARD = 600  # characters of a turn of which the words are kept
MOST_WORDS, MOST_TURNS = 12, 40
FEW_WORDS = 7  # of a question without a verb: "asset server port?"

_RE = patterns("traffic.txt", "inquiries")


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
