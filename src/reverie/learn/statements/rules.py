"""Rules: standing instructions inside a longer turn, sentence by sentence, several per turn.

A rule tells how a whole class of things in code is to be done ("start method names with …", "add a
test for every endpoint"), not what to do with one of them. In work with an agent only plain words
of lasting ("always", "from now on") are believed; in talk without any tools, as between a mentor
and a pupil, a wish or an order about a class of things is a rule as well.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reverie.data import patterns
from reverie.language.subjects import Thing
from reverie.language.words import pattern, said
from reverie.learn.statements.conventions import conventions_in, named_things
from reverie.learn.statements.directives import directives_in
from reverie.learn.statements.kinds import is_standing
from reverie.learn.statements.lasting import Sentence, sentences
from reverie.learn.statements.lesson import general, stands_alone

Setting = Literal["work", "talk"]
MOST_WORDS = 50
LEAST_WORDS = 3
MOST_RULES = 12  # of one turn; more is a pasted document

_PATTERNS = patterns("statements.txt", "rules")
_ASKS = _PATTERNS["asks"]
# An example, a reason, a piece of work, or talk about the talk.
_ASIDE = _PATTERNS["aside"]
_REPORT = r"\b(?:noticed|i saw|you (?:don't|didn't|do not|forgot)|used to|last time)\b"
_PASTED = r':=|\\[n"]|->|=>|[{}<>]'  # code and prompts, not a person's words
_NEW = re.compile(r"\b(?:include|add|import|use|write|document|test)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rule:
    """One standing instruction: the line to remember, and the sentence it was said in."""

    lesson: str
    quote: str


def rules_of(prose: str, setting: Setting, spoken_of: Sequence[Thing] = ()) -> list[Rule]:
    """The standing instructions of one turn, in order, each once.

    `spoken_of` is what a pronoun in its first sentence may mean.
    """
    found: dict[str, Rule] = {}
    for sentence in sentences(prose):
        for lesson in _lessons(sentence, spoken_of, setting):
            found.setdefault(lesson, Rule(lesson, sentence.text))
        spoken_of = named_things(sentence.text) or spoken_of
    return list(found.values()) if len(found) <= MOST_RULES else []


def _lessons(sentence: Sentence, spoken_of: Sequence[Thing], setting: Setting) -> list[str]:
    text = sentence.text
    if not LEAST_WORDS <= len(sentence.words) <= MOST_WORDS or pattern(_ASKS).search(text):
        return []
    if pattern(_ASIDE).search(text):
        return []
    if setting == "work":
        return _plainly(text)
    named = conventions_in(text, spoken_of)
    if named and pattern(_REPORT).search(text):
        return []
    meant = named_things(text) or spoken_of
    return named + [line for line in directives_in(text, meant) if not _is_one_of(line, named)]


def _plainly(text: str) -> list[str]:
    """The rule of a sentence that says in so many words that it is one, and can stand alone."""
    line = general(text)
    if pattern(_PASTED).search(text) or not stands_alone(line):
        return []
    return [line] if is_standing(said(text)) else []


def _is_one_of(line: str, named: Sequence[str]) -> bool:
    """Whether a line says a convention again that was read into its own words already."""
    return bool(named) and (bool(conventions_in(line)) or not _NEW.search(line))
