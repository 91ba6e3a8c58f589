"""Pasted: whether words stand where a turn has the structure of something that was pasted.

What clearly is shown is no statement at all (`material.py`). Here is asked the other way round: are
these words clearly the writer's own? A paste has structure that typed words seldom have. Some of it
speaks of the lines beside it: a label that names a document, a tool or a person, a head with an
author, a date or a number, comment marks, what programs print before a line. Some of it frames a
whole turn: titles without a full stop, fields above, a salutation, a signature or a footer below,
lines that were wrapped, signs that no keyboard has, an answer below what somebody quoted. Words in
such a place may still be typed; they wait with the trust of an agent instead of becoming a rule by
themselves. So do words that their writer says are others' (`hearsay.py`).
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby, pairwise

from reverie.data import patterns, word_sets
from reverie.inert import smuggled
from reverie.language.apart import is_handed_over
from reverie.language.frames import is_attributed
from reverie.language.hearsay import LONGEST, is_hearsay
from reverie.language.lexicon import lexicon
from reverie.language.words import words

_RE = patterns("language.txt", "pasted")
_WORDS = word_sets("language.txt", "pasted")
_IMPERATIVES = lexicon().words("words.imperatives")

ABOVE, BELOW = 2, 1  # lines in which structure speaks of what stands between them
TITLE, SALUTATION = 6, 5  # most words of a line that is one
ADDRESS = 2  # first words of an answer that say to whom it speaks
FIELDS = 2  # lines below each other that make a head
SIGNS = 2  # kinds of signs that no keyboard has
WRAPPED = range(50, 101)  # characters of a line that was cut to fit


def may_be_shown(text: str, quote: str) -> bool:
    """Whether `quote`, a part of `text`, stands where somebody may only show it."""
    if is_hearsay(text, quote) or is_attributed(text, quote) or is_handed_over(text, quote):
        return True
    every = _lines(text[:LONGEST])
    place = _place(every, quote)
    if place is None:
        return False
    lines = [line for line in every if line]
    at = place - every[:place].count("")
    line = lines[at]
    forms = (_RE.attribution, _RE.according, _RE.coded, _RE.comment)
    if _is_labelled(line) or _is_marked(line) or any(form.search(line) for form in forms):
        return True
    if _is_typeset(every):
        return True
    if len(lines) == 1:
        return False
    above = lines[max(0, at - ABOVE) : at]
    around = above + lines[at + 1 : at + 1 + BELOW]
    if any(_has_structure(neighbour) for neighbour in around):
        return True
    if above and _announces(above[-1]):
        return True
    if _is_headed(every[:place]) or _is_answered(every[: place + 1]):
        return True
    listed = _RE.listed.match(line)
    return _is_closed(every[place + 1 :], listed=bool(listed)) or _is_wrapped(every)


@lru_cache(maxsize=64)
def _lines(text: str) -> list[str]:
    """All lines; an empty one stands between paragraphs."""
    return [line.strip() for line in text.splitlines()]


@lru_cache(maxsize=512)
def _bag(line: str) -> frozenset[str]:
    return frozenset(words(line))


def _place(lines: Sequence[str], quote: str) -> int | None:
    """The line that shares most with a quote."""
    wanted = _bag(quote)
    shares = [len(wanted & _bag(line)) for line in lines]
    most = max(shares, default=0)
    return shares.index(most) if most and wanted else None


def _is_labelled(line: str) -> bool:
    """Whether a sentence stands behind the name of something that is no topic of the writer's."""
    label = _RE.label.match(line)
    return bool(label) and _is_a_name(label[1])


def _announces(line: str) -> bool:
    label = _RE.announcing.match(line)
    return bool(label) and (_is_a_name(label[1]) or bool(_RE.editing.search(line)))


def _is_a_name(label: str) -> bool:
    tokens = words(label)
    if not tokens or tokens[0] in _WORDS.own:
        return False
    return not _WORDS.topics & set(tokens) or bool(_WORDS.saying & set(tokens))


def _has_structure(line: str) -> bool:
    field = _RE.field.match(line)
    return bool(_RE.structure.search(line)) or (bool(field) and _is_a_name(field[1]))


def _is_headed(above: Sequence[str]) -> bool:
    """Whether what stands above is a title, fields, a salutation or what somebody quoted."""
    if any(_is_title(line) or _is_marked(line) for line in above):
        return True
    fields = [bool(field) and _is_a_name(field[1]) for field in map(_RE.field.match, above)]
    if any(all(fields[at : at + FIELDS]) for at in range(len(fields) - FIELDS + 1)):
        return True
    return any(_greets(*pair) for pair in pairwise((*above, "-")))


def _is_marked(line: str) -> bool:
    """Whether a line is marked as machines and documents do; a heading may be the writer's."""
    heading = _RE.heading.match(line)
    return bool(_RE.marked.match(line)) or (bool(heading) and _is_a_name(heading[1]))


def _is_title(line: str) -> bool:
    """A few words that begin with a capital, end without a mark and order nothing."""
    if not _RE.title.match(line) or len(tokens := words(line)) > TITLE:
        return False
    return not tokens or (tokens[0] not in _IMPERATIVES and tokens[0] not in _WORDS.own)


def _greets(line: str, following: str) -> bool:
    """Whether a line only calls somebody; a single word does so above an empty line."""
    called = words(line)
    if not _RE.calling.match(line) or not called or len(called) > SALUTATION:
        return False
    greeted = called[0] in _WORDS.greetings or called[0] not in _WORDS.own
    return greeted and (len(called) > 1 or not following)


def _is_answered(lines: Sequence[str]) -> bool:
    """Whether what follows a quotation speaks like whoever answers it, not to the agent."""
    quoted = [at for at, line in enumerate(lines) if _RE.quoted.match(line)]
    answer = next((line for line in lines[quoted[-1] + 1 :] if line), "") if quoted else ""
    return answer[:1].isupper() and not _WORDS.spoken & set(words(answer)[:ADDRESS])


def _is_closed(below: Sequence[str], *, listed: bool) -> bool:
    """Whether a paragraph below ends like a letter: a line, a greeting with a name, a name with an
    office. What follows it may be the writer's own request."""
    if any(_RE.rule.match(line) or _RE.footer.search(line) for line in below):
        return True
    parts = [list(part) for filled, part in groupby(below, key=bool) if filled]
    if any(_is_signed(part) for part in parts):
        return True
    ending = [line for part in parts for line in part]
    dashed = not listed and len(ending) == 1 and bool(_RE.dashed.match(ending[0]))
    return dashed or (bool(ending) and _is_title(ending[-1]))


def _is_signed(part: Sequence[str]) -> bool:
    """Whether a paragraph ends with a greeting, a greeting and a name, or is nothing but a name."""
    if any(map(_RE.signature.match, part[-2:])):
        return True
    if len(part) == 1:
        return bool(_RE.name.match(part[0])) and words(part[0])[0] not in _WORDS.own
    return bool(_RE.calling.match(part[-2])) and _is_brief(part[-1])


def _is_brief(line: str) -> bool:
    return len(line.split()) <= SALUTATION and line[-1] not in ".!?"


def _is_typeset(lines: Sequence[str]) -> bool:
    """Whether a text has several kinds of signs that somebody who types has not at hand."""
    text = "\n".join(lines)
    if smuggled(text):
        return True
    return (
        sum(sign in text or any(character in text for character in sign) for sign in _WORDS.signs)
        >= SIGNS
    )


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Whether lines were cut to fit: of one length, in the middle of a sentence."""
    longest = max(map(len, lines), default=0)
    return longest in WRAPPED and any(
        len(line) in WRAPPED and _RE.cut.search(line) and following[:1].islower()
        for line, following in pairwise(lines)
    )
