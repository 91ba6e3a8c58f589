"""Carried: whether one sentence of a person says what a lesson says, and bounds it no further.

Words that were all said can be put together to what nobody said, and a rule without its case is
another rule. So every part of a lesson has to stand in one sentence; what bounds that sentence (a
limit, a time, a case, a place) has to stand in the lesson too, and so has every telling word of
those of its phrases that the lesson takes up. Small words are data (`data/work.txt`).
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from reverie.data import patterns, word_sets
from reverie.language.lexicon import lexicon
from reverie.language.wording import root_of
from reverie.language.words import words
from reverie.learn.statements.utterance import Sentence
from reverie.learn.work.moods import orders

_RE = patterns("work.txt", "carried")
_WORDS = word_sets("work.txt", "carried")
_RISKY = frozenset(root_of(word) for word in _WORDS.risky)


class Phrase(NamedTuple):
    """A part of a sentence, and the small word that ties it to the rest."""

    head: str
    roots: frozenset[str]


def is_carried(
    lesson: str, beside: str, heard: Sequence[Sentence], stated: Sequence[Sentence]
) -> bool:
    """Whether each part of a lesson stands in one sentence, with what bounds it there.

    `beside` is what the lesson says of when it holds; `stated` are the sentences of what was
    heard that do not only ask.
    """
    said = frozenset[str]().union(*(_roots(sentence.text) for sentence in heard))
    whole = _Whole(f"{lesson}\n{beside}")
    for order in orders(lesson):
        telling = _roots(order) & said
        if telling and not any(_carries(one.text, order, telling, whole) for one in stated):
            return False
    return True


def risks(text: str) -> frozenset[str]:
    """The words of a text that permit something, or do harm if nobody asked for it."""
    return frozenset(root for word in words(text) if (root := root_of(word)) in _RISKY)


class _Whole:
    """All that a lesson says."""

    def __init__(self, text: str) -> None:
        self.words = frozenset(words(text))
        self.roots = frozenset(root_of(word) for word in self.words)
        self.is_passing = bool(_RE.passing.search(text))


def _carries(said: str, order: str, telling: frozenset[str], whole: _Whole) -> bool:
    if not telling <= _roots(said):
        return False
    if _RE.passing.search(said) and not whole.is_passing:
        return False
    # A limit that is lost makes another rule, and so does one that nobody set.
    if bool(_WORDS.limits & frozenset(words(said))) != bool(_WORDS.limits & whole.words):
        return False
    phrases = _phrases(said)
    # Of a list a lesson may take some, each of them whole.
    kept = frozenset[str]().union(*(one.roots for one in phrases if one.roots <= whole.roots))
    for phrase in phrases:
        taken_up = phrase.head or (phrase.roots & telling) - kept
        if taken_up and phrase.roots - whole.roots:
            return False
    return _is_in_order(order, [phrase for phrase in phrases if not phrase.head])


def _is_in_order(order: str, phrases: Sequence[Phrase]) -> bool:
    """Whether a lesson takes the sides of a list in turn: "A to x, B to y" is not "B to x"."""
    spoken = [root_of(word) for word in words(order)]
    often = Counter(root for phrase in phrases for root in phrase.roots)
    places = [
        [spoken.index(root) for root in phrase.roots if root in spoken and often[root] == 1]
        for phrase in phrases
    ]
    firsts = [min(found) for found in places if found]
    return firsts == sorted(firsts)


@lru_cache(maxsize=512)
def _phrases(said: str) -> tuple[Phrase, ...]:
    """A sentence cut where a small word ties on what bounds the rest; a reason bounds nothing."""
    found: list[Phrase] = []
    for part in _RE.link.split(_RE.reason.sub("", said)):
        head, held = "", list[str]()
        for word in words(part):
            if word in _WORDS.ties:
                found.append(_phrase(head, held))
                # "If in doubt": the case is the first of them.
                head, held = (head if head in _WORDS.cases and not held else word), []
            else:
                held.append(word)
        found.append(_phrase(head, held))
    return tuple(phrase for phrase in found if phrase.roots)


def _phrase(head: str, held: Sequence[str]) -> Phrase:
    """Without what only joins words or says that something shall be done."""
    empty = lexicon().stop | _WORDS.neutral
    roots = [root_of(word) for word in held if len(word) > 1 and word not in empty]
    if not roots and head in _WORDS.cases:
        roots = [root_of(word) for word in held]
    return Phrase(head, frozenset(roots))


@lru_cache(maxsize=1024)
def _roots(text: str) -> frozenset[str]:
    return _phrase("", words(text)).roots
