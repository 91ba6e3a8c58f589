"""Telling: whether a lesson in other words may be told to sessions before a person looked at it.

It is told as unconfirmed, and yet it is read. So it may be worded anew, but not say something else:
it permits nothing that was not spoken of; and where it repeats a sentence nearly word by word, what
bounds that bounds it as well, words that relate things to each other ("before", "only", "unless")
stand in its order, and what stood in two parallel clauses is not exchanged between them. What fails
waits in review.
"""

from collections.abc import Sequence
from functools import lru_cache

from reverie.data import patterns, word_sets
from reverie.language.lexicon import lexicon
from reverie.language.words import content, stem, words
from reverie.learn.statements.rule import stands_alone
from reverie.learn.work.carried import risks
from reverie.learn.work.turning import REPEATED
from reverie.learn.work.values import mistyped

_RE = patterns("work.txt", "telling")
_WORDS = word_sets("work.txt", "telling")

_OPENING, _CLOSING = "'\"`([“‘„@*", "'\"`)]”’.,;:!?*"
_SIGNS = "!#$%&*+-./<=>?@^_|~\\:,"

ABOUT = 2  # telling words that a lesson at least shares with a sentence it repeats
NEARLY = 0.6  # of its words, from which on one that is exchanged for another's would be seen
EXCHANGED = 2  # of its words, at most: one that has more of others joins what they say
APART = 2  # that only one clause has, of several that say the same of different things


def may_be_told(
    lesson: str, said: Sequence[str], beside: Sequence[str] = (), named: Sequence[str] = ()
) -> bool:
    """Whether a lesson keeps what the sentences it speaks of say.

    `beside` are other texts of its session from which it may have its names and numbers; `named`
    is what is remembered besides, which only lends it names.
    """
    lesson = _RE.possessive.sub("", lesson)
    said = [_RE.possessive.sub("", one) for one in said]
    spoken = " ".join((*said, *beside))
    permitted = risks(_RE.harmless.sub(" ", lesson)) - risks(spoken)
    if permitted - risks(" ".join(mistyped(lesson, said))):
        return False
    least = max(ABOUT, REPEATED * len(_telling(lesson)))
    about = [one for one in said if len(_telling(one) & _telling(lesson)) >= least]
    if about and not _keeps_signs(lesson, " ".join(said), " ".join((spoken, *named))):
        return False
    if any(_places(one) - _telling(lesson) for one in about):
        return False
    parts = [part for part in _RE.end.split(lesson) if part.strip()]
    whole = len(parts) > 1 or any(_telling(lesson) <= _telling(one) for one in said)
    if not whole and any(_puts_in_place(lesson, one, said) for one in said):
        return False
    if any(_RE.once.search(one) for one in about) and not _RE.once.search(lesson):
        return False
    bounded = (one for one in about if not one.rstrip().endswith("?"))
    if any(_marks(one, _WORDS.bounds) - _marks(lesson, _WORDS.bounds) for one in bounded):
        return False
    related = [part for part in parts if _marks(part, _WORDS.relates)]
    ordered = all(any(_keeps_order(part, one) for one in about) for part in related)
    ordered = ordered or not about  # what was only agreed to has no order of the person's
    return ordered and not any(_exchanges(lesson, one) for one in about)


def is_of_one_time(lesson: str) -> bool:
    """Whether words speak of this one time, or of nothing that a later session would know."""
    return bool(_RE.once.search(lesson)) or not stands_alone(lesson, 1)


def _places(said: str) -> frozenset[str]:
    """What a sentence begins with to say where it holds: "In the tests we …"."""
    place = _RE.place.match(said)
    return _telling(place["where"]) if place else frozenset()


def _puts_in_place(lesson: str, said: str, every: Sequence[str]) -> bool:
    """Whether a word of another sentence stands where this one had its own."""
    mine, theirs = _telling(lesson), _telling(said)
    near = len(mine & theirs) >= max(ABOUT, NEARLY * len(mine)) and len(mine - theirs) <= EXCHANGED
    # A sentence about the same thing may name it.
    apart = [one for one in every if one != said and len(_telling(one) & mine & theirs) < ABOUT]
    others = frozenset[str]().union(*map(_telling, apart))
    added, left = mine - theirs, theirs - mine
    same = _neighbours(lesson, added) & _neighbours(said, left)
    return near and added <= others and bool(same)


def _neighbours(text: str, stems: frozenset[str]) -> frozenset[tuple[int, str]]:
    """The words before and behind some of a text."""
    found = [word for word in words(text) if word not in _WORDS.articles]
    return frozenset(
        (side, found[place + side])
        for place, word in enumerate(found)
        if stem(word) in stems
        for side in (-1, 1)
        if 0 <= place + side < len(found)
    )


def _keeps_signs(lesson: str, said: str, shown: str) -> bool:
    """Whether no sign, number or capital that says something was left out of what was said, or put
    in that was not even shown."""
    mine, theirs = _tokens(lesson), _tokens(said)
    signed = {token for token in mine if _RE.signed.search(token) or _is_shouted(token)}
    bare = {token.strip(_SIGNS) for token in theirs - mine if _RE.signed.search(token)}
    return signed <= _tokens(shown) and not bare & mine


def _tokens(text: str) -> frozenset[str]:
    found = (token.lstrip(_OPENING).rstrip(_CLOSING) for token in text.split())
    return frozenset(token for token in found if not _RE.dash.fullmatch(token)) - {""}


def _is_shouted(token: str) -> bool:
    """Whether capitals make another word of one that tells nothing: "us", "it"."""
    return len(token) > 1 and token.isupper() and token.lower() in lexicon().stop


@lru_cache(maxsize=512)
def _telling(text: str) -> frozenset[str]:
    return content(words(text)) - _WORDS.neutral


def _marks(text: str, kinds: frozenset[str]) -> frozenset[str]:
    return kinds & frozenset(words(text))


def _sequence(text: str) -> list[str]:
    """The telling words of a text and those that relate them, in their order."""
    telling = _telling(text)
    return [
        word if word in _WORDS.relates else stem(word)
        for word in words(text)
        if word in _WORDS.relates or stem(word) in telling
    ]


def _keeps_order(part: str, said: str) -> bool:
    """Whether nothing changed its side of a word that relates; a condition has nothing added."""
    if _marks(part, _WORDS.conditions):
        return is_in_order(part, said)
    mine, theirs = _sequence(part), _sequence(said)
    return all(
        word in theirs and not _crosses(mine, theirs, word) for word in _marks(part, _WORDS.relates)
    )


def _crosses(mine: Sequence[str], theirs: Sequence[str], word: str) -> bool:
    at, there = mine.index(word), theirs.index(word)
    before, after = frozenset(theirs[:there]), frozenset(theirs[there + 1 :])
    return bool(frozenset(mine[:at]) & after - before or frozenset(mine[at + 1 :]) & before - after)


def is_in_order(text: str, said: str) -> bool:
    """Whether all that a text tells stands in another, in its order."""
    rest = iter(_sequence(said))
    return all(word in rest for word in _sequence(text))


def _exchanges(lesson: str, said: str) -> bool:
    """Whether a clause of a lesson holds what only one, and what only another clause had."""
    parts = _RE.parallel.split(said)
    # More than two are a list of things.
    if len(parts) != 2 or _RE.pointing.search(parts[1]):
        return False
    clauses = [_telling(part) for part in parts]
    apart = [
        part - frozenset[str]().union(*(clauses[:at] + clauses[at + 1 :]))
        for at, part in enumerate(clauses)
    ]
    apart = [part for part in apart if len(part) >= APART]
    mine = [_telling(part) for part in _RE.parallel.split(lesson)]
    return len(mine) > 1 and any(sum(bool(part & own) for own in apart) > 1 for part in mine)
