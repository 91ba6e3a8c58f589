"""Carried: whether a lesson is a sentence of the person, and not what somebody made of it.

Words that were all said can be put together to what nobody said, and a rule without its case, its
"some" or its "could" is another rule: no list of such words is ever whole. So each sentence of a
lesson has to be one of theirs, from its first word to its last. Only what opens or softens an order
may be left out, a reason at its end, and the turn of its clauses may change. What stands before or
behind it may bound it, too: then it is not the whole of what they said.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, permutations

from reverie.data import patterns, word_sets
from reverie.language.wording import root_of
from reverie.language.words import words
from reverie.learn.statements.utterance import Sentence

_RE = patterns("work.txt", "carried")
_WORDS = word_sets("work.txt", "carried")
_RISKY = frozenset(root_of(word) for word in _WORDS.risky)

CLAUSES = 4  # most of a sentence whose clauses may change their turn

Clause = tuple[str, ...]


def is_carried(
    lesson: str, beside: str, heard: Sequence[Sentence], stated: Sequence[Sentence]
) -> bool:
    """Whether a lesson says sentences of a person whole.

    `beside` is what the lesson says of when it holds; `stated` are the sentences of what was
    heard that do not only ask.
    """
    meant = {sentence.text for sentence in stated}
    said = [text for text in _whole(heard) if text in meant]
    if _is_said(lesson, beside, said):
        return True
    parts = [part for part in _RE.end.split(lesson) if _all(part)]
    return bool(parts) and all(_is_said(part, beside, said) for part in parts)


def risks(text: str) -> frozenset[str]:
    """The words of a text that permit something, or do harm if nobody asked for it."""
    return frozenset(root for word in words(text) if (root := root_of(word)) in _RISKY)


def _whole(heard: Sequence[Sentence]) -> Iterator[str]:
    """The sentences that nothing beside them bounds."""
    texts = ["", *(sentence.text for sentence in heard), ""]
    for (before, said), (_, after) in pairwise(pairwise(texts)):
        if not _RE.opening.search(before) and not _RE.bounding.search(after):
            yield said


def _is_said(lesson: str, beside: str, said: Sequence[str]) -> bool:
    wanted, case = _all(lesson), _all(beside)
    for sentence in said:
        clauses = _clauses(sentence)
        turns = permutations(clauses) if len(clauses) <= CLAUSES else [clauses]
        for turned in turns:
            whole = tuple(word for clause in turned for word in clause)
            rest = whole[len(wanted) :]
            if wanted and whole[: len(wanted)] == wanted and rest in ((), case[-len(rest) :]):
                return True
    return False


@lru_cache(maxsize=512)
def _clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a sentence as words, each without what only opens it."""
    found: list[Clause] = []
    for part in _RE.link.split(_RE.reason.sub("", _RE.opened.sub("", text))):
        spoken = [root_of(word) for word in words(part) if word not in _WORDS.free]
        while spoken and spoken[0] in _WORDS.opens:
            spoken.pop(0)
        if spoken:
            found.append(tuple(spoken))
    return tuple(found)


def _all(text: str) -> Clause:
    return tuple(word for clause in _clauses(text) for word in clause)
