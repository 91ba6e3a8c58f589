"""Span: the words of a human turn that carry the correction, verbatim."""

import re

from reverie.language.words import Said, content, words
from reverie.learn.detect.cues import Cues

WHOLE = 160  # characters up to which a turn is its own span
LONGEST = 400

_PIECE = re.compile(r"[^\n.!?]+(?:[.!?]+(?!\s)[^\n.!?]+)*[.!?]*")
_WEIGHTS = {
    "no": 1.0, "wait": 0.5, "wrong": 2.0, "actually": 1.0, "instead": 2.0, "revert": 1.0,
    "still": 1.5, "already": 1.5, "not_need": 2.0, "dont": 1.5, "should": 2.0, "thought": 1.5,
    "why": 1.0, "negative_question": 1.5, "doubt": 1.0, "but": 1.0, "only": 0.7, "problem": 0.7,
    "always": 1.5, "avoid": 1.5, "keep": 0.7, "name": 0.5, "you": 0.4, "agree": -0.5,
    "request": -0.2, "ship": -0.3,
}  # fmt: skip


def span_of(text: str, own: Said, cues: Cues, agent: frozenset[str]) -> str:
    """The whole of a short turn, else its sentence with most against the agent's words.

    The sentence after it comes along when it goes on with the same subject and both are short.
    """
    stripped = text.strip()
    if len(stripped) <= WHOLE and "\n\n" not in stripped:
        return stripped
    source = own.prose or stripped
    pieces = [match.group().strip() for match in _PIECE.finditer(source)]
    pieces = [piece for piece in pieces if any(c.isalpha() for c in piece)]
    if not pieces:
        return stripped[:LONGEST]
    scores = [_weight(piece, cues, agent) for piece in pieces]
    best = max(range(len(pieces)), key=lambda place: (scores[place], -place))
    chosen = pieces[best]
    following = best + 1
    if following < len(pieces) and scores[following] > 0.6 * scores[best] > 0:
        joined = _joined(source, chosen, pieces[following])
        # Between the two there may have stood pasted lines that are not part of the prose.
        chosen = joined if len(joined) <= LONGEST and joined in text else chosen
    return chosen[:LONGEST]


def _weight(piece: str, cues: Cues, agent: frozenset[str]) -> float:
    found = words(piece)
    counts = cues.counted(found)
    cue = sum(weight for name, weight in _WEIGHTS.items() if counts[name])
    echo = min(4, len(content(found) & agent))
    return cue + 0.4 * echo + min(1.0, len(found) / 12)


def _joined(source: str, first: str, second: str) -> str:
    """Both sentences as they stand in the text, with what is between them."""
    start = source.find(first)
    end = source.find(second, start)
    return source[start : end + len(second)] if start >= 0 and end >= 0 else first
