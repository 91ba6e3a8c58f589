"""Apart: whether what a turn says in other lines makes a rule in it part of a text.

Beside a rule stands its paragraph (`frames.py`). Further off a turn may ask for something to be
done with a text, announce one, open a quotation or a game, or be a text itself. What such a text
looks like has no end, so nothing is asked of it: once a turn has one, every line of it may be the
text, but the sentence that says so. And whatever else stands in the turn must be plainly said to
the agent, paragraph by paragraph; entries of a list or of data need a sentence of the person's
above them that says what they are.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from reverie.data import patterns
from reverie.language.clauses import (
    WORDED,
    asked_for,
    bare_of,
    begins_as_duty,
    begins_lasting,
    begins_with_verb,
    casts,
    first_of,
    is_a_nod,
    is_a_title,
    known,
    names_text,
    plays,
    worded,
)
from reverie.language.frames import is_head, tells_of_others
from reverie.language.hearsay import LONGEST, Said, found_at, sentences_of
from reverie.language.lexicon import is_phrase
from reverie.language.spelling import is_legible
from reverie.language.subjects import holds_text
from reverie.language.words import words

_RE = patterns("language.txt", "apart")

BRIEF = 3  # most words of a question that has no subject: "thoughts?"
NAMED = 2  # fewest words of a head that is more than a key
# Each mark that opens a quotation, with those that close it.
_QUOTES = {"“": "”", "„": "“”", "«": "»", "»": "«", "‘": "’", "‚": "‘’", "「": "」", '"': '"'}
_ABOVE = ("shows", "shows_next", "points_ahead")
_BELOW = ("shows", "points_back", "from_others")


class Apart(NamedTuple):
    """A sentence in another line than a rule."""

    text: str
    behind: bool  # the rule


def is_handed_over(text: str, quote: str) -> bool:
    """Whether `quote`, a part of `text`, stands in a quotation, or a sentence in another line asks
    for something to be done with a text, or says that one stands there."""
    turn = text[:LONGEST]
    place = found_at(turn, quote) if "\n" in text else None
    if place is None:
        return False
    if any(place[0] in span or place[0] + 1 in span for span in _quoted(turn)):
        return True
    return any(_hands_over(sentence) for sentence in _in_other_lines(turn, place))


def may_be_in_text(text: str, quote: str) -> bool:
    """Whether something in `text` besides `quote` is not plainly said to the agent, or the quote is
    handed over in it."""
    turn = text[:LONGEST]
    place = found_at(turn, quote) if "\n" in text else None
    if place is None:
        return False
    if is_handed_over(text, quote):
        return True
    if any(_may_hand_over(sentence) for sentence in _in_other_lines(turn, place)):
        return True
    if _is_an_entry(turn, place[0]):
        return True
    return any(
        not _is_spoken(turn, part)
        for part in _paragraphs(turn)
        if part[1] <= place[0] or place[1] <= part[0]
    )


def _in_other_lines(turn: str, place: tuple[int, int]) -> Iterator[Apart]:
    for sentence in sentences_of(turn):
        before, behind = sentence.end <= place[0], place[1] <= sentence.start
        between = (sentence.start, place[0]) if before else (place[1], sentence.start)
        if (before or behind) and "\n" in turn[slice(*between)]:
            yield Apart(sentence.text, behind)


def _hands_over(sentence: Apart) -> bool:
    """Whether a sentence asks for something to be done with a text, announces one with a phrase or
    by a head that tells of others or of texts, or begins a game."""
    if any(is_phrase(name, sentence.text) for name in (_BELOW if sentence.behind else _ABOVE)):
        return True
    if plays(sentence.text):
        return True
    tokens = words(sentence.text)
    # "Which of these is shorter for the poster?" heads the lines it asks about.
    asks = "?" in tokens and not known("whats").isdisjoint(tokens[:WORDED])
    if asks and not sentence.behind and names_text(tokens):
        return True
    if _announces(sentence):
        return tells_of_others(sentence.text, tokens) or names_text(tokens)
    return _handles(asked_for(tokens), behind=sentence.behind)


def _may_hand_over(sentence: Apart) -> bool:
    """Whether a sentence may speak of a text: it ends like a head that is no talk of one's own,
    gives somebody a part, makes a text, or asks about something that it does not name."""
    if _announces(sentence) or casts(sentence.text) or holds_text(sentence.text):
        return True
    tokens = words(sentence.text)
    asked = asked_for(tokens)
    if first_of(asked) in known("making") and not worded().isdisjoint(asked):
        return True
    if "?" not in tokens:
        return False
    bare = [word for word in bare_of(tokens) if word != "?"]
    points = known("behind" if sentence.behind else "ahead")
    brief = len(bare) <= BRIEF and not all(word in known("nods") for word in bare)
    return brief or not points.isdisjoint(bare)


def _announces(sentence: Apart) -> bool:
    """Whether it ends with a colon above a rule, and is not how one speaks of one's own."""
    head = _RE.head.fullmatch(sentence.text.strip())
    return not sentence.behind and head is not None and not is_head(head[1])


def _handles(bare: Sequence[str], *, behind: bool) -> bool:
    """Whether an order has no object, or one that only points: then it is the text of the turn.

    Who says "fix it" speaks of the work, and who says "look at" or "go on" needs no object.
    """
    polite = known("nods") | known("polite")
    # "as a table, please": what the text is to become is all that is said.
    if bare and bare[0] in known("manners") and not begins_lasting(bare):
        return len([word for word in bare if word not in polite]) <= BRIEF
    if not bare or bare[0] not in known("imperatives", "words") | known("editing"):
        return False
    if bare[0] in known("working") | known("remembered"):
        return False
    object_ = [word for word in bare[1:] if word not in known("nods") | known("particles")]
    first = first_of(object_)
    if not first or first in known("manners"):
        return True
    if first in known("behind" if behind else "ahead") | known("places"):
        return True
    return first == "the" and not (worded() | known("places")).isdisjoint(object_[1:2])


def _is_an_entry(turn: str, start: int) -> bool:
    """Whether a line is an entry of a list or of data that no sentence of the writer's heads."""
    lines = turn[: turn.find("\n", start) % (len(turn) + 1)].split("\n")
    if not _RE.entry.match(lines[-1]):
        return False
    above = next(
        (line for line in reversed(lines) if line.strip() and not _RE.entry.match(line)), ""
    )
    head = above.strip().rstrip(":：")
    return len(words(head)) < NAMED or not is_head(head)


def _paragraphs(turn: str) -> Iterator[tuple[int, int]]:
    """Where the paragraphs of a turn stand."""
    return ((match.start(), match.end()) for match in _RE.paragraph.finditer(turn))


def _is_spoken(turn: str, part: tuple[int, int]) -> bool:
    """Whether a sentence of a paragraph is plainly said to the agent, or of oneself."""
    said = [sentence for sentence in sentences_of(turn) if part[0] <= sentence.start < part[1]]
    return not said or any(_is_said(sentence) for sentence in said)


def _is_said(sentence: Said) -> bool:
    tokens = words(sentence.text)
    bare = bare_of(tokens)
    if is_a_nod(sentence.text):
        return True
    if not is_legible(sentence.text):
        return False
    if "?" in tokens or not known("myself").isdisjoint(tokens):
        return True
    if is_phrase("objects", sentence.text) or begins_as_duty(bare) or is_a_title(bare):
        return True
    # Where and when no longer matters: another paragraph does not say of this one when it holds.
    if bare[0] in known("speakers"):
        return not known("own").isdisjoint(bare[1 : WORDED + 1])
    polite = not known("polite").isdisjoint(tokens)
    return polite or any(
        begins_with_verb(bare_of(words(part))) for part in sentence.text.split(",")
    )


@lru_cache(maxsize=64)
def _quoted(turn: str) -> tuple[range, ...]:
    """Where a turn quotes: from a mark that opens to one that closes, or to the end."""
    spans: list[range] = []
    start, closing = -1, ""
    for mark in _RE.quotation.finditer(turn):
        sign = mark[0]
        opens, closes = _is_open(turn, mark.start() - 1), _is_open(turn, mark.end())
        if sign in closing:
            # The straight mark before a word begins another quotation.
            if closes or sign != '"':
                spans.append(range(start, mark.start()))
                closing = ""
        elif not closing and opens and not closes and sign in _QUOTES:
            start, closing = mark.end(), _QUOTES[sign]
    return (*spans, range(start, len(turn))) if closing else tuple(spans)


def _is_open(turn: str, at: int) -> bool:
    """Whether no word stands at a place of a turn."""
    return not 0 <= at < len(turn) or not (turn[at].isalnum() or turn[at] in "`$/\\<")
