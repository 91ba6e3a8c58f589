"""Frames: what is said in the same words about another thing each time.

"Rename tmp to rest", "rename left to right", "rename x to count" are three tasks, not one rule:
what they share is the form of a request. A rule comes in other words each time, about the same
thing.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from reverie.dream.model import Observation
from reverie.dream.steps.remarks import BINDING, force, is_request, main_clause
from reverie.language.meaning import is_common
from reverie.language.neighbours import Alike
from reverie.language.words import content, words

FIXED = 3  # words that a frame must have …
SHARE = 0.5  # … and the share of its sentence
HOLE = 8  # words that may differ, at most
FILLINGS = 3  # different things that make a frame
COMPARED = 24  # sentences that a sentence is compared with


def fillings(observations: Sequence[Observation]) -> frozenset[str]:
    """The texts that only fill a frame, as others do with other things."""
    sessions: defaultdict[str, set[str]] = defaultdict(set)
    for one in observations:
        if force(one) < BINDING and is_request(one.text):
            sessions[one.text].add(one.session)
    # What is said of the same thing again and again is said of that thing.
    return framed(text for text, seen in sessions.items() if len(seen) == 1)


def framed(texts: Iterable[str]) -> frozenset[str]:
    """The sentences that fill a frame which others fill with other things."""
    cut = [(text, tuple(words(main_clause(text)))) for text in texts]
    index = Alike[int]()
    for number, (_, tokens) in enumerate(cut):
        index.add(number, _runs(tokens))
    found: set[str] = set()
    for text, tokens in cut:
        fillings: set[Filling] = set()
        for near in index.near(_runs(tokens), COMPARED):
            if pair := hole(tokens, cut[near][1]):
                fillings |= set(pair)
        # One of them may be a word that everybody uses, as long as the others are things.
        things = sum(map(_is_thing, fillings))
        if len(fillings) >= FILLINGS and things >= FILLINGS - 1:
            found.add(text)
    return frozenset(found)


def _runs(tokens: Sequence[str]) -> frozenset[str]:
    """Three words in a row, the ends marked: by them sentences of one frame are found."""
    marked = ["<", "<", *tokens, ">", ">"]
    return frozenset(" ".join(marked[at : at + 3]) for at in range(len(tokens) + 2))


Filling = tuple[str, ...]


def hole(one: Sequence[str], other: Sequence[str]) -> tuple[Filling, Filling] | None:
    """What stands in the same place of two sentences that are otherwise the same."""
    if one == other:
        return None
    shortest = min(len(one), len(other))
    start = 0
    while start < shortest and one[start] == other[start]:
        start += 1
    end = 0
    while end < shortest - start and one[-1 - end] == other[-1 - end]:
        end += 1
    left, right = tuple(one[start : len(one) - end]), tuple(other[start : len(other) - end])
    fixed = [*one[:start], *one[len(one) - end :]]
    enough = len(fixed) >= max(FIXED, SHARE * max(len(one), len(other)))
    short = max(len(left), len(right)) <= HOLE
    things = _is_thing(left) or _is_thing(right)
    return (left, right) if enough and short and things and content(fixed) else None


def _is_thing(filling: Filling) -> bool:
    """A name, a number, a word that not everybody uses in passing, or several words."""
    if any(mark.isdigit() or mark in "_./-" for word in filling for mark in word):
        return True
    own = content(filling)
    return len(own) > 1 or any(not is_common(stem) for stem in own)
