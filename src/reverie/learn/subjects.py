"""Subjects: the kind of thing in code that a lesson is about.

A rule about methods is not one about functions, nor is one about the names of a function's
arguments one about the names of functions: the last noun of a compound decides.
"""

from collections.abc import Sequence

from reverie.learn.phrasing import Token, root_of

_NOUN_TEXT = """
function method class variable attribute argument constant module package file test branch commit
endpoint route table column field component hook interface enum struct exception migration model
view controller service handler script fixture directory page widget query index key header event
job queue topic bucket image container secret flag macro template decorator property namespace
"""
_NOUNS = frozenset(root_of(word) for word in _NOUN_TEXT.split())
_INSIDE = {
    root_of("argument"): frozenset({root_of("function"), root_of("method"), root_of("class")}),
    root_of("method"): frozenset({root_of("class")}),
    root_of("attribute"): frozenset({root_of("class")}),
    root_of("column"): frozenset({root_of("table")}),
}
# Where a piece of a name goes; two places never make one rule.
_PLACES = {
    "prefix": "first", "prefixed": "first", "start": "first", "starts": "first",
    "starting": "first", "begin": "first", "begins": "first", "beginning": "first",
    "prepend": "first", "preceded": "first", "precede": "first", "leading": "first",
    "suffix": "last", "suffixed": "last", "end": "last", "ends": "last", "ending": "last",
    "append": "last", "appended": "last", "trailing": "last", "finish": "last", "conclude": "last",
    "before": "earlier", "after": "later",
}  # fmt: skip

_PLACE_ROOTS = frozenset(root_of(word) for word in _PLACES)


def objects(found: Sequence[Token]) -> frozenset[str]:
    """The kinds of thing a lesson is about, the most inner ones only."""
    heads: set[str] = set()
    last = ""
    for token in found:
        if token.sort == "word" and token.root in _NOUNS:
            last = token.root
            continue
        if last:
            heads.add(last)
        last = ""
    if last:
        heads.add(last)
    outer = {noun for head in heads for noun in _INSIDE.get(head, ())}
    return frozenset(heads - outer)


def places(found: Sequence[Token]) -> frozenset[str]:
    """Where something goes: at the start or the end of a name, before or after a step."""
    return frozenset(
        place for token in found if (place := _PLACES.get(token.text.lower())) is not None
    )


def is_place_word(root: str) -> bool:
    return root in _PLACE_ROOTS
