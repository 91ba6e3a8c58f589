"""Instructions: what a person asks a dream to attend to, in a few words.

Without a model only three things are understood, sentence by sentence: `ignore …` (also `skip`,
`leave out`, `not`) drops what is said about these words, `only …` drops everything else, and any
other words come first in the proposal. Common words count for nothing.
"""

import re
from dataclasses import dataclass

from reverie.language.alike import stems
from reverie.language.common import is_common

_SENTENCE = re.compile(r"[.;\n]+")
_IGNORE = re.compile(
    r"^\s*(?:please\s+)?(?:ignore|skip|leave out|without|not|don'?t look at)\b", re.I
)
_ONLY = re.compile(r"^\s*(?:please\s+)?(?:only|just|nothing but)\b", re.I)


@dataclass(frozen=True, slots=True)
class Instructions:
    """Words to leave out, words to keep to, words to put first."""

    ignored: frozenset[str] = frozenset()
    only: frozenset[str] = frozenset()
    first: frozenset[str] = frozenset()

    def wanted(self, text: str) -> bool:
        found = stems(text)
        return not found & self.ignored and (not self.only or bool(found & self.only))

    def attended(self, text: str) -> bool:
        return bool(stems(text) & self.first)


def read(text: str) -> Instructions:
    """What the instructions ask for; `""` asks for nothing."""
    parts: dict[str, set[str]] = {"ignored": set(), "only": set(), "first": set()}
    for sentence in _SENTENCE.split(text):
        name = "first"
        for shape, kind in ((_IGNORE, "ignored"), (_ONLY, "only")):
            if shape.match(sentence):
                name, sentence = kind, shape.sub("", sentence)
                break
        parts[name] |= {stem for stem in stems(sentence) if not is_common(stem)}
    return Instructions(**{name: frozenset(found) for name, found in parts.items()})
