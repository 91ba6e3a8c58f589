"""Positive: a prohibition said as what to do instead, where its own words or plain logic allow it.

Models follow "do this" better than "don't do that". Nothing is made up: without an alternative in
the text, or an opposite that any reader would name, there is none.
"""

import re

from reverie.data import sections, word_sets
from reverie.language.words import pattern

_WORDS = word_sets("statements.txt", "positive")

_DONT = r"(?:do not|don't|never|please don't|avoid|stop)"
_END = r"[\s.!]*$"
# Each: the shape of a prohibition → how it is said as an instruction.
_SHAPES = [
    line.replace("{dont}", _DONT).replace("{end}", _END).split(" => ")
    for line in sections("statements.txt")["positive"].splitlines()
]
_BY_CODE = re.compile(r"^(?:the|our|your|any|a|an) ", re.IGNORECASE)
_ING = re.compile(r"^([a-z]+?)([b-df-hj-np-tv-z])\2ing\b|^([a-z]+)ing\b", re.IGNORECASE)


def positively(lesson: str) -> str:
    """The lesson as an instruction; empty when it is one already or offers no alternative."""
    line = " ".join(lesson.split())
    for shape, form in _SHAPES:
        matched = pattern(shape).match(line)
        if matched is None:
            continue
        parts = {name: _verb(value.strip()) for name, value in matched.groupdict().items()}
        if form.startswith("use the real"):
            parts["good"] = _BY_CODE.sub("", parts["good"])
        said = form.format(**parts)
        return said[0].upper() + said[1:] + "."
    return ""


def _verb(text: str) -> str:
    """ "running the tests" as "run the tests"."""
    matched = _ING.match(text)
    if matched is None:
        return text
    doubled, letter, stem = matched.groups()
    base = doubled + letter if doubled else stem
    if base in _WORDS.with_e:
        base += "e"
    return base + text[matched.end() :]
