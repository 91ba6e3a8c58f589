"""Pasted: whether words stand where a turn has the structure of something that was pasted.

What clearly is shown is no statement at all (`material.py`). Here is asked the other way round: are
these words clearly the writer's own? A paste has structure that typed words seldom have: a label
that names a document, a tool or a person, a head with an author, a date or a number, comment marks,
what programs print before a line, a salutation and a signature. Words in such a place may still be
typed; they wait with the trust of an agent instead of becoming a rule by themselves.
"""

from functools import lru_cache

from reverie.data import patterns, word_sets
from reverie.language.words import words

_RE = patterns("language.txt", "pasted")
_WORDS = word_sets("language.txt", "pasted")

ABOVE, BELOW = 2, 1  # lines in which structure speaks of what stands between them
LONGEST = 8_000  # characters of a turn that are looked at


def may_be_shown(text: str, quote: str) -> bool:
    """Whether `quote`, a part of `text`, stands where somebody may only show it."""
    lines = _lines(text[:LONGEST])
    at = _place(lines, quote)
    if at is None:
        return False
    line = lines[at]
    forms = (_RE.attribution, _RE.according, _RE.coded, _RE.comment)
    if _is_labelled(line) or any(form.search(line) for form in forms):
        return True
    if len(lines) == 1:
        return False
    above = lines[max(0, at - ABOVE) : at]
    around = above + lines[at + 1 : at + 1 + BELOW]
    if any(_has_structure(one) for one in around):
        return True
    if above and _announces(above[-1]):
        return True
    return bool(_RE.salutation.match(lines[0]) or any(map(_RE.signature.match, lines[-2:])))


@lru_cache(maxsize=64)
def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


@lru_cache(maxsize=512)
def _bag(line: str) -> frozenset[str]:
    return frozenset(words(line))


def _place(lines: list[str], quote: str) -> int | None:
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
    return bool(label) and _is_a_name(label[1])


def _is_a_name(label: str) -> bool:
    found = words(label)
    return bool(found) and not _WORDS.own & set(found[:1]) and not _WORDS.topics & set(found)


def _has_structure(line: str) -> bool:
    return bool(_RE.structure.search(line))
