"""Conventions: rules about names, read into one plain line whatever way they were said.

"When naming methods, I'd like you to use the prefix 'do_'" and "all method names should start with
do_" both become "Start method names with 'do_'.", so that a later word on the same matter is seen
to be one.
"""

from collections.abc import Sequence

from reverie.language.subjects import Thing, inner, things
from reverie.language.values import STYLES, is_affix
from reverie.language.wording import Token, tokens

_LEAVING = frozenset({"from", "not", "than", "of", "replacing", "replace", "dropping", "drop"})
_REACH = 4  # tokens before a value in which a word may say that it is the old one


def conventions_in(text: str, spoken_of: Sequence[Thing] = ()) -> list[str]:
    """One line per convention in a sentence; `spoken_of` is what "them" and "the names" mean."""
    found = tokens(text)
    own = things(found)
    values = [place for place, token in enumerate(found) if _is_value(token)]
    chosen = [place for place in values if not _is_old(found, place)] or values
    if not chosen:
        return []
    lines: list[str] = []
    for number, place in enumerate(chosen):
        for thing in _things_for(own, place, number, len(chosen)) or spoken_of:
            line = _line(found[place], thing)
            if line not in lines:
                lines.append(line)
    return lines


def _is_value(token: Token) -> bool:
    if token.sort == "name" and is_affix(token.root):
        return True
    return _is_style(token)


def _is_style(token: Token) -> bool:
    return token.root in STYLES


def _is_old(found: Sequence[Token], place: int) -> bool:
    """Whether a value is named as the one to leave: `instead of 'm_'`, `from 'a_' to`."""
    before = [token.text.lower() for token in found[max(0, place - _REACH) : place]]
    for word in reversed(before):
        if word in {"to", "with", "using", "use", "prefix", "suffix"}:
            return False
        if word in _LEAVING:
            return True
    return False


def _things_for(own: Sequence[Thing], place: int, number: int, values: int) -> list[Thing]:
    """The things whose names a value is for: those spoken of by name, nearest to it."""
    called = [thing for thing in own if thing.named]
    if values > 1 and len(called) == values:
        return [called[number]]
    kept = inner(thing.head for thing in own)
    able = [thing for thing in own if thing.head in kept]
    named = [thing for thing in able if thing.named] or able
    if values > 1:
        return named[number : number + 1] if len(named) == values else named[-1:]
    before = [thing for thing in named if thing.end <= place]
    return before or named[:1]


def _line(value: Token, thing: Thing) -> str:
    names = f"{thing.phrase} names"
    if _is_style(value):
        style = value.text
        return f"Use {style} for {names}."
    verb = "Start" if value.root.endswith(("_", "-")) else "End"
    return f"{verb} {names} with '{value.text}'."


def named_things(text: str) -> list[Thing]:
    """What a sentence speaks of, for the pronouns of the next one."""
    found = things(tokens(text))
    named = [thing for thing in found if thing.named] or found
    return [thing for thing in named if thing.head in inner(thing.head for thing in named)]
