"""Asks: what a person had to ask for once the work was done, and the agent then did.

Only what can be checked counts: a word of the request names a command that was run or a file that
was edited right afterwards, and nothing of the sort had been done before. "Add tests" followed by
an edit of `cart_test.py` is such a request; "nice" and "go on" are not.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from reverie.language.lexicon import lexicon
from reverie.language.words import content, pattern, said, stem, words
from reverie.learn.statements.utterance import sentences
from reverie.learn.traffic.attempts import Attempt
from reverie.learn.traffic.commands import forms_of, shortened
from reverie.sessions.model import Turn
from reverie.sessions.traces import Trace

MOST_WORDS = 14  # of a sentence; longer ones describe a task of their own
MOST_CHARS = 400  # of a turn; longer ones are briefs and pastes
MOST_STEPS = 6
MAX_TEXT = 120
SPOKEN = frozenset({"prompt", "steer", "reject_feedback"})
_ASKED_TO = r"\b(?:can|could|would|will) (?:you|we|u)\b|\bplease\b|\blet'?s\b"
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]{2,}(?![a-z])")
_WORD = re.compile(r"(?<![\w-])[a-z]{2,}")
# What is done to something; the thing itself is what people come back to.
_DOING = content(words(lexicon().text("passing.doing")))

Deed = tuple[Literal["ran", "edited"], str]


def asks(turns: Sequence[Turn], tried: Sequence[Attempt]) -> Iterator[Trace]:
    """Requests of one session that were met at once and not before, each word once."""
    spoken = [place for place, turn in enumerate(turns) if turn.role == "human" and turn.text]
    done: set[Deed] = set()
    told: set[str] = set()
    edited = False
    place = 0
    for number, start in enumerate(spoken):
        done = set()
        while place < len(tried) and tried[place].index < start:
            edited = edited or _edits(tried[place])
            done |= _deeds(tried[place])
            place += 1
        turn = turns[start]
        if not edited or turn.kind not in SPOKEN or turn.typed == "injected" or turn.undone:
            continue
        end = spoken[number + 1] if number + 1 < len(spoken) else len(turns)
        then = [one for one in tried[place:] if one.index < end]
        fresh = {deed for one in then for deed in _deeds(one)} - done
        edits = {word for how, word in fresh if how == "edited"}
        for word, text in _named(turn.text, {word for _, word in fresh} - told):
            told.add(word)
            steps = [] if word in edits else _steps(then)
            data = {"text": shortened(text, MAX_TEXT), "steps": steps}
            yield Trace(turn.line, turn.at, "ask", word, data=data)


def _named(text: str, deeds: set[str]) -> Iterator[tuple[str, str]]:
    """The words of short requests in `text` that the deeds bear."""
    left = set(deeds)
    prose = said(text).prose if len(text) <= MOST_CHARS else ""
    for sentence in sentences(prose):
        asked = sentence.question and not pattern(_ASKED_TO).search(sentence.text)
        if asked or len(sentence.words) > MOST_WORDS:
            continue
        for word in sorted((content(sentence.words) - _DOING) & left):
            left.discard(word)
            yield word, sentence.text


def _edits(one: Attempt) -> bool:
    return one.verb == "edit" and one.result == "worked"


def _deeds(one: Attempt) -> set[Deed]:
    """The words that name what was done: of commands that ran, of files that were edited."""
    if one.result != "worked":
        return set()
    if one.verb == "edit":
        names = " ".join(_PARTS.findall(" ".join(one.files)))
        return {("edited", word) for word in content(words(names))}
    forms = forms_of(one.command) if one.command is not None else []
    return {("ran", stem(word)) for form in forms for word in _WORD.findall(form)}


def _steps(then: Sequence[Attempt]) -> list[str]:
    forms: dict[str, None] = {}
    for one in then:
        if one.result == "worked" and one.command is not None:
            forms |= dict.fromkeys(forms_of(one.command))
    return list(forms)[:MOST_STEPS]
