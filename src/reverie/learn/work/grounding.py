"""Grounding: whether a lesson says what was said, and no more.

A share of words alone passes a rule that was turned round. So every value (name, number, path,
flag, quotation) must stand in the words the lesson rests on or in what was shown beside them; what
a person asks for may not be ruled out by the lesson, nor the other way round; and the words that
tell it from other lessons must mostly be theirs. What had to be taken from beside is told: such a
lesson is not the person's own word.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from reverie.data import patterns, word_sets
from reverie.language.lexicon import lexicon
from reverie.language.meaning import is_complaint, plainly
from reverie.language.polarity import clauses
from reverie.language.wording import LIGHT, is_ordinary, tokens
from reverie.language.words import content, stem, words
from reverie.learn.statements.utterance import Sentence, hear

_RE = patterns("work.txt", "grounding")
_WORDS = word_sets("work.txt", "grounding")
_NUMBERS = lexicon().pairs("words.numbers")

SHOWN = 0.3  # share of a lesson's telling words that must have been said or shown with it,
SAID = 0.25  # and of those that the person must have said
ABOUT = 0.5  # share of a clause that another speaks of as well,
OPPOSED = 0.7  # and if it is said to turn it round
FEWEST = 2  # words that two clauses must share to be compared


@dataclass(frozen=True, slots=True)
class Ground:
    """What a lesson may rest on."""

    said: tuple[str, ...]  # the words of the evidence
    beside: tuple[str, ...] = ()  # what was shown with them
    known: tuple[str, ...] = ()  # what goes without saying: the names of the project


class Grounding(NamedTuple):
    """What is wrong with a lesson, and whether it is all the person's own."""

    reasons: tuple[str, ...]
    own: bool  # what shall be is said in the evidence, not only beside it


def grounding(parts: Iterable[str], ground: Ground) -> Grounding:
    """Check the texts of a lesson, the one that says it first."""
    texts = [part for part in parts if part]
    said, beside = _folded(ground.said), _folded((*ground.beside, *ground.known))
    strange, borrowed = _values(texts, said, beside, _folded(ground.known))
    reasons = [f"{value!r} stands neither in its evidence nor beside it" for value in strange]
    if turned := inverted(texts[0], ground.said):
        reasons.append(turned)
    if not reasons:
        reasons += _says_more(texts[0], ground)
    return Grounding(tuple(reasons), not borrowed and _is_own(texts[0], ground))


def _values(
    texts: list[str], said: "_Words", beside: "_Words", known: "_Words"
) -> tuple[list[str], list[str]]:
    """Values that stand nowhere, and those that only stand beside the evidence."""
    found = dict.fromkeys(value for text in texts for value in values_of(text))
    missing = [value for value in found if not said.hold(value)]
    return (
        [value for value in missing if not beside.hold(value)],
        [value for value in missing if beside.hold(value) and not known.hold(value)],
    )


def values_of(text: str) -> Iterator[str]:
    """The names, numbers, paths, flags and quoted values of a text."""
    bare = _RE.blank.sub(" ", text)
    for match in _RE.code.finditer(bare):
        yield from match[1].split()
    bare = _RE.code.sub(" ", bare)
    for match in _RE.quotation.finditer(bare):
        yield match[1] or match[2]
    for form in (_RE.exact, _RE.name):
        for match in form.finditer(bare):
            if match[0].lower() not in _WORDS.everyday:
                yield match[0].rstrip(".,;:!?)/")


class _Words(NamedTuple):
    """Texts in the forms a value is looked for in."""

    plain: str
    joined: str
    numbers: frozenset[str]

    def hold(self, value: str) -> bool:
        if _RE.number.fullmatch(value):
            return value in self.numbers
        low = value.lower().strip("`'\"()[]{}.,;:")
        return low in self.plain or _joined(value) in self.joined


@lru_cache(maxsize=256)
def _folded(texts: tuple[str, ...]) -> _Words:
    whole = "\n".join(texts)
    numbers = {match[0] for match in _RE.number.finditer(whole)}
    numbers |= {_NUMBERS[word] for word in words(whole) if word in _NUMBERS}
    return _Words(whole.lower(), _joined(whole), frozenset(numbers))


def _joined(text: str) -> str:
    return _RE.joint.sub("", text).lower()


def inverted(lesson: str, said: Iterable[str]) -> str:
    """What of the evidence a lesson turns round, in words; "" when there is nothing.

    Only demands are compared: a complaint, a question or a report may be meant either way.
    """
    texts = tuple(said)
    if _RE.ban.search(_RE.clause.split(lesson)[0]) and not any(map(_RE.against.search, texts)):
        return "it rules out what nobody spoke against"
    mine = _demands(lesson, carried=True)
    asked = not _RE.against.search(lesson)
    theirs = [
        (sentence.text, demand, sentence.question or is_complaint(sentence.text))
        for text in texts
        for sentence in hear(text).sentences
        for demand in _demands(sentence.text)
    ]
    about = [one for one in theirs if any(own.shares(one[1]) >= ABOUT for own in mine)]
    if asked and about and all(_rules_out(*one) for one in about):
        return f"it asks for what was ruled out: {_short(about[0][0])!r}"
    for text in texts:
        for sentence in hear(text).sentences:
            if _RE.contrast.search(sentence.text) and not sentence.question:
                swapped = _swapped(mine, _demands(sentence.text))
                if swapped:
                    return f"it takes {' for '.join(swapped)}, which was said the other way round"
            if _RE.demand.search(sentence.text) and _turned(mine, sentence):
                return f"it says the opposite of {_short(sentence.text)!r}"
    return ""


def _rules_out(text: str, demand: "_Demand", is_open: bool) -> bool:
    """Whether a clause plainly rules something out; that it "isn't" something does not."""
    return demand.sign < 0 and not is_open and bool(_RE.ruled.search(text))


def _short(text: str) -> str:
    return " ".join(text.split())[:160]


def _swapped(mine: "Iterable[_Demand]", theirs: "Iterable[_Demand]") -> tuple[str, str] | None:
    """What one asks for and the other rules out, and what it is the other way round with."""
    asked, ruled = _sides(mine)
    wanted, unwanted = _sides(theirs)
    first, second = sorted(asked & unwanted), sorted(ruled & wanted)
    return (first[0], second[0]) if first and second else None


def _sides(demands: "Iterable[_Demand]") -> tuple[frozenset[str], frozenset[str]]:
    """What is only asked for, and what alone is ruled out: "not npm", "instead of tabs"."""
    asked = {root for one in demands if one.sign > 0 for root in one.roots}
    ruled = {root for one in demands if one.sign < 0 and len(one.roots) <= 2 for root in one.roots}
    return frozenset(asked - ruled), frozenset(ruled - asked)


def _turned(mine: "Iterable[_Demand]", sentence: Sentence) -> bool:
    """Whether one only asks and the other only rules out, and both speak of the same."""
    if sentence.question or is_complaint(sentence.text) or _RE.removal.search(sentence.text):
        return False
    theirs = _demands(sentence.text)
    signs = {one.sign for one in mine}, {one.sign for one in theirs}
    if signs not in (({1}, {-1}), ({-1}, {1})):
        return False
    return any(own.shares(demand) >= OPPOSED for own in mine for demand in theirs)


class _Demand(NamedTuple):
    """A clause: what it speaks of, and whether it asks for that or rules it out."""

    roots: frozenset[str]
    sign: int
    poles: frozenset[tuple[str, int]]

    def shares(self, other: "_Demand") -> float:
        """Share of what another speaks of that this does too; a single word says too little."""
        heads, others = ({head for head, _ in one.poles} for one in (self, other))
        common = len(self.roots & other.roots) + len(heads & others)
        return common / (len(other.roots) + len(others)) if common >= FEWEST else 0.0

    def turns(self, other: "_Demand") -> bool:
        opposed = any((head, -sign) in other.poles for head, sign in self.poles)
        return opposed or (not self.poles & other.poles and self.sign != other.sign)


@lru_cache(maxsize=512)
def _demands(text: str, carried: bool = False) -> tuple[_Demand, ...]:
    """The clauses of a text; of a lesson, what goes on behind the comma of a ban belongs to it."""
    found: list[_Demand] = []
    for part in _RE.sentence.split(plainly(text)):
        cut = [
            _Demand(
                frozenset(token.root for token in clause.tokens if token.root not in LIGHT),
                clause.sign,
                frozenset(clause.opposites),
            )
            for clause in clauses(tokens(part))
        ]
        if carried and cut and cut[0].sign < 0 and not _RE.turning.search(part):
            cut = [one._replace(sign=-1) for one in cut]
            cut.append(_Demand(frozenset().union(*(one.roots for one in cut)), -1, cut[0].poles))
        found += cut
    return tuple(found)


def _says_more(lesson: str, ground: Ground) -> Iterator[str]:
    telling = content(words(lesson))
    own = _content(ground.said)
    around = own | _content(ground.beside) | _content(ground.known)
    if len(telling & around) < SHOWN * len(telling):
        yield "says more than its evidence; use the words that were said, or name more evidence"
    elif telling and not telling & own:
        yield "none of its telling words stands in its evidence"


def _is_own(lesson: str, ground: Ground) -> bool:
    """Whether the person said more of it than what was only shown beside their words."""
    telling = content(words(lesson))
    own = telling & _content(ground.said)
    lent = (telling - own) & _content(ground.beside)
    named = {
        stem(token.text.lower())
        for token in tokens(lesson)
        if token.sort == "name"
        or (token.sort == "word" and not is_ordinary(token.root) and token.root not in LIGHT)
    }
    return not lent & named and len(own) > len(lent) and len(own) >= SAID * len(telling)


@lru_cache(maxsize=256)
def _content(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(one for text in texts for one in content(words(text)))
