"""Echo: how the human's words relate to what the agent said, and to earlier requests.

Negated echoes of the agent's words, repeated requests, numbers and names. Plain overlap with the
agent's words was measured and left out: it did not carry from one project to another.
"""

import re
from collections.abc import Sequence

from reverie.language.words import Said, content, overlap, stem, words

EARLIER = 12  # human turns looked back for a repeated request

_NAME = re.compile(
    r"`[^`\n]+`|\b[a-z]+[A-Z]\w+|\b\w+_\w+\b|--[a-z][\w-]+|"
    r"(?<![\w:/])(?:[\w.@-]+/)+[\w.@-]+|\b\w[\w-]*\.[a-z]{1,4}\b"
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)*")
_NEGATIONS_TEXT = (
    "not no don't doesn't didn't isn't aren't wasn't shouldn't can't cannot never without wrong "
    "instead remove drop avoid nothing none neither couldn't wouldn't haven't"
)
_NEGATIONS = frozenset(_NEGATIONS_TEXT.split())
_REACH = 5  # words after a negation that it still covers


def echo_features(before: str, own: Said, earlier: Sequence[Said]) -> dict[str, float]:
    """`before` is the end of the agent's last text, `earlier` the human turns so far."""
    numbers = set(_NUMBER.findall(own.prose))
    known = sum(number in before for number in numbers)
    likeness = [overlap(own.content, other.content)[1] for other in earlier[-EARLIER:]]
    return {
        "negated_echo": _negated_echo(own.words, content(words(before))),
        "repeat": max(likeness, default=0.0),
        "names": min(4.0, len(_NAME.findall(own.prose))),
        "numbers_shared": min(3.0, known),
        "numbers_new": min(3.0, len(numbers) - known),
    }


def _negated_echo(found: Sequence[str], agent: frozenset[str]) -> float:
    """How many of the agent's words stand in reach of a negation: "not the *cache*"."""
    last = -_REACH - 1
    hits = 0
    for place, word in enumerate(found):
        if word in _NEGATIONS:
            last = place
        elif place - last <= _REACH and stem(word) in agent:
            hits += 1
    return float(min(hits, 3))
