"""Hearsay: whether a sentence is its writer's word, by what they say around it.

People repeat what others want, suppose what nobody wants, show texts to have them summarised, and
take back what they just said. The sentence itself then reads like a rule. What the writer says of
it stands in it ("the boss says …"), before it and holds to the end of the turn ("here is what the
vendor sent: …"), behind it and holds for all above ("that's from the wiki"), or in the turn before
or after. Whoever doubts loses little: the words wait for review.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from reverie.data import patterns
from reverie.language.lexicon import is_phrase, lexicon
from reverie.language.material import announces
from reverie.language.words import words

_RE = patterns("language.txt", "hearsay")

LONGEST = 8_000  # characters of a turn that are looked at


class Said(NamedTuple):
    """A sentence of a turn, and where it stands."""

    text: str
    start: int
    end: int
    alone: bool  # it is all of its line


def is_hearsay(text: str, quote: str) -> bool:
    """Whether `quote`, a part of `text`, is told of others, supposed, shown or taken back in it."""
    turn = text[:LONGEST]
    start, end = found_at(turn, quote) or (0, len(turn))
    said = sentences_of(turn)
    within = [sentence for sentence in said if sentence.start < end and start < sentence.end]
    if any(_retells(sentence.text) or is_phrase("supposes", sentence.text) for sentence in within):
        return True
    if any(is_phrase("points_back", sentence.text) for sentence in said if sentence.end <= start):
        return True
    behind = [sentence for sentence in said if sentence.start >= end]
    if any(
        is_phrase("from_others", sentence.text) or _takes_back(sentence.text) for sentence in behind
    ):
        return True
    # A request that ends the turn is about all above it.
    ending = [sentence for sentence in behind[-1:] if sentence.alone]
    if any(
        is_phrase("shows", sentence.text) or is_phrase("points_back", sentence.text)
        for sentence in ending
    ):
        return True
    return any(at < end for at in _shown_from(turn))


@lru_cache(maxsize=256)
def is_shown_next(before: str) -> bool:
    """Whether a turn says that the next one will be shown, not said."""
    return any(
        is_phrase("shows_next", sentence.text) for sentence in sentences_of(before[:LONGEST])
    )


def is_disowned(after: str) -> bool:
    """Whether a turn begins by taking back what was said just before it, or says whose it was."""
    first = next(iter(sentences_of(after[:LONGEST])), None)
    return first is not None and (
        is_phrase("takes_back", first.text) or is_phrase("from_others", first.text)
    )


def narrows(sentence: str) -> bool:
    """Whether a sentence excepts something from the one before it."""
    return is_phrase("narrows", sentence)


def _retells(sentence: str) -> bool:
    """Whether others said it; an order that names somebody is the writer's."""
    first = next(iter(words(sentence)), "")
    return is_phrase("retells", sentence) and first not in lexicon().words("words.imperatives")


def _takes_back(sentence: str) -> bool:
    return is_phrase("takes_back", sentence) or is_phrase("rejects", sentence)


# Several ask for the place of each quote.
@lru_cache(maxsize=64)
def found_at(text: str, quote: str) -> tuple[int, int] | None:
    """Where a quote stands, with the command behind it or without; None if it is nowhere."""
    whole, bare = quote.rstrip(" `"), quote.partition(" `")[0]
    return _span(text, whole) or (_span(text, bare) if bare != whole else None)


def _span(text: str, quote: str) -> tuple[int, int] | None:
    parts = quote.split()
    line = " ".join(parts)
    if not line:
        return None
    if (at := text.find(line)) >= 0:
        return at, at + len(line)
    flat = " ".join(text.split())
    at = flat.find(line)
    return (
        (_unflat(text, flat, at), _unflat(text, flat, at + len(line) - 1) + 1) if at >= 0 else None
    )


def _unflat(text: str, flat: str, at: int) -> int:
    """Where a sign of a text stands, that stands at a place of it in one line."""
    before = flat.count(" ", 0, at)
    word = next(islice(_RE.word.finditer(text), before, None))
    return word.start() + at - flat.rfind(" ", 0, at) - 1


@lru_cache(maxsize=64)
def sentences_of(text: str) -> tuple[Said, ...]:
    """The sentences of a turn, line by line, with what is only shown among them."""
    return tuple(_cut(text))


def _cut(text: str) -> Iterator[Said]:
    for line in _RE.line.finditer(text):
        matches = [match for match in _RE.sentence.finditer(line[0]) if match[0].strip()]
        for match in matches:
            bare = _RE.listed.sub("", match[0].strip())
            start = line.start() + match.start()
            yield Said(bare, start, start + len(match[0]), len(matches) == 1)


@lru_cache(maxsize=64)
def _shown_from(text: str) -> tuple[int, ...]:
    """The places from which on all of a turn is shown."""
    return tuple(_announcements(text))


def _announcements(text: str) -> Iterator[int]:
    for sentence in sentences_of(text):
        head = _RE.head.match(sentence.text)
        colon = head is not None and (announces(head[0]) or is_phrase("shows", head[1]))
        alone = sentence.alone and (
            is_phrase("shows", sentence.text) or is_phrase("points_ahead", sentence.text)
        )
        if colon or alone or is_phrase("shows_next", sentence.text):
            end = sentence.start + len(head[0]) if head is not None and colon else sentence.end
            # What has an end of its own is all that was announced.
            if not _RE.enclosed.match(text, end):
                yield end
