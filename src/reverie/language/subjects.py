"""Subjects: the kind of thing in code that a lesson is about.

A rule about methods is not one about functions, nor is one about the names of a function's
arguments one about the names of functions: the last noun of a compound decides.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reverie.data import pairs, sections
from reverie.language.wording import Token, root_of

_NOUNS = frozenset(root_of(word) for word in sections("language.txt")["nouns"].split())
_OF_A_NAME = frozenset(root_of(word) for word in ("name", "names", "naming", "identifier"))
_INSIDE = {
    root_of("argument"): frozenset({root_of("function"), root_of("method"), root_of("class")}),
    root_of("method"): frozenset({root_of("class")}),
    root_of("attribute"): frozenset({root_of("class")}),
    root_of("column"): frozenset({root_of("table")}),
}
# Where a piece of a name goes; two places never make one rule.
_PLACES = {
    word: place for place, words in pairs("language.txt", "places") for word in words.split()
}

_PLACE_ROOTS = frozenset(root_of(word) for word in _PLACES)


@dataclass(frozen=True, slots=True)
class Thing:
    """A kind of thing as it was named: `function argument` in "function argument names"."""

    start: int  # token
    end: int
    head: str  # root of the last noun
    phrase: str
    named: bool  # its names are spoken of


def things(found: Sequence[Token]) -> list[Thing]:
    """The kinds of thing named, in order; nouns that follow each other are one."""
    runs: list[Thing] = []
    start = -1
    for place in range(len(found) + 1):
        noun = place < len(found) and found[place].sort == "word" and found[place].root in _NOUNS
        if noun and start < 0:
            start = place
        elif not noun and start >= 0:
            runs.append(_thing(found, start, place))
            start = -1
    return runs


def inner(heads: Iterable[str]) -> frozenset[str]:
    """Only the most inner kinds: arguments belong to functions, methods to classes."""
    known = frozenset(heads)
    return known - {noun for head in known for noun in _INSIDE.get(head, ())}


def objects(found: Sequence[Token]) -> frozenset[str]:
    """The kinds of thing a lesson is about, the most inner ones only."""
    return inner(thing.head for thing in things(found))


def _thing(found: Sequence[Token], start: int, end: int) -> Thing:
    words = [token.text.lower().removesuffix("'s") for token in found[start:end]]
    last = words[-1]
    if last != "class" and last.endswith("s"):
        last = last[:-3] + "y" if last.endswith("ies") else last.removesuffix("s")
        last = last.removesuffix("e") if words[-1].endswith(("sses", "ches")) else last
    before = found[start - 1].root if start else ""
    after = found[end].root if end < len(found) else ""
    named = after in _OF_A_NAME or before in _OF_A_NAME
    if start > 1 and found[start - 2].root in _OF_A_NAME:
        named = True
    return Thing(start, end, found[end - 1].root, " ".join([*words[:-1], last]), named)


def places(found: Sequence[Token]) -> frozenset[str]:
    """Where something goes: at the start or the end of a name, before or after a step."""
    return frozenset(
        place for token in found if (place := _PLACES.get(token.text.lower())) is not None
    )


def is_place_word(root: str) -> bool:
    return root in _PLACE_ROOTS
