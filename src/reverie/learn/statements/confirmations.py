"""Confirmations: a way of working that a person approved of, as a line that can be read alone.

"Good call to keep the raw events" says itself what was right. "Exactly like that" does not: then
it is the agent's own sentence that was approved, and with it the wish it answered if it points at
something. The line is the person's word only in the first case. Praise for a result ("perfect",
"works great") says nothing about a way, and is not kept.
"""

from collections.abc import Sequence
from typing import NamedTuple

from reverie.data import patterns, word_sets
from reverie.documents.exclusions import why_not
from reverie.language.words import content, words
from reverie.learn.statements.rule import general, stands_alone
from reverie.learn.statements.utterance import hear, is_question, sentences
from reverie.sessions.model import SPOKEN, Turn

_RE = patterns("statements.txt", "confirmations")
_WORDS = word_sets("statements.txt", "confirmations")

LONGEST_PRAISE = 60  # words; a longer turn is about something else
LONGEST_WISH = 100  # characters
SUBJECT_WORDS = 3
SCORE = 0.5


class Confirmed(NamedTuple):
    """What was approved of."""

    lesson: str
    by_person: bool  # in the person's words; else in the agent's
    premise: str = ""  # what the agent had said


def confirmed(turns: Sequence[Turn], place: int) -> Confirmed | None:
    """The way that the human turn at `place` approves of; `None` when it approves of none."""
    utterance = hear(turns[place].text)
    if not utterance.words or len(utterance.words) > LONGEST_PRAISE or is_question(utterance.words):
        return None
    answered = next((t for t in reversed(turns[:place]) if t.role == "agent" and t.text), None)
    if answered is None:
        return None
    for sentence in utterance.sentences:
        if deed := _RE.deed.match(sentence.text):
            line = general(next(part for part in deed.groups() if part))
            if len(content(words(line))) >= SUBJECT_WORDS and not _points(line):
                return Confirmed(line, by_person=True, premise=_flat(answered.text))
    if _RE.way.search(utterance.prose):
        return _agents_way(turns, place, answered, utterance.prose)
    return None


def _agents_way(turns: Sequence[Turn], place: int, answered: Turn, praise: str) -> Confirmed | None:
    """The agent's sentence that was approved: the one nearest to the praise, else the first."""
    praised = content(words(praise))
    ways = [
        match["deed"]
        for sentence in hear(answered.text).sentences
        if (match := _RE.told.match(sentence.text)) and not sentence.question
    ]
    ways.sort(key=lambda way: -len(content(words(way)) & praised))  # stable: else as they were told
    for way in ways:
        line = general(way)
        if _points(line):
            wish = _wish(turns, place)
            line = f"{wish}: {line[0].lower()}{line[1:]}" if wish else ""
        if line and stands_alone(line) and why_not(line) is None:
            return Confirmed(f"Good as it was done: {line[0].lower()}{line[1:]}", by_person=False,
                             premise=_flat(answered.text))  # fmt: skip
    return None


def _wish(turns: Sequence[Turn], place: int) -> str:
    """What the agent had been asked for, if it was said in one short line."""
    asked = next((t for t in reversed(turns[:place]) if t.kind in SPOKEN and t.text.strip()), None)
    line = general(asked.text) if asked else ""
    short = 0 < len(line) <= LONGEST_WISH and len(sentences(line)) == 1
    return line.rstrip(".") if short and not _points(line) else ""


def _points(line: str) -> bool:
    return not _WORDS.pointing.isdisjoint(words(line))


def _flat(text: str) -> str:
    return " ".join(text.split())[:600]
