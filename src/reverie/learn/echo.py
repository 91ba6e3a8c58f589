"""Echo: how the human's words relate to what the agent said and did, and to earlier requests."""

import math
import re
from collections.abc import Sequence

from reverie.learn.context import Scene
from reverie.learn.words import Said, content, overlap, stem, words

EARLIER = 12  # human turns looked back for a repeated request

_PATH = re.compile(r"(?<![\w:/])(?:[\w.@-]+/)+[\w.@-]+|\b\w[\w-]*\.[a-z]{1,4}\b")
_IDENT = re.compile(r"`[^`\n]+`|\b[a-z]+[A-Z]\w+|\b\w+_\w+\b|--[a-z][\w-]+")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)*")
_NEGATIONS_TEXT = (
    "not no don't doesn't didn't isn't aren't wasn't shouldn't can't cannot never without "
    "wrong instead remove drop avoid nothing none neither couldn't wouldn't haven't"
)
_NEGATIONS = frozenset(_NEGATIONS_TEXT.split())
_REACH = 5  # words after a negation that it still covers


def echo_features(
    scene: Scene, own: Said, agent_words: list[str], earlier: Sequence[Said]
) -> dict[str, float]:
    """Shared words, negated echoes, names and numbers that differ, repeated requests."""
    row: dict[str, float] = {}
    agent = content(agent_words)
    row["in_agent"], row["like_agent"] = overlap(own.content, agent)
    row["in_tail"], row["like_tail"] = overlap(own.content, content(words(scene.before[-400:])))
    shared = own.content & agent
    row["shared"] = math.log1p(len(shared))
    row["new"] = math.log1p(len(own.content) - len(shared))
    row["negated_echo"] = _negated_echo(own.words, shared)
    row["echo_grams"], row["echo_share"] = _same_phrases(own.words, agent_words)
    row.update(_names(scene.before, own.prose))
    row["in_call"] = 0.0
    if scene.call is not None:
        acted = content(words(" ".join(map(str, scene.call.input.values()))[:1200]))
        row["in_call"] = overlap(own.content, acted)[0]
    row.update(_repeats(scene, own, earlier))
    return row


def _negated_echo(found: list[str], shared: frozenset[str]) -> float:
    last = -_REACH - 1
    hits = 0
    for place, word in enumerate(found):
        if word in _NEGATIONS:
            last = place
        elif place - last <= _REACH and stem(word) in shared:
            hits += 1
    return float(min(hits, 3))


def _same_phrases(own: list[str], agent: list[str]) -> tuple[float, float]:
    theirs = set(zip(agent, agent[1:], agent[2:], strict=False))
    mine = list(zip(own, own[1:], own[2:], strict=False))
    same = sum(phrase in theirs for phrase in mine)
    return math.log1p(same), same / len(mine) if mine else 0.0


def _names(before: str, prose: str) -> dict[str, float]:
    """Paths, identifiers and numbers: which the agent had named, which are new."""
    paths, identifiers = _PATH.findall(prose), _IDENT.findall(prose)
    named = {name.strip("`").lower() for name in (*paths, *identifiers)}
    lowered = before.lower()
    known = sum(name in lowered for name in named)
    numbers = set(_NUMBER.findall(prose))
    numbers_known = sum(number in before for number in numbers)
    return {
        "path": min(4.0, len(paths)),
        "ident": min(4.0, len(identifiers)),
        "marks_shared": min(4.0, known),
        "marks_new": min(4.0, len(named) - known),
        "numbers_shared": min(3.0, numbers_known),
        "numbers_new": min(3.0, len(numbers) - numbers_known),
    }


def _repeats(scene: Scene, own: Said, earlier: Sequence[Said]) -> dict[str, float]:
    likeness = [overlap(own.content, other.content) for other in earlier[-EARLIER:]]
    inside = max((share for share, _ in likeness), default=0.0)
    return {
        "repeat": max((jaccard for _, jaccard in likeness), default=0.0),
        "repeat_last": likeness[-1][1] if likeness else 0.0,
        "repeat_in": inside if len(own.content) > 2 else 0.0,
        "repeated_next": overlap(own.content, content(words(scene.following[:600])))[1],
    }
