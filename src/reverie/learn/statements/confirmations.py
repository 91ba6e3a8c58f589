"""Confirmations: a way of working that a person approved of, as a line that can be read alone.

"Good call to keep the raw events" says itself what was right. "Exactly like that" does not: what it
approves of is the agent's sentence, which nobody could tell from the others. Praise for a result
("perfect", "works great") says nothing about a way. Neither is kept.
"""

from collections.abc import Sequence

from reverie.data import patterns, word_sets
from reverie.language.words import content, words
from reverie.learn.statements.rule import general
from reverie.learn.statements.utterance import hear, is_question
from reverie.sessions.model import Turn

_RE = patterns("statements.txt", "confirmations")
_WORDS = word_sets("statements.txt", "confirmations")

LONGEST_PRAISE = 60  # words; a longer turn is about something else
SUBJECT_WORDS = 3
ANSWERED = 600  # characters of what the agent had said
SCORE = 0.5


def confirmed(text: str) -> str:
    """The way that a turn approves of in its own words; "" when it approves of none."""
    utterance = hear(text)
    if not utterance.words or len(utterance.words) > LONGEST_PRAISE or is_question(utterance.words):
        return ""
    for sentence in utterance.sentences:
        if deed := _RE.deed.match(sentence.text):
            line = general(next(part for part in deed.groups() if part))
            tokens = words(line)
            if len(content(tokens)) >= SUBJECT_WORDS and _WORDS.pointing.isdisjoint(tokens):
                return line
    return ""


def answered(turns: Sequence[Turn], place: int) -> str:
    """What the agent had said last before the turn at `place`."""
    said = (turn.text for turn in reversed(turns[:place]) if turn.role == "agent" and turn.text)
    return " ".join(next(said, "").split())[:ANSWERED]
